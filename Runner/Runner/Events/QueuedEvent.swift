import FunctionKit

/// A waiting event that the runner has read.
struct QueuedEvent: Sendable {
  /// Where its row stands.
  struct Place: Hashable, Sendable {
    var lane: Int
    var id: Int64
    var table: Table

    enum Table: String, Sendable {
      case events, retries
    }
  }

  var place: Place
  var function: String
  /// Events of one key run one after the other.
  var key: String?
  /// How often it has failed already.
  var attempt: Int
  /// The CloudEvents `id`.
  var eventID: String
  /// The whole CloudEvent on one line, with its end.
  var line: [UInt8]
}

/// What becomes of an event's row.
enum Settlement: Sendable {
  case done
  /// Another attempt after so many seconds.
  case retry(attempt: Int, delay: Double, code: String, error: String)
  case deadLetter(attempts: Int, code: String, error: String)
}
