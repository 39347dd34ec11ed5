import Formats
package import FoundationEssentials
package import PushPayload

/// A proposal at a time when a person has another event.
package struct Conflict: Sendable, Equatable {
  /// The proposal's id.
  package var proposal: UUID
  /// The proposal's title.
  package var title: String
  /// The name of the person who proposed it.
  package var organizer: String
  /// How much others may learn about it.
  package var visibility: EventVisibility
  /// When it begins; `nil` if that is not decided yet.
  package var start: Date?
  /// The person who has another event then.
  package var person: UUID
  /// Their name.
  package var name: String
  /// Their other event.
  package var existing: UUID?
  /// Its title, which only the person may read.
  package var existingTitle: String?
  /// How much the two overlap: the column's word.
  package var level: String

  package init(
    proposal: UUID, title: String, organizer: String, visibility: EventVisibility, start: Date?, person: UUID,
    name: String, existing: UUID?, existingTitle: String?, level: String
  ) {
    (self.proposal, self.title, self.organizer) = (proposal, title, organizer)
    (self.visibility, self.start, self.person, self.name) = (visibility, start, person, name)
    (self.existing, self.existingTitle, self.level) = (existing, existingTitle, level)
  }
}

/// A proposal conflicts with a person's calendar; they and the organiser are notified, each in their own words.
package struct ConflictAlert: NoticeOfOneKind {
  package static let kind = Kind(
    .lockItIn, "conflict_alert", importance: .urgent, preference: .init("conflict_alerts"), canBeSilenced: false,
    category: .conflictAlert, family: .conflicts, quietHours: .pass, isCritical: true,
    section: .activity)

  let conflict: Conflict

  package init(_ conflict: Conflict) { self.conflict = conflict }

  /// People are counted per proposal.
  package var part: BatchPart? {
    BatchPart(of: subject.id, named: nil, by: conflict.person.lowercased, called: conflict.name)
  }
  package var subject: Subject { .proposal(conflict.proposal) }
  /// The keys that both recipients get.
  package var values: [String: PushPayload.Value] {
    LockItInPush.conflict(proposal: conflict.proposal, existingEvent: nil, level: nil).values
  }

  /// The organiser's keys do not name the other event.
  package func values(for recipient: Recipient) -> [String: PushPayload.Value] {
    recipient.isOrganizer
      ? LockItInPush.conflictOfMember(conflict.person, name: conflict.name, proposal: conflict.proposal).values
      : LockItInPush.conflict(
        proposal: conflict.proposal, existingEvent: conflict.existing, level: conflict.level
      ).values
  }

  /// The person can look at both events; the organiser can write to the person.
  package func category(for recipient: Recipient) -> String? {
    recipient.isOrganizer ? ActionCategory.conflictOrganizer.rawValue : Self.kind.category
  }

  package func text(for recipient: Recipient) -> NotificationText {
    let words = recipient.words
    guard recipient.isOrganizer else {
      return NotificationText(
        title: words("lockitin.conflict_alert.title"),
        body: conflict.visibility.headline(hiding: conflict.organizer, in: words) ?? overlap(words))
    }
    return NotificationText(
      title: words("lockitin.conflict_alert.organizer_title", ["name": .value(conflict.name)]),
      body: place(in: recipient))
  }

  private func overlap(_ words: Words) -> Sentence {
    guard let other = conflict.existingTitle?.unlessBlank else {
      return words("lockitin.conflict_alert.body_unnamed", ["event": .value(conflict.title)])
    }
    return words("lockitin.conflict_alert.body", ["event": .value(conflict.title), "other": .value(other)])
  }

  /// The sentence about the other event for the organiser, who may have hidden it.
  private func place(in recipient: Recipient) -> Sentence {
    let words = recipient.words
    var (name, facts): (String, [String: Words.Fact]) = ("lockitin.conflict_alert.organizer_body", [:])
    if let start = conflict.start {
      name += "_day"
      facts["weekday"] = .words(words.weekday(LocalTime(start, in: recipient.timeZone)))
    }
    if conflict.visibility == .sharedWithName { facts["event"] = .value(conflict.title) } else { name += "_unnamed" }
    return words(name, facts)
  }
}

extension Recipient {
  fileprivate var isOrganizer: Bool { reason == .organizer }
}
