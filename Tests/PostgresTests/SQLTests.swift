import TestSupport
import Testing

@testable import Postgres

@Suite(.heavy)
struct SQLTests {
  @Test func numbersParametersInOrder() {
    let sql: SQL = "select \(1), \("two") where \(true)"

    #expect(sql.text == "select $1, $2 where $3")
  }

  @Test func aParameterKeepsItsPlaceBesideOtherLetters() {
    let part: SQL = "\(1) → 'é' || \(2)"

    let sql: SQL = "select 'ü' || \(0), \(part)"

    #expect(sql.text == "select 'ü' || $1, $2 → 'é' || $3")
  }

  @Test func fragmentsKeepTheirParametersWhenJoinedAndNested() {
    let condition: SQL = "a = \(1) and b = \(2)"

    let sql: SQL = "select \(0) where \(condition)" + " limit \(10)"

    #expect(sql.text == "select $1 where a = $2 and b = $3 limit $4")
  }

  @Test func namesOfOtherBytesAreAnotherStatement() {
    let (joined, apart) = ("\u{E9}", "e\u{301}")
    let first: SQL = "select \(identifier: joined + apart) from t where \(true)"
    let second: SQL = "select \(identifier: apart + joined) from t where \(true)"
    #expect(first.text == second.text, "Swift takes them for equal")

    #expect(SQL.Shape(first) != SQL.Shape(second))
    #expect(SQL.Shape(first) == SQL.Shape("select \(identifier: joined + apart) from t where \(false)"))
  }

  @Test func columnsOfRowsStandBesideTheirNames() async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script("create table notes (body text, number bigint, kind text, draft jsonb)")

    let insertion: SQL = .insert(
      into: "notes",
      each: [
        "number": "\([1, 2] as [Int64])", "draft": "\([#"{"a":1}"#, nil] as [String?])::jsonb[]",
        "body": "\(["x", "y"])",
      ],
      all: ["kind": "\("k")"])
    _ = try await connection.query(insertion + " ON CONFLICT DO NOTHING")
    let rows: SQL = .rows("r", ["place": "\([2, 1] as [Int64])", "word": "\(["b", "a"])"])
    _ = try await connection.query(
      "\(.insert(into: "notes", ["kind": "r.word", "number": "n.number"])) FROM \(rows) JOIN notes n ON n.number = r.place"
    )

    let said = try await connection.query(
      "SELECT concat_ws(' ', kind, number, body, draft ->> 'a') AS said FROM notes ORDER BY 1")
    #expect(try said.decode("said") == ["a 1", "b 2", "k 1 x 1", "k 2 y"])
  }

  @Test func identifiersAreQuoted() {
    let sql: SQL = "select \(identifier: "we\"ird; --") from \(unescaped: "t")"

    #expect(sql.text == #"select "we""ird; --" from t"#)
  }

  @Test func anInjectionAttemptStaysData() async throws {
    let connection = try await TemporaryPostgres.connection()
    let hostile = "'; drop table notes; --"
    try await connection.script("create table notes (body text)")

    _ = try await connection.query("insert into notes values (\(hostile))")

    let row = try await connection.query("select body from notes where body = \(hostile)").only()
    #expect(row["body"] == hostile)
  }

  @Test func anIdentifierIsTakenLiterally() async throws {
    let connection = try TemporaryPostgres.statelessConnection()
    let name = "a\"b; c"

    let rows = try await connection.query("select 1 as \(identifier: name)")

    #expect(rows.columns == [name])
  }
}
