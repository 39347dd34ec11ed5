import Documents
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import StoreLive
import TimeZones

extension ReportStore {
  /// Whether a person is registered with that e-mail address or id.
  func isPerson(_ name: String) async throws -> Bool {
    try await read { transaction in
      !(try await transaction.query(
        "SELECT FROM users AS u WHERE u.id = push_uuid(\(name)) OR lower(u.email) = lower(\(name)) LIMIT 1"
      ).isEmpty)
    }
  }

  /// Reports a person's state now, and the decisions about them in the last `length` seconds.
  ///
  /// - Throws: ``FunctionError/Code/noInput`` if there is no such person.
  func report(
    onPerson name: String, since length: TimeInterval, app: App?, listing choice: PersonChoice = PersonChoice()
  ) async throws -> PersonDocument {
    try await read { transaction in
      guard let person = try await PersonSummary.find(name, transaction) else {
        throw FunctionError(.usage, "Who? Give an e-mail address or an id.")
      }
      return try await transaction.report(on: person, since: length, app: app, listing: choice)
    }
  }
}

extension Transaction {
  /// The time by the functions' clock.
  func now() async throws -> Date { try await query(.now).only().decode("now") }

  /// Reports a person's state now, and the decisions about them in the last `length` seconds.
  func report(
    on found: PersonSummary, since length: TimeInterval, app: App?, listing choice: PersonChoice
  ) async throws -> PersonDocument {
    var person = found
    let (now, apps) = try await states(
      of: person.id.uuid, in: app.map { [$0] } ?? App.allCases, devicesAfter: choice.devicesAfter)
    person.timeZone = apps.lazy.compactMap(\.timeZone).first
    let since = now.addingTimeInterval(-length)
    let history = PersonHistory(of: person.id.uuid, since: since, app: app)
    let (decisions, next, total) = try await history.newest(choice, self)
    return PersonDocument(
      person: person, now: now, since: since, apps: apps, decisions: decisions, total: total, next: next?.text)
  }

  /// The time, and a person's state in each of the apps that they use.
  private func states(
    of person: UUID, in apps: [App], devicesAfter place: DevicePlace?
  ) async throws -> (now: Date, apps: [AppState]) {
    let used = try await pipeline([.now, .deviceCounts(of: person), .knownApps(of: person, among: apps)])
    let now: Date = try used[0].only().decode("now")
    var counts: [String: Int] = [:]
    for row in used[1] { counts[row["app"] ?? ""] = try row.decode("n") }
    let known = Set(used[2].compactMap { $0["app"] })
    let questions = apps.filter { counts[$0.rawValue] != nil || known.contains($0.rawValue) }
      .map { AppQuestions(person: person, app: $0, now: now, place: place) }
    var answers = try await pipeline(questions.flatMap(\.statements))[...]
    let states = try questions.map { question in
      defer { answers = answers.dropFirst(question.statements.count) }
      return try question.state(
        Array(answers.prefix(question.statements.count)), deviceCount: counts[question.app.rawValue] ?? 0)
    }
    return (now, states)
  }
}

/// The questions about a person in one app.
private struct AppQuestions {
  let person: UUID
  let app: App
  let now: Date
  /// The place of the device before the first; `nil` at the beginning of the list.
  let place: DevicePlace?

  var statements: [SQL] { [settings, devices, pauses, waiting, windows] + (mutes.map { [$0] } ?? []) }

  /// - Parameter answers: of ``statements``, in their order.
  func state(_ answers: [Rows], deviceCount: Int) throws -> AppState {
    let settings = try answers[0].only()
    let zone = settings["zone"]
    let devices = try answers[1].map { try AppState.OwnDevice($0) }
    let listed = Array(devices.prefix(AppState.mostDevices))
    var state = AppState(
      app: app.rawValue, badge: try settings.decode("badge"), timeZone: zone,
      isEnabled: try settings.decode("is_enabled"), switchedOff: settings.switchedOff("switches", in: app),
      mutes: try answers.dropFirst(5).first?.map { row in
        .init(
          id: try row.id("id"), name: row["name"] ?? "", place: app.profile.groups?.name ?? "",
          level: try row.decode("level"))
      } ?? [],
      pauses: try answers[2].map {
        .init(scope: try $0.decode("scope"), name: $0["name"], until: try $0.decode("muted_until"))
      },
      quietHours: try AppState.Quiet(settings, zone, at: now),
      hourlyLimit: try settings.optional("hourly_limit") ?? app.profile.hourlyLimit,
      pushesOfLastHour: try settings.decode("pushes"), devices: listed,
      waiting: try answers[3].map { row in
        .init(
          kind: row["type"] ?? "", reason: row["reason"] ?? "", until: try row.decode("held_until"),
          subjectName: row["subject_name"])
      },
      windows: try answers[4].map {
        .init(
          family: $0["family"] ?? "", subject: $0["family_subject"] ?? "", until: try $0.decode("window_ends_at"))
      })
    if deviceCount > listed.count { state.deviceCount = deviceCount }
    state.language = try AppState.Language(settings)
    state.unpushed = try settings.optional("unpushed")
    state.countsRequests = app.profile.badge == .asked ? true : nil
    state.unreadReminders = try settings.optional("unread_reminders")
    if app.profile.activity != nil { state.liveActivities = try settings.decode("live_activities") }
    if devices.count > listed.count { state.nextDevices = listed.last.map { DevicePlace($0).text } }
    return state
  }

