package import CLI
package import FunctionKit
package import Manifest
package import Postgres

/// Which events a command is about.
package struct EventFilter {
  package var ids: [EventID] = []
  package var function: String?
  package var key: String?
  package var code: String?
  /// In seconds, of the events' own clock.
  package var since: Double?
  /// In seconds since a dead letter died.
  package var olderThan: Double?

  /// Takes the options that it finds.
  package init(_ words: inout Words) throws {
    function = try words.value("--function")
    key = try words.value("--key")
    since = try words.seconds("--since")
  }

  package init() {}

  /// Whether nothing was named, which means every event.
  package var isEmpty: Bool {
    ids.isEmpty && function == nil && key == nil && code == nil && since == nil && olderThan == nil
  }

  /// Says that the function is not there where nothing was found: of one that is gone there may still be events.
  package func checkFunction(_ manifest: Manifest) throws(FunctionError) {
    if let function, manifest[function] == nil { throw manifest.lacks(function) }
  }

  /// Whether a row `e` of a table is meant.
  package func condition(of state: EventSummary.State) -> SQL {
    var condition: SQL = "true"
    if let first = ids.first {
      condition += " AND (\(ids.dropFirst().reduce(first.condition) { $0 + " OR " + $1.condition }))"
    }
    if let function { condition += " AND e.function = \(function)" }
    if let key { condition += " AND e.key = \(key)" }
    if let since {
      condition += " AND e.at >= runner.now() - make_interval(secs => \(since))"
      // Spares the partitions of earlier days: an event cannot have ended before it was.
      if state.isEnded { condition += " AND e.recorded_at >= clock_timestamp() - make_interval(secs => \(since))" }
    }
    if let code { condition += state == .waiting ? " AND false" : " AND e.code = \(code)" }
    if let olderThan { condition += " AND e.died_at < runner.now() - make_interval(secs => \(olderThan))" }
    return condition
  }
}
