import FunctionKit
import Workers

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
  /// The attempt's number, from 0.
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

  /// How often in a row the event has failed without getting further.
  var failures: Int { nextAttempt - countedFrom }
}

extension EndedAttempt {
  init(done event: QueuedEvent, _ outcome: WorkerOutcome) {
    self.init(
      place: event.place, attempt: event.attempt, crashes: event.crashes, microseconds: outcome.microseconds)
  }

  /// The end of an event that is larger than any function takes.
  init(tooLarge event: QueuedEvent) {
    self.init(
      place: event.place, attempt: event.attempt, crashes: event.crashes, code: "TOO_LARGE", exitStatus: nil,
      microseconds: 0, error: "The event is larger than \(Envelope.maximumSize) bytes.", settlement: .deadLetter)
  }
}
