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
      guard var person = try await PersonSummary.find(name, transaction) else {
        throw FunctionError(.usage, "Who? Give an e-mail address or an id.")
      }
      let now = try await transaction.now()
      let since = now.addingTimeInterval(-length)
      let apps = try await transaction.states(
        of: person, in: app.map { [$0] } ?? App.allCases, at: now, devicesAfter: choice.devicesAfter)
      person.timeZone = apps.lazy.compactMap(\.timeZone).first
      let history = PersonHistory(of: person.id.uuid, since: since, app: app)
      let (decisions, next) = try await history.newest(choice, transaction)
      return PersonDocument(
        person: person, now: now, since: since, apps: apps, decisions: decisions,
        total: try await history.count(transaction), next: next?.text)
    }
  }
}

extension Transaction {
  /// The time of the runner's clock; of the database if it has no such clock.
  func now() async throws -> Date {
    let has: Bool = try await query("SELECT to_regprocedure('runner.now()') IS NOT NULL AS has").only().decode("has")
    let clock: SQL = has ? "runner.now()" : "now()"
    return try await query("SELECT \(clock) AS now").only().decode("now")
  }

  /// A person's state in each of the apps that they use.
  fileprivate func states(
    of person: PersonSummary, in apps: [App], at now: Date, devicesAfter place: DevicePlace?
  ) async throws -> [AppState] {
    var states: [AppState] = []
    for app in apps {
      let (devices, count) = try await devices(of: person, in: app, after: place)
      let settings = try await query(.settings(of: person.id.uuid, in: app, at: now)).only()
      guard count > 0 || settings["knows"] == "t" else { continue }
      let zone = settings["zone"]
      let listed = Array(devices.prefix(AppState.mostDevices))
      var state = AppState(
        app: app.rawValue, badge: try settings.decode("badge"), timeZone: zone,
        isEnabled: try settings.decode("is_enabled"), switchedOff: settings.switchedOff("switches", in: app),
        mutes: try await mutes(of: person, in: app),
        pauses: try await pauses(of: person, in: app, at: now),
        quietHours: try AppState.Quiet(settings, zone, at: now),
        hourlyLimit: try settings.optional("hourly_limit") ?? app.profile.hourlyLimit,
        pushesOfLastHour: try settings.decode("pushes"), devices: listed,
        waiting: try await waiting(of: person, in: app), windows: try await windows(of: person, in: app, at: now))
      if count > listed.count { state.deviceCount = count }
      if devices.count > listed.count { state.nextDevices = listed.last.map { DevicePlace($0).text } }
      states.append(state)
    }
    return states
  }

  private func mutes(of person: PersonSummary, in app: App) async throws -> [AppState.Mute] {
    guard let groups = app.profile.groups else { return [] }
    return try await query(
      """
      SELECT p.id, p.name, \(groups.levelWord) AS level
      FROM \(identifier: groups.table) m JOIN \(identifier: groups.parents) p ON p.id = m.\(identifier: groups.column)
      WHERE m.user_id = \(person.id.uuid) AND \(groups.levelWord) IN ('muted', 'important')
      ORDER BY p.name, p.id LIMIT \(AppState.mostMutes)
      """
    ).map { row in
      .init(id: try row.id("id"), name: row["name"] ?? "", place: groups.name, level: try row.decode("level"))
    }
  }

  private func pauses(of person: PersonSummary, in app: App, at now: Date) async throws -> [AppState.Pause] {
    let groups = app.profile.groups
    let parents: SQL = groups.map { "\(identifier: $0.parents)" } ?? "(SELECT NULL::uuid AS id, NULL AS name)"
    return try await query(
      """
      SELECT q.scope, coalesce(p.name, e.title) AS name, q.muted_until
      FROM notification_mutes q
      LEFT JOIN \(parents) p ON q.scope = \(groups?.name ?? "") AND p.id = push_uuid(q.target)
      LEFT JOIN event_proposals e ON q.scope = 'proposal' AND e.id = push_uuid(q.target)
      WHERE q.user_id = \(person.id.uuid) AND q.muted_until > \(now) AND (
        q.scope IN ('person', \(groups?.name ?? "")) OR q.scope = 'app' AND q.target = \(app.rawValue)
        OR q.scope = 'proposal' AND \(app == .lockItIn))
      ORDER BY q.scope, name, q.target LIMIT \(AppState.mostMutes)
      """
    ).map { .init(scope: try $0.decode("scope"), name: $0["name"], until: try $0.decode("muted_until")) }
  }

