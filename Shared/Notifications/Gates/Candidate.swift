public import FoundationEssentials

/// Somebody who may be told, with everything that decides whether they are.
public struct Candidate: Sendable, Equatable {
  /// The person.
  public var user: UUID
  /// The subject's id.
  public var subjectID: String
  /// Why they may be told.
  public var reason: RecipientReason
  /// Whether it is their own act.
  public var isActor = false
  /// Their master switch for the app.
  public var isEnabled = true
  /// What they let through from the project or group.
  public var level = Level.all
  /// Their switch for the kind in the project or group; `nil` where the personal one decides.
  public var override: Bool?
  /// Their personal switch for the kind; `nil` where they never touched it.
  public var personal: Bool?
  /// How they stand to what is asked.
  public var standing = Standing.open
  /// What they were told lately, or at any time under the notice's dedupe key.
  public var history: [Told] = []
  /// Whether they were told the same before; when they are decided about, the gates set it from the history.
  public var wasTold = false
  /// Whether they are looking at the subject right now.
  public var isViewing = false
  /// The window that is open for them, for what the notice would be merged with.
  public var openWindow: Window?
  /// What their phone shows of the notice's family about its subject, where no window is open.
  public var shown: Shown?
  /// Their quiet hours; `nil` for somebody who has none.
  public var quietHours: QuietHours?
  /// When their quiet hours end, where they are in them now.
  public var quietUntil: Date?
  /// Whether one push is to say what waited for the end of their quiet hours.
  public var wantsQuietSummary = false
  /// How many pushes an hour they want at most; `nil` for any number.
  public var hourlyLimit: Int?
  /// When pushes of the app went out to them within the last hour.
  public var recentPushes: [Date] = []
  /// When the notification began to wait for room among the pushes; `nil` for one that has not waited.
  public var heldSince: Date?
  /// Their active devices with the app.
  public var devices: [UUID] = []
  /// Their time zone, an IANA name; `nil` where it is not known.
  public var timeZone: String?
  /// Their way to the event.
  public var travel: Travel?
  /// The sound they chose.
  public var sound: String?
  /// Whether alerts to them may be critical.
  public var allowsCritical = false
  /// Which of the notice's variants they read.
  public var variant: String?

  /// A person who has touched no switch.
  public init(user: UUID, subjectID: String, reason: RecipientReason) {
    (self.user, self.subjectID, self.reason) = (user, subjectID, reason)
  }

  /// The person that a notice speaks to.
  public var recipient: Recipient { Recipient(reason, timeZone: timeZone, travel: travel, variant: variant) }

  /// What a person lets through from a project or group; the raw values are LockItIn's.
  public enum Level: String, Sendable, CaseIterable {
    case all, important, muted
  }

  /// How a person stands to what is asked of them.
  ///
  /// The raw values are what an audience's column `standing` says.
  public enum Standing: String, Sendable {
    /// It is still to be done, or nothing is asked.
    case open
    /// They have done it, or it can no longer be done.
    case handled
    /// What it is about is gone.
    case gone
    /// They may no longer see it.
    case notPermitted = "not_permitted"
  }

  /// The minutes after a notification in which the next ones of its family are gathered.
  public struct Window: Sendable, Equatable {
    /// The notification that opened it; `nil` where several about other subjects did.
    public let opener: UUID?
    /// When what was gathered goes out.
    public let end: Date

    /// A window from its parts.
    public init(opener: UUID?, end: Date) { (self.opener, self.end) = (opener, end) }
  }

  /// A push that was not opened, and went out less than a day ago.
  ///
  /// The next of its family about its subject takes its place on the phone and in the inbox, and goes on counting.
  public struct Shown: Sendable, Equatable {
    /// The notification.
    public let notification: UUID
    /// The name under which the next push replaces it.
    public let collapseID: String
    /// Its words, as the inbox keeps them.
    public let text: NotificationText
    /// The acts that it tells of and that still count, the oldest first.
    public let acts: [Act]

    /// What is shown, from its parts.
    public init(_ notification: UUID, as collapseID: String, saying text: NotificationText, of acts: [Act]) {
      (self.notification, self.collapseID, self.text, self.acts) = (notification, collapseID, text, acts)
    }
  }

  /// An earlier notification to the same person.
  public struct Told: Sendable, Equatable {
    /// What it was about.
    public let subjectID: String?
    /// Its words, as the inbox keeps them.
    public let text: NotificationText
    /// When.
    public let time: Date
    /// Its dedupe key.
    public let dedupeKey: String?
    /// The value that it told of how something stands; `nil` where it told of an event.
    public let state: String?

    /// An earlier notification from its parts.
    public init(
      subjectID: String?, text: NotificationText, time: Date, dedupeKey: String? = nil, state: String? = nil
    ) {
      (self.subjectID, self.text, self.time) = (subjectID, text, time)
      (self.dedupeKey, self.state) = (dedupeKey, state)
    }
  }
}
