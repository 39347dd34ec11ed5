package import PushPayload

/// One type of notification of one app: everything about it that does not depend on the event.
package struct Kind: Sendable, Equatable {
  package let app: App
  /// The value of `notifications.type` and of the payload's `type`.
  package let name: String
  package private(set) var importance: Importance
  /// The switch that turns it on and off.
  package let preference: PreferenceSwitch
  /// Whether it is on for a person who never set the switch.
  package let isOnByDefault: Bool
  /// Whether its switch and a muted project or group stop it.
  package let canBeSilenced: Bool
  /// The actions that the app offers with it; `nil` for none.
  package let category: String?
  /// The family whose notifications are merged when several come within minutes; `nil` for kinds that never merge.
  package let family: BatchingFamily?
  package let quietHours: QuietHoursRule
  /// Whether an unread one counts for the badge, if the app's badge counts notifications.
  package let countsForBadge: Bool
  /// The sound of its pushes for a person who chose none.
  package let sound: String
  /// Whether it is a critical alert, even on a muted phone, for people who want critical alerts.
  let isCritical: Bool
  /// Whether a later one about its subject takes its place, on the phone and in the inbox.
  let replacesItself: Bool
  /// The section of the app's inbox; `nil` in an inbox without sections.
  package let section: InboxCategory?
  /// The words for a row without its own; `nil` for none.
  let words: NoticeTemplate?

  init(
    _ app: App, _ name: String, importance: Importance, preference: PreferenceSwitch = .own,
    isOnByDefault: Bool = true, canBeSilenced: Bool = true, category: ActionCategory? = nil,
    family: BatchingFamily? = nil, quietHours: QuietHoursRule = .delay, countsForBadge: Bool = true,
    sound: String = "default", isCritical: Bool = false, replacesItself: Bool = false,
    section: InboxCategory? = nil, words: NoticeTemplate? = nil
  ) {
    (self.app, self.name, self.importance) = (app, name, importance)
    (self.preference, self.isOnByDefault, self.category) = (preference, isOnByDefault, category?.rawValue)
    (self.canBeSilenced, self.isCritical, self.replacesItself) = (canBeSilenced, isCritical, replacesItself)
    (self.family, self.quietHours, self.countsForBadge) = (family, quietHours, countsForBadge)
    (self.sound, self.section, self.words) = (sound, section, words)
  }

  /// Whether only its last notification about a subject is true.
  package var tellsState: Bool { replacesItself || family?.isState == true }

  /// The name under which each of its pushes about a subject replaces the one before; `nil` if they lie side by side.
  package func collapseID(about subject: String) -> String? { replacesItself ? "\(name) \(subject)" : nil }

  /// The sound of its pushes.
  /// - Parameters:
  ///   - choice: what the person chose; `nil` and the system's `default` are no choice.
  ///   - isAlarm: whether the push is a critical alert, which has a sound of its own.
  package func sound(unless choice: String?, isAlarm: Bool = false) -> String {
    guard let choice, choice != "default" else { return isAlarm ? "critical.caf" : sound }
    return choice
  }

  /// The kind with an importance that the event gives.
  package func weighing(_ importance: Importance) -> Kind {
    var kind = self
    kind.importance = importance
    return kind
  }

  /// A set of notifications about one subject that are merged.
  ///
  /// The raw value is stored in `notifications.family`.
  package enum BatchingFamily: String, Sendable, CaseIterable {
    case newFeedback = "new_feedback"
    case comments, votes, likes, messages
    case proposalVotes = "proposal_votes"
    case visitComments = "visit_comments"
    /// A feedback's status: the last of several changes counts.
    case statuses
    /// The option that leads a proposal's votes: the current one counts.
    case leads
    /// Conflicts with a proposal, for the person who made it.
    case conflicts

    /// Whether the same words are a duplicate; for comments and messages they mean another one.
    package var repeatsNothing: Bool { self == .votes || self == .proposalVotes || self == .conflicts }

    /// Whether only the last of its notifications about a subject is true.
    package var isState: Bool { self == .statuses || self == .leads }
  }

  /// The fate of a notification in the person's quiet hours.
  package enum QuietHoursRule: Sendable {
    /// It waits for their end.
    case delay
    /// It goes out at once.
    case pass
    /// It is only in the inbox.
    case drop
  }
}

