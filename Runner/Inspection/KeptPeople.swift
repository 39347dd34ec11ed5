package import Manifest
package import Postgres

extension Connection {
  /// People who are marked as deleted in the app's table of people, and stay in the bundle's, as a sentence.
  ///
  /// `nil` where there are none, and where the role may not look.
  package func keptPeople(_ manifest: Manifest) async throws(PostgresError) -> String? {
    guard let entry = manifest.people, let table = entry.table, table != entry.into,
      let deleted = entry.facts["deleted"]
    else { return nil }
    let key = TableName.quoted(entry.facts["id"] ?? "id")
    let marked = "SELECT person.\(key) FROM \(table.sql) AS person WHERE (\(deleted))::boolean"
    let row: Row
    do throws(PostgresError) {
      row = try await query(
        """
        SELECT count(*) AS number, (
          SELECT string_agg(DISTINCT f.conrelid::regclass::text, ', ') FROM pg_constraint AS f
          WHERE f.confrelid = to_regclass(\(entry.into.sql)) AND f.contype = 'f' AND f.confdeltype IN ('a', 'r')) AS keys
        FROM \(unescaped: entry.into.sql) AS u WHERE u.id IN (\(unescaped: marked))
        """
      ).only()
    } catch {
      guard error.sqlState != nil else { throw error }
      return nil
    }
    let number: Int = try row.decode("number")
    guard number > 0 else { return nil }
    let into = entry.into.short
    let keys = row["keys"].map { ", for keys of \($0) refer to \(into) without ON DELETE CASCADE" } ?? ""
    return """
      \(number) of \(into) are marked as deleted in \(table.short) and are told nothing, but cannot be deleted\(keys): mend \
      that, then DELETE FROM \(entry.into.sql) WHERE id IN (\(marked))
      """
  }
}
