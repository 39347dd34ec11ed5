public import FoundationEssentials
import PushPayload

/// A confirmed event of a group as LockItIn's notices tell of it.
public struct GroupEvent: Sendable, Equatable {
  /// Its id.
  public var id: UUID
  /// Its title.
  public var title: String
  /// The id of its group.
  public var groupID: UUID
  /// The name of its group.
  public var group: String
  /// Where it is, in words.
  public var location: String?
  /// Where it is: latitude and longitude in degrees, with a comma between them.
  public var coordinates: String?
  /// When it begins.
  public var start: Date
  /// When it ends.
  public var end: Date
  /// What may be said of it.
  public var visibility: EventVisibility

  /// An event from its parts.
  public init(
    id: UUID, title: String, groupID: UUID, group: String, location: String?, coordinates: String?,
    start: Date, end: Date, visibility: EventVisibility
  ) {
    (self.id, self.title, self.groupID, self.group) = (id, title, groupID, group)
    (self.location, self.coordinates) = (location, coordinates)
    (self.start, self.end, self.visibility) = (start, end, visibility)
  }

  /// The title; `nil` where neither it nor the place may be said.
  var name: String? { visibility == .sharedWithName ? title : nil }

  /// The place where it may be said, else the group.
  var place: String { name == nil ? group : location ?? group }
}

/// What an event's attendees are told before it and after it, once for each start.
public protocol AttendeeNotice: NoticeOfOneKind {
  /// When it is due.
  static var window: EventWindow { get }
  /// The event.
  var event: GroupEvent { get }
  /// What is said of an event now.
  init(of event: GroupEvent, at now: Date)
}

/// The events that a notice is about: those that begin, or end, after one time and not after another.
public struct EventWindow: Sendable {
  /// The edge of the event that is looked at.
  public enum Edge: Sendable { case start, end }

  /// The edge of the event that is looked at.
  public let edge: Edge
  /// Seconds from now, exclusive.
  public let after: TimeInterval
  /// Seconds from now, inclusive.
  public let through: TimeInterval
}

extension AttendeeNotice {
  /// The event.
  public var subject: Subject { .event(event.id) }
  /// When the event begins.
  public var deadline: Date? { event.start }
  /// Once for each event and start, so that a moved one is told again.
  public var dedupeKey: String? {
    "\(Self.kind.name)/\(subject.id)/\(Int((event.start.timeIntervalSince1970 * 1000).rounded()))"
  }

  /// The keys that all have; a hidden title is left out.
  var commonValues: [String: PushPayload.Value] {
    var values: [String: PushPayload.Value] = [
      "type": .string(Self.kind.name), "event_id": .string(subject.id),
      "deep_link": .string(DeepLink.event(event.id).url),
    ]
    values["event_title"] = event.name.map { .string($0) }
    return values
  }

  func reminderValues(minutes: Int) -> [String: PushPayload.Value] {
    var values = commonValues
    values["time_until_event"] = .integer(minutes)
    values["location"] = event.name == nil ? nil : event.location.map { .string($0) }
    return values
  }
}
