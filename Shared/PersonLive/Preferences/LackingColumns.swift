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

/// A change that a table which an app has made itself does not take: its sentence says why.
package struct RefusedChange: Error, CustomStringConvertible {
  package let description: String

  init(_ sentence: String) { description = sentence }

  /// The refusal of a value; `nil` for another failure, such as one of a table that is ours.
  ///
  /// An app's own type lacks the value, or is another one; its column is too short for it or has to have one, or a check
  /// keeps it out.
  /// - Parameter writing: the statements; one of them has failed.
  init?(_ error: PostgresError, of writing: [Writing]) {
    guard let state = error.sqlState, ["22001", "22P02", "23502", "23514", "42804"].contains(state),
      let index = error.statementIndex, writing.indices.contains(index), let table = writing[index].ownTable,
      // A trigger may have written another one.
      error.table ?? table == table
    else { return nil }
    self.init("The app's own table does not take this: \(error.message).")
  }
}
