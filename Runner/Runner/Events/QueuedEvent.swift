import FoundationEssentials
import FunctionKit

/// A waiting event that the runner has read.
struct QueuedEvent: Sendable {
  /// Where its row stands.
  struct Place: Hashable, Sendable {
    var lane: Int
    var id: Int64
    var table: Table

    enum Table: String, Sendable, CaseIterable {
      case events, retries
    }
  }

  var place: Place
  var function: String
  /// Events of one key run one after the other.
  var key: String?
  /// How often it has been tried already.
  var attempt = 0
  /// How many of these tries ended with the death of the process.
  var crashes = 0
  /// Whether it is an occurrence of a schedule.
  var isOfSchedule = false
  /// The CloudEvents `id`.
  var eventID: String
  /// The whole CloudEvent on one line, with its end; empty where it is larger than a function takes.
  var line: [UInt8]

  /// Whether it can be given to a function at all.
  var isTooLarge: Bool { line.isEmpty || line.count > Envelope.maximumSize }

  /// When it happened, by the clock of the events.
  var time: Date? {
    let document = try? RawJSON(validating: line.dropLast())
    return document?["time"]?.stringValue.flatMap(RFC3339.date)
  }
}

/// An attempt that has ended, on its way into the database.
struct EndedAttempt: Sendable {
  /// What becomes of the event's row.
  enum Settlement: Sendable {
    case done
    /// Another attempt after so many seconds.
    case retry(delay: Double)
    case deadLetter
  }

  var place: QueuedEvent.Place
  /// From 0.
  var attempt: Int
  /// With this attempt.
  var crashes: Int
  var code = "OK"
  /// `nil` where the process did not end by itself.
  var exitStatus: Int? = 0
  var microseconds: Int64
  var error: String?
  var settlement = Settlement.done
}
