import Glibc
import TestSupport
import Testing

@testable import Postgres

@Suite(.heavy)
struct TransactionTests {
  @Test func theBodyAndItsRequestsShareAThread() async throws {
    let connection = try await numbered()

    let threads = try await connection.transaction { transaction in
      let before = pthread_self()
      let during = try await connection.perform(in: transaction.turn) { _ in pthread_self() }
      return [before, during, pthread_self()]
    }

    #expect(Set(threads).count == 1)
  }

  @Test func commitsWhatItsBodyDid() async throws {
    let connection = try await numbered()

    let count = try await connection.transaction { transaction in
      _ = try await transaction.query("insert into t values (\(1))")
      _ = try await transaction.pipeline(["insert into t values (\(2))", "insert into t values (\(3))"])
      try await transaction.script("insert into t values (4); insert into t values (5)")
      return try await transaction.query("select * from t").count
    }

    #expect(count == 5)
    #expect(try await connection.query("select * from t").count == 5)
  }

  @Test func anErrorOfTheBodyRollsBack() async throws {
    let connection = try await numbered()

    await #expect(throws: Refusal.self) {
      try await connection.transaction { transaction in
        _ = try await transaction.query("insert into t values (\(1))")
        throw Refusal()
      }
    }

    #expect(try await connection.query("select * from t").isEmpty)
  }

  @Test func twoOnOneConnectionNeverInterleave() async throws {
    let connection = try await numbered()
    let steps = Steps()

    try await withThrowingTaskGroup { group in
      for name in 1...20 {
        group.addTask {
          try await connection.transaction { transaction in
            for _ in 1...5 {
              await steps.append(name)
              _ = try await transaction.query("insert into t values (default)")
            }
          }
        }
        group.addTask { _ = try await connection.query("select count(*) from t") }
      }
      try await group.waitForAll()
    }

    let order = await steps.names
    #expect(stride(from: 0, to: 100, by: 5).allSatisfy { Set(order[$0..<($0 + 5)]).count == 1 })
    let groups = try await connection.query("select xmin from t group by xmin having count(*) = 5")
    #expect(groups.count == 20)
  }

  @Test func anothersStatementWaitsForTheCommit() async throws {
    let connection = try await numbered()

    let other = try await connection.transaction { transaction in
      // Detached, since a task of the body's own would be refused.
      let other = Task.detached { try await connection.query("select * from t").count }
      for _ in 1...10 { _ = try await transaction.query("insert into t values (default)") }
      return other
    }

    #expect(try await other.value == 10)
  }

  @Test func aChildTaskPastTheTransactionIsRefusedRatherThanLeftWaiting() async throws {
    let connection = try await numbered()

    let error = await #expect(throws: PostgresError.self) {
      try await connection.transaction { _ in
        async let rows = connection.query("select * from t")
        _ = try await rows
      }
    }

    #expect(error?.code == .usage)
  }

  @Test func aStatementPastTheTransactionIsRefusedInsideIt() async throws {
    let connection = try await numbered()

    let error = await #expect(throws: PostgresError.self) {
      try await connection.transaction { _ in _ = try await connection.query("select 1") }
    }

    #expect(error?.code == .usage)
    #expect(try await connection.query("select 1").count == 1)
  }

  @Test func anotherConnectionServesInsideATransaction() async throws {
    let (one, other) = (try await numbered(), try await TemporaryPostgres.connection())

    let answer = try await one.transaction { _ in
      try await other.transaction { inner in try await inner.query("select 7 as n").only().decode("n", as: Int.self) }
    }

    #expect(answer == 7)
  }

  @Test func endsWithItsBody() async throws {
    let connection = try await numbered()
    let escaped = try await connection.transaction { $0 }

    let error = await #expect(throws: PostgresError.self) { _ = try await escaped.query("select 1") }

    #expect(error?.code == .usage)
  }

  @Test func readOnlyRefusesWrites() async throws {
    let connection = try await numbered()

    let error = await #expect(throws: PostgresError.self) {
      try await connection.transaction(readOnly: true) { _ = try await $0.query("insert into t values (\(1))") }
    }

    #expect(error?.code == .sqlState("25006"))
  }

  @Test func aFailurePassedOverIsNoCommit() async throws {
    let connection = try await numbered()

    let error = await #expect(throws: PostgresError.self) {
      try await connection.transaction { transaction in
        _ = try await transaction.query("insert into t values (\(1))")
        _ = try? await transaction.query("select 1/0")
      }
    }

    #expect(error?.sqlState == "25P02")
    #expect(try await connection.query("select * from t").isEmpty)
  }

  @Test(arguments: ["commit", "rollback"]) func cannotBeEndedByAStatement(_ command: String) async throws {
    let connection = try await numbered()

    let error = await #expect(throws: PostgresError.self) {
      try await connection.transaction { _ = try await $0.query(SQL(unescaped: command)) }
    }

    #expect(error?.code == .usage)
    #expect(try await connection.query("select 1").count == 1)
  }

  @Test func aSerializationFailureIsRetryable() async throws {
    let url = try await TemporaryPostgres.database()
    let (one, other) = (Connection(url: url, applicationName: "one"), Connection(url: url, applicationName: "other"))
    try await one.script("create table t (id bigint primary key); insert into t values (1)")

    let error = await #expect(throws: PostgresError.self) {
      try await one.transaction(.repeatableRead) { transaction in
        _ = try await transaction.query("select * from t")
        _ = try await other.query("update t set id = 2")
        _ = try await transaction.query("update t set id = 3")
      }
    }

    #expect(error?.code == .sqlState("40001"))
    #expect(error?.isRetryable == true)
  }

  @Test func aLockThatWasWaitedForInVainHasItsTable() async throws {
    let url = try await TemporaryPostgres.database()
    let one = Connection(url: url, applicationName: "one")
    let other = Connection(url: url, applicationName: "other", parameters: [("lock_timeout", "1ms")])
    try await one.script("create table t (id bigint primary key); insert into t values (1)")

    let error = try await one.transaction { transaction in
      _ = try await transaction.query("update t set id = 2")
      return await #expect(throws: PostgresError.self) { try await other.query("update t set id = 3") }
    }

    #expect(error?.table == "t" && error?.isRetryable == true)
    #expect(error?.description.contains("55P03: canceling statement due to lock timeout, table t") == true)
  }

  @Test func aSessionLostBeforeTheCommitDidNothing() async throws {
    let connection = try await numbered()

    let error = await #expect(throws: PostgresError.self) {
      try await connection.transaction { transaction in
        _ = try await transaction.query("insert into t values (\(1))")
        _ = try? await transaction.query("select pg_terminate_backend(pg_backend_pid())")
        _ = try await transaction.query("select 1")
      }
    }

    #expect(error?.code == .connection)
    #expect(error?.outcomeIsUnknown == false)
    #expect(error?.isRetryable == true)
    #expect(try await connection.query("select * from t").isEmpty)
  }

  @Test func aLostAnswerToTheCommitIsUnknown() async throws {
    let connection = try await numbered()
    try await connection.script(
      """
      create function die() returns trigger language plpgsql as
        $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$;
      create constraint trigger die after insert on t deferrable initially deferred
        for each row execute function die();
      """)

    let error = await #expect(throws: PostgresError.self) {
      try await connection.transaction { _ = try await $0.query("insert into t values (\(1))") }
    }

    #expect(error?.code == .commitUnknown)
    #expect(error?.outcomeIsUnknown == true)
    #expect(error?.isRetryable == false)
    #expect(try await connection.query("select 1").count == 1)
  }

  @Test func aRefusedCommitIsTheServersError() async throws {
    let connection = try await numbered()
    try await connection.script("create table u (id bigint references t deferrable initially deferred)")

    let error = await #expect(throws: PostgresError.self) {
      try await connection.transaction { _ = try await $0.query("insert into u values (\(1))") }
    }

    #expect(error?.code == .sqlState("23503"))
    #expect(error?.outcomeIsUnknown == false)
  }

  private func numbered() async throws -> Connection {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script("create table t (id bigserial primary key)")
    return connection
  }

  private struct Refusal: Error {}

  private actor Steps {
    var names: [Int] = []
    func append(_ name: Int) { names.append(name) }
  }
}
