package import CLI
package import Documents
package import FoundationEssentials
package import FunctionKit
package import Manifest
package import Postgres
import Queue

/// The events that a command selects.
package struct EventFilter: Sendable {
  package var ids: [EventID] = []
  package var function: String?
  package var key: String?
  package var code: String?
  package var cause: Cause?
  /// Whether schedules and wake-ups are left out that wait, or have ended well.
  package var leavesOutTicks = false
  /// Seconds, by the events' clock.
  package var since: Double?
  /// Seconds since the event became a dead letter.
  package var olderThan: Double?
  /// Only those that had become dead letters by then: not one that was retried since and has died again.
  package var diedBy: Date?

  package static let function = Option.text(
    "--function", "F", "events of this function; with an ID, which of several"
  ).offering(.functions)
  package static let key = Option.text("--key", "K", "events with this key")
  package static let since = Option.span(
    "--since", "1h", "events no older than this: 90s, 15m, 36h, 30d, 2w, 1d12h")
  package static let code = Option.text(
    "--code", "C", "dead letters with this code, such as WORKER_TIMEOUT")
  package static let olderThan = Option.span(
    "--older-than", "D", "dead letters that died longer ago than this")
  package static let diedBy = Option.instant(
    "--died-by", "T",
    "dead letters that had died by this instant: not those that were retried since and have died again")

  /// Reads the options above.
  package init(_ arguments: CommandArguments) {
    function = arguments[Self.function]
    key = arguments[Self.key]
    since = arguments[Self.since]
    code = arguments[Self.code]
    olderThan = arguments[Self.olderThan]
    diedBy = arguments[Self.diedBy]
  }

  package init() {}

  /// The cause of an event.
  package enum Cause: String, CaseIterable, Sendable {
    case http, row, schedule
  }

  /// Whether it has no condition, and so selects every event.
  package var isEmpty: Bool {
    ids.isEmpty && function == nil && key == nil && code == nil && since == nil && olderThan == nil
      && diedBy == nil && cause == nil
  }

  /// Throws if `functions.json` does not have the function.
  ///
  /// Call it only after nothing was found: a removed function may still have events.
  package func checkFunction(_ manifest: Manifest) throws(FunctionError) {
    if let function, manifest[function] == nil { throw manifest.lacks(function) }
  }

  /// The condition on a row `e` of the state's table.
  package func condition(of state: EventSummary.State) -> SQL {
    var condition: SQL = "true"
    if let first = ids.first {
      condition += " AND (\(ids.dropFirst().reduce(first.condition) { $0 + " OR " + $1.condition }))"
    }
    if let function { condition += " AND e.function = \(function)" }
    if let key { condition += " AND e.key = \(key)" }
    if let since {
      condition += " AND e.at >= runner.now() - make_interval(secs => \(since))"
      // Skips the partitions of earlier days: an event cannot end before it exists.
      if state.isEnded { condition += " AND e.recorded_at >= clock_timestamp() - make_interval(secs => \(since))" }
    }
    if let code { condition += state == .waiting ? " AND false" : " AND e.code = \(code)" }
    let kind: SQL = state.isEnded ? "e.kind" : QueuedEvent.kind
    if leavesOutTicks, state == .waiting || state == .done {
      condition += " AND \(kind) NOT IN ('schedule', 'wake-up')"
    }
    if let cause {
      switch cause {
      case .http: condition += " AND \(kind) IN ('http', 'queued')"
      case .schedule: condition += " AND \(kind) = 'schedule'"
      case .row: condition += " AND \(kind) LIKE '% %'"
      }
    }
    // A text of the instant may be a part of a microsecond too early.
    if let diedBy { condition += " AND e.died_at <= \(diedBy)::timestamptz + interval '1 microsecond'" }
    if let olderThan { condition += " AND e.died_at < runner.now() - make_interval(secs => \(olderThan))" }
    return condition
  }
}
