package import Postgres

/// What people call an event by: the id that it came with, else its lane and number, such as `3.28000001234`.
package struct EventID: Equatable {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  /// The lane and number, where the text can be one.
  package var place: (lane: Int, id: Int64)? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let lane = Int(parts[0]), (0...15).contains(lane), let id = Int64(parts[1]), id > 0 else {
      return nil
    }
    return (lane, id)
  }

  /// Whether a row `e` is this event's.
  package var condition: SQL {
    guard let place else { return "e.event_id = \(text)" }
    return "(e.event_id = \(text) OR e.event_id IS NULL AND e.lane = \(place.lane) AND e.id = \(place.id))"
  }

  /// The id of a row `e`.
  package static let column: SQL = "coalesce(e.event_id, e.lane || '.' || e.id, '')"
}
