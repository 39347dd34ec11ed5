import Foundation
import FunctionKit
import HTTPClient
import Postgres
import TestSupport
import Testing

/// People's notifications when processes die.
///
/// Judged by what their devices show.
@Suite(.heavy)
struct FaultTests {
  @Test func killedAtAnyMomentNothingIsLostAndNobodyToldTwice() async throws {
    let bundle = try await RunningBundle()
    var phones = try await bundle.start()
    for _ in 0..<5 {
      try await bundle.runner.database.vote(20)
      phones.served.program.send(9)
      try await phones.served.program.exit()
      phones = try await bundle.start()
    }
    try await bundle.settle(within: .seconds(300))

    let told = try await bundle.runner.database.query(
      """
      SELECT count(*) AS decisions, count(DISTINCT event_id) AS events FROM decisions
      WHERE function = 'vote-cast' AND event_id IN (
        SELECT event_id FROM decisions GROUP BY event_id) AND decision = 'notify'
      """
    ).only()
    #expect(told["decisions"] == told["events"])
    let votes = try await bundle.runner.database.query("SELECT count(*)::int AS n FROM votes").only()
    let handled = try await bundle.runner.database.query(
      "SELECT count(*)::int AS n FROM handled_events WHERE function = 'vote-cast' AND source LIKE '/%'"
    ).only()
    #expect(handled["n"] == votes["n"])
    try await bundle.runner.expectEachShownOnce(phones)
  }

  @Test func theEmulatorMayGoAndComeBack() async throws {
    let bundle = try await RunningBundle()
    let before = try await bundle.start()
    try await bundle.settle()
    let emulator = try await BuiltExecutables.run(
      "/bin/sh", ["-c", "pgrep -f 'push-emulator serve --directory \(bundle.runner.project.path)/'"]
    ).stdout

    _ = try await BuiltExecutables.run("/bin/sh", ["-c", "kill -9 \(emulator)"])
    try await bundle.runner.database.vote(5)
    try await bundle.settle(within: .seconds(300))

    let phones = try Phones(before.served, project: bundle.runner.project.path)
    try await bundle.runner.expectEachShownOnce(phones)
  }

  /// Removes a stopped cluster, which root's lives outside the project.
  private func removeCluster(of project: TemporaryDirectory) async throws {
    let script = "rm -rf \"$(readlink -f '\(project.path)/.runner/postgres')\""
    _ = try await BuiltExecutables.run("/bin/sh", ["-c", script])
  }

  @Test func aStoryOnTheEmbeddedDatabaseEndsWell() async throws {
    let project = try TemporaryDirectory()
    try project.write(Schema.manifest(try House.text("functions.json")), to: "functions.json")
    let environment = ["HOME": "/nonexistent", "PATH": "/usr/local/bin:/usr/bin:/bin"]

    for _ in 0..<2 {
      let outcome = try await BuiltExecutables.run(
        "runner", ["up", "--demo", "--port", "0", "--project", project.path], environment: environment,
        timeout: .seconds(120))
      #expect(outcome.exit == 0, "\(outcome.stdout)\n\(outcome.stderr)")
      for kind in ["new_feedback", "new_comment", "new_vote", "status_change"] {
        #expect(outcome.stdout.contains(kind), "\(kind)")
      }
      #expect(outcome.stdout.contains("voting closes in"))
      #expect(outcome.stdout.contains("not told"))
    }
    try await removeCluster(of: project)
  }

  private func database(of project: TemporaryDirectory) throws -> Connection {
    let url = try String(contentsOfFile: "\(project.path)/.runner/database-url", encoding: .utf8)
      .trimmingCharacters(in: .newlines)
    return Connection(url: url, applicationName: "test", statementTimeout: .seconds(300))
  }

  private func postmaster(of database: Connection) async throws -> pid_t {
    let found: Int = try await database.query(
      "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid"
    ).only().decode("pid")
    return pid_t(found)
  }

  /// PostgreSQL's log is a pipe that nobody reads: a start waits when it opens it.
  @Test func theGatewayAnswersWhileTheEmbeddedDatabaseIsStartedAgain() async throws {
    let project = try TemporaryDirectory()
    try project.write(#"{"functions":{"echo":{}}}"#, to: "functions.json")
    let program = try RunningProgram("runner", ["serve", "--port", "0", "--project", project.path])
    let serving = try await program.line { $0.contains(#""message":"Serving""#) }
    let url = try #require(try RawJSON(validating: Array(serving.utf8)[...])["url"]?.stringValue)
    let client = HTTPClient()
    let log = "\(project.path)/.runner/postgres/server.log"
    let database = try database(of: project)
    let postmaster = try await postmaster(of: database)
    try #require(unlink(log) == 0 && mkfifo(log, 0o600) == 0)

    kill(postmaster, SIGKILL)

    try await program.line { $0.contains(#""part":"postgres""#) }
    for _ in 0..<50 {
      #expect(try await client.send(HTTPCall(.get, "\(url)/_/health")).status == 200)
      try await Task.sleep(for: .milliseconds(10))
    }
    let reader = try RunningProgram("/bin/cat", [log])
    try await eventually("the database answers again") { (try? await database.query("SELECT 1")) != nil }
    await database.close()
    program.send(SIGTERM)
    #expect(try await program.exit() == 0)
    #expect(try await reader.exit() == 0)
    try await removeCluster(of: project)
  }

  @Test func theEmbeddedDatabaseIsStartedAgainWhenItDies() async throws {
    let project = try TemporaryDirectory()
    try project.write(
      #"{"functions":{"echo":{"triggers":[{"schedule":"* * * * * *"}]}}}"#, to: "functions.json")
    let program = try RunningProgram("runner", ["serve", "--port", "0", "--project", project.path])
    try await program.line { $0.contains("Partitions taken") }
    let database = try database(of: project)

    kill(try await postmaster(of: database), SIGKILL)

    try await program.line { $0.contains(#""part":"postgres""#) }
    let deadline = ContinuousClock.now + .seconds(120)
    var answer: String?
    while answer == nil, ContinuousClock.now < deadline {
      answer = try? await database.query("SELECT count(*) AS n FROM runner.schedule_fires").first?["n"]
    }
    #expect(answer != nil)
    program.send(15)
    #expect(try await program.exit(within: .seconds(180)) == 0)
    try await removeCluster(of: project)
  }
}
