import Postgres

/// A change that a table which an app has made itself does not take: its sentence says why.
package struct RefusedChange: Error, CustomStringConvertible {
  package let description: String

  init(_ sentence: String) { description = sentence }

  /// The refusal of a value; `nil` for another failure, such as one of a table that is ours.
  ///
  /// An app's own type lacks the value, its column is too short for it or has to have one, or a check keeps it out.
  /// - Parameter writing: the statements, of which one has failed.
  init?(_ error: PostgresError, of writing: [Writing]) {
    guard let state = error.sqlState, ["22001", "22P02", "23502", "23514"].contains(state),
      let index = error.statementIndex, writing.indices.contains(index), let table = writing[index].ownTable,
      // A trigger may have written another one.
      error.table ?? table == table
    else { return nil }
    self.init("The app's own table does not take this: \(error.message).")
  }
}
