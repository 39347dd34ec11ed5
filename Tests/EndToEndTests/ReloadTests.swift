import Foundation
import FunctionKit
import Postgres
import Synchronization
import TestSupport
import Testing

/// The changes of files that `serve --watch` follows while events flow.
@Suite(.heavy)
struct ReloadTests {
  private static let items = #""triggers":[{"table":"items","events":["INSERT"]}]"#
  private static let note = #""note":{"executable":"note.sh","environment":["EDITION"],\#(items)}"#
  private static let more = #""more":{"executable":"more.sh",\#(items)}"#

  private static func manifest(_ entries: String...) -> String {
    #"{"functions":{\#(entries.joined(separator: ","))}}"#
  }

  /// A warm function that notes each event's id in a file, with its own edition, and answers a little later.
  ///
  /// If something ends it in between, it handles an event twice.
  private static func script(_ file: String, edition: Int = 0) -> String {
    #"""
    while read -r line; do
      id=${line#*\"id\":\"}; id=${id%%\"*}
      echo "$id \#(edition)" >> \#(file)
      sleep 0.01
      printf '{"id":"%s","exit":0,"result":{"edition":\#(edition)}}\n' "$id"
    done
    """#
  }

  private func runner(_ manifest: String = manifest(note)) async throws -> RunningRunner {
    let runner = try await RunningRunner(
      manifest, scripts: ["note.sh": Self.script("noted"), "more.sh": Self.script("more")])
    try await runner.database.script("CREATE TABLE items (id int PRIMARY KEY)")
    return runner
  }

  private func start(_ runner: RunningRunner) async throws -> Served {
    let served = try await runner.start(options: ["--watch"])
    try await served.program.line { $0.contains("Partitions taken") }
    return served
  }

  /// The first words of a file's lines.
  private func noted(_ runner: RunningRunner, _ file: String = "noted") -> [String] {
    let text = (try? String(contentsOfFile: "\(runner.project.path)/\(file)", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
  }

  /// Calls until the answer comes from an edition.
  private func wait(for edition: Int, of function: String = "note", _ served: Served) async throws {
    let deadline = ContinuousClock.now + .seconds(120)
    repeat {
      if try await served.call(function).json?["edition"]?.intValue == edition { return }
    } while ContinuousClock.now < deadline
    throw ProgramFailure(description: "\(function) is not replaced.\n" + served.program.lines.joined(separator: "\n"))
  }

  /// Waits until a file has `count` lines.
  private func wait(for count: Int, linesIn file: String, _ runner: RunningRunner) async throws {
    let deadline = ContinuousClock.now + .seconds(120)
    while noted(runner, file).count < count {
      guard ContinuousClock.now < deadline else { throw ProgramFailure(description: "\(file) stays short.") }
      _ = try await runner.database.query("SELECT pg_sleep(0.01)")
    }
  }

  private static let empty: SQL = "(SELECT count(*) FROM runner.events) + (SELECT count(*) FROM runner.retries) = 0"

  @Test func whileEventsFlowAFunctionIsReplacedAndAnotherAdded() async throws {
    let runner = try await runner()
    let served = try await start(runner)
    let isOver = Atomic(false)
    async let written = {
      var number = 0
      while !isOver.load(ordering: .relaxed) {
        // More than one process can answer meanwhile, so that there is always a line.
        _ = try await runner.database.query(
          "INSERT INTO items SELECT \(number)::int + i FROM generate_series(1, 20) AS i")
        number += 20
        _ = try await runner.database.query("SELECT pg_sleep(0.1)")
      }
      return number
    }()

    for edition in 1...3 {
      try runner.replace("note.sh", with: Self.script("noted", edition: edition))
      try await wait(for: edition, served)
    }
    try runner.project.write(Self.manifest(Self.note, Self.more), to: "functions.json")
    try await served.program.line { $0.contains("The schema is up to date") && $0.contains(#""triggers":"1""#) }
    try await wait(for: 20, linesIn: "more", runner)
    isOver.store(true, ordering: .relaxed)
    let count = try await written
    try await runner.wait(until: Self.empty)

    // Calls have ids of another kind.
    let rows = noted(runner).filter { $0.contains(".") }
    #expect(rows.count == count)
    #expect(Set(rows).count == count)
    let more = noted(runner, "more")
    #expect(Set(more).count == more.count)
    let errors = served.program.lines.filter { $0.contains(#""level":"error""#) }
    #expect(errors.isEmpty, "\(errors)")
  }

  @Test func aChangedTextReachesFunctionsThatStayAndABrokenOneEndsNone() async throws {
    let (runner, text) = (try await telling(), Self.text)
    let served = try await start(runner)
    try await wait(for: 1, served)

    try runner.project.write("\(text)2\n", to: "texts/de.strings")
    try await wait(for: 2, served)
    try runner.project.write("no text\n", to: "texts/de.strings")
    let line = try await served.program.line { $0.contains("The changed functions.json cannot be used") }

    #expect(line.contains("texts/de.strings:1"), "\(line)")
    #expect(try await served.call("note").json?["edition"]?.intValue == 2)
    try runner.project.write("\(text)3\n", to: "texts/de.strings")
    try await wait(for: 3, served)
  }

  @Test func aLineOfTheAppsOwnTextsThatNobodyWouldBeToldIsNamedAndEndsNone() async throws {
    let doctor = #""commands":{"doctor push":{"executable":"push","arguments":["doctor"]}},"#
    let (runner, text) = (try await telling(besides: doctor), Self.text)
    let served = try await start(runner)
    try await wait(for: 1, served)

    try runner.project.write("page.on.titel = 2\n", to: "texts/de.strings")
    let line = try await served.program.line { $0.contains("The changed functions.json cannot be used") }

    #expect(line.contains("de.strings:1 has page.on.titel") && line.contains("did you mean page.on.title?"), "\(line)")
    #expect(try await served.call("note").json?["edition"]?.intValue == 1)
    try runner.project.write("\(text)3\n", to: "texts/de.strings")
    try await wait(for: 3, served)
  }

  private static let text = "page.on.title = "

  /// A function that answers with the number in the app's own texts, which is 1.
  ///
  /// It reads them once, as functions do.
  private func telling(besides members: String = "") async throws -> RunningRunner {
    let runner = try await runner(
      Self.manifest(Self.note).replacing("{\"functions\":", with: "{\"languages\":\"texts\",\(members)\"functions\":"))
    try FileManager.default.createDirectory(
      atPath: "\(runner.project.path)/texts", withIntermediateDirectories: false)
    try runner.project.write("\(Self.text)1\n", to: "texts/de.strings")
    let answering = Self.script("noted").replacing(":0}", with: ":'$edition'}")
    try runner.replace("note.sh", with: "edition=$(sed 's/.*= //' texts/de.strings)\n\(answering)")
    return runner
  }

  @Test func aFunctionsJSONWithAMistakeIsNamedAndTheOldOneStays() async throws {
    let runner = try await runner()
    let served = try await start(runner)

    try runner.project.write(#"{"functions":{"note":{"#, to: "functions.json")

    let line = try await served.program.line { $0.contains("The changed functions.json cannot be used") }
    #expect(line.contains("functions.json:1: is not valid JSON"))
    #expect(try await served.call("note").json?["edition"]?.intValue == 0)
    try runner.replace("note.sh", with: Self.script("noted", edition: 1))
    try await wait(for: 1, served)
  }

  @Test func aFunctionsJSONThatDoesNotFitTheDatabaseIsNotFollowed() async throws {
    let runner = try await runner()
    let served = try await start(runner)

    try runner.project.write(
      #"{"functions":{"note":{"executable":"gone.sh","triggers":[{"table":"nowhere","events":["INSERT"]}]}}}"#,
      to: "functions.json")

    let line = try await served.program.line { $0.contains("The changed functions.json cannot be used") }
    #expect(line.contains("There is no table public.nowhere"))
    #expect(try await served.call("note").json?["edition"]?.intValue == 0)
  }

  @Test func theEventsOfAFunctionThatIsTakenAwayWaitForItsReturn() async throws {
    let runner = try await runner(Self.manifest(Self.note, Self.more))
    let served = try await start(runner)
    try runner.project.write(Self.manifest(Self.note), to: "functions.json")
    try await served.program.line { $0.contains("The functions were loaded again") }
    #expect(try await served.call("more").status == 404)

    // Such as another runner's writer may leave behind.
    _ = try await runner.database.query(
      "SELECT runner.enqueue('more', NULL, 'left', '/test', 'test', '{}'::jsonb)")
    try await served.program.line { $0.contains("Events wait for a function that functions.json does not have") }
    try runner.project.write(Self.manifest(Self.note, Self.more), to: "functions.json")

    try await runner.wait(until: Self.empty)
    #expect(noted(runner, "more") == ["left"])
  }

  @Test func settingsAndSchedulesAreFollowed() async throws {
    let runner = try await runner()
    let served = try await start(runner)

    try runner.project.write(
      Self.manifest(#""note":{"executable":"note.sh","triggers":[{"schedule":"* * * * * *"}]}"#), to: "functions.json")

    try await runner.wait(until: "SELECT count(*) >= 2 FROM runner.schedule_fires WHERE schedule = 'note'")
    try runner.project.write(
      Self.manifest(#""note":{"executable":"note.sh","mode":"discard"}"#), to: "functions.json")
    let deadline = ContinuousClock.now + .seconds(120)
    var status = 200
    repeat { status = try await served.call("note").status } while status != 204 && ContinuousClock.now < deadline
    #expect(status == 204)
  }

  @Test func inAnotherDatabaseTheTriggersWaitForMigrate() async throws {
    let runner = try await runner()
    _ = try await runner.run(["migrate"])
    let served = try await runner.start(migrates: false, options: ["--watch"])

    try runner.project.write(Self.manifest(Self.note, Self.more), to: "functions.json")

    let line = try await served.program.line { $0.contains("The database lacks something that functions.json needs") }
    #expect(line.contains("runner migrate"))
    try await wait(for: 0, of: "more", served)
    let triggers = try await runner.database.query("SELECT 1 FROM runner.triggers WHERE definition LIKE '%more%'")
    #expect(triggers.isEmpty)
  }
}
