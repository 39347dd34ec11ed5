package import FunctionKit
package import Postgres

extension FunctionError {
  /// The database's failure as the caller sees it.
  ///
  /// An unknown outcome can be retried too, because the effect is recorded with the event.
  package init(database error: PostgresError) {
    switch error.code {
    // A refusal, too, is an outage: what waits goes on when the server lets the function in again.
    case .connection where error.refusal != nil:
      self.init(
        .databaseAway, "The database refuses the connection.", retryAfter: 1, cause: error,
        advice: error.refusalSaid)
    case .connection, .commitUnknown, .otherSession, .timedOut, .cancelled:
      self.init(
        error.isOfNetwork ? .databaseAway : .unavailable, "The database is not available.", retryAfter: 1, cause: error,
        advice: error.isOfNetwork ? Self.start : nil)
    case .invalidURL:
      self.init(.misconfigured, "DATABASE_URL cannot be read.", cause: error)
    case .sqlState(let state):
      self.init(sqlState: state, error)
    case .usage where error.message.contains("U+0000"):
      self.init(.invalidEvent, "The event contains the character U+0000, which cannot be stored.", cause: error)
    case .usage, .decoding:
      self.init(error as any Error)
    }
  }

  private static let start =
    "Start it (the local runner's own by Runner/up or runner serve), or set DATABASE_URL to another one."

  private init(sqlState: String, _ error: PostgresError) {
    switch sqlState {
    // A foreign or unique key: the person or the subject was inserted or deleted meanwhile.
    case "23503", "23505":
      self.init(.unavailable, "The data changed in the meantime.", retryAfter: 1, cause: error)
    case "42P01", "42703", "42883":
      self.init(.misconfigured, "The database lacks a table or column; run `runner migrate`.", cause: error)
    case "42501":
      self.init(.notPermitted, "The database role lacks a right.", cause: error)
    case "28000", "28P01", "3D000":
      self.init(.misconfigured, "DATABASE_URL does not open the database.", cause: error)
    default:
      if error.isRetryable {
        self.init(.unavailable, "The database is not available.", retryAfter: 1, cause: error)
      } else {
        self.init(error as any Error)
      }
    }
  }
}
