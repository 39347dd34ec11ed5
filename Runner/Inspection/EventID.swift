package import Postgres

/// An event's id for people: the one it came with, else its partition and number, such as `3.28000001234`.
package struct EventID: Equatable, Sendable {
  package let text: String
  /// Whether only the event at that place is meant, and none that came with the same text as its id.
  private var isOnlyPlace = false

  package init(_ text: String) {
    self.text = text
  }

  /// The event at its place only, whose row an index has; `nil` for an id of another form.
  package var onlyPlace: EventID? {
    guard place != nil else { return nil }
    var id = self
    id.isOnlyPlace = true
    return id
  }

  /// The partition and number, if the text has that form.
  package var place: (partition: Int, id: Int64)? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let partition = Int(parts[0]), (0...255).contains(partition), let id = Int64(parts[1]),
      id > 0
    else {
      return nil
    }
    return (partition, id)
  }

  /// The condition on a row `e` of this event.
  package var condition: SQL {
    guard let place else { return "e.event_id = \(text)" }
    let isThere: SQL = "e.event_id IS NULL AND e.partition = \(place.partition) AND e.id = \(place.id)"
    return isOnlyPlace ? "(\(isThere))" : "(e.event_id = \(text) OR \(isThere))"
  }

  /// The id of a row `e`.
  package static let column: SQL = "coalesce(e.event_id, e.partition || '.' || e.id, '')"
}
