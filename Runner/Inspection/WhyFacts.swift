import Documents
import FoundationEssentials
import Manifest
import Metrics

/// The facts that decide whether an event has run.
package struct WhyFacts {
  /// The lease of the event's partition.
  struct Lease: Equatable {
    /// Whether any partition of the queue is held.
    var isAnyHeld: Bool
    var isHeld: Bool
    /// The holder's name, such as `process 4711`.
    var holder: String?
  }

  /// Earlier events of the same function and key.
  struct Ahead: Equatable {
    var count: Int
    var first: String
  }

  /// The schedule that an id such as `NAME@TIME` names.
  struct Schedule: Equatable {
    var name: String
    var time: Date
    var pausedAt: Date?
    /// Why this occurrence was left out.
    var skipped: String?
  }

  var id: EventID
  /// The events' clock.
  var now: Date
  /// `nil` if there is no such event, or none that is visible.
  var event: EventSummary?
  /// Its function's entry in `functions.json`.
  var entry: FunctionEntry?
  /// The earliest failed event of the same key, if the function holds the key for it.
  var blocker: EventSummary?
  var ahead: Ahead?
  var lease = Lease(isAnyHeld: true, isHeld: true)
  /// The report of this project's runner, if one serves.
  var serving: RunnerReport?
  var schedule: Schedule?
  /// Whether the number was drawn from its partition's sequence; `nil` if the id is no number.
  var isDrawn: Bool?
  var transactions: [OpenTransaction] = []
  /// How many days the history is kept.
  var historyDays = History.usualDays
}
