import Postgres

/// Columns of an app's own table that its database does not have, and that are not ours to add.
package struct LackingColumns: Error, CustomStringConvertible {
  /// `users.notify_new_feedback`.
  package let names: [String]

  package init(names: [String]) { self.names = names }

  package var description: String {
    let all = names.dropLast().joined(separator: ", ") + (names.count > 1 ? " and " : "") + (names.last ?? "")
    return "This needs \(all), which the database does not have."
  }
}

extension Connection {
  /// Says which columns are lacking if that is why a statement failed; else throws its error.
  func explaining<Answer>(
    _ table: String, _ columns: [String], _ body: () async throws -> Answer
  ) async throws -> Answer {
    do {
      return try await body()
    } catch let error as PostgresError where error.sqlState == "42703" {
      let names: [String] = try await query(
        """
        SELECT \(table) || '.' || c.name AS name FROM unnest(\(columns)) WITH ORDINALITY AS c (name, place)
        WHERE NOT EXISTS (
          SELECT FROM pg_attribute a
          WHERE a.attrelid = to_regclass(\(table)) AND a.attname = c.name AND NOT a.attisdropped)
        ORDER BY c.place
        """
      ).decode("name")
      guard !names.isEmpty else { throw error }
      throw LackingColumns(names: names)
    }
  }
}
