package import Manifest
package import Postgres

extension Connection {
  /// What waits because something outside is away, a sentence each, as the view of `functions.json` says.
  ///
  /// None where there is no such view, or the database does not have it yet.
  package func outages(_ manifest: Manifest) async throws(PostgresError) -> [String] {
    guard let view = manifest.outages?.sql,
      try await !query("SELECT FROM pg_class WHERE oid = to_regclass(\(view))").isEmpty
    else { return [] }
    return try await query("SELECT line FROM \(unescaped: view)").decode("line")
  }
}
