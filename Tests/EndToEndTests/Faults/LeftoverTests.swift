import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// A process that a runner has started does not outlive it for long, and then is in nobody's way.
@Suite(.heavy)
struct LeftoverTests {
  /// A project with the push emulator, which takes no second one beside it.
  ///
  /// - Parameter isPolite: whether it ends when its input does.
  private func runner(isPolite: Bool) async throws -> RunningRunner {
    let ending = isPolite ? #", "--exit-with-stdin""# : ""
    return try await RunningRunner(
      """
      {"functions":{"echo":{}},
       "services":{"push-emulator":{"arguments":["serve","--directory","{state}"\(ending)]}}}
      """)
  }

  /// The child of a runner whose command line matches, as soon as there is one.
  private func child(of served: Served, _ pattern: String, except old: pid_t? = nil) async throws -> pid_t {
    var child: pid_t?
    try await eventually("it has a child: \(pattern)") {
      let found = try await BuiltExecutables.run(
        "/bin/sh", ["-c", "pgrep -f -P \(served.program.processID) '\(pattern)'"])
      child = pid_t(found.stdout.trimmingCharacters(in: .newlines))
      return child != nil && child != old
    }
    return try #require(child)
  }

  /// Whether it has ended; a zombie that nobody has waited for counts as ended.
  private func hasEnded(_ process: pid_t) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return true }
    return text.contains(") Z ")
  }

  @Test func aGuardThatDiesIsFollowedByOneThatEndsWhatAKilledRunnerLeaves() async throws {
    let runner = try await runner(isPolite: false)
    let served = try await runner.start(services: true)
    let emulator = try await child(of: served, "push-emulator serve")
    let first = try await child(of: served, " guard --id")

    kill(first, SIGKILL)
    try await served.program.line { $0.contains(#""part":"guard""#) }
    _ = try await child(of: served, " guard --id", except: first)
    served.program.send(SIGKILL)

    try await eventually("the emulator has ended") { hasEnded(emulator) }
  }

  @Test(arguments: [true, false])
  func aRunnerThatDiedWithItsGuardIsInNobodysWay(_ isPolite: Bool) async throws {
    let runner = try await runner(isPolite: isPolite)
    let served = try await runner.start(services: true)
    let emulator = try await child(of: served, "push-emulator serve")
    let first = try await child(of: served, " guard --id")

    kill(first, SIGKILL)
    served.program.send(SIGKILL)
    try await served.program.exit()
    if isPolite { try await eventually("it ends with its input") { hasEnded(emulator) } }
    let second = try await runner.start(services: true)

    #expect(hasEnded(emulator))
    #expect(try await second.call("echo").status == 200)
  }

  @Test func aRunnerThatStopsLeavesNoChildOfAFunction() async throws {
    let runner = try await RunningRunner(
      #"{"functions":{"f":{"executable":"f.sh","mode":"oneshot"}}}"#,
      scripts: [
        "f.sh": """
        (setsid sh -c 'trap "" TERM; echo $$ > left; while :; do sleep 1000; done' <&- >&- 2>&- &)
        until [ -s left ]; do sleep 0.01; done; echo 1
        """
      ])
    let served = try await runner.start()
    #expect(try await served.call("f").status == 200)
    let text = try String(contentsOfFile: "\(runner.project.path)/left", encoding: .utf8)
    let left = try #require(pid_t(text.trimmingCharacters(in: .newlines)))
    #expect(!hasEnded(left))

    served.program.send(SIGTERM)

    #expect(try await served.program.exit() == 0)
    #expect(hasEnded(left))
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(runner.project.path)/.runner/runs").isEmpty)
  }

  @Test func clientsThatNeverFinishLeaveDescriptorsToEvents() async throws {
    let runner = try await RunningRunner.withLedgers(
      Ledger.manifest(Ledger.function("ledger")), scripts: ["ledger": Ledger.script("ledger")])
    let words = ["serve", "--port", "0", "--project", runner.project.path, "--migrate", "--no-services"]
    let program = try RunningProgram(
      "/bin/sh", ["-c", #"ulimit -n 256; exec "$0" "$@""#, BuiltExecutables.path(of: "runner")] + words,
      environment: ["DATABASE_URL": runner.databaseURL])
    let line = try await program.line { $0.contains(#""message":"Serving""#) }
    let url = try RawJSON(validating: Array(line.utf8)[...])["url"]?.stringValue ?? ""
    let port = try #require(UInt16(url.split(separator: ":").last ?? ""))

    let clients = try (0..<300).map { _ in
      let client = try RawConnection(port: port)
      client.send("POST /functions/v1/f HTTP/1.1\r\n")
      return client
    }
    try await runner.database.script("INSERT INTO entries SELECT i, 'k' || i FROM generate_series(1, 20) AS i")

    try await runner.wait(for: "ledger") { $0.numbers == Set(1...20) }
    try await runner.waitUntilEmpty()
    // When the clients' time is over there would be descriptors again.
    #expect(!program.lines.contains { $0.contains("open files") || $0.contains("The function is paused") })
    let attempts = try await runner.database.query("SELECT DISTINCT attempt, code FROM runner.history").only()
    #expect(attempts["attempt"] == "0" && attempts["code"] == "OK")
    let asking = try RawConnection(port: port)
    asking.send("GET /_/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
    _ = try await asking.read(until: "OK\n")
    withExtendedLifetime(clients) {}
  }
}
