import Postgres
import TestSupport
import Testing

/// A phone whose token is written down in two spellings keeps the row that was registered last, and never none.
@Suite(.heavy)
struct DeviceTwinsTests {
  /// Statements that write rows of one phone, and the spelling that stays.
  private static let statements: [(sql: String, stays: String)] = [
    (insert("('\(ada)', 'ABCD', now()), ('\(ada)', 'abcd', now())"), "abcd"),
    (insert("('\(ada)', 'abcd', now()), ('\(ada)', 'ABCD', now())"), "ABCD"),
    (insert("('\(ada)', 'ABCD', now()), ('\(ada)', 'abcd', now() - interval '1 day')"), "ABCD"),
    // The phone has changed hands.
    (insert("('\(ada)', 'ABCD', now()), ('\(ben)', 'abcd', now() - interval '1 day')"), "ABCD"),
    (
      insert("('\(ada)', 'abcd', '2021-01-01'), ('\(ben)', 'AbCd', now()), ('\(ada)', 'ABCD', '2020-01-01')"),
      "AbCd"
    ),
    (
      """
      INSERT INTO device_tokens (user_id, token, platform, created_at)
      SELECT '\(ada)', t, 'iOS', now() - days * interval '1 day'
      FROM (VALUES ('abcd', 3), ('ABCD', 1), ('Abcd', 2)) AS v (t, days)
      """, "ABCD"
    ),
    // One is there, and changed by the statement that inserts the other.
    (
      insert("('\(ada)', 'abcd', '2020-01-01')") + ";"
        + insert("('\(ada)', 'ABCD', now()), ('\(ada)', 'abcd', now() - interval '1 day')") + renewing, "ABCD"
    ),
    (
      insert("('\(ada)', 'abcd', '2020-01-01')") + ";"
        + insert("('\(ada)', 'ABCD', now() - interval '1 day'), ('\(ada)', 'abcd', now())") + renewing, "abcd"
    ),
    (
      insert("('\(ada)', 'abcd', '2020-01-01'), ('\(ada)', 'ABCD', '2021-01-01')")
        + "; UPDATE device_tokens SET is_active = true WHERE lower(token) = 'abcd'", "ABCD"
    ),
    // What comes later counts, whenever it says that it was registered.
    (
      insert("('\(ada)', 'ABCD', now())") + ";" + insert("('\(ada)', 'abcd', now() - interval '1 day')"), "abcd"
    ),
    (
      insert("('\(ada)', 'ABCD', now()), ('\(ada)', 'abcd', '2020-01-01')")
        + "; UPDATE device_tokens SET is_active = true WHERE token = 'abcd'", "abcd"
    ),
  ]

  private static let (ada, ben) = (Person.ada.id, Person.ben.id)

  private static func insert(_ rows: String) -> String {
    """
    INSERT INTO device_tokens (user_id, token, platform, registered_at)
    SELECT person::uuid, token, 'iOS', registered::timestamptz FROM (VALUES \(rows)) AS v (person, token, registered)
    """
  }

  private static let renewing = """
     ON CONFLICT (token) DO UPDATE SET is_active = true, registered_at = excluded.registered_at
    """

  @Test(arguments: statements.indices, [true, false])
  func oneStays(_ index: Int, inOneTransaction: Bool) async throws {
    let (sql, stays) = Self.statements[index]
    let demo = try await Demo()

    // Statements that are sent together are one transaction.
    for statement in inOneTransaction ? [sql] : sql.split(separator: ";").map(String.init) {
      try await demo.connection.script(statement)
    }

    let active = try await demo.connection.query(
      "SELECT token FROM device_tokens WHERE lower(token) = 'abcd' AND is_active"
    ).decode("token", as: String.self)
    #expect(active == [stays])
    #expect(
      try await demo.number(
        """
        SELECT count(*) FROM device_tokens WHERE lower(token) = 'abcd' AND NOT is_active
          AND (deactivated_reason, deactivated_at IS NOT NULL) IS DISTINCT FROM ('unregistered', true)
        """) == 0)
  }

  @Test func anImportInOneStatementLosesNoPhone() async throws {
    let demo = try await Demo()

    try await demo.connection.script(
      """
      INSERT INTO device_tokens (user_id, token, platform)
      SELECT '\(Self.ada)', CASE spelling WHEN 0 THEN md5(n::text) ELSE upper(md5(n::text)) END, 'iOS'
      FROM generate_series(1, 500) AS n, generate_series(0, 1) AS spelling ORDER BY md5(n || '-' || spelling)
      """)

    #expect(
      try await demo.number(
        """
        SELECT count(*) FROM (
          SELECT FROM device_tokens WHERE length(token) = 32 GROUP BY lower(token)
          HAVING count(*) FILTER (WHERE is_active) <> 1) AS wrong
        """) == 0)
  }
}
