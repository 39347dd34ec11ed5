import Foundation
import FunctionKit
import Glibc
import Postgres
import TestSupport
import Testing

/// Pages whose program stays for the next one.
@Suite(.heavy)
struct WarmPanelTests {
  /// Says as a person's name which process has answered, and whether it stays.
  private static let script = #"""
    found() { printf '{"found":[{"id":"a0000000-0000-4000-8000-000000000001","name":"%s"}],"hasMore":false}' "$1"; }
    [ "$*" = --stream ] || { case $* in *no*) echo 'Nobody alone.' >&2; exit 66 ;; *slow*) exec sleep 600 ;; esac; found "cold[$EDITION]"; exit; }
    while read -r line; do
      id=${line#*\"id\":\"}; id=${id%%\"*}
      case $line in
        *crash*) kill -9 $$ ;;
        *slow*) sleep 600 ;;
        *away*) printf '{"id":"%s","exit":75,"error":{"code":"DATABASE_AWAY","message":"Away."}}\n' "$id" ;;
        *nobody*) printf '{"id":"%s","exit":66,"error":{"code":"NO_INPUT","message":"Nobody <here>."}}\n' "$id" ;;
        *) printf '{"id":"%s","exit":0,"result":%s}\n' "$id" "$(found "warm[$EDITION$OTEL_EXPORTER_OTLP_HEADERS] $$.")" ;;
      esac
    done
    """#

  private static func manifest(_ mode: String) -> String {
    #"""
    {"functions":{},"commands":{"find":{"executable":"./find.sh","mode":"\#(mode)"}},
      "panels":{"folk":{"command":"find","kind":"people","title":"Folk"}}}
    """#
  }

  private func runner(_ mode: String = "warm") async throws -> (runner: RunningRunner, served: Served) {
    let runner = try await RunningRunner(
      Self.manifest(mode), scripts: ["find.sh": Self.script])
    return (runner, try await runner.start())
  }

  private func page(_ served: Served, _ path: String = "") async throws -> (status: Int, text: String) {
    let answer = try await served.request("/_/console/folk\(path)")
    return (answer.status, answer.text)
  }

  /// The process that has answered a page; `nil` if it does not stay.
  private func process(_ served: Served, edition: String = "", _ path: String = "") async throws -> pid_t? {
    let text = try await page(served, path).text
    return text.firstMatch(of: /warm\[(\w*)\] (\d+)\./).flatMap { $0.1 == edition ? pid_t($0.2) : nil }
  }

  @Test func oneProcessAnswersPageAfterPageUntilItDies() async throws {
    let (_, served) = try await runner()

    let first = try #require(try await process(served))
    for query in ["", "?q=ada", "?q=ben"] { #expect(try await process(served, query) == first) }
    kill(first, SIGKILL)
    // The page may be asked before the runner has seen the end; then a process of its own has answered.
    let next = try await process(served)
    let last = try #require(try await process(served))

    #expect(next != first && last != first)
  }

  @Test func aPageShowsWhatAProcessOfItsOwnSaysWhereTheOneThatStaysBreaks() async throws {
    let (_, served) = try await runner()
    let first = try #require(try await process(served))

    #expect(try await page(served, "?q=crash").text.contains("cold[]"))

    let line = try await served.program.line { $0.contains("The process of a command for pages has ended by itself") }
    #expect(line.contains(#""level":"warning""#) && line.contains(#""command":"find""#), "\(line)")
    #expect(line.contains(#""ended":"signal 9""#), "\(line)")
    #expect(try #require(try await process(served)) != first)
  }

  @Test func aProcessThatHasStayedIsNotBelievedAboutWhatIsAway() async throws {
    let (_, served) = try await runner()
    let first = try #require(try await process(served))

    #expect(try await page(served, "?q=away").text.contains("cold[]"))

    #expect(try #require(try await process(served)) != first)
  }

  @Test func whatIsWrongIsOnThePage() async throws {
    let (_, served) = try await runner()

    let page = try await page(served, "?q=nobody")

    #expect(page.status == 404 && page.text.contains("Nobody &lt;here&gt;."), "\(page.text)")
  }

  @Test func aPageThatHangsHoldsUpNoOther() async throws {
    let (_, served) = try await runner()
    async let slow = page(served, "?q=slow")
    async let slower = page(served, "?q=slower")

    for query in ["", "?q=ada", "?q=ben"] { #expect(try await page(served, query).status == 200) }

    for late in try await [slow, slower] {
      #expect(late.status == 503 && late.text.contains("took longer than 20 s"), "\(late.text)")
    }
    var after: pid_t?
    // Those that were late have their places until they have ended.
    for _ in 0..<1_000 where after == nil { after = try await process(served) }
    #expect(after != nil)
  }

  @Test func aChangedSettingOrProgramIsAnotherProcess() async throws {
    let (runner, served) = try await runner()
    let first = try #require(try await process(served))

    try runner.project.write("EDITION=new\n", to: ".env")
    let second = try #require(try await process(served, edition: "new"))
    try runner.project.write(
      "#!/bin/sh\n\(Self.script.replacing("warm", with: "warm newer"))\n", to: "find.sh", mode: 0o700)
    let text = try await page(served).text

    #expect(first != second && text.contains("warm newer[new] "), "\(text)")
  }

  @Test func aChangedFileOfTheAppsOwnTextsIsAnotherProcess() async throws {
    let runner = try await RunningRunner(
      Self.manifest("warm").replacing("{\"functions\":", with: "{\"languages\":\".\",\"functions\":"),
      scripts: ["find.sh": Self.script])
    try runner.project.write("page.turn_off = Weg damit\n", to: "de.strings")
    let served = try await runner.start()
    let first = try #require(try await process(served))
    #expect(try await process(served) == first)

    try runner.project.write("page.turn_off = Aus\n", to: "de.strings")
    let second = try #require(try await process(served))
    try runner.project.write("page.turn_off = Non\n", to: "fr.strings")
    let third = try #require(try await process(served))

    #expect(first != second && second != third)
    #expect(try await process(served) == third)
  }

  @Test func aSecretThatChangesInItsFileIsAnotherProcess() async throws {
    let (runner, served) = try await runner()
    try runner.project.write("one\n", to: "secret")
    try runner.project.write("OTEL_EXPORTER_OTLP_HEADERS_FILE=secret\n", to: ".env")

    let first = try #require(try await process(served, edition: "one"))
    #expect(try await process(served, edition: "one") == first)
    try runner.project.write("other\n", to: "secret")

    #expect(try #require(try await process(served, edition: "other")) != first)
  }

  @Test func aProgramThatDoesNotKnowItIsStartedForEachPage() async throws {
    let (_, served) = try await runner("oneshot")

    let (list, nobody) = (try await page(served), try await page(served, "?q=nobody"))

    #expect(list.status == 200 && list.text.contains("cold[]"))
    #expect(nobody.status == 404 && nobody.text.contains("Nobody alone."))
  }

  @Test func theBundlesPagesShareASessionThatComesBack() async throws {
    let bundle = try await RunningBundle()
    let runner = bundle.runner
    let console = ServedConsole(served: try await bundle.start(options: ["--console", "on"]).served)
    try await bundle.settle()
    let dan = "a0000000-0000-4000-8000-000000000004"
    let pages = ["people", "people/\(dan)", "people?q=example", "phones?user=dan", "explain", "people/\(dan)"]
    func sessions() async throws -> Set<Int32> {
      let rows = try await runner.database.query(
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'push' AND datname = current_database()")
      return Set(try rows.map { try $0.decode("pid", as: Int32.self) })
    }

    for path in pages { #expect(try await console.get("/_/console/\(path)").status == 200, "\(path)") }
    let first = try await sessions()
    for path in pages { #expect(try await console.get("/_/console/\(path)").status == 200, "\(path)") }
    let second = try await sessions()
    try await runner.database.endSessions(where: "application_name = 'push'")
    let lost = try await sessions()
    for path in pages { #expect(try await console.get("/_/console/\(path)").status == 200, "\(path)") }
    // The plans that a session has kept give columns of another type.
    _ = try await runner.database.query("ALTER TABLE users ALTER COLUMN name TYPE varchar(300)")
    for path in pages { #expect(try await console.get("/_/console/\(path)").status == 200, "\(path)") }

    #expect((1...2).contains(first.count) && !first.isDisjoint(with: second), "\(first) \(second)")
    #expect(lost.isDisjoint(with: second))
    #expect(try await sessions().isEmpty == false)
  }
}
