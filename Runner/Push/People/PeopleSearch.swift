import DeliveryLive
import Documents
import FoundationEssentials
import FunctionKit
import Notifications
import Postgres

extension ReportStore {
  /// The people who have some of these ids.
  func people(_ ids: [UUID]) async throws -> PeopleDocument {
    try await read { transaction in
      let rows = try await transaction.query(
        """
        SELECT u.id AS user_id, u.name, u.email, NULL::text AS zone FROM users u WHERE u.id = ANY (\(ids)) ORDER BY u.id
        """)
      return PeopleDocument(try rows.map { try PersonSummary($0) }, hasMore: false)
    }
  }

  /// The most held notifications that ``waiting(limit:)`` reads, those that are due first.
  private static let mostWaiting = 2_000
  /// The most notifications among which one entry looks for different words.
  private static let mostCompared = 20

  /// Notifications that wait, by person, subject, kind and time, with the pushes that the first ones become.
  func waiting(limit: Int) async throws -> PeopleDocument {
    let (found, groups) = try await waitingGroups(limit: limit)
    var (document, waiting) = (found, found.waiting ?? [])
    for (index, group) in groups.prefix(PeopleDocument.Waiting.mostForeseen).enumerated() {
      // What waits is of use without it, too.
      guard !groups[..<index].contains(where: group.follows),
        let forecasts = try? await read({ try await group.forecasts($0) })
      else { continue }
      waiting[index].messages = forecasts.filter { !group.notifications.isDisjoint(with: $0.parts) }
        .map { PeopleDocument.Message($0) }
    }
    document.waiting = waiting
    return document
  }

  private func waitingGroups(limit: Int) async throws -> (PeopleDocument, [WaitingGroup]) {
    try await read { transaction in
      let rows = try await transaction.query(
        """
        WITH first AS MATERIALIZED (SELECT * FROM held_notifications ORDER BY held_until LIMIT \(Self.mostWaiting)),
        told AS (
          SELECT h.user_id, u.name, u.email, NULL::text AS zone, h.app, n.type, h.reason, h.held_until,
            n.family, n.family_subject, min(n.family_name) AS family_name, count(*) AS number,
            (array_agg(n.id ORDER BY n.created_at DESC, n.id))[:\(Self.mostCompared)::int] AS notifications,
            (array_agg(coalesce(n.title, '') ORDER BY n.created_at DESC, n.id))[:\(Self.mostCompared)::int] AS titles,
            (array_agg(coalesce(n.body, '') ORDER BY n.created_at DESC, n.id))[:\(Self.mostCompared)::int] AS bodies,
            CASE WHEN min(n.subject_id) = max(n.subject_id) THEN min(n.subject_id) END AS subject_id
          FROM first h
          JOIN notifications n ON n.id = h.notification_id JOIN users u ON u.id = h.user_id
          GROUP BY h.user_id, u.name, u.email, h.app, n.type, n.family, n.family_subject, h.reason, h.held_until
          ORDER BY h.held_until, u.name, h.user_id, h.app, n.type, h.reason, n.family_subject LIMIT \(limit + 1))
        SELECT t.*, \(.name(of: "t.subject_id", else: "t.family_name")) AS subject_name,
          (SELECT count(*) FROM first) = \(Self.mostWaiting) AS is_cut
        FROM told t ORDER BY t.held_until, t.name, t.user_id, t.app, t.type, t.reason, t.family_subject
        """)
      let waiting = try rows.prefix(limit).map { row in
        let count: Int = try row.decode("number")
        var waiting = PeopleDocument.Waiting(
          person: try PersonSummary(row), app: row["app"] ?? "", kind: row["type"] ?? "", reason: row["reason"] ?? "",
          count: count, until: try row.decode("held_until"),
          words: row["family"].flatMap(Kind.BatchingFamily.init).map { $0.words(for: count) },
          subjectName: row["subject_name"])
        let words = Self.words(titles: try row.decode("titles"), bodies: try row.decode("bodies"))
        waiting.said = words.isEmpty ? nil : words
        return waiting
      }
      let isCut = try rows.first?.decode("is_cut") ?? false
      return (
        PeopleDocument([], hasMore: isCut || rows.count > limit, waiting: waiting),
        try rows.prefix(limit).map { try WaitingGroup($0) }
      )
    }
  }

  /// The first different ones of words.
  private static func words(titles: [String], bodies: [String]) -> [DecisionReport.Words] {
    var words: [DecisionReport.Words] = []
    for (title, body) in zip(titles, bodies) where !title.isEmpty || !body.isEmpty {
      let one = DecisionReport.Words(title: title.isEmpty ? nil : title, body: body.isEmpty ? nil : body)
      if !words.contains(one) { words.append(one) }
    }
    return Array(words.prefix(PeopleDocument.Waiting.mostSaid))
  }

