import Postgres
import TestSupport
import Testing

@Suite(.heavy)
struct PipelineTests {
  @Test func returnsTheRowsOfEachStatement() async throws {
    let connection = try TemporaryPostgres.statelessConnection()

    let answers = try await connection.pipeline(["select \(1) as n", "select \(2) as n", "select \(1) as n"])

    #expect(try answers.map { try $0.only().decode("n", as: Int.self) } == [1, 2, 1])
  }

  @Test func anEmptyPipelineReturnsNothing() async throws {
    let connection = try TemporaryPostgres.statelessConnection()

    #expect(try await connection.pipeline([]).isEmpty)
  }

  @Test(
    arguments: [
      (
        "what the server refuses in the middle",
        ["insert into t values (\(1))", "insert into t values (\(1))", "insert into t values (\(2))"],
        .sqlState("23505")
      ),
      ("what cannot be sent", ["insert into t values (\(1))", "select \("\0")"], .usage),
    ] as [(String, [SQL], PostgresError.Code)])
  func aFailureNamesItsStatementAndLeavesNothing(
    _ name: String, statements: [SQL], code: PostgresError.Code
  ) async throws {
    let connection = try await numbered()

    let error = await #expect(throws: PostgresError.self) { _ = try await connection.pipeline(statements) }

    #expect(error?.code == code)
    #expect(error?.statementIndex == 1)
    #expect(error?.outcomeIsUnknown == false)
    #expect(try await connection.query("select * from t").isEmpty)
  }

  @Test func aFailureToPrepareNamesItsStatement() async throws {
    let connection = try await numbered()

    let error = await #expect(throws: PostgresError.self) {
      _ = try await connection.pipeline(["insert into t values (\(1))", "select nonsense", "select \(1)"])
    }

    #expect(error?.code == .sqlState("42703"))
    #expect(error?.statementIndex == 1)
    #expect(try await connection.pipeline(["select \(1)", "select * from t"])[1].isEmpty)
  }

  @Test func moreThanTheSocketHoldsGoesBothWays() async throws {
    let connection = try TemporaryPostgres.statelessConnection()
    let text = String(repeating: "x", count: 200_000)

    let answers = try await connection.pipeline((0..<100).map { _ in "select \(text)::text as text" })

    #expect(answers.count == 100)
    #expect(answers.allSatisfy { $0.first?["text"] == text })
  }

  @Test func aLostAnswerIsAnUnknownCommit() async throws {
    let connection = try await numbered()

    let error = await #expect(throws: PostgresError.self) {
      _ = try await connection.pipeline([
        "insert into t values (\(1))", "select pg_terminate_backend(pg_backend_pid())",
      ])
    }

    #expect(error?.code == .commitUnknown)
    #expect(error?.isRetryable == false)
    #expect(try await connection.query("select * from t").isEmpty)
  }

  @Test func aPlanThatOutlivedItsTableIsMadeAnewForAll() async throws {
    let connection = try await numbered()
    let statements: [SQL] = ["insert into t values (\(1)) on conflict do nothing", "select * from t"]
    _ = try await connection.pipeline(statements)
    try await connection.script("alter table t add extra int")

    #expect(try await connection.pipeline(statements)[1].columns == ["id", "extra"])
  }

  private func numbered() async throws -> Connection {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script("create table t (id bigint primary key)")
    return connection
  }
}
