package import Manifest
package import Postgres

extension Connection {
  /// The work that waits because something outside is away, a sentence each, as the view of `functions.json` says.
  ///
  /// None where there is no such view, or the database does not have it yet, or the role may not read it:
  /// `runner doctor` names the right that is missing.
  package func outages(_ manifest: Manifest) async throws(PostgresError) -> [String] {
    guard let view = manifest.outages?.sql,
      try await query("SELECT coalesce(has_table_privilege(to_regclass(\(view)), 'SELECT'), false) AS may").only()
        .decode("may", as: Bool.self)
    else { return [] }
    do throws(PostgresError) {
      return try await query("SELECT line FROM \(unescaped: view)").decode("line")
    } catch {
      // A view calls functions with the rights of who reads it.
      guard error.sqlState == "42501" else { throw error }
      return []
    }
  }
}