  /// The badges of the active phones of a page, by the device's row; empty without an emulator.
  func badges(of page: PersonDocument, emulator: EmulatorControl?) async throws -> [RowID: Int] {
    let devices = page.apps.flatMap(\.devices).filter(\.isActive).map(\.device.id.uuid)
    guard let emulator, !devices.isEmpty else { return [:] }
    let rows = try await read {
      try await $0.commit(after: ["SELECT id, token FROM device_tokens WHERE id = ANY (\(devices))"])[0]
    }
    // The page is of use without the emulator, too.
    guard let screens = try? await emulator.screens(of: rows.compactMap { $0["token"] }, notes: 1) else { return [:] }
    var badges: [RowID: Int] = [:]
    for row in rows {
      if let badge = screens[row["token"] ?? ""]?["badge"]?.intValue { badges[try row.id("id")] = badge }
    }
    return badges
  }
}

/// Notifications that wait together, as the first question finds them.
private struct WaitingGroup {
  let user: UUID
  let app: App?
  let until: Date
  /// The family by which its acts are merged; `nil` for those that are told alone.
  let family: String?
  let subject: String?
  /// The group's newest notifications.
  let notifications: Set<UUID>

  init(_ row: Row) throws {
    (user, app, until) = (try row.decode("user_id"), row["app"].flatMap(App.init), try row.decode("held_until"))
    (family, subject) = (row["family"], row["family_subject"])
    notifications = Set(try row.decode("notifications", as: [UUID].self))
  }

  /// Whether it comes after another one that changes what the phone shows of its subject: until then it cannot be known
  /// what is merged.
  func follows(_ other: WaitingGroup) -> Bool {
    (user, app, family, subject) == (other.user, other.app, other.family, other.subject) && family != nil
      && until > other.until
  }

  /// The messages that its person is told at its time; none of an app that this version does not know.
  func forecasts(_ transaction: Transaction) async throws -> [ReleaseForecast] {
    guard let app else { return [] }
    return try await ReleaseForecast.forecasts(for: [user], of: app, at: until, transaction)
  }
}

extension PeopleDocument.Message {
  fileprivate init(_ forecast: ReleaseForecast) {
    self.init(
      newest: RowID(uuid: forecast.parts[0]), count: forecast.parts.count, said: DecisionReport.Words(forecast.text))
    replaces = forecast.replaced.map { DecisionReport.Words($0) }
    countsReplaced = forecast.countsReplaced ? true : nil
  }
}

extension DecisionReport.Words {
  fileprivate init(_ text: NotificationText) {
    self.init(title: text.title.isEmpty ? nil : text.title, body: text.body.isEmpty ? nil : text.body)
  }
}

extension Transaction {
  /// People with a part of a name or address, or an id; those about whom something was decided last, without a search.
  func people(named search: String?, limit: Int) async throws -> PeopleDocument {
    let rows = try await people(named: search, limit + 1)
    let people = try rows.prefix(limit).map { try PersonSummary($0) }
    return PeopleDocument(people, hasMore: rows.count > limit)
  }

  private func people(named search: String?, _ limit: Int) async throws -> Rows {
    guard let search else { return try await query(.latestPeople(limit)) }
    // An id is looked up: a part of a name is looked for in all names.
    if let id = UUID(uuidString: search) {
      let rows = try await query(
        "SELECT u.id AS user_id, u.name, u.email, NULL::text AS zone FROM users u WHERE u.id = \(id)")
      if !rows.isEmpty { return rows }
    }
    return try await query(.search(search, limit))
  }
}

extension SQL {
  fileprivate static func search(_ text: String, _ limit: Int) -> SQL {
    let pattern =
      "%" + text.replacing(#"\"#, with: #"\\"#).replacing("%", with: #"\%"#).replacing("_", with: #"\_"#) + "%"
    // Letters of ASCII are compared in half the time; names have İ, whose small one is among them.
    let email: SQL = text.utf8.allSatisfy { $0 < 0x80 } ? #"u.email COLLATE "C""# : "u.email"
    return """
      SELECT u.id AS user_id, u.name, u.email, NULL::text AS zone FROM users u
      WHERE u.name ILIKE \(pattern) OR \(email) ILIKE \(pattern)
      ORDER BY lower(u.email) = lower(\(text)) DESC, lower(u.name) = lower(\(text)) DESC, u.name, u.email, u.id
      LIMIT \(limit)
      """
  }

  fileprivate static func latestPeople(_ limit: Int) -> SQL {
    """
    SELECT u.id AS user_id, u.name, u.email, NULL::text AS zone
    FROM (
      SELECT l.user_id, max(l.created_at) AS at
      FROM (SELECT user_id, created_at FROM decisions ORDER BY created_at DESC LIMIT 2000) l
      GROUP BY l.user_id ORDER BY at DESC, l.user_id OFFSET 0
    ) d CROSS JOIN LATERAL (SELECT * FROM users u WHERE u.id = d.user_id OFFSET 0) u
    ORDER BY d.at DESC, d.user_id LIMIT \(limit)
    """
  }
}
