import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// The states of a runner that balancers and init systems see: starting, ready, away, draining.
@Suite(.heavy)
struct ReadinessTests {
  private static let echo = #"{"functions":{"echo":{}}}"#

  private func problems(_ served: Served) async throws -> (status: Int, problems: [String]) {
    let answer = try await served.request("/_/ready")
    return (answer.status, answer.json?["problems"]?.elements?.compactMap(\.stringValue) ?? [])
  }

  @Test func aRunnerWhoseDatabaseIsAwayIsNotReady() async throws {
    let cluster = try await RunningRunner.cluster()
    let runner = try await RunningRunner(Self.echo, database: cluster.url())
    let served = try await runner.start()
    try await eventually("it is ready") { try await problems(served).status == 200 }

    try await cluster.stop()
    try await eventually("it says that the database is away") {
      try await problems(served) == (503, ["database"])
    }
    #expect(try await served.request("/_/health").status == 200)

    try await cluster.start()
    try await eventually("it is ready again") { try await problems(served) == (200, []) }
  }

  @Test func aDatabaseThatFallsSilentIsAway() async throws {
    let link = try DatabaseLink(to: try await TemporaryPostgres.database())
    let runner = try await RunningRunner(Self.echo, database: link.linkedURL)
    let served = try await runner.start()
    try await eventually("it is ready") { try await problems(served).status == 200 }

    link.freeze()
    try await eventually("it says that the database is away") {
      try await problems(served).problems.contains("database")
    }

    link.thaw()
    try await eventually("it is ready again") { try await problems(served) == (200, []) }
  }

  @Test func oneWithoutPartitionsIsNotReady() async throws {
    let runner = try await RunningRunner(Self.echo)
    _ = try await runner.run(["migrate"])
    try await runner.database.script(
      "UPDATE runner.leases SET owner = gen_random_uuid(), holder = 0, expires_at = 'infinity'")
    let session = Connection(url: runner.databaseURL, applicationName: "test")
    _ = try await session.query("SELECT pg_advisory_lock(\(RunnerLock.life), 0)")

    let served = try await runner.start()
    try await eventually("it says that it has no partitions") { try await problems(served) == (503, ["partitions"]) }

    await session.close()
    try await eventually("it is ready") { try await problems(served).status == 200 }
  }

  @Test func onSIGTERMItIsNotReadyAndAnswersUntilTheDrainIsOver() async throws {
    let runner = try await RunningRunner(Self.echo)
    let served = try await runner.start(options: ["--drain", "3000"])
    try await eventually("it is ready") { try await problems(served).status == 200 }

    served.program.send(SIGTERM)
    try await served.program.line { $0.contains("Draining") }

    #expect(try await problems(served) == (503, ["draining"]))
    #expect(try await served.call("echo", #"{"n":1}"#).status == 200)
    served.program.send(SIGTERM)
    #expect(try await served.program.exit() == 0)
  }

  @Test func aStartWaitsForADatabaseThatRecovers() async throws {
    let link = try DatabaseLink(to: try await TemporaryPostgres.database())
    link.pretendToStart(true)
    let runner = try await RunningRunner(Self.echo, database: link.linkedURL)
    async let start = runner.start()
    let log = "\(runner.project.path)/.runner/log.ndjson"
    try await eventually("it says that it waits") {
      (try? String(contentsOfFile: log, encoding: .utf8))?.contains("Waiting for the database") == true
    }
    link.pretendToStart(false)

    let served = try await start

    #expect(served.program.lines.count { $0.contains("Waiting for the database") } == 1)
    try await eventually("it is ready") { try await problems(served).status == 200 }
  }

  @Test func aStartWaitsForADatabaseThatDoesNotListenYet() async throws {
    let cluster = try await PrivateCluster()
    let runner = try await RunningRunner(Self.echo, database: cluster.url())
    try await cluster.stop()
    async let start = runner.start()
    let log = "\(runner.project.path)/.runner/log.ndjson"
    try await eventually("it says that it waits") {
      (try? String(contentsOfFile: log, encoding: .utf8))?.contains("Waiting for the database") == true
    }

    try await cluster.start()

    _ = try await start
  }

  @Test func aDatabaseThatIsNotThereEndsTheStartAtOnce() async throws {
    let url = try await TemporaryPostgres.database().split(separator: "///").joined(separator: "///nowhere")
    let runner = try await RunningRunner(try House.text("functions.json"), database: url)

    let outcome = try await runner.run(["serve", "--port", "0", "--wait", "3000"])

    #expect(outcome.exit == 75)
    #expect(outcome.stderr.contains("The database refuses the connection: "))
    #expect(outcome.stderr.contains("does not exist; look at the name of the database"))
    #expect(!outcome.stderr.contains("Waiting for the database"))
    let asking = [
      ["people"], ["token", "list", "--user", "ada@example.com"], ["why", "--recent"], ["why", "ada@example.com"],
    ]
    for words in [["migrate"], ["events", "list"]] + asking {
      let other = try await runner.run(words)
      #expect(other.exit == 78 && other.stderr.contains("The database refuses the connection: "), "\(words): \(other)")
      #expect(other.stderr.contains("does not exist; look at the name of the database"), "\(words): \(other)")
    }
    for words in [["status"], ["doctor"]] {
      #expect(try await runner.run(words).stdout.contains("The database refuses the connection: "), "\(words)")
    }
  }

  @Test func aSignalEndsAStartThatWaits() async throws {
    let link = try DatabaseLink(to: try await TemporaryPostgres.database())
    link.pretendToStart(true)
    let project = try TemporaryDirectory()
    try project.write(Self.echo, to: "functions.json")
    let program = try RunningProgram(
      "runner", ["serve", "--port", "0", "--wait", "3000", "--project", project.path],
      environment: ["DATABASE_URL": link.linkedURL])
    try await program.line { $0.contains("Waiting for the database") }

    program.send(SIGTERM)

    #expect(try await program.exit() == 0)
    #expect(program.lines.contains { $0.contains("Stopping") })
  }
}
