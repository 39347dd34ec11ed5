import CLI
import Postgres

/// The tables of pushes, and the rights that push-delivery needs on each.
enum TableRights {
  private static let needed = [
    ("deliveries", ["SELECT", "UPDATE"]), ("device_tokens", ["SELECT", "UPDATE"]), ("notifications", ["SELECT"]),
    ("push_notification_logs", ["INSERT"]),
  ]
  private static let notes = ("push_providers", ["SELECT", "INSERT", "UPDATE"])
  private static let sharedTokens = ("push_provider_tokens", ["SELECT", "INSERT", "UPDATE"])

  /// The missing tables and rights; without the tables of provider tokens and of notes pushes still go out.
  static func missing(in database: Connection, sharesTokens: Bool) async throws(PostgresError) -> [Finding] {
    var findings: [Finding] = []
    for (table, rights) in needed {
      if let problem = try await problem(table, rights, database) { findings.append(.missing("table", problem)) }
    }
    if findings.isEmpty { findings.append(.ok("tables", "there, with the rights to use them")) }
    if let problem = try await problem(notes.0, notes.1, database) {
      findings.append(.warning("table", "\(problem); until then nothing shows which pushes nobody sends"))
    }
    guard sharesTokens else { return findings }
    let (table, rights) = sharedTokens
    if let problem = try await problem(table, rights, database) {
      findings.append(.warning("table", "\(problem); until then each process makes provider tokens of its own"))
    } else if try await isReadable(table, by: "public", database) {
      findings.append(.missing("table", "\(table) can be read by everybody: REVOKE ALL ON \(table) FROM PUBLIC"))
    }
    return findings
  }

  /// The rights that are missing of one table or view, with the way to mend it.
  static func problem(
    _ table: String, _ rights: [String], _ database: Connection
  ) async throws(PostgresError) -> String? {
    let row = try await database.query(
      "SELECT to_regclass(\(table)) IS NOT NULL AS here, quote_ident(current_user) AS me"
    ).only()
    guard try row.decode("here", as: Bool.self) else { return "\(table) is not there: runner migrate" }
    var lacking: [String] = []
    for right in rights {
      let answer = try await database.query("SELECT has_table_privilege(\(table), \(right)) AS may").only()
      if try !answer.decode("may", as: Bool.self) { lacking.append(right) }
    }
    guard !lacking.isEmpty else { return nil }
    let list = lacking.joined(separator: ", ")
    let me = row["me"] ?? ""
    return "\(me) lacks rights on \(table): GRANT \(list) ON \(table) TO \(me)"
  }

  // The rights of the pseudo-role `public`, which every role has.
  private static func isReadable(
    _ table: String, by role: String, _ database: Connection
  ) async throws(PostgresError) -> Bool {
    try await database.query("SELECT has_table_privilege(\(role), \(table), 'SELECT') AS may").only()
      .decode("may", as: Bool.self)
  }
}
