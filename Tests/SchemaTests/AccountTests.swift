import Postgres
import TestSupport
import Testing

/// Who is found by an address, in tables of people that say in other ways that it is verified.
@Suite(.heavy)
struct AccountTests {
  /// A column that may say it or be in the way, with a type and the values that a row may have.
  private struct Column {
    let name: String
    let type: String
    let values: [String]
  }

  @Test(arguments: [
    [
      ("is_email_verified", "boolean", ["NULL", "true", "false"]),
      ("email_verified", "boolean", ["NULL", "true", "false"]),
      ("email_confirmed_at", "timestamptz", ["NULL", "now()"]),
      ("email_verified_at", "timestamptz", ["NULL", "now()"]), ("address", "text", ["'1 High Street'"]),
    ],
    [
      ("is_email_verified", "text", ["NULL", "'true'"]),
      ("email_verified", "jsonb", ["NULL", "'true'", "'false'", "'null'", "'[]'"]),
      ("email_confirmed_at", "jsonb", ["NULL", "'null'", "'1'"]), ("email_verified_at", "text", ["NULL", "''"]),
      ("address", "jsonb", ["'{}'"]),
    ],
    [
      ("is_email_verified", "text[]", ["NULL", "'{}'"]), ("email_verified", "jsonb", ["'{}'"]),
      ("email_confirmed_at", "text[]", ["NULL", "'{}'"]), ("nothing", "boolean", ["true"]),
    ],
  ])
  func thePersonOfAnAddressIsFoundWhereTheAddressIsVerified(columns: [(String, String, [String])]) async throws {
    let connection = try await TemporaryPostgres.connection()
    for migration in Schema.migrations { try await connection.script(migration.sql) }
    try await connection.script("CREATE SCHEMA elsewhere; SET search_path = elsewhere, public")
    var (found, missed) = (0, 0)

    for choice in 0..<(1 << columns.count) {
      let some = columns.enumerated().filter { choice >> $0.offset & 1 == 1 }.map {
        Column(name: $0.element.0, type: $0.element.1, values: $0.element.2)
      }
      try await connection.script(Self.people(some))
      let row = try await connection.query(
        """
        SELECT count(*) FILTER (WHERE f.is_found) AS found, count(*) FILTER (WHERE NOT f.is_found) AS missed,
          count(*) FILTER (WHERE f.is_found IS DISTINCT FROM push_is_verified(to_jsonb(u))) AS wrong
        FROM users u
        CROSS JOIN LATERAL (SELECT EXISTS (SELECT FROM push_account(upper(u.email)) a WHERE a.id = u.id) AS is_found) f
        """
      ).only()

      #expect(try row.decode("wrong") == 0, "\(some.map(\.name))")
      found += try row.decode("found", as: Int.self)
      missed += try row.decode("missed", as: Int.self)
    }

    #expect(found > 0 && missed > 0)
  }

  /// A table with a person for each combination of the columns' values.
  private static func people(_ columns: [Column]) -> String {
    let definitions = columns.map { ", \($0.name) \($0.type)" }.joined()
    let values = columns.map { column in
      let rows = column.values.map { "(\($0)::\(column.type))" }.joined(separator: ", ")
      return " CROSS JOIN (VALUES \(rows)) AS \(column.name) (\(column.name))"
    }.joined()
    let names = columns.map { ", \($0.name).\($0.name)" }.joined()
    return """
      DROP TABLE IF EXISTS elsewhere.users;
      CREATE TABLE elsewhere.users (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), email text\(definitions));
      INSERT INTO elsewhere.users (email\(columns.map { ", \($0.name)" }.joined()))
        SELECT row_number() OVER () || '@example.com'\(names) FROM (VALUES (1)) AS one\(values);
      """
  }
}
