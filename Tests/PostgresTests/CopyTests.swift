import Postgres
import TestSupport
import Testing

@Suite(.heavy)
struct CopyTests {
  @Test func insertsHostileTextAndNulls() async throws {
    let connection = try await table()
    let texts: [String?] = ["tab\tnew\nline\rback\\slash", "\\N", "\\.", "", nil, "é 漢字"]

    let count = try await connection.copy(
      into: "t", columns: ["id", "text"], rows: texts.enumerated().map { ["\($0.offset)", $0.element] })

    #expect(count == texts.count)
    #expect(try await connection.query("select text from t order by id").map { $0["text"] } == texts)
  }

  @Test func insertsMoreThanTheSocketHolds() async throws {
    let connection = try await table()
    let text = String(repeating: "x", count: 1000)

    let count = try await connection.copy(
      into: "t", columns: ["id", "text"], rows: (0..<20_000).map { ["\($0)", text] })

    #expect(count == 20_000)
  }

  @Test(arguments: [
    ("a wrong row", "t" as SQL, ["id", "text"], [["1", "a"], ["one", "b"]], "22P02"),
    ("a missing table", "nowhere", ["id"], [["1"]], "42P01"),
  ])
  func aFailureUndoesAll(
    _ name: String, table: SQL, columns: [String], rows: [[String]], sqlState: String
  ) async throws {
    let connection = try await self.table()

    let error = await #expect(throws: PostgresError.self) {
      _ = try await connection.copy(into: table, columns: columns, rows: rows)
    }

    #expect(error?.code == .sqlState(sqlState))
    #expect(try await connection.query("select * from t").isEmpty)
  }

  @Test func belongsToItsTransaction() async throws {
    let connection = try await table()

    await #expect(throws: CancellationError.self) {
      try await connection.transaction { transaction in
        _ = try await transaction.copy(into: "t", columns: ["id"], rows: [["1"]])
        throw CancellationError()
      }
    }

    #expect(try await connection.query("select * from t").isEmpty)
  }

  private func table() async throws -> Connection {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script("create table t (id bigint, text text)")
    return connection
  }
}
