import Postgres
import TestSupport
import Testing

@Suite(.heavy)
struct ScriptTests {
  @Test func runsManyStatements() async throws {
    let connection = try await TemporaryPostgres.connection()

    try await connection.script(
      "create table t (id int);\ninsert into t values (1); -- one\ninsert into t values (2); select * from t;")

    #expect(try await connection.query("select * from t").count == 2)
  }

  @Test func aFailureUndoesAllAndNamesTheLine() async throws {
    let connection = try await TemporaryPostgres.connection()

    let error = await #expect(throws: PostgresError.self) {
      try await connection.script("create table t (id int);\n\n  insert into t valuez (1);\n")
    }

    #expect(error?.code == .sqlState("42601"))
    #expect(error?.line == 3)
    #expect(try await connection.query("select to_regclass('t') as t").only()["t"] == nil)
  }

  @Test func aFailureWhileRunningNamesTheStatement() async throws {
    let connection = try await TemporaryPostgres.connection()

    let error = await #expect(throws: PostgresError.self) {
      try await connection.script("create table t (id int primary key); insert into t values (1), (1); select 1")
    }

    #expect(error?.statementIndex == 1)
    #expect(error?.sqlState == "23505")
  }

  @Test func aTransactionLeftOpenIsRefused() async throws {
    let connection = try await TemporaryPostgres.connection()

    let error = await #expect(throws: PostgresError.self) { try await connection.script("begin; create table t ()") }

    #expect(error?.code == .usage)
    #expect(try await connection.query("select to_regclass('t') as t").only()["t"] == nil)
  }

  @Test(arguments: ["", " ; -- nothing\n"]) func nothingIsNoError(_ text: String) async throws {
    try await TemporaryPostgres.statelessConnection().script(text)
  }
}
