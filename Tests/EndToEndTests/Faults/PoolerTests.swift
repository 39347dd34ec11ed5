import FunctionKit
import Postgres
import TestSupport
import Testing

/// A pooler between the runner and the database.
@Suite(.heavy)
struct PoolerTests {
  /// The lines of `runner doctor` about the database.
  private func diagnosis(of url: String) async throws -> (ok: Bool, detail: String, exit: Int32) {
    let runner = try await RunningRunner(#"{"functions":{"echo":{}}}"#, database: url)
    _ = try await runner.run(["migrate"])
    let outcome = try await runner.run(["doctor", "--json"])
    let findings = try RawJSON(validating: Array(outcome.stdout.utf8)[...]).elements ?? []
    let finding = try #require(findings.first { $0["check"]?.stringValue == "database" })
    return (
      finding["ok"].map { String(decoding: $0.bytes, as: UTF8.self) } == "true", finding["detail"]?.stringValue ?? "",
      outcome.exit
    )
  }

  @Test(arguments: [1, 2, 5]) func doctorSaysThatAPoolerTakesItsSessionsAway(_ sessions: Int) async throws {
    let pooler = try TransactionPooler(to: try await TemporaryPostgres.database(), sessions: sessions)

    let diagnosis = try await diagnosis(of: pooler.pooledURL)

    #expect(!diagnosis.ok)
    #expect(diagnosis.detail.contains("transaction mode"))
    #expect(diagnosis.exit == 78)
  }

  @Test func doctorHasNothingToSayOfTheServerItselfNorOfASimpleProxy() async throws {
    let url = try await TemporaryPostgres.database()
    let link = try DatabaseLink(to: url)

    for url in [url, link.linkedURL] {
      let diagnosis = try await diagnosis(of: url)
      #expect(diagnosis.ok)
      #expect(diagnosis.exit == 0)
    }
  }

  @Test(arguments: [true, false])
  func doctorSaysThatFunctionsDoNotKnowOfTheirPooler(isSaid: Bool) async throws {
    let database = try await TemporaryPostgres.database()
    let pooler = try await PgBouncer()
    let runner = try await RunningRunner(
      #"{"functions":{"f":{"executable":"/bin/cat","environment":["DATABASE_URL"]}}}"#,
      environment: ["RUNNER_DATABASE_URL": database, "DATABASE_URL": pooler.url(of: database, isSaid: isSaid)],
      database: database)
    _ = try await runner.run(["migrate"])

    let outcome = try await runner.run(["doctor"])

    #expect(outcome.exit == (isSaid ? 0 : 78))
    #expect(outcome.stdout.contains("add pgbouncer=true to DATABASE_URL") != isSaid)
    #expect(outcome.stdout.contains("(each 10: functions use the pooler's)") == isSaid)
  }

  /// The whole bundle: its functions share two sessions of the server, the runner has its own.
  @Test func functionsWorkBehindPgBouncer() async throws {
    let database = try await TemporaryPostgres.database()
    let pooler = try await PgBouncer(sessions: 2)
    let bundle = try await RunningBundle(
      environment: ["RUNNER_DATABASE_URL": database, "DATABASE_URL": pooler.url(of: database)], database: database)
    let phones = try await bundle.start()
    try await bundle.settle()
    let before = try await phones.pushes().count

    try await bundle.runner.database.script(
      """
      INSERT INTO votes (feedback_id, user_id) SELECT id, 'stranger' FROM feedbacks;
      INSERT INTO comments (feedback_id, user_id, content) SELECT id, 'stranger', 'Here' FROM feedbacks;
      UPDATE feedbacks SET status = 'completed';
      """)
    try await bundle.settle()

    #expect(try await phones.pushes().count > before)
    try await bundle.runner.expectEachShownOnce(phones)
    let failed = try await bundle.runner.database.query(
      "SELECT concat_ws(' ', function, code, error) AS line FROM runner.history WHERE code <> 'OK'")
    #expect(failed.map { $0["line"] ?? "" } == [])
    #expect(try await bundle.runner.database.query("SELECT FROM runner.dead_letters").isEmpty)
    let sessions = try await bundle.runner.database.query(
      """
      SELECT application_name AS name FROM pg_stat_activity
      WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
        AND application_name NOT LIKE 'runner%' AND application_name <> 'test'
      """)
    #expect(sessions.count <= 2)
    withExtendedLifetime(pooler) {}
  }

  /// It would serve, and send no push.
  @Test(arguments: [true, false]) func aRunnerServesNothingBehindOne(isPgBouncer: Bool) async throws {
    let database = try await TemporaryPostgres.database()
    let simple = try TransactionPooler(to: database)
    let pooler = isPgBouncer ? try await PgBouncer() : nil
    let project = try TemporaryDirectory()
    try project.write(#"{"functions":{"echo":{}}}"#, to: "functions.json")

    let outcome = try await BuiltExecutables.run(
      "runner", ["serve", "--migrate", "--port", "0", "--project", project.path],
      environment: ["DATABASE_URL": pooler?.url(of: database) ?? simple.pooledURL])

    #expect(outcome.exit == 78)
    #expect(outcome.stderr.contains("transaction mode") && outcome.stderr.contains("RUNNER_DATABASE_URL"))
    withExtendedLifetime(pooler) {}
  }
}
