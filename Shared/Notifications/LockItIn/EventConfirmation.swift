import Formats
package import FoundationEssentials
package import PushPayload

/// A proposal became an event.
package struct EventConfirmation: NoticeOfOneKind {
  package static let kind = Kind(
    .lockItIn, "event_confirmed", importance: .normal,
    preference: .init("confirmations", following: "proposal_notifications", inGroups: true), sound: "confirmed.caf",
    section: .upcoming)

  let event: UUID
  let title: String
  let organizer: String
  let start: Date
  let location: String?
  let visibility: EventVisibility

  /// - Parameter organizer: the name of the person who proposed it.
  package init(
    of event: UUID, title: String, organizer: String, start: Date, location: String?, visibility: EventVisibility
  ) {
    (self.event, self.title, self.organizer) = (event, title, organizer)
    (self.start, self.location, self.visibility) = (start, location, visibility)
  }

  package var subject: Subject { .event(event) }
  /// Once for each event, in whatever order its rows were written.
  package var dedupeKey: String? { "\(Self.kind.name)/\(event.lowercased)" }
  /// The time is ISO 8601 in UTC, and a hidden event has no place.
  package var values: [String: PushPayload.Value] {
    LockItInPush.eventConfirmed(
      event: event, title: hiddenTitle?.text ?? title, start: start, location: hiddenTitle == nil ? location : nil
    ).values
  }

  package func text(for recipient: Recipient) -> NotificationText {
    let local = LocalTime(start, in: recipient.timeZone)
    return NotificationText(
      title: hiddenTitle ?? "\(title) confirmed!", body: "\(local.weekday) at \(local.time)")
  }

  private var hiddenTitle: Sentence? { visibility.headline(hiding: organizer) }
}
