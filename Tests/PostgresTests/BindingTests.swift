import Foundation
import Postgres
import TestSupport
import Testing

@Suite(.heavy)
struct BindingTests {
  static let strings = [
    "", "plain", "o'clock \"quoted\" \\ back\\\\slash", "{braces}, comma", "NULL", "null", "tab\tnew\nline\r", "é 漢字 🏳️‍🌈",
    "$1 %s \\N \\.", " ", String(repeating: "x", count: 100_000),
  ]

  @Test(arguments: strings) func textSurvives(_ text: String) async throws {
    #expect(try await roundTrip(text, "text") == text)
  }

  @Test func textArraysSurviveWithNulls() async throws {
    let texts = Self.strings.map(Optional.some) + [nil]

    #expect(try await roundTrip(texts, "text[]") == texts)
  }

  @Test(arguments: [0, 1, -1, .max, .min]) func bigintsSurviveToTheirLimits(_ number: Int) async throws {
    #expect(try await roundTrip(number, "bigint") == number)
    #expect(try await roundTrip([number, nil], "bigint[]") == [number, nil])
  }

  @Test func smallerIntegersSurvive() async throws {
    #expect(try await roundTrip(Int32.min, "integer") == .min)
    #expect(try await roundTrip([Int16.min, .max], "smallint[]") == [.min, .max])
    #expect(try await roundTrip(Int64.max, "bigint") == .max)
  }

  @Test(arguments: [0, -0.1, 1e300, .leastNonzeroMagnitude, .infinity, -.infinity, 0.1 + 0.2])
  func doublesSurvive(_ number: Double) async throws {
    #expect(try await roundTrip(number, "double precision") == number)
  }

  @Test func notANumberSurvives() async throws {
    #expect(try await roundTrip(Double.nan, "double precision").isNaN)
  }

  @Test func booleansSurvive() async throws {
    #expect(try await roundTrip([true, false, nil], "boolean[]") == [true, false, nil])
    #expect(try await roundTrip(true, "boolean"))
  }

  @Test func uuidsSurvive() async throws {
    let id = UUID()

    #expect(try await roundTrip(id, "uuid") == id)
    #expect(try await roundTrip([id, nil], "uuid[]") == [id, nil])
  }

  @Test func bytesSurvive() async throws {
    let bytes = (0...255).map { UInt8($0) }

    #expect(try await roundTrip(bytes, "bytea") == bytes)
    #expect(try await roundTrip([UInt8](), "bytea").isEmpty)
    #expect(try await roundTrip([bytes, []], "bytea[]") == [bytes, []])
  }

  @Test func emptyArraysSurvive() async throws {
    #expect(try await roundTrip([String](), "text[]").isEmpty)
    #expect(try await roundTrip([UUID](), "uuid[]").isEmpty)
    #expect(try await roundTrip([Date](), "timestamptz[]").isEmpty)
  }

  @Test func nullsSurvive() async throws {
    #expect(try await roundTrip(String?.none, "text") == nil)
    #expect(try await roundTrip(Int?.none, "bigint") == nil)
    #expect(try await roundTrip(UUID?.none, "uuid") == nil)
    #expect(try await roundTrip(Date?.none, "timestamptz") == nil)
    #expect(try await roundTrip([UInt8]?.none, "bytea") == nil)
    #expect(try await roundTrip([String]?.none, "text[]") == nil)
  }

  @Test(arguments: [
    (978_307_199.999_999, "2000-12-31 23:59:59.999999+00"), (1_795_218_312.123_456, "2026-11-20 23:45:12.123456+00"),
    (0, "1970-01-01 00:00:00+00"), (-0.000_001, "1969-12-31 23:59:59.999999+00"),
    (951_782_400, "2000-02-29 00:00:00+00"),
    (253_402_300_799, "9999-12-31 23:59:59+00"), (-62_135_596_800, "0001-01-01 00:00:00+00"),
  ])
  func timesSurviveToTheMicrosecond(_ seconds: Double, _ text: String) async throws {
    let connection = try TemporaryPostgres.statelessConnection()
    let date = Date(timeIntervalSince1970: seconds)

    let row = try await connection.query("select \(date) as date, \(date)::text as text, \([date]) as dates").only()

    #expect(row["text"] == text)
    #expect(abs(try row.decode("date", as: Date.self).timeIntervalSince(date)) < 0.000_000_5)
    #expect(try row.decode("dates") == [row.decode("date", as: Date.self)])
  }

  @Test func textFitsWhateverTheColumnIs() async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script("create type mood as enum ('sad', 'ok'); create table t (j jsonb, m mood, d date)")

    let row = try await connection.query(
      "insert into t values (\(#"{"a": "\\\""}"#), \("ok"), \("2026-11-20")) returning *"
    ).only()

    #expect(row["j"] == #"{"a": "\\\""}"#)
    #expect(row["m"] == "ok")
    #expect(try row.decode("d", as: Date.self).timeIntervalSince1970 == 1_795_132_800)
  }

  @Test func anEnumIsItsRawValue() async throws {
    #expect(try await roundTrip([Kind.second, nil], "text[]") == [.second, nil])
  }

  @Test(
    arguments: [
      ("a date that is none", "select \(Date(timeIntervalSince1970: .nan))"),
      ("a date after all others", "select \(Date(timeIntervalSince1970: .infinity))"),
      ("a date before all others", "select \(Date(timeIntervalSince1970: -.infinity))"),
      ("a date too far away", "select \(Date(timeIntervalSince1970: 1e300))"),
      ("a text that the server would cut off", "select \("a\0b")::text"), ("an array of arrays", "select \([[1]])"),
    ] as [(String, SQL)])
  func refusesWhatCannotBeSent(_ name: String, sql: SQL) async throws {
    let connection = try TemporaryPostgres.statelessConnection()

    let error = await #expect(throws: PostgresError.self) { _ = try await connection.query(sql) }

    #expect(error?.code == .usage)
    #expect(try await connection.query("select 1").count == 1)
  }

  @Test func refusesMoreParametersThanTheProtocolCounts() async throws {
    let connection = try TemporaryPostgres.statelessConnection()
    let sql = (0...65_535).reduce(into: "select 1 where false" as SQL) { $0 += " or \($1 == 0)" }

    let error = await #expect(throws: PostgresError.self) { _ = try await connection.query(sql) }

    #expect(error?.code == .usage)
  }

  private func roundTrip<Value: PostgresBindable & PostgresDecodable>(
    _ value: Value, _ type: String
  ) async throws -> Value {
    let connection = try TemporaryPostgres.statelessConnection()
    let row = try await connection.query("select \(value)::\(unescaped: type) as value").only()
    return try row.decode("value")
  }

  enum Kind: String, PostgresBindable, PostgresDecodable {
    case first, second
  }
}