  private var settings: SQL {
    let preferences = app.profile.preferences
    return """
      SELECT (SELECT b.badge FROM push_badges(u.id, \(app.rawValue), \(now), \(BoundedCount.most + 1)) b) AS badge,
        \(preferences.isEnabled) AS is_enabled,
        \(.switches(of: app)) AS switches, s.timezone AS zone, s.hourly_limit,
        \(QuietHours.columns), \(.wantsActivities(of: "u.id", in: "\(app.rawValue)")) AS live_activities,
        \(preferences.language(of: app, user: "u.id")) AS language,
        nullif(s.language::text, '') IS NOT NULL AS has_chosen_language,
        CASE WHEN NOT \(.wantsUnread(of: "u.id", app)) THEN 'off' WHEN EXISTS (
          SELECT FROM unread_settings r
          WHERE r.user_id = u.id AND r.app = \(app.rawValue) AND r.gone_email = u.email) THEN 'no_mailbox'
        END AS unread_reminders,
        (SELECT count(*) FROM notifications n WHERE n.user_id = u.id AND n.app = \(app.rawValue)
          AND n.pushed_at > \(now.addingTimeInterval(-HourlyLimit.window))) AS pushes,
        \(.unpushed(of: "u.id", in: "\(app.rawValue)", at: now)) AS unpushed
      FROM users u \(preferences.join(of: app, user: "u.id")) WHERE u.id = \(person)
      """
  }

  /// A page of devices with one more, if there are more.
  private var devices: SQL {
    let rest: SQL = place.map { "AND (d.is_active IS FALSE, d.id) > (\(!$0.isActive)::boolean, \($0.id))" } ?? ""
    return """
      SELECT d.id AS device, d.platform, d.provider, left(d.token, 8) AS token,
        d.is_active IS NOT FALSE AS is_active, d.deactivated_at, d.deactivated_reason,
        d.held_until, d.last_accepted_at, \(startsActivities) AS starts_activities
      FROM device_tokens d WHERE d.user_id = \(person) AND d.app = \(app.rawValue) \(rest)
      ORDER BY d.is_active IS FALSE, d.id LIMIT \(AppState.mostDevices + 1)
      """
  }

  /// Whether a push can start a Live Activity on a device `d`; NULL if the app has none.
  private var startsActivities: SQL {
    guard let rule = app.profile.activity else { return "NULL" }
    return """
      EXISTS (
        SELECT FROM live_activities a
        WHERE a.device_token_id = d.id AND a.user_id = d.user_id AND a.attributes_type = \(rule.attributesType)
          AND a.subject_id = '' AND a.token IS NOT NULL AND a.ended_at IS NULL)
      """
  }

  private var pauses: SQL {
    let groups = app.profile.groups
    let parents: SQL = groups.map { "\(identifier: $0.parents)" } ?? "(SELECT NULL::uuid AS id, NULL AS name)"
    return """
      SELECT q.scope, coalesce(p.name, e.title) AS name, q.muted_until
      FROM notification_mutes q
      LEFT JOIN \(parents) p ON q.scope = \(groups?.name ?? "") AND p.id = push_uuid(q.target)
      LEFT JOIN event_proposals e ON q.scope = 'proposal' AND e.id = push_uuid(q.target)
      WHERE q.user_id = \(person) AND q.muted_until > \(now) AND (
        q.scope IN ('person', \(groups?.name ?? "")) OR q.scope = 'app' AND q.target = \(app.rawValue)
        OR q.scope = 'proposal' AND \(app == .lockItIn))
      ORDER BY q.scope, name, q.target LIMIT \(AppState.mostMutes)
      """
  }

