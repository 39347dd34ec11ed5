import Foundation
import Postgres
import TestSupport
import Testing

@Suite(.heavy)
struct RowsTests {
  @Test func isACollectionOfRows() async throws {
    let rows = try await rows("select n, 'v' || n as v from generate_series(1, 3) n")

    #expect(rows.count == 3)
    #expect(rows.map { $0["v"] } == ["v1", "v2", "v3"])
    #expect(try rows.decode("n", as: Int.self) == [1, 2, 3])
    #expect(rows.affectedRows == 3)
  }

  @Test func countsTheRowsOfAnUpdate() async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script("create table t as select * from generate_series(1, 5) n")

    #expect(try await connection.query("delete from t where n > \(2)").affectedRows == 3)
  }

  @Test func lendsTextWithoutACopy() async throws {
    let row = try await rows("select 'abc' as a, null as n").only()

    #expect(row.withUTF8(of: "a") { Array($0) } == Array("abc".utf8))
    #expect(row.withUTF8(of: "n") { $0.count } == nil)
  }

  @Test func rowsOutliveTheirConnection() async throws {
    var connection: Connection? = try TemporaryPostgres.statelessConnection()
    let rows = try await connection?.query("select 'still' as here")
    await connection?.close()
    connection = nil

    #expect(rows?.first?["here"] == "still")
  }

  @Test(arguments: [
    "select null as x", "select 'x' as x", "select 1.5 as x", "select 9223372036854775808 as x", "select '' as x",
    "select '-' as x", "select 1 as y",
  ])
  func refusesWhatIsNoInteger(_ text: String) async throws {
    let row = try await rows(SQL(unescaped: text)).only()

    let error = #expect(throws: PostgresError.self) { try row.decode("x", as: Int.self) }

    #expect(error?.code == .decoding)
  }

  @Test(arguments: [
    ("'infinity'::timestamptz", 253_402_300_799.0), ("'-infinity'::timestamptz", -62_135_596_800),
    ("'294276-12-31 23:59:59.999999+00'::timestamptz", 253_402_300_799), ("'infinity'::date", 253_402_300_799),
    ("'10000-01-01 00:00+00'::timestamptz", 253_402_300_799),
    ("'4714-11-24 00:00+00 BC'::timestamptz", -62_135_596_800),
    ("'0001-12-31 23:59:59+00 BC'::timestamptz", -62_135_596_800),
    ("'9999-12-31 23:59:59+00'::timestamptz", 253_402_300_799),
  ])
  func timesBeyondFourDigitsAreTheFirstOrTheLastOfThem(_ text: String, _ seconds: Double) async throws {
    let row = try await rows("select \(unescaped: text) as x").only()

    #expect(try row.decode("x", as: Date.self) == Date(timeIntervalSince1970: seconds))
  }

  @Test(arguments: ["'24:00'::time", "'x'", "''", "'2026-11-20 10:00:00+01'"])
  func refusesWhatIsNoDate(_ text: String) async throws {
    let row = try await rows("select \(unescaped: text) as x").only()

    #expect(throws: PostgresError.self) { try row.decode("x", as: Date.self) }
  }

  @Test(arguments: ["'{{1,2},{3,4}}'::int[]", "'{1,NULL}'::int[]", "'{a}'::text[]", "'1'", "'[2:3]={1,2}'::int[]"])
  func refusesWhatIsNoListOfIntegers(_ text: String) async throws {
    let row = try await rows("select \(unescaped: text) as x").only()

    #expect(throws: PostgresError.self) { try row.decode("x", as: [Int].self) }
  }

  @Test(arguments: ["select 1 where false", "select generate_series(1, 2)"])
  func onlyRefusesAnyOtherNumberOfRows(_ text: String) async throws {
    let rows = try await rows(SQL(unescaped: text))

    #expect(throws: PostgresError.self) { try rows.only() }
  }

  @Test func aDecodingErrorDoesNotQuoteTheValue() async throws {
    let row = try await rows("select 'secret' as x").only()

    let error = #expect(throws: PostgresError.self) { try row.decode("x", as: UUID.self) }

    #expect(error?.debugDescription.contains("secret") == false)
    #expect(error?.description.contains("x") == true)
  }

  @Test(arguments: [
    "", "0b9e1e7a-0c5c-4a59-9d3b-6f3b1f0d8a2", "0b9e1e7a-0c5c-4a59-9d3b-6f3b1f0d8a2ff",
    "0b9e1e7a00c5c-4a59-9d3b-6f3b1f0d8a2f", "0b9e1e7a-0c5c-4a59-9d3b-6f3b1f0d8a2g",
    "0b9e1e7a-0c5c4a59--9d3b-6f3b1f0d8a2f",
  ])
  func otherTextIsNoUUID(_ text: String) async throws {
    let row = try await rows("select \(text) as x").only()

    #expect(throws: PostgresError.self) { try row.decode("x", as: UUID.self) }
  }

  private func rows(_ sql: SQL) async throws -> Rows {
    try await TemporaryPostgres.statelessConnection().query(sql)
  }
}
