package import FoundationEssentials
import PushPayload

/// The facts about a group's confirmed event in LockItIn's notices.
package struct GroupEvent: Sendable, Equatable {
  package var id: UUID
  package var title: String
  package var groupID: UUID
  package var group: String
  /// The place in words.
  package var location: String?
  /// Latitude and longitude in degrees, with a comma between them.
  package var coordinates: String?
  package var start: Date
  package var end: Date
  /// How much a push may say about it.
  package var visibility: EventVisibility

  package init(
    id: UUID, title: String, groupID: UUID, group: String, location: String?, coordinates: String?,
    start: Date, end: Date, visibility: EventVisibility
  ) {
    (self.id, self.title, self.groupID, self.group) = (id, title, groupID, group)
    (self.location, self.coordinates) = (location, coordinates)
    (self.start, self.end, self.visibility) = (start, end, visibility)
  }

  /// The title; `nil` if the title and the place are private, or if it shows nothing.
  var name: String? { isPublic ? title.unlessBlank : nil }

  /// The place in words; `nil` if it is private, or shows nothing.
  var shownLocation: String? { isPublic ? location?.unlessBlank : nil }

  /// The coordinates; `nil` if the place is private.
  var shownCoordinates: String? { isPublic ? coordinates : nil }

  private var isPublic: Bool { visibility == .sharedWithName }

  /// The place, or the group if the place is unknown or private.
  var place: String { shownLocation ?? group }
}

/// A notice to an event's attendees before or after it, once for each start.
package protocol AttendeeNotice: NoticeOfOneKind {
  /// When it is due.
  static var window: EventWindow { get }
  var event: GroupEvent { get }
  /// The notice about an event at this time.
  init(of event: GroupEvent, at now: Date)
}

/// The window in which an event has to begin or end to get a notice.
package struct EventWindow: Sendable {
  /// The start or the end of an event.
  package enum Edge: Sendable { case start, end }

  /// The start or the end of an event.
  package let edge: Edge
  /// Seconds from now, exclusive.
  package let after: TimeInterval
  /// Seconds from now, inclusive.
  package let through: TimeInterval
}

extension AttendeeNotice {
  /// A text about the event by its name, or its other form where the name is private.
  func say(_ name: String, _ facts: [String: Words.Fact] = [:], in words: Words) -> Sentence {
    let text = "lockitin.\(Self.kind.name).\(name)"
    guard let event = event.name else { return words("\(text)_unnamed", facts) }
    return words(text, facts.merging(["event": .value(event)]) { $1 })
  }

  package var subject: Subject { .event(event.id) }
  /// When the event begins.
  package var deadline: Date? { event.start }
  /// Once for each event and start, so that a moved event gets another notice.
  package var dedupeKey: String? {
    "\(Self.kind.name)/\(subject.id)/\(Int((event.start.timeIntervalSince1970 * 1000).rounded()))"
  }
}
