import Documents
import FoundationEssentials
import Notifications
import Postgres
import StoreLive

extension SQL {
  /// Whether a notification, which may be missing, can have started a Live Activity: PostgreSQL takes 15 ms to plan what is
  /// asked about it then, as long as for all else that a page asks about a person.
  static func canShowActivity(about notification: SQL) -> SQL {
    let kinds = App.allCases.compactMap { app in
      app.profile.activity.map { "(\(app.rawValue), \($0.opening.name))" as SQL }
    }
    let all = kinds.dropFirst().reduce(kinds.first ?? "(NULL, NULL)") { "\($0), \($1)" }
    return """
      (\(notification).app, lower(\(notification).type)) IN (\(all)) AND \(notification).pushed_at IS NOT NULL
        AND EXISTS (SELECT FROM live_activities a WHERE a.user_id = \(notification).user_id)
      """
  }

  /// The Live Activities of an app that notifications can start, a row for each of the person's devices with APNs; `nil` if
  /// the app has none.
  ///
  /// - Parameter notifications: those for which ``canShowActivity(about:)`` holds.
  static func activities(of notifications: [UUID], in app: App) -> SQL? {
    app.profile.activity.flatMap { rule in app.activitySubject.map { activities(of: notifications, $0, rule) } }
  }

  private static func activities<Subject: ActivitySubject>(
    of notifications: [UUID], _ type: Subject.Type, _ rule: ActivityRule
  ) -> SQL {
    """
    WITH told AS MATERIALIZED (
      SELECT n.id, n.user_id, n.app, \(Subject.subject(of: "n"))::text AS subject_id, t.id AS device, t.platform,
        t.provider, left(t.token, 8) AS token, t.is_active IS NOT FALSE AS is_active
      FROM notifications n CROSS JOIN LATERAL (
        SELECT * FROM device_tokens t WHERE t.user_id = n.user_id AND t.app = n.app AND t.provider = 'apns'
        ORDER BY t.is_active IS FALSE, t.id LIMIT \(DecisionReport.mostPushes)
      ) t
      WHERE n.id = ANY (\(notifications))
    ), sent AS MATERIALIZED (
      SELECT d.device_token_id, n.subject_id, n.data ->> 'event' = 'start' AS is_start, d.state, d.reason,
        d.created_at, d.accepted_at,
        CASE WHEN d.state = 'queued' THEN d.not_before ELSE coalesce(d.accepted_at, d.updated_at) END AS at
      FROM (SELECT DISTINCT device FROM told) t
      CROSS JOIN LATERAL (
        SELECT * FROM deliveries d WHERE d.device_token_id = t.device AND d.activity_id IS NOT NULL OFFSET 0
      ) d
      CROSS JOIN LATERAL (SELECT * FROM notifications n WHERE n.id = d.notification_id OFFSET 0) n
    )
    SELECT t.id AS notification_id, t.device, t.platform, t.provider, t.token, t.is_active,
      \(wantsActivities(of: "t.user_id", in: "t.app")) AS is_wanted,
      \(Subject.openUntil("t.subject_id")) AS deadline,
      r.created_at AS begun_at, r.registered_at, r.channel_id IS NOT NULL AS has_channel, r.ended_at, r.ended_reason,
      s.token IS NOT NULL AND s.ended_at IS NULL AS has_token, s.ended_reason AS token_reason,
      b.state AS start_state, b.reason AS start_reason, b.at AS start_at,
      (SELECT count(*) FROM sent u WHERE \(isUpdate)) AS updates,
      (SELECT max(u.at) FROM sent u WHERE \(isUpdate)) AS updated_at,
      (SELECT min(c.due_at) FROM activity_changes c
        WHERE c.subject_id = t.subject_id AND c.app = t.app AND (c.openings IS NULL OR t.id = ANY (c.openings))) AS next_at,
      (SELECT min(c.failing_since) FROM activity_changes c WHERE c.subject_id = t.subject_id AND c.app = t.app)
        AS failing_since,
      \(refusal(of: rule.opening, Subject.self)) AS refusal,
      push_now() AS now
    FROM told t
    LEFT JOIN live_activities r ON r.device_token_id = t.device AND r.user_id = t.user_id
      AND r.attributes_type = \(rule.attributesType) AND r.subject_id = t.subject_id
    LEFT JOIN live_activities s ON s.device_token_id = t.device AND s.user_id = t.user_id
      AND s.attributes_type = \(rule.attributesType) AND s.subject_id = ''
    LEFT JOIN LATERAL (
      SELECT * FROM sent b WHERE b.device_token_id = t.device AND b.subject_id = t.subject_id AND b.is_start
      ORDER BY b.created_at DESC LIMIT 1
    ) b ON true
    ORDER BY t.id, t.is_active DESC, t.device
    """
  }

