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
  /// Seconds, by the events' clock.
  package var since: Double?
  /// Seconds since the event became a dead letter.
  package var olderThan: Double?
  /// Only those that had become dead letters by then: not one that was retried since and has died again.
  package var diedBy: Date?

  /// Takes its options from the command line.
  package init(_ arguments: inout CommandArguments) throws {
    function = try arguments.value("--function")
    key = try arguments.value("--key")
    since = try arguments.seconds("--since")
  }

  package init() {}

  /// What made an event.
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
    if let function, manifest.function(everNamed: function) == nil { throw manifest.lacks(function) }
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
    if let cause {
      let kind: SQL = state.isEnded ? "e.kind" : QueuedEvent.kind
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