/// How much a kind of notification matters; the raw value is stored in the column `importance`.
package enum Importance: String, Sendable, CaseIterable, Comparable {
  /// Nice to know.
  case passive
  /// Something happened that the person follows.
  case normal
  /// Somebody waits for the person.
  case actionRequired
  /// Worth disturbing the person for, now.
  case urgent

  package static func < (left: Importance, right: Importance) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .passive: 0
    case .normal: 1
    case .actionRequired: 2
    case .urgent: 3
    }
  }

  /// How much the push may disturb; critical alerts depend on the kind and the person.
  package var interruptionLevel: PushPayload.InterruptionLevel {
    switch self {
    case .passive: .passive
    case .normal, .actionRequired: .active
    case .urgent: .timeSensitive
    }
  }

  /// The push's rank in a summary, from 0 to 1.
  package var relevanceScore: Double { Double(rank + 1) / 4 }

  /// Whether the push makes a sound.
  var hasSound: Bool { self != .passive }

  /// `apns-priority`: 10 delivers at once, 5 at a good time for the device's battery.
  package var pushPriority: Int { self == .passive ? 5 : 10 }
}

/// The sections of LockItIn's inbox; the other apps' have none.
package enum InboxCategory: String, Sendable, CaseIterable {
  /// Proposals that ask for a vote.
  case pendingVotes = "pending_votes"
  /// Confirmed events.
  case upcoming
  /// Everything else: requests, invitations, votes of others, conflicts, memories.
  case activity
}

extension Kind {
  /// A person's switch, which projects or groups may have too.
  package struct PreferenceSwitch: Sendable, Hashable {
    /// Its column; `nil` for the kind's own, under its name in `notification_settings.switches`.
    package let column: String?
    /// The column of the switch that decides if this one was never set.
    package let shared: String?
    /// Whether projects or groups have it too.
    package let isInGroups: Bool
    /// The same as `shared`, for a group's switches.
    package let sharedInGroups: String?
    /// The column of the switch of a single proposal, which decides first.
    package let ofProposal: String?

    /// The kind's own switch.
    static let own = PreferenceSwitch(nil)

    init(
      _ column: String?, following shared: String? = nil, inGroups isInGroups: Bool = false,
      inGroupsFollowing sharedInGroups: String? = nil, ofProposal: String? = nil
    ) {
      (self.column, self.shared, self.isInGroups) = (column, shared, isInGroups)
      (self.sharedInGroups, self.ofProposal) = (sharedInGroups, ofProposal)
    }
  }
}

/// The words of a kind for rows without their own: texts of the catalogue, with facts of the row.
struct NoticeTemplate: Sendable, Equatable {
  /// The required prefix of the row's `status`; a row without a status fits too.
  let status: String?

  init(status: String? = nil) { self.status = status }

  /// Whether it fits a row's status.
  func fits(_ entry: AppEntry) -> Bool {
    guard let status, let said = entry["status"] else { return true }
    return said.lowercased().hasPrefix(status)
  }

  /// A text filled with the facts of a row.
  func text(
    _ part: String, of kind: Kind, _ entry: AppEntry, in words: Words
  ) throws(UnusableEntry) -> String {
    let name = "\(kind.app.rawValue).\(kind.name).\(part)"
    var facts: [String: Words.Fact] = [:]
    for fact in (words.facts(of: name) ?? []).sorted() { facts[fact] = .value(try entry.require(fact)) }
    return words(name, facts).text
  }
}
