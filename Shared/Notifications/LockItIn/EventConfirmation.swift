public import FoundationEssentials
public import PushPayload

/// A proposal became an event.
public struct EventConfirmation: NoticeOfOneKind {
  /// The kind.
  public static let kind = Kind(
    .lockItIn, "event_confirmed", importance: .normal, preference: .confirmations, sound: "confirmed.caf")

  let event: UUID
  let title: String
  let organizer: String
  let start: Date
  let location: String?
  let visibility: EventVisibility

  /// The confirmation of an event.
  /// - Parameter organizer: the name of the person who proposed it.
  public init(
    of event: UUID, title: String, organizer: String, start: Date, location: String?, visibility: EventVisibility
  ) {
    (self.event, self.title, self.organizer) = (event, title, organizer)
    (self.start, self.location, self.visibility) = (start, location, visibility)
  }

  /// The event.
  public var subject: Subject { .event(event) }
  /// Once for each event, no matter which of its rows came last.
  public var dedupeKey: String? { "\(Self.kind.name)/\(event.lowercased)" }
  /// The app's own keys of the payload; the time is ISO 8601 in UTC, and the place of a hidden event is not told.
  public var values: [String: PushPayload.Value] {
    var values: [String: PushPayload.Value] = [
      "type": .string(Self.kind.name), "event_id": .string(event.lowercased),
      "event_title": .string(hiddenTitle ?? title), "event_time": .string(start.formatted(.iso8601)),
      "deep_link": .string(DeepLink.event(event).url),
    ]
    if hiddenTitle == nil { values["location"] = location.map { .string($0) } }
    return values
  }

  /// The words.
  public func text(for recipient: Recipient) -> NotificationText {
    let local = LocalTime(start, in: recipient.timeZone)
    return NotificationText(
      title: hiddenTitle ?? "\(title) confirmed!", body: "\(local.weekday) at \(local.time)")
  }

  private var hiddenTitle: String? { visibility.headline(hiding: organizer) }
}