  /// The first of the switches that does not let a person of `t` be told of a subject; NULL if all of them do.
  private static func refusal<Subject: ActivitySubject>(of kind: Kind, _ type: Subject.Type) -> SQL {
    let (settings, seen) = (SettingsSQL(of: kind, for: "q"), Subject.seen("t.subject_id", by: "t.user_id"))
    return """
      CASE WHEN NOT EXISTS (\(seen))
      THEN 'no_member' ELSE (
        SELECT CASE WHEN q.is_enabled IS NOT TRUE THEN 'disabled'
          WHEN q.level = \(Candidate.Level.muted.rawValue) THEN 'project_muted'
          WHEN NOT coalesce(q.override, q.personal, true) THEN 'type_disabled' END
        FROM (
          SELECT q.*, \(settings.columns)
          FROM (\(seen)) q
          \(settings.tables)
        ) q LIMIT 1
      ) END
      """
  }

  /// Whether a push `u` has told the activity of a device `t` something after its start.
  private static let isUpdate: SQL = """
    u.device_token_id = t.device AND u.subject_id = t.subject_id AND u.is_start IS NOT TRUE AND u.state = 'accepted'
    """
}

extension ActivityReport {
  /// The reports by their notifications, from the rows of ``SQL/activities(of:in:)`` for each app.
  static func all(_ apps: some Sequence<Rows>) throws -> [UUID: [ActivityReport]] {
    var reports: [UUID: [ActivityReport]] = [:]
    for row in apps.joined() { reports[try row.decode("notification_id"), default: []].append(try ActivityReport(row)) }
    return reports
  }

  private init(_ row: Row) throws {
    let (state, reason, at) = try Self.state(row)
    self.init(
      device: try DeviceSummary(row), state: state, reason: reason, at: at, updates: try row.decode("updates"),
      updatedAt: try row.optional("updated_at"))
  }

  private typealias Standing = (state: State, reason: String?, at: Date?)

  private static func state(_ row: Row) throws -> Standing {
    guard let begun: Date = try row.optional("begun_at") else {
      let absence = try absence(row)
      guard absence.state == .absent, let start = try start(row), start.state == .refused else { return absence }
      return start
    }
    let start = try row["registered_at"] == nil ? start(row) : nil
    if let start, start.state != .started { return start }
    if let end: Date = try row.optional("ended_at") { return (.ended, row["ended_reason"], end) }
    if let failing: Date = try row.optional("failing_since") { return (.running, "failing", failing) }
    if try row.decode("has_channel") { return (.running, "channel", begun) }
    return start ?? (.running, row["start_state"] == "accepted" ? "push" : "app", begun)
  }

  /// The standing of the push that starts it; `nil` if there is none.
  private static func start(_ row: Row) throws -> Standing? {
    guard let state = row["start_state"] else { return nil }
    let (reason, at): (String?, Date?) = (row["start_reason"], try row.optional("start_at"))
    switch state {
    case "queued": return (.starting, reason, at)
    case "unknown": return (.unknown, reason, at)
    case "rejected", "expired": return (.refused, reason ?? state, at)
    default: return (.started, nil, at)
    }
  }

  /// Why no push was to start one.
  private static func absence(_ row: Row) throws -> Standing {
    if try !row.decode("is_active", as: Bool.self) { return (.absent, "not_active", nil) }
    if try !row.decode("has_token", as: Bool.self) { return (.absent, row["token_reason"] ?? "no_token", nil) }
    if try !row.decode("is_wanted", as: Bool.self) { return (.absent, "unwanted", nil) }
    let now: Date = try row.decode("now")
    guard let deadline: Date = try row.optional("deadline"), deadline > now else { return (.absent, "closed", nil) }
    let opening = deadline.addingTimeInterval(-ActivityRule.longest)
    if opening > now { return (.waiting, "early", opening) }
    if let next: Date = try row.optional("next_at"), next < deadline {
      return (.waiting, row["failing_since"].map { _ in "failing" }, next)
    }
    return (.absent, row["refusal"] ?? "not_allowed", nil)
  }
}
