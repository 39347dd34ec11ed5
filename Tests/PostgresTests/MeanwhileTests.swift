import FoundationEssentials
import Postgres
import TestSupport
import Testing

/// A body that runs while the server works on a transaction's statements.
@Suite(.heavy)
struct MeanwhileTests {
  @Test func theBodyEndsBeforeTheAnswersAreThere() async throws {
    let connection = try TemporaryPostgres.statelessConnection()

    let (rows, ended) = try await connection.transaction { transaction in
      try await transaction.pipeline(["SELECT pg_sleep(0.5)", "SELECT clock_timestamp() AS time"]) { Date() }
    }

    #expect(rows.count == 2)
    #expect(ended < (try rows[1].only().decode("time", as: Date.self)))
  }

  @Test func withoutStatementsTheBodyRunsAlone() async throws {
    let connection = try TemporaryPostgres.statelessConnection()

    let (rows, answer) = try await connection.transaction { try await $0.pipeline([]) { 5 } }

    #expect(rows.isEmpty)
    #expect(answer == 5)
  }

  @Test func statementsThatNoSocketHoldsArriveWhole() async throws {
    let connection = try TemporaryPostgres.statelessConnection()
    let text = String(repeating: "x", count: 5_000_000)

    let lengths = try await connection.transaction { transaction in
      let (rows, _) = try await transaction.pipeline(
        [SQL](repeating: "SELECT length(\(text)) AS n", count: 3)
      ) { [Int](repeating: 1, count: 1_000) }
      return try rows.map { try $0.only().decode("n", as: Int.self) }
    }

    #expect(lengths == [5_000_000, 5_000_000, 5_000_000])
  }

  @Test func aFailureRollsBackAndLeavesTheConnectionInOrder() async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script("CREATE TABLE t (n bigint)")

    let error = await #expect(throws: PostgresError.self) {
      try await connection.transaction { transaction in
        try await transaction.pipeline(["INSERT INTO t VALUES (1)", "SELECT 1 / \(0)"]) { 5 }
      }
    }

    #expect(error?.code == .sqlState("22012"))
    #expect(error?.statementIndex == 1)
    #expect(try await connection.query("SELECT FROM t").isEmpty)
  }
}
