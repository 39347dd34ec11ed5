public import FoundationEssentials
public import PushPayload
import TimeZones

/// A proposal at a time when somebody has another event.
public struct Conflict: Sendable, Equatable {
  /// The proposal's id.
  public var proposal: UUID
  /// The proposal's title.
  public var title: String
  /// The name of the person who proposed it.
  public var organizer: String
  /// What may be said of it.
  public var visibility: EventVisibility
  /// When it begins; `nil` where it is not yet settled.
  public var start: Date?
  /// The person who has another event then.
  public var person: UUID
  /// Their name.
  public var name: String
  /// Their other event.
  public var existing: UUID?
  /// Its title, which is told to nobody else.
  public var existingTitle: String?
  /// How much the two are in each other's way: the column's word.
  public var level: String

  /// A conflict of a person with a proposal.
  public init(
    proposal: UUID, title: String, organizer: String, visibility: EventVisibility, start: Date?, person: UUID,
    name: String, existing: UUID?, existingTitle: String?, level: String
  ) {
    (self.proposal, self.title, self.organizer) = (proposal, title, organizer)
    (self.visibility, self.start, self.person, self.name) = (visibility, start, person, name)
    (self.existing, self.existingTitle, self.level) = (existing, existingTitle, level)
  }
}

/// A proposal conflicts with somebody's calendar, which they and the organiser hear of, each in their own words.
public struct ConflictAlert: NoticeOfOneKind {
  /// The kind.
  public static let kind = Kind(
    .lockItIn, "conflict_alert", importance: .urgent, preference: .conflictAlerts, canBeSilenced: false,
    category: "CONFLICT_ALERT", family: .conflicts, quietHours: .pass, isCritical: true)

  let conflict: Conflict

  /// An alert.
  public init(_ conflict: Conflict) { self.conflict = conflict }

  /// People are counted for each proposal.
  public var part: BatchPart? {
    BatchPart(of: subject.id, named: nil, by: conflict.person.lowercased, called: conflict.name)
  }
  /// The proposal.
  public var subject: Subject { .proposal(conflict.proposal) }
  /// The keys that both have.
  public var values: [String: PushPayload.Value] {
    [
      "type": .string(Self.kind.name), "proposal_id": .string(subject.id),
      "deep_link": .string(DeepLink.proposal(conflict.proposal).url),
    ]
  }

  /// The app's own keys of the payload; in the organiser's, nothing names the other event.
  public func values(for recipient: Recipient) -> [String: PushPayload.Value] {
    var values = values
    if recipient.isOrganizer {
      values["conflicted_user_id"] = .string(conflict.person.lowercased)
      values["conflicted_user_name"] = .string(conflict.name)
    } else {
      values["conflict_level"] = .string(conflict.level)
      values["existing_event_id"] = conflict.existing.map { .string($0.lowercased) }
    }
    return values
  }

  /// The actions: to look at both events, or to write to the person.
  public func category(for recipient: Recipient) -> String? {
    recipient.isOrganizer ? "CONFLICT_ORGANIZER" : Self.kind.category
  }

  /// The words.
  public func text(for recipient: Recipient) -> NotificationText {
    let hidden = conflict.visibility.headline(hiding: conflict.organizer)
    guard recipient.isOrganizer else {
      let body = hidden ?? "\(conflict.title) conflicts with \(conflict.existingTitle ?? "another event")"
      return NotificationText(title: "You have a scheduling conflict", body: body)
    }
    let day = conflict.start.map { " on \($0.weekday(in: recipient.timeZone))" } ?? ""
    let event = hidden == nil ? conflict.title : "your event"
    return NotificationText(title: "\(conflict.name) has a scheduling conflict", body: "with \(event)\(day)")
  }
}

extension Recipient {
  fileprivate var isOrganizer: Bool { reason == .organizer }
}

extension Date {
  fileprivate func weekday(in zone: String?) -> String {
    let rules = zone.flatMap { try? TimeZoneRules(anyCase: $0) } ?? .utc
    let date = rules.civilTime(at: Int64(timeIntervalSince1970.rounded(.down))).date
    return ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"][date.weekday]
  }
}
