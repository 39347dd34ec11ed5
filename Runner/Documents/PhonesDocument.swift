package import FoundationEssentials

/// The screens of the emulator's phones, and its answers to the next pushes.
package struct PhonesDocument: Codable, Sendable {
  /// The phones with the newest pushes first.
  package var phones: [Phone]
  /// Whether there are more than are listed.
  package var hasMore: Bool
  package var faults: [PhoneFault]

  package init(phones: [Phone], hasMore: Bool, faults: [PhoneFault]) {
    (self.phones, self.hasMore, self.faults) = (phones, hasMore, faults)
  }
}

/// One phone of the emulator.
package struct Phone: Codable, Sendable {
  /// The row of `device_tokens`; absent if the database does not know the token.
  package var id: RowID?
  package var person: PersonSummary?
  /// The system, as the app registered it, such as `iOS`.
  package var platform: String
  package var app: String?
  /// The tag of its language and region, as the app registered it, such as `de-AT`; absent if it is unknown.
  package var locale: String?
  package var provider: Provider
  /// The first 8 characters.
  package var token: String
  /// Whether it is told anything.
  package var isActive: Bool
  /// The number on the app's icon, as the last push has set it, or the app if its person has done something there
  /// since; absent if nothing has set one.
  ///
  /// 10,001 stands for more than 10,000 where the app has set it.
  package var badge: Int?
  /// The number that the database counts; absent for a token that it does not know.
  ///
  /// 10,001 or more stands for more than 10,000.
  package var counted: Int?
  /// How many notifications wait for their time, and are counted already; absent if none does.
  ///
  /// 10,001 stands for more than 10,000.
  package var waiting: Int?
  /// When the first of them is due.
  package var nextAt: Date?
  /// How many entries of the inbox are counted that had no push and wait for none, among the newest 50; absent if there are
  /// none.
  package var unpushed: Int?
  /// Whether requests without an answer are counted, and no unread notifications; absent if not.
  package var countsRequests: Bool?
  /// How many notifications it has shown in all.
  package var shown: Int
  /// How many of them were the same twice.
  package var duplicates: Int
  /// The newest first.
  package var notes: [PhoneNote]
  /// How many notes are not listed.
  package var others: Int
  /// The Live Activities on the lock screen, the newest first.
  package var activities: [PhoneActivity]

  /// The number of entries that ``unpushed`` looks at.
  package static let mostUnpushed = 50

  package init(
    id: RowID?, person: PersonSummary?, platform: String, app: String?, locale: String? = nil, provider: Provider,
    token: String, isActive: Bool, badge: Int?, counted: Int?, waiting: Int? = nil, nextAt: Date? = nil, shown: Int,
    duplicates: Int, notes: [PhoneNote], others: Int, activities: [PhoneActivity] = []
  ) {
    (self.id, self.person, self.platform, self.app) = (id, person, platform, app)
    (self.locale, self.provider, self.token, self.isActive) = (locale, provider, token, isActive)
    (self.badge, self.counted, self.shown) = (badge, counted, shown)
    (self.waiting, self.nextAt, self.activities) = (waiting, nextAt, activities)
    (self.duplicates, self.notes, self.others) = (duplicates, notes, others)
  }

  /// The number on the icon; the number that the app has set is the one that is counted, and may be given up early.
  package var badgeWords: String? { badge.map { $0 == counted ? BoundedCount.words($0) : "\($0)" } }

  /// Whether no push can have set what the icon shows.
  ///
  /// Notifications that wait are counted already, and their push may come with or after others.
  package var isIconWrong: Bool {
    guard isActive, let badge, let counted, counted <= BoundedCount.most else { return false }
    return badge > counted || badge < counted - (waiting ?? 0)
  }

  /// How many are told later, such as `3 more, the first at`, and the time of the first.
  package var later: (words: String, at: Date)? {
    guard isActive, let waiting, let nextAt else { return nil }
    return ("\(BoundedCount.words(waiting)) more\(waiting > 1 ? ", the first" : "") at", nextAt)
  }
}

