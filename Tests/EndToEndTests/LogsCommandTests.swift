import FunctionKit
import TestSupport
import Testing

/// `runner logs`, and the help that people meet first.
@Suite(.heavy)
struct LogsCommandTests {
  @Test func whatServingPrintsCanBeReadLater() async throws {
    let runner = try await RecordedEvents.make(
      scripts: ["note.sh": #"cat > /dev/null; echo '{"message":"a line of note","level":"info"}' >&2; echo plain >&2"#],
      rows: false)
    let nothing = try await runner.run(["logs"])
    let served = try await runner.start()
    let follower = try RunningProgram(
      "runner", ["logs", "note", "--follow", "--project", runner.project.path])
    _ = try await served.call("note")
    let followed = try await follower.line { $0.contains("a line of note") }
    served.program.send(15)
    try await served.program.exit()

    let all = try await runner.run(["logs"]).stdout.split(separator: "\n")
    let note = try await runner.run(["logs", "note"]).stdout.split(separator: "\n")

    #expect(nothing.exit == 66 && nothing.stderr.contains("Nothing has been logged yet"))
    #expect(followed.hasPrefix(#"{"program":"note","message":"a line of note""#))
    #expect(all.contains { $0.contains(#""program":"runner""#) && $0.contains(#""message":"Serving""#) })
    #expect(all.last?.contains("Stopping") == true)
    #expect(note.contains { $0.contains(#""message":"plain""#) })
    #expect(!note.contains { $0.contains("Serving") })
    #expect(try await runner.run(["logs", "--count", "1"]).stdout.split(separator: "\n").count == 1)
    #expect(try await runner.run(["logs", "nobody"]).exit == 64)
  }

  /// As in an image, or beside a unit of systemd.
  @Test func aRunnerWithAStateFolderOfItsOwnIsFoundByAVariable() async throws {
    let runner = try await RecordedEvents.make(rows: false)
    let state = "\(runner.project.path)/state"
    let served = try await runner.start(options: ["--state-dir", state])
    func run(_ command: String) async throws -> BuiltExecutables.Outcome {
      try await runner.run([command], environment: ["RUNNER_STATE_DIR": state])
    }

    #expect(try await run("status").stdout.contains("serving at \(served.url)"))
    #expect(try await run("doctor").stdout.contains("serving at \(served.url)"))
    #expect(try await run("logs").stdout.contains(#""message":"Serving""#))
    #expect(try await runner.run(["logs"]).exit == 66)
    // The console's pages are what such commands say.
    #expect(try await served.request("/_/console/functions/doctor").text.contains("serving at \(served.url)"))
  }

  @Test func aLogThatCannotBeWrittenDisturbsNobody() async throws {
    let runner = try await RecordedEvents.make(rows: false)
    _ = try await BuiltExecutables.run("/bin/mkdir", ["-p", "\(runner.project.path)/.runner/log.ndjson"])

    let served = try await runner.start()

    #expect(try await served.call("note").status == 204)
  }

  @Test(arguments: [["--help"], ["help"], ["-h"]])
  func helpIsGrouped(_ words: [String]) async throws {
    let outcome = try await BuiltExecutables.run("runner", words)

    #expect(outcome.exit == 0)
    for heading in ["Serve", "Events", "Functions", "Checks"] { #expect(outcome.stdout.contains("\n\(heading)\n")) }
  }

  @Test func aCommandShowsAllItsOptions() async throws {
    let outcome = try await BuiltExecutables.run("runner", ["events", "--help"])
    let purge = try await BuiltExecutables.run("runner", ["events", "purge", "--help"])

    #expect(outcome.exit == 0)
    #expect(outcome.stdout.contains("usage: runner events list") && outcome.stdout.contains("--older-than D"))
    #expect(purge.stdout == outcome.stdout)
    #expect(try await BuiltExecutables.run("runner", ["help", "events"]).stdout == outcome.stdout)
  }
}
