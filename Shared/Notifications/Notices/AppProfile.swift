package import PushPayload

/// The only statement about an app: its preferences, groups, badge, subjects, payloads, links and kinds.
///
/// The code that reads and writes switches, counts badges and explains decisions derives from it. `AppProfileTests`
/// checks the SQL files against it.
package struct AppProfile: Sendable {
  /// Its name, as people know it.
  package let title: String
  /// Its kinds of notifications.
  package let kinds: [Kind]
  /// Where it stores a person's preferences.
  package var preferences = PreferenceTable()
  /// Where it stores a person's preferences for a project or group; `nil` for an app without them.
  package var groups: GroupPreferences?
  /// The meaning of the number on its icon.
  package var badge = BadgeRule.unread
  /// The names of a row's subject, in columns or `data`; the first that a row has counts.
  package let subjectNames: [String]
  /// Whether functions here word its notices from its tables; their ids are UUIDs in lower case.
  package var hasOwnTables = false
  /// The key that holds the notification's id in its payloads, written like the app's other keys.
  package var idKey = PushPayload.IDKey.snakeCase
  /// Whether its service extension may change every alert before it is shown.
  var hasMutableAlerts = false
  /// Whether alerts wake it in the background too.
  var isWokenByAlerts = false
  /// The place that a tap on a push opens.
  package let link: @Sendable (PushPayload) -> DeepLink?
  /// The app's own keys of the payload for a row that the app inserted itself, without its type.
  package var values: @Sendable (Kind, AppEntry) -> [String: PushPayload.Value] = AppEntry.data(of:_:)
  /// The app's own keys of the payload for a summary of this many notifications, without its type.
  var summaryValues: @Sendable (Int) -> [String: PushPayload.Value] = { ["count": .integer($0)] }
  /// Its Live Activity; `nil` if it has none.
  package var activity: ActivityRule?
  /// The hourly limit of pushes for a person who has not set one; `nil` for no limit.
  package var hourlyLimit: Int?
  /// Whether one push sums up what waited for the end of quiet hours, for a person who has not chosen.
  package var summarizesQuietHours = false
  /// The default number of inbox entries on a page.
  package var pageSize = 20
  /// The default topic of its devices in a local bundle.
  package let topic: String

  /// Whether its inbox has sections.
  package var hasSections: Bool { kinds.contains { $0.section != nil } }

  /// The meaning of the number on an app's icon.
  package enum BadgeRule: Sendable {
    case unread
    /// Unread notifications, and those that are merged into them.
    case unreadParts
    /// The requests that the person has not answered.
    case asked
  }
}

/// An app's Live Activity: what a phone shows of one subject while it is open.
package struct ActivityRule: Sendable {
  /// ActivityKit's name of its attributes, `attributes-type`.
  package let attributesType: String
  /// People who were pushed a notification of this kind get the activity about its subject.
  package let opening: Kind
  /// The most people of a group whose activities each get pushes of their own; those of a larger one listen to a broadcast
  /// channel, where they can.
  package var mostTokens = 20
  /// The most seconds before the subject's end at which it starts: ActivityKit ends an activity after eight hours.
  package static let longest: Double = 8 * 3_600
}

/// Where an app stores a person's preferences; by default, in columns of one table.
package struct PreferenceTable: Sendable {
  /// The table with quiet hours, sound and limits.
  package var table = "notification_settings"
  /// Whether the table has a row for each app, which the column `app` names.
  package var isShared = true
  /// Whether the master switch and the kinds' switches are columns of `users`.
  package var hasSwitchesInUsers = false
  /// The column of the master switch.
  package var masterSwitch = "is_enabled"
  /// The column with the name of a sound.
  package var sound = "sound"
  /// The column that says whether the system may gather pushes in its summaries.
  package var systemSummaries = "summary_notifications"
  /// Whether a person can limit the app's analyses.
  package var limitsAnalyses = false
}

/// Where an app stores a person's preferences for one project or group.
package struct GroupPreferences: Sendable {
  /// The app's word for it: `project` or `group`.
  package let name: String
  /// The table of the projects or groups.
  package let parents: String
  /// The table of the preferences.
  package let table: String
  /// The column of `table` with the id of the project or group.
  package let column: String
  /// The column that says how much a person lets through.
  package let level: Level
  /// The prefix of the switches' columns, which the API leaves out.
  package var prefix = ""
  /// Where to find the project or group of a notification; the first that is there counts.
  package let places: [Place]

  /// The column that says what a person lets through.
  package enum Level: Sendable {
    /// A boolean: everything is muted.
    case muted(String)
    /// Text: a raw value of ``Candidate/Level``.
    case word(String)

    package var column: String {
      switch self {
      case .muted(let column), .word(let column): column
      }
    }
  }

  /// How the project or group of a notification is found.
  package enum Place: Sendable {
    /// Its id is in a column of the notification.
    case column(String)
    /// Its id is in a row of another table; a column of the notification has that row's id.
    case row(of: String, by: String)
    /// It is the subject of a kind.
    case subject(of: Kind)
  }
}