  /// The devices of a page with one more, if there are more, and the number of all.
  ///
  /// - Parameter place: of the device before the first.
  private func devices(
    of person: PersonSummary, in app: App, after place: DevicePlace?
  ) async throws -> (listed: [AppState.OwnDevice], count: Int) {
    let own: SQL = "d.user_id = \(person.id.uuid) AND d.app = \(app.rawValue)"
    let rest: SQL =
      place.map { "AND (d.is_active IS FALSE, d.id) > (\(!$0.isActive)::boolean, \($0.id))" } ?? ""
    let count: Int = try await query(
      "SELECT count(*) AS n FROM (SELECT FROM device_tokens d WHERE \(own) LIMIT \(BoundedCount.most + 1)) d"
    ).only().decode("n")
    let listed = try await query(
      """
      SELECT d.id AS device, d.platform, d.provider, left(d.token, 8) AS token,
        d.is_active IS NOT FALSE AS is_active, d.deactivated_at, d.deactivated_reason,
        d.held_until, d.last_accepted_at
      FROM device_tokens d WHERE \(own) \(rest)
      ORDER BY d.is_active IS FALSE, d.id LIMIT \(AppState.mostDevices + 1)
      """
    ).map { row in
      AppState.OwnDevice(
        device: try DeviceSummary(row), isActive: try row.decode("is_active"),
        deactivatedAt: try row.optional("deactivated_at"), deactivatedReason: row["deactivated_reason"],
        heldUntil: try row.optional("held_until"), lastAcceptedAt: try row.optional("last_accepted_at"))
    }
    return (listed, count)
  }

  private func waiting(of person: PersonSummary, in app: App) async throws -> [AppState.Waiting] {
    try await query(
      """
      SELECT n.type, n.family_name, h.reason, h.held_until
      FROM (
        SELECT * FROM held_notifications h WHERE h.user_id = \(person.id.uuid) AND h.app = \(app.rawValue)
        ORDER BY h.held_until, h.notification_id LIMIT 20
      ) h JOIN notifications n ON n.id = h.notification_id ORDER BY h.held_until, n.created_at
      """
    ).map { row in
      .init(
        kind: row["type"] ?? "", reason: row["reason"] ?? "", until: try row.decode("held_until"),
        subjectName: row["family_name"])
    }
  }

  private func windows(of person: PersonSummary, in app: App, at now: Date) async throws -> [AppState.Window] {
    try await query(
      """
      SELECT family, family_subject, window_ends_at FROM notifications
      WHERE user_id = \(person.id.uuid) AND app = \(app.rawValue) AND window_ends_at > \(now)
        AND pushed_at > \(now.addingTimeInterval(-Gate.batchWindow - 3_600)) ORDER BY window_ends_at LIMIT 20
      """
    ).map {
      .init(family: $0["family"] ?? "", subject: $0["family_subject"] ?? "", until: try $0.decode("window_ends_at"))
    }
  }
}

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
  fileprivate static func settings(of user: UUID, in app: App, at now: Date) -> SQL {
    let preferences = app.profile.preferences
    return """
      SELECT (SELECT b.badge FROM push_badges(u.id, \(app.rawValue), \(now), \(BoundedCount.most + 1)) b) AS badge,
        \(preferences.isEnabled) AS is_enabled,
        \(.switches(of: app)) AS switches, s.timezone AS zone, s.hourly_limit,
        \(QuietHours.columns),
        s.user_id IS NOT NULL OR EXISTS (
          SELECT FROM notifications n WHERE n.user_id = u.id AND n.app = \(app.rawValue)) AS knows,
        (SELECT count(*) FROM notifications n WHERE n.user_id = u.id AND n.app = \(app.rawValue)
          AND n.pushed_at > \(now.addingTimeInterval(-HourlyLimit.window))) AS pushes
      FROM users u \(preferences.join(of: app, user: "u.id")) WHERE u.id = \(user)
      """
  }
}
