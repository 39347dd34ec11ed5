package import FoundationEssentials

/// A person's state now, and the newest decisions about them.
package struct PersonDocument: Codable, Sendable {
  package var person: PersonSummary
  package var now: Date
  package var since: Date
  package var apps: [AppState]
  /// The newest first.
  package var decisions: [DecisionReport]
  /// The number of all decisions, also of those that are not listed; 10,001 stands for more than 10,000.
  package var total: Int
  /// The value of `--before` that lists the decisions that come next; absent if there are none.
  package var next: String?

  package init(
    person: PersonSummary, now: Date, since: Date, apps: [AppState], decisions: [DecisionReport], total: Int,
    next: String? = nil
  ) {
    (self.person, self.now, self.since) = (person, now, since)
    (self.apps, self.decisions, self.total, self.next) = (apps, decisions, total, next)
  }
}

/// A person's state in one app.
package struct AppState: Codable, Sendable {
  package var app: String
  /// The number that the app counts; 10,001 or more stands for more than 10,000.
  package var badge: Int
  package var timeZone: String?
  /// Whether notifications of the app are on at all.
  package var isEnabled: Bool
  /// The switches of kinds that are off, by their names in the API.
  package var switchedOff: [String]
  /// The projects or groups that they have muted, in whole or in part; 100 at most.
  package var mutes: [Mute]
  /// The mutes that they have set for a while; 100 at most.
  package var pauses: [Pause]
  package var quietHours: Quiet?
  package var hourlyLimit: Int?
  package var pushesOfLastHour: Int
  /// The active ones first; 20 at most.
  package var devices: [OwnDevice]
  /// The number of all devices, if not all are listed; 10,001 stands for more than 10,000.
  package var deviceCount: Int?
  /// The value of `--devices-after` that lists the devices that come next; absent if there are none.
  package var nextDevices: String?
  package var waiting: [Waiting]
  package var windows: [Window]
  /// Whether they want the app's Live Activities; absent if the app has none.
  package var liveActivities: Bool?
  /// The language that they are told in; absent if neither they nor a device name one, so it is English.
  package var language: Language?
  /// Why functions that tell what stays unread do not tell them, `no_mailbox` where nothing reaches their address; absent
  /// if they may.
  package var unreadReminders: UnreadReminders?
  /// The quiet hours of the next 48 hours; on a person's page only.
  package var band: QuietBand?
  /// When a push that is sent now would be shown, unless it may not wait; on a person's page only.
  package var shownAt: Date?
  /// How many entries of the inbox the badge counts that had no push and wait for none, among the newest 50; absent if there
  /// are none.
  package var unpushed: Int?
  /// Whether the badge counts requests without an answer, and no unread notifications; absent if not.
  package var countsRequests: Bool?

  /// The most of ``mutes``.
  package static let mostMutes = 100
  /// The most of ``waiting``.
  package static let mostWaiting = 20
  /// The most of ``devices``.
  package static let mostDevices = 20

  package init(
    app: String, badge: Int, timeZone: String?, isEnabled: Bool, switchedOff: [String], mutes: [Mute],
    pauses: [Pause] = [], quietHours: Quiet?, hourlyLimit: Int?, pushesOfLastHour: Int, devices: [OwnDevice],
    waiting: [Waiting],
    windows: [Window]
  ) {
    (self.app, self.badge, self.timeZone, self.isEnabled) = (app, badge, timeZone, isEnabled)
    (self.switchedOff, self.mutes, self.pauses, self.quietHours) = (switchedOff, mutes, pauses, quietHours)
    (self.hourlyLimit, self.pushesOfLastHour) = (hourlyLimit, pushesOfLastHour)
    (self.devices, self.waiting, self.windows) = (devices, waiting, windows)
  }

  /// A project or group that a person has muted, in whole or in part.
  package struct Mute: Codable, Sendable, Equatable {
    package var id: RowID
    package var name: String
    /// The app's word for it: `project` or `group`.
    package var place: String
    /// How much of it is muted; `important`: what asks for an answer or is urgent still comes.
    package var level: Level

    package init(id: RowID, name: String, place: String, level: Level) {
      (self.id, self.name, self.place, self.level) = (id, name, place, level)
    }

    package enum Level: String, Codable, Sendable, CaseIterable {
      case muted, important
    }
  }

  /// The name of a project or group, with the beginning of its id if another one of that name is muted, too.
  package func title(of mute: Mute) -> String {
    let hasNamesake = mutes.contains { $0.name == mute.name && $0.place == mute.place && $0.id != mute.id }
    return hasNamesake ? "\(mute.name) (\(mute.id.description.prefix(8)))" : mute.name
  }

  /// The language that a person reads.
  package struct Language: Codable, Sendable, Equatable {
    /// The tag that was named, such as `de-AT`.
    package var tag: String
    /// The tag of the texts that they are told, which come nearest: `de`.
    package var texts: String
    /// Whether they have chosen it; else it is what the device names that they registered last.
    package var isChosen: Bool

    package init(tag: String, texts: String, isChosen: Bool) {
      (self.tag, self.texts, self.isChosen) = (tag, texts, isChosen)
    }
  }

  /// Why a person is not reminded of what stays unread.
  package enum UnreadReminders: String, Codable, Sendable, CaseIterable {
    case off
    case noMailbox = "no_mailbox"
  }

  /// Something that a person has muted for a while.
  package struct Pause: Codable, Sendable, Equatable {
    /// The kind of thing that is muted; `person`: everything, in all apps.
    package var scope: Scope
    /// The name of a project or group, or a proposal's title; absent where nobody knows it any more.
    package var name: String?
    /// Its end: what waits is told then.
    package var until: Date

    package init(scope: Scope, name: String?, until: Date) {
      (self.scope, self.name, self.until) = (scope, name, until)
    }

    package enum Scope: String, Codable, Sendable, CaseIterable {
      case person, app, project, group, proposal
    }
  }

  /// Quiet hours.
  package struct Quiet: Codable, Sendable {
    /// Begin and end, such as `22:00–08:00`.
    package var hours: String
    /// The begin, in minutes after midnight.
    package var startMinute: Int
    /// The end, in minutes after midnight.
    package var endMinute: Int
    /// The weekdays that have other hours, from Monday on; absent if there are none.
    package var days: [QuietDay]?
    /// Their end, while they are on.
    package var until: Date?

    package init(hours: String, startMinute: Int, endMinute: Int, days: [QuietDay]? = nil, until: Date?) {
      (self.hours, self.startMinute, self.endMinute) = (hours, startMinute, endMinute)
      (self.days, self.until) = (days, until)
    }
  }

  /// A weekday with hours of its own, which begin on that day.
  package struct QuietDay: Codable, Sendable {
    /// Its English name in small letters.
    package var weekday: String
    /// Begin and end, such as `23:30–10:00`; equal ones mean that it has no quiet hours.
    package var hours: String
    /// The begin, in minutes after midnight.
    package var startMinute: Int
    /// The end, in minutes after midnight.
    package var endMinute: Int

    package init(weekday: String, hours: String, startMinute: Int, endMinute: Int) {
      (self.weekday, self.hours, self.startMinute, self.endMinute) = (weekday, hours, startMinute, endMinute)
    }
  }

  /// A device of the person's.
  package struct OwnDevice: Codable, Sendable {
    package var device: DeviceSummary
    /// Whether it is told anything.
    package var isActive: Bool
    package var deactivatedAt: Date?
    package var deactivatedReason: String?
    /// Until when the provider asked to send it nothing.
    package var heldUntil: Date?
    package var lastAcceptedAt: Date?
    /// The number that it shows; absent if no push has set it, no emulator runs, or this is no person's page.
    package var badge: Int?
    /// Whether the person's devices show several numbers, and this is not the one that the app counts; on a person's
    /// page only.
    package var differs: Bool?
    /// Whether the app has registered a token by which a push starts a Live Activity on it, and the token is still good;
    /// absent if the app has none.
    package var startsActivities: Bool?

    package init(
      device: DeviceSummary, isActive: Bool, deactivatedAt: Date?, deactivatedReason: String?, heldUntil: Date?,
      lastAcceptedAt: Date?
    ) {
      (self.device, self.isActive, self.deactivatedAt) = (device, isActive, deactivatedAt)
      (self.deactivatedReason, self.heldUntil, self.lastAcceptedAt) = (deactivatedReason, heldUntil, lastAcceptedAt)
    }
  }

  /// A held notification.
  package struct Waiting: Codable, Sendable {
    package var kind: String
    package var reason: String
    package var until: Date
    /// The name of the subject, such as a feedback's title; absent where it has none.
    package var subjectName: String?

    package init(kind: String, reason: String, until: Date, subjectName: String? = nil) {
      (self.kind, self.reason, self.until, self.subjectName) = (kind, reason, until, subjectName)
    }
  }

  /// A batch window: until then, notifications like one that went out are gathered.
  package struct Window: Codable, Sendable {
    package var family: String
    package var subject: String
    package var until: Date

    package init(family: String, subject: String, until: Date) {
      (self.family, self.subject, self.until) = (family, subject, until)
    }
  }
}
