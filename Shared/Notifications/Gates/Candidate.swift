package import FoundationEssentials

/// A person who may be notified, with everything that decides about it.
package struct Candidate: Sendable, Equatable {
  package var user: UUID
  package var subjectID: String
  /// Why they are a candidate.
  package var reason: RecipientReason
  /// Whether it is their own act.
  package var isActor = false
  /// Their master switch for the app.
  package var isEnabled = true
  /// The notifications from the project or group that they let through.
  package var level = Level.all
  /// Their switch for the kind in the project or group; `nil` if the personal one decides.
  package var override: Bool?
  /// Whether ``override`` is a proposal's own, which says nothing about what the person wants.
  package var isOverrideOfProposal = false
  /// Their personal switch for the kind; `nil` if they never set it.
  package var personal: Bool?
  /// Whether there is still something to notify them about.
  package var eligibility = Eligibility.open
  /// Their recent notifications, and those of any time with the notice's dedupe key.
  package var history: [EarlierNotification] = []
  /// Whether they got the same notification before; the gates set it from the history.
  package var wasNotified = false
  /// Whether they are looking at the subject right now.
  package var isViewing = false
  /// Their open batch window for the notice's family.
  package var openWindow: Window?
  /// The push of the notice's family and subject on their phone, if no window is open.
  package var shown: Shown?
  /// The quiet hours that count today; `nil` for a person without any.
  package var quietHours: QuietHours?
  /// When their mute of themselves, the app, the project or group, or the proposal ends; `nil` if none lasts.
  package var mutedUntil: Date?
  /// When their quiet hours and mutes end, if it is quiet now.
  package var quietUntil: Date?
  /// Whether one push sums up what waited for the end of their quiet hours or a mute.
  package var wantsQuietSummary = false
  /// The most pushes an hour that they want; `nil` for no limit.
  package var hourlyLimit: Int?
  /// When pushes of the app went out to them within the last hour.
  package var recentPushes: [Date] = []
  /// When the notification began to wait for the hourly limit; `nil` if it has not waited.
  package var heldSince: Date?
  /// Their active devices with the app.
  package var devices: [UUID] = []
  /// Their time zone, an IANA name; `nil` if unknown.
  package var timeZone: String?
  /// The language that they read.
  package var language = Language.english
  /// Their way to the event.
  package var travel: Travel?
  /// The file name of the sound that they chose; `nil` for the kind's own.
  package var sound: String?
  /// Whether alerts to them may be critical.
  package var allowsCritical = false
  /// The variant of the notice that they read.
  package var variant: String?

  /// A person who has set no switch.
  package init(user: UUID, subjectID: String, reason: RecipientReason) {
    (self.user, self.subjectID, self.reason) = (user, subjectID, reason)
  }

  /// The person whom a notice addresses.
  package var recipient: Recipient {
    Recipient(reason, timeZone: timeZone, language: language, travel: travel, variant: variant)
  }

  /// The notifications from a project or group that a person lets through; the raw values are LockItIn's.
  package enum Level: String, Sendable, CaseIterable {
    case all, important, muted
  }

  /// Whether there is still something to notify a person about.
  ///
  /// The raw values are those of an audience's column `eligibility`.
  package enum Eligibility: String, Sendable {
    /// It is still to be done, or nothing is asked.
    case open
    /// They have done it, or it can no longer be done.
    case handled
    /// The subject is gone.
    case gone
    /// They may no longer see it.
    case notPermitted = "not_permitted"
  }

  /// The minutes after a notification in which the next ones of its family form a batch.
  package struct Window: Sendable, Equatable {
    /// The notification that opened it; `nil` if several about other subjects did.
    package let opener: UUID?
    /// When the batch goes out.
    package let end: Date

    package init(opener: UUID?, end: Date) { (self.opener, self.end) = (opener, end) }
  }

  /// A push that was not opened, and went out less than a day ago.
  ///
  /// The next of its family about its subject takes its place on the phone and in the inbox, and goes on counting.
  package struct Shown: Sendable, Equatable {
    package let notification: UUID
    /// The name under which the next push replaces it.
    package let collapseID: String
    /// Its words, as the inbox keeps them.
    package let text: NotificationText
    /// The acts in it that still count, the oldest first.
    package let acts: [Act]
    /// Whether some of its acts count no more, although it may tell of them.
    package let hasLostActs: Bool

    package init(
      _ notification: UUID, as collapseID: String, saying text: NotificationText, of acts: [Act],
      hasLostActs: Bool = false
    ) {
      (self.notification, self.collapseID, self.text, self.acts) = (notification, collapseID, text, acts)
      self.hasLostActs = hasLostActs
    }
  }

  /// An earlier notification to the same person.
  package struct EarlierNotification: Sendable, Equatable {
    /// Its id; `nil` if nobody asks for it.
    package let notification: UUID?
    package let subjectID: String?
    /// Its words, as the inbox keeps them.
    package let text: NotificationText
    /// When it was told; of one that is gone, when it went.
    package let time: Date
    /// A notice with the same key is not sent to the person again.
    package let dedupeKey: String?
    /// The state that it reported; `nil` if it reported an event.
    package let state: String?
    /// Whether it has left the inbox because it was no longer true.
    package let isGone: Bool
    /// Whether it is of the same kind and minutes old, and one of the two is an entry of the app's own.
    package let isTwin: Bool

    package init(
      _ notification: UUID? = nil, subjectID: String?, text: NotificationText, time: Date, dedupeKey: String? = nil,
      state: String? = nil, isGone: Bool = false, isTwin: Bool = false
    ) {
      (self.notification, self.subjectID, self.text, self.time) = (notification, subjectID, text, time)
      (self.dedupeKey, self.state, self.isGone, self.isTwin) = (dedupeKey, state, isGone, isTwin)
    }
  }
}