  private var waiting: SQL {
    """
    SELECT n.type, \(.name(of: "n.subject_id", else: "n.family_name")) AS subject_name, h.reason, h.held_until
    FROM (
      SELECT * FROM held_notifications h WHERE h.user_id = \(person) AND h.app = \(app.rawValue)
      ORDER BY h.held_until, h.notification_id LIMIT \(AppState.mostWaiting)
    ) h JOIN notifications n ON n.id = h.notification_id ORDER BY h.held_until, n.created_at
    """
  }

  private var windows: SQL {
    """
    SELECT family, family_subject, window_ends_at FROM notifications
    WHERE user_id = \(person) AND app = \(app.rawValue) AND window_ends_at > \(now)
      AND pushed_at > \(now.addingTimeInterval(-Gate.batchWindow - 3_600)) ORDER BY window_ends_at LIMIT 20
    """
  }

  private var mutes: SQL? {
    app.profile.groups.map { groups in
      """
      SELECT p.id, p.name, \(groups.levelWord) AS level
      FROM \(identifier: groups.table) m JOIN \(identifier: groups.parents) p ON p.id = m.\(identifier: groups.column)
      WHERE m.user_id = \(person) AND \(groups.levelWord) IN ('muted', 'important')
      ORDER BY p.name, p.id LIMIT \(AppState.mostMutes)
      """
    }
  }
}

extension AppState.OwnDevice {
  fileprivate init(_ row: Row) throws {
    self.init(
      device: try DeviceSummary(row), isActive: try row.decode("is_active"),
      deactivatedAt: try row.optional("deactivated_at"), deactivatedReason: row["deactivated_reason"],
      heldUntil: try row.optional("held_until"), lastAcceptedAt: try row.optional("last_accepted_at"))
    startsActivities = try row.optional("starts_activities")
  }
}

extension AppState.Language {
  fileprivate init?(_ row: Row) throws {
    guard let text = row["language"] else { return nil }
    // An app's own column may have any text.
    self.init(
      tag: Language.tag(text) ?? String(text.prefix(40)), texts: Language(nearestTo: text).texts,
      isChosen: try row.decode("has_chosen_language"))
  }
}

extension AppState.UnreadReminders: PostgresDecodable {}

extension AppState.Mute.Level: PostgresDecodable {}

extension AppState.Pause.Scope: PostgresDecodable {}

extension AppState.Quiet {
  fileprivate init?(_ row: Row, _ zone: String?, at now: Date) throws {
    guard let hours = try QuietHours(row, in: zone) else { return nil }
    var zones = Zones()
    let days = Weekday.allCases.compactMap { day in
      hours.days[day].map { span in
        AppState.QuietDay(
          weekday: day.rawValue, hours: Self.words(span.startMinute, span.endMinute), startMinute: span.startMinute,
          endMinute: span.endMinute)
      }
    }
    self.init(
      hours: Self.words(hours.startMinute, hours.endMinute), startMinute: hours.startMinute,
      endMinute: hours.endMinute, days: days.isEmpty ? nil : days,
      until: hours.end(ifQuietAt: now, in: zones.rules(of: zone)))
  }

  private static func words(_ minutes: Int...) -> String {
    minutes.map(LocalClock.time(minute:)).joined(separator: "–")
  }
}

extension SQL {
  /// The time by the functions' clock: `now`.
  fileprivate static let now: SQL = "SELECT push_now() AS now"

  /// How many devices a person has in each app in which they have any, as a ``BoundedCount``: `app, n`.
  fileprivate static func deviceCounts(of person: UUID) -> SQL {
    """
    SELECT d.app, least(count(*), \(BoundedCount.most + 1)) AS n FROM device_tokens d WHERE d.user_id = \(person)
    GROUP BY d.app
    """
  }

  /// The apps in which a person has settings, an inbox or a push, some more than once: `app`.
  fileprivate static func knownApps(of person: UUID, among apps: [App]) -> SQL {
    // Each index gives its first row. Without the order, all rows could be read to find that an app has none.
    let told: SQL = """
      SELECT a.app FROM unnest(\(apps.map(\.rawValue))::text[]) AS a (app) CROSS JOIN LATERAL (
        (SELECT FROM notifications n WHERE n.user_id = \(person) AND n.app = a.app AND n.is_archived IS NOT TRUE
          ORDER BY coalesce(n.is_read, false) LIMIT 1)
        UNION ALL
        (SELECT FROM notifications n WHERE n.user_id = \(person) AND n.app = a.app AND n.pushed_at IS NOT NULL
          ORDER BY n.pushed_at LIMIT 1)) n
      """
    return apps.reduce(told) { told, app in
      """
      \(told) UNION ALL
      SELECT \(app.rawValue)::text FROM (SELECT) AS one \(app.profile.preferences.join(of: app, user: "\(person)"))
      WHERE s.user_id IS NOT NULL
      """
    }
  }
}
