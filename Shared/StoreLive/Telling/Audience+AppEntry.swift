import FoundationEssentials
public import Notifications
import Postgres

extension EventReader {
  /// What an app's own row tells its person; `nil` when the row is gone.
  ///
  /// A row that an earlier event has told of tells nothing more.
  public func announcement(of notice: AppNotice, in entry: AppEntry) async throws -> Announcement<AppNotice>? {
    let rows = try await transaction.query(
      """
      SELECT n.function IS NOT NULL AND NOT \(event.caused("n")) AS is_told,
        CASE WHEN n.expires_at <= \(event.now)::timestamptz + interval '1 day' THEN n.expires_at END AS deadline
      FROM notifications n WHERE n.id = \(entry.id)
      """)
    guard let row = rows.first else { return nil }
    var notice = notice
    notice.deadline = try row.optional("deadline")
    let actor = Actor(
      claimed: event.actorID, byID: [entry["actor_user_id"], entry["actor_id"]].compactMap { $0.flatMap(UUID.init) })
    let isTold: Bool = try row.decode("is_told")
    return Announcement(
      isTold ? [] : [notice], to: .person(of: entry.id, notice, at: event.now), except: actor, entry: entry.id)
  }
}

extension Audience {
  fileprivate static func person(of entry: UUID, _ notice: AppNotice, at now: Date) -> Audience {
    let settings = Settings(notice.kind)
    return Audience(
      people: """
        SELECT n.user_id, \(notice.subject.id)::text AS subject_id, 'addressee' AS reason,
          coalesce(\(settings.isEnabled), true) AS is_enabled, \(settings.level) AS level,
          \(settings.override) AS override, \(settings.personal) AS personal, \(settings.sound) AS sound,
          \(settings.timeZone) AS timezone, CASE WHEN n.expires_at <= \(now) THEN 'handled' END AS standing
        FROM notifications n
        \(settings.tables)
        WHERE n.id = \(entry)
        """)
  }

  /// Where an app keeps what a person wants to hear; `n` is the notification.
  private struct Settings {
    var isEnabled: SQL = "s.is_enabled"
    var level: SQL = "'all'"
    var override: SQL = "NULL::boolean"
    var personal: SQL
    var sound: SQL = "s.sound"
    var timeZone: SQL = "s.timezone"
    var tables: SQL

    init(_ kind: Kind) {
      let column: SQL = "\(identifier: kind.preference.rawValue)"
      switch kind.app {
      case .feedbackKit:
        isEnabled = "u.push_notifications_enabled"
        level = "CASE WHEN m.push_muted THEN 'muted' ELSE 'all' END"
        (override, personal) = ("m.\(column)", "u.\(column)")
        tables = """
          JOIN users u ON u.id = n.user_id
          LEFT JOIN project_member_preferences m ON m.user_id = n.user_id AND m.project_id = n.project_id
          LEFT JOIN notification_settings s ON s.user_id = n.user_id AND s.app = n.app
          """
      case .lockItIn:
        let shared: SQL = kind.preference.shared.map { "s.\(identifier: $0.rawValue)" } ?? "NULL"
        (isEnabled, sound) = ("s.notifications_enabled", "s.notification_sound")
        personal = "coalesce(s.\(column), \(shared))"
        level = "coalesce(g.notification_level, 'all')"
        let ofProposal: SQL = kind.preference == .proposalVotes ? "p.notify_vote_cast" : "NULL"
        override = """
          coalesce(\(ofProposal), (to_jsonb(g) ->> \(kind.preference.rawValue))::boolean,
            (to_jsonb(g) ->> \(kind.preference.sharedInGroups?.rawValue as String?))::boolean)
          """
        tables = """
          LEFT JOIN user_notification_preferences s ON s.user_id = n.user_id
          LEFT JOIN event_proposals p ON p.id = n.proposal_id
          LEFT JOIN events e ON e.id = n.event_id
          LEFT JOIN group_notification_preferences g
            ON g.user_id = n.user_id AND g.group_id = coalesce(p.group_id, e.group_id)
          """
      case .repairMinder, .mugshot, .messageAI:
        personal = "(s.\(column) ->> \(kind.name))::boolean"
        tables = "LEFT JOIN notification_settings s ON s.user_id = n.user_id AND s.app = n.app"
      }
    }
  }
}