/// A notification on a phone's screen.
package struct PhoneNote: Codable, Sendable {
  /// The push's number at the emulator.
  package var push: Int
  package var at: Date
  /// The kind of notification.
  package var kind: String
  package var title: String?
  package var subtitle: String?
  package var body: String?
  /// The group that it is shown in.
  package var thread: String?
  /// Where its picture is; nobody fetches it.
  package var image: String?
  package var sound: String?
  package var level: Level
  /// How many pushes it has replaced.
  package var replaced: Int
  /// The id by which a later push replaces it.
  package var collapseID: String?
  /// The place that a tap opens.
  package var link: String?
  /// The notification's id, which a tap needs.
  package var notification: RowID?
  package var buttons: [Button]
  /// The acts of the person on it so far, such as `opened` or `VOTE_YES`.
  package var done: [String] = []

  package init(
    push: Int, at: Date, kind: String, title: String?, subtitle: String?, body: String?, thread: String?,
    image: String?, sound: String?, level: Level, replaced: Int, collapseID: String?, link: String?,
    notification: RowID?, buttons: [Button]
  ) {
    (self.push, self.at, self.kind) = (push, at, kind)
    (self.title, self.subtitle, self.body) = (title, subtitle, body)
    (self.thread, self.image, self.sound, self.level) = (thread, image, sound, level)
    (self.replaced, self.collapseID, self.link) = (replaced, collapseID, link)
    (self.notification, self.buttons) = (notification, buttons)
  }

  /// How much a push disturbs: APNs' interruption level.
  package enum Level: String, Codable, Sendable, CaseIterable {
    case passive, active, critical
    case timeSensitive = "time-sensitive"
  }

  /// A button of the notification.
  package struct Button: Codable, Sendable {
    package var action: String
    package var title: String
    package var isDestructive: Bool
    package var opensApp: Bool
    /// The text in the empty field; absent for a button without one.
    package var placeholder: String?

    package init(action: String, title: String, isDestructive: Bool, opensApp: Bool, placeholder: String?) {
      (self.action, self.title, self.placeholder) = (action, title, placeholder)
      (self.isDestructive, self.opensApp) = (isDestructive, opensApp)
    }
  }
}

/// A Live Activity on a phone's lock screen.
package struct PhoneActivity: Codable, Sendable {
  /// The number of its latest push at the emulator.
  package var push: Int
  /// When it was started.
  package var startedAt: Date
  /// When the state was read that it shows.
  package var at: Date
  /// The name of the app's type; absent if the app itself has started it.
  package var type: String?
  /// The title of its subject; absent for a private event.
  package var title: String?
  /// The people it is about, such as the group.
  package var subtitle: String?
  package var phase: Phase
  /// The broadcast channel that it listens to; absent if it is updated by a token of its own.
  package var channel: String?
  /// The state of a proposal: `open`, `closed`, `confirmed` or `cancelled`; the status of an order; absent for other
  /// activities.
  package var status: String?
  /// Until when votes count.
  package var deadline: Date?
  /// How many people have voted.
  package var votes: Int?
  /// How many people are asked.
  package var members: Int?
  /// The proposed times, the earliest first.
  package var options: [Option]
  /// How many times its push has left out.
  package var others: Int
  /// The state as JSON, for an activity of another type than those of the apps here.
  package var state: String?
  /// When it goes from the screen; absent while it has not ended.
  package var dismissedAt: Date?

  package init(
    push: Int, startedAt: Date, at: Date, type: String?, title: String? = nil, subtitle: String? = nil, phase: Phase,
    channel: String? = nil, status: String? = nil, deadline: Date? = nil, votes: Int? = nil, members: Int? = nil,
    options: [Option] = [],
    others: Int = 0, state: String? = nil, dismissedAt: Date? = nil
  ) {
    (self.push, self.startedAt, self.at, self.type) = (push, startedAt, at, type)
    (self.title, self.subtitle, self.phase, self.channel, self.status) = (title, subtitle, phase, channel, status)
    (self.deadline, self.votes, self.members, self.options) = (deadline, votes, members, options)
    (self.others, self.state, self.dismissedAt) = (others, state, dismissedAt)
  }

  /// The state in which the system keeps it.
  package enum Phase: String, Codable, Sendable, CaseIterable {
    case active, stale, ended
  }

  /// A proposed time and its votes.
  package struct Option: Codable, Sendable {
    package var start: Date
    /// How many can come.
    package var yes: Int
    /// How many may be able to.
    package var maybe: Int
    /// Whether it leads, or was chosen.
    package var isLeading: Bool

    package init(start: Date, yes: Int, maybe: Int, isLeading: Bool) {
      (self.start, self.yes, self.maybe, self.isLeading) = (start, yes, maybe, isLeading)
    }
  }
}

/// How the emulator answers some of the next pushes.
package struct PhoneFault: Codable, Sendable {
  package var number: Int
  /// In plain words, such as `410 Unregistered`.
  package var words: String
  /// The beginning of the device's token; absent for all.
  package var token: String?
  /// How many pushes it hits in all; absent for all.
  package var times: Int?
  /// How many it has hit.
  package var fired: Int

  package init(number: Int, words: String, token: String?, times: Int?, fired: Int) {
    (self.number, self.words, self.token) = (number, words, token)
    (self.times, self.fired) = (times, fired)
  }
}
