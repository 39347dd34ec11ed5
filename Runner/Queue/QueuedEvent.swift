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
  static func time(of line: [UInt8]) -> String? {
    (try? RawJSON(validating: line.dropLast()))?["time"]?.stringValue
  }
}
