import Postgres
import TestSupport
import Testing

/// A transaction whose first request begins it, and whose last commits it.
@Suite(.heavy)
struct CommitTests {
  private let connection: Connection

  init() async throws {
    connection = try await TemporaryPostgres.connection()
    try await connection.script("create table t (id bigint primary key)")
  }

  @Test func theLastStatementsAreCommittedWithTheTransaction() async throws {
    let counts = try await connection.transaction { transaction in
      _ = try await transaction.query("insert into t values (\(1))")
      let rows = try await transaction.commit(after: ["insert into t values (\(2)), (3)", "select * from t"])
      return rows.map(\.affectedRows)
    }

    #expect(counts == [2, 3])
    #expect(try await connection.query("select * from t").count == 3)
  }

  @Test func aTransactionMayBeOneRequest() async throws {
    _ = try await connection.transaction { try await $0.commit(after: ["insert into t values (\(1))"]) }

    #expect(try await connection.query("select * from t").count == 1)
  }

  @Test func theIsolationHoldsFromTheFirstRequest() async throws {
    let row = try await connection.transaction(.repeatableRead, readOnly: true) { transaction in
      try await transaction.query(
        "select current_setting('transaction_isolation') as isolation, current_setting('transaction_read_only') as ro"
      ).only()
    }

    #expect(row["isolation"] == "repeatable read")
    #expect(row["ro"] == "on")
  }

  @Test func aTransactionWithoutRequestsDoesNothing() async throws {
    let pid = try await processID(of: connection)

    try await connection.transaction { _ in }
    await #expect(throws: Refusal.self) { try await connection.transaction { _ in throw Refusal() } }

    _ = try await connection.query("insert into t values (\(1))")
    #expect(try await connection.query("select * from t where id = 1").count == 1)
    #expect(try await processID(of: connection) == pid)
  }

  @Test(arguments: 0..<3) func aFailureOfAnyStatementCommitsNothing(index: Int) async throws {
    let pid = try await processID(of: connection)
    var statements: [SQL] = ["insert into t values (\(1))", "insert into t values (\(2))"]
    statements.insert("select 1 / \(0)", at: index)

    let error = await #expect(throws: PostgresError.self) {
      try await connection.transaction { try await $0.commit(after: statements) }
    }

    #expect(error?.code == .sqlState("22012"))
    #expect(error?.statementIndex == index)
    #expect(error?.outcomeIsUnknown == false)
    #expect(try await connection.query("select * from t").isEmpty)
    #expect(try await processID(of: connection) == pid)
  }

  @Test func aFailureOfTheFirstRequestRollsBack() async throws {
    let error = await #expect(throws: PostgresError.self) {
      try await connection.transaction {
        _ = try await $0.pipeline(["insert into t values (\(1))", "select 1 / \(0)"])
      }
    }

    #expect(error?.statementIndex == 1)
    #expect(try await connection.query("select * from t").isEmpty)
  }

  @Test func aStatementThatCannotBeSentEndsNoSession() async throws {
    let pid = try await processID(of: connection)

    let error = await #expect(throws: PostgresError.self) {
      try await connection.transaction { _ = try await $0.query("select \("\u{0}")") }
    }

    #expect(error?.code == .usage)
    #expect(try await processID(of: connection) == pid)
  }

  @Test func nothingFollowsTheCommit() async throws {
    let error = await #expect(throws: PostgresError.self) {
      try await connection.transaction { transaction in
        _ = try await transaction.commit(after: ["insert into t values (\(1))"])
        _ = try await transaction.query("insert into t values (\(2))")
      }
    }

    #expect(error?.code == .usage)
    #expect(try await connection.query("select * from t").decode("id") == [1])
  }

  @Test func aFailurePassedOverIsNoCommit() async throws {
    let error = await #expect(throws: PostgresError.self) {
      try await connection.transaction { transaction in
        _ = try? await transaction.query("select 1 / \(0)")
        _ = try await transaction.commit(after: [])
      }
    }

    #expect(error?.sqlState == "25P02")
    #expect(try await connection.query("select 1").count == 1)
  }

  @Test func aRefusedCommitIsTheServersError() async throws {
    try await connection.script("create table u (id bigint references t deferrable initially deferred)")

    let error = await #expect(throws: PostgresError.self) {
      try await connection.transaction { try await $0.commit(after: ["insert into u values (\(1))"]) }
    }

    #expect(error?.code == .sqlState("23503"))
    #expect(error?.outcomeIsUnknown == false)
  }

  @Test(arguments: ["immediate", "deferred"]) func aLostAnswerIsUnknown(_ time: String) async throws {
    try await connection.script(
      """
      create function die() returns trigger language plpgsql as
        $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$;
      create constraint trigger die after insert on t deferrable initially \(time)
        for each row execute function die();
      """)

    let error = await #expect(throws: PostgresError.self) {
      try await connection.transaction { try await $0.commit(after: ["insert into t values (\(1))"]) }
    }

    #expect(error?.code == .commitUnknown)
    #expect(error?.isRetryable == false)
    #expect(try await connection.query("select * from t").isEmpty)
  }

  private struct Refusal: Error {}
}
