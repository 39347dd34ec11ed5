import CLI
import FoundationEssentials
import FunctionKit

/// A waiting event that the runner has read.
package struct QueuedEvent: Sendable {
  /// Where its row stands.
  struct Place: Hashable, Sendable {
    var partition: Int
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
  /// How many of these tries ended with the death of the process, since one got further than all before.
  var crashes = 0
  /// The highest count of its progress that an attempt has reported.
  var progress: Int64 = 0
  /// Attempts before this one count no more: a later one got further than all before.
  var countedFrom = 0
  /// Whether a schedule has made it.
  var isOfSchedule = false
  /// The CloudEvents `id`.
  var eventID: String
  /// The whole CloudEvent on one line, with its end; empty where it is larger than a function takes.
  var line: [UInt8]
  /// The session of the database in which it was read.
  var session = 0
  /// Counts its function's starts, this event's last one included; 0 before it was started.
  var startNumber = 0

  /// Whether it can be given to a function at all.
  var isTooLarge: Bool { line.isEmpty || line.count > Envelope.maximumSize }

  /// When it happened, by the clock of the events.
  var time: Date? { Self.time(of: line).flatMap(RFC3339.date) }

  /// The `time` of a CloudEvent on a line.
  fileprivate static func time(of line: [UInt8]) -> String? {
    (try? RawJSON(validating: line.dropLast()))?["time"]?.stringValue
  }
}

/// An attempt that has ended, on its way into the database.
struct EndedAttempt: Sendable {
  /// What becomes of the event's row.
  enum Settlement: Sendable {
    case done
    /// Another attempt after a pause, in seconds.
    case retry(delay: Double)
    case deadLetter
  }

  var place: QueuedEvent.Place
  /// The event's function and key, the session of the database in which it was read, and its line.
  var function = ""
  var key: String?
  var session = 0
  var line: [UInt8] = []
  /// From 0.
  var attempt: Int
  /// With this attempt.
  var crashes: Int
  /// With this attempt.
  var progress: Int64 = 0
  /// The first attempt that counts.
  var countedFrom = 0
  var code = "OK"
  /// `nil` where the process did not end by itself.
  var exitStatus: Int? = 0
  var microseconds: Int64
  var error: String?
  var settlement = Settlement.done
  /// Whether it is one of the event's tries: none is used up while the database is away.
  var isCounted = true

  var isDone: Bool {
    if case .done = settlement { true } else { false }
  }

  /// When the event's row was written, for PostgreSQL; `-infinity` where that is not known.
  ///
  /// A server that comes back from an older state draws the same ids again, for events that are written later.
  var writtenAt: String {
    guard let time = QueuedEvent.time(of: line), RFC3339.date(time) != nil else { return "-infinity" }
    return time
  }

  /// The number of the attempt after it.
  var nextAttempt: Int { isCounted ? attempt + 1 : attempt }
}
