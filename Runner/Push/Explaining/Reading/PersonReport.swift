import Documents
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import StoreLive
import TimeZones

extension ReportStore {
  /// At most this many decisions are listed.
  private static let history = 200

  /// Whether a person is registered with that e-mail address or id.
  func isPerson(_ name: String) async throws -> Bool {
    try await read { transaction in
      !(try await transaction.query(
        "SELECT FROM users AS u WHERE u.id = push_uuid(\(name)) OR lower(u.email) = lower(\(name)) LIMIT 1"
      ).isEmpty)
    }
  }

  /// Reports a person's state now, and the decisions about them in the last `length` seconds.
  /// - Throws: ``FunctionError/Code/noInput`` if there is no such person.
  func report(onPerson name: String, since length: TimeInterval, app: App?) async throws -> PersonDocument {
    try await read { transaction in
      guard var person = try await PersonSummary.find(name, transaction) else {
        throw FunctionError(.usage, "Who? Give an e-mail address or an id.")
      }
      let now = try await transaction.now()
      let since = now.addingTimeInterval(-length)
      let apps = try await transaction.states(of: person, in: app.map { [$0] } ?? App.allCases, at: now)
      person.timeZone = apps.lazy.compactMap(\.timeZone).first
      let chosen: SQL = """
        d.user_id = \(person.id.uuid) AND d.created_at > \(since) AND d.app = ANY (\((app.map { [$0] } ?? App.allCases)
          .map(\.rawValue)))
        """
      let total: Int = try await transaction.query("SELECT count(*) AS n FROM decisions d WHERE \(chosen)").only()
        .decode("n")
      let decisions = try await transaction.decisions(
        where: chosen, order: "d.created_at DESC, d.function, d.subject_id", limit: Self.history)
      return PersonDocument(
        person: person, now: now, since: since, apps: apps, decisions: decisions, total: total)
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
  fileprivate func states(of person: PersonSummary, in apps: [App], at now: Date) async throws -> [AppState] {
    var states: [AppState] = []
    for app in apps {
      let devices = try await devices(of: person, in: app)
      let settings = try await query(.settings(of: person.id.uuid, in: app, at: now)).only()
      guard !devices.isEmpty || settings["knows"] == "t" else { continue }
      let zone = settings["zone"]
      states.append(
        AppState(
          app: app.rawValue, badge: try settings.decode("badge"), timeZone: zone,
          isEnabled: try settings.decode("is_enabled"), switchedOff: settings.switchedOff("switches", in: app),
          mutes: try await mutes(of: person, in: app),
          quietHours: try AppState.Quiet(settings, zone, at: now),
          hourlyLimit: try settings.optional("hourly_limit") ?? app.profile.hourlyLimit,
          pushesOfLastHour: try settings.decode("pushes"), devices: devices,
          waiting: try await waiting(of: person, in: app), windows: try await windows(of: person, in: app, at: now)))
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

  private func devices(of person: PersonSummary, in app: App) async throws -> [AppState.OwnDevice] {
    try await query(
      """
      SELECT id AS device, platform, provider, left(token, 8) AS token,
        is_active IS NOT FALSE AS is_active, deactivated_at, deactivated_reason,
        held_until, last_accepted_at
      FROM device_tokens WHERE user_id = \(person.id.uuid) AND app = \(app.rawValue) ORDER BY is_active DESC, id
      """
    ).map { row in
      AppState.OwnDevice(
        device: try DeviceSummary(row), isActive: try row.decode("is_active"),
        deactivatedAt: try row.optional("deactivated_at"), deactivatedReason: row["deactivated_reason"],
        heldUntil: try row.optional("held_until"), lastAcceptedAt: try row.optional("last_accepted_at"))
    }
  }

  private func waiting(of person: PersonSummary, in app: App) async throws -> [AppState.Waiting] {
    try await query(
      """
      SELECT n.type, n.family_name, h.reason, h.held_until FROM held_notifications h JOIN notifications n ON n.id = h.notification_id
      WHERE h.user_id = \(person.id.uuid) AND h.app = \(app.rawValue) ORDER BY h.held_until, n.created_at LIMIT 20
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
        AND created_at > \(now.addingTimeInterval(-Gate.batchWindow - 86_400)) ORDER BY window_ends_at
      """
    ).map {
      .init(family: $0["family"] ?? "", subject: $0["family_subject"] ?? "", until: try $0.decode("window_ends_at"))
    }
  }
}

extension AppState.Mute.Level: PostgresDecodable {}

extension AppState.Quiet {
  fileprivate init?(_ row: Row, _ zone: String?, at now: Date) throws {
    guard try row.optional("is_quiet") == true else { return nil }
    let hours = QuietHours(
      startMinute: try row.optional("quiet_start"), endMinute: try row.optional("quiet_end"), timeZone: zone)
    var zones = Zones()
    self.init(
      hours: [hours.startMinute, hours.endMinute].map(LocalClock.time(minute:)).joined(separator: "–"),
      startMinute: hours.startMinute, endMinute: hours.endMinute,
      until: hours.end(ifQuietAt: now, in: zones.rules(of: zone)))
  }
}

extension SQL {
  fileprivate static func settings(of user: UUID, in app: App, at now: Date) -> SQL {
    let preferences = app.profile.preferences
    return """
      SELECT push_badge(u.id, \(app.rawValue), \(now)) AS badge, \(preferences.isEnabled) AS is_enabled,
        \(.switches(of: app)) AS switches, s.timezone AS zone, s.hourly_limit, s.quiet_hours_enabled AS is_quiet,
        extract(epoch FROM s.quiet_hours_start)::integer / 60 % 1440 AS quiet_start,
        extract(epoch FROM s.quiet_hours_end)::integer / 60 % 1440 AS quiet_end,
        s.user_id IS NOT NULL OR EXISTS (
          SELECT FROM notifications n WHERE n.user_id = u.id AND n.app = \(app.rawValue)) AS knows,
        (SELECT count(*) FROM notifications n WHERE n.user_id = u.id AND n.app = \(app.rawValue)
          AND n.pushed_at > \(now.addingTimeInterval(-HourlyLimit.window))) AS pushes
      FROM users u \(preferences.join(of: app, user: "u.id")) WHERE u.id = \(user)
      """
  }
}
