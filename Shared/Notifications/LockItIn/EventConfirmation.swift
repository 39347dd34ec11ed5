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
  package var values: [String: PushPayload.Value] { values(in: .english) }

  package func values(for recipient: Recipient) -> [String: PushPayload.Value] { values(in: recipient.words) }

  private func values(in words: Words) -> [String: PushPayload.Value] {
    let hidden = hiddenTitle(in: words)
    return LockItInPush.eventConfirmed(
      event: event, title: hidden?.text ?? title, start: start, location: hidden == nil ? location : nil
    ).values
  }

  package func text(for recipient: Recipient) -> NotificationText {
    let local = LocalTime(start, in: recipient.timeZone)
    let words = recipient.words
    return NotificationText(
      title: hiddenTitle(in: words) ?? words("lockitin.event_confirmed.title", ["event": .value(title)]),
      body: words(
        "lockitin.event_confirmed.body",
        ["weekday": .words(words.weekday(local)), "time": .words(words.time(local))]))
  }

  private func hiddenTitle(in words: Words) -> Sentence? { visibility.headline(hiding: organizer, in: words) }
}
