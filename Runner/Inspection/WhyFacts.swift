import FoundationEssentials
import Manifest
import Metrics

/// All that bears on whether an event has run.
package struct WhyFacts {
  /// Who has the event's lane.
  struct Lease: Equatable {
    /// Whether any lane of the queue is held.
    var isAnyHeld: Bool
    var isHeld: Bool
    /// What the holder calls itself.
    var holder: String?
  }

  /// Events of the same function and key that came before.
  struct Ahead: Equatable {
    var count: Int
    var first: String
  }

  /// The schedule that an id such as `NAME@TIME` speaks of.
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
  /// `nil` where there is no such event, or none that can be seen.
  var event: EventSummary?
  /// What functions.json says of its function.
  var entry: FunctionEntry?
  /// The earliest event of the same key that failed, where the function holds the key for it.
  var blocker: EventSummary?
  var ahead: Ahead?
  var lease = Lease(isAnyHeld: true, isHeld: true)
  /// What the runner of this project says, where one serves.
  var serving: RunnerReport?
  var schedule: Schedule?
  /// Whether the number was drawn from its lane's sequence; `nil` where the id is no number.
  var isDrawn: Bool?
  var transactions: [OpenTransaction] = []
  /// How many days the history is kept.
  var historyDays = History.usualDays
}
