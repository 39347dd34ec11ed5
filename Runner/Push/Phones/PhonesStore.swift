import Documents
import FoundationEssentials
import FunctionKit
import Notifications
import Postgres

/// Brings together what the emulator shows and what the database knows of its phones.
struct PhonesStore {
  let emulator: EmulatorControl
  let store: ReportStore

  /// How many notifications of each phone are listed: a page of all phones, or of one person's, has some 60 kB at most.
  private static func notes(ofEachOf phones: Int, isChosen: Bool) -> Int {
    max(1, min(isChosen ? 8 : 3, (isChosen ? 20 : 30) / max(1, phones)))
  }

  /// The phones with the newest pushes, or those of the people whom a name, an address or an id finds.
  ///
  /// - Throws: ``FunctionError/Code/noInput`` if nobody has it.
  func report(of user: String?, limit: Int) async throws -> PhonesDocument {
    let (screens, hasMore) = if let user { try await screens(of: user, limit) } else { try await latest(limit) }
    let faults = try await emulator.get("/faults")?["faults"]?.elements ?? []
    let count = Self.notes(ofEachOf: screens.count, isChosen: user != nil)
    let phones = try await store.read { try await $0.phones(screens, listing: count) }
    return PhonesDocument(phones: phones, hasMore: hasMore, faults: faults.compactMap(PhoneFault.init))
  }

  private typealias Screens = (screens: [(token: String, json: RawJSON?)], hasMore: Bool)

  /// The screens with the newest pushes.
  private func latest(_ limit: Int) async throws -> Screens {
    let answer = try await emulator.get("/devices?last=\(limit)&notes=\(Self.notes(ofEachOf: 1, isChosen: false))")
    let screens = (answer?["devices"]?.elements ?? []).compactMap { screen in
      screen["token"]?.stringValue.map { ($0, screen as RawJSON?) }
    }
    return (screens, (answer?["total"]?.intValue ?? 0) > limit)
  }

  /// The screens of the people who are found, also those that have got nothing yet.
  private func screens(of user: String, _ limit: Int) async throws -> Screens {
    let tokens = try await tokens(of: user)
    let listed = Array(tokens.prefix(limit))
    let screens = try await emulator.screens(of: listed, notes: Self.notes(ofEachOf: 1, isChosen: true))
    return (listed.map { ($0, screens[$0]) }, tokens.count > limit)
  }

  private func tokens(of user: String) async throws -> [String] {
    try await store.read { transaction in
      let found = try await transaction.people(named: user, limit: 50)
      let people = (found.only(for: user).map { [$0] } ?? found.found).map(\.id.uuid)
      guard !people.isEmpty else {
        throw FunctionError(.noInput, "Nobody has “\(user)” in their name or address, or as their id.")
      }
      return try await transaction.query(
        """
        SELECT token FROM device_tokens WHERE user_id = ANY (\(people))
        ORDER BY array_position(\(people)::uuid[], user_id), app, id LIMIT 201
        """
      ).compactMap { $0["token"] }
    }
  }
}

extension Transaction {
  fileprivate func phones(_ screens: [(token: String, json: RawJSON?)], listing count: Int) async throws -> [Phone] {
    let now = try await now()
    // A badge is counted once for each person and app, however many phones they have.
    let rows = try await query(
      """
      WITH devices AS MATERIALIZED (
        SELECT id, token, platform, app, provider, locale::text AS locale, is_active IS NOT FALSE AS is_active, user_id FROM device_tokens
        WHERE token = ANY (\(screens.map(\.token)))
      ), icons AS MATERIALIZED (
        SELECT d.user_id, d.app, h.waiting, h.next_at,
          (SELECT b.badge FROM push_badges(d.user_id, d.app, \(now), \(BoundedCount.most + 1)) b) AS badge,
          \(.unpushed(of: "d.user_id", in: "d.app", at: now)) AS unpushed
        FROM (SELECT DISTINCT user_id, app FROM devices) d
        CROSS JOIN LATERAL (
          SELECT nullif(count(*), 0) AS waiting, min(w.held_until) AS next_at
          FROM (
            SELECT h.held_until FROM held_notifications h WHERE h.user_id = d.user_id AND h.app = d.app
            ORDER BY h.held_until LIMIT \(BoundedCount.most + 1)) w) h
      )
      SELECT d.*, u.name, u.email, NULL::text AS zone, i.badge, i.waiting, i.next_at, i.unpushed
      FROM devices d JOIN icons i USING (user_id, app) JOIN users u ON u.id = d.user_id
      """)
    let known = Dictionary(rows.map { ($0["token"] ?? "", $0) }) { first, _ in first }
    var phones: [Phone] = []
    for (token, json) in screens {
      let row = known[token]
      let locale = row?["locale"].flatMap(Language.tag)
      var notes = (json?["notifications"]?.elements ?? []).reversed().compactMap {
        PhoneNote($0, in: locale ?? Language.english.tag)
      }
      let others = max(0, notes.count - count) + (json?["others"]?.intValue ?? 0)
      notes = Array(notes.prefix(count))
      let device = try row?.id("id")
      let acted = try await note(in: &notes, on: device)
      // The app shows the number of the API once its person has done something there, until a push sets another one.
      let setAt = json?["badgeAt"]?.stringValue.flatMap(RFC3339.date) ?? .distantPast
      let isOfApp = acted.map { $0 >= setAt } ?? false
      let counted: Int? = try row?.optional("badge")
      var phone = Phone(
        id: device, person: try row.map { try PersonSummary($0) }, platform: row?["platform"] ?? "", app: row?["app"],
        locale: locale,
        provider: row?.provider ?? (token.utf8.count == 64 ? .apns : .fcm),
        token: String(token.prefix(8)),
        isActive: try row?.decode("is_active") ?? false, badge: isOfApp ? counted : json?["badge"]?.intValue,
        counted: counted, waiting: try row?.optional("waiting"), nextAt: try row?.optional("next_at"),
        shown: json?["shown"]?.intValue ?? 0,
        duplicates: json?["duplicates"]?.intValue ?? 0, notes: notes, others: others,
        activities: (json?["activities"]?.elements ?? []).compactMap { PhoneActivity($0) })
      phone.unpushed = try row?.optional("unpushed")
      phone.countsRequests = App(rawValue: row?["app"] ?? "")?.profile.badge == .asked ? true : nil
      phones.append(phone)
    }
    return phones
  }

  /// Adds what the person has done with the notifications, on this device or without naming one.
  ///
  /// - Returns: when they did something on this device last; `nil` if they did not.
  private func note(in notes: inout [PhoneNote], on device: RowID?) async throws -> Date? {
    let ids = notes.compactMap { $0.notification?.uuid }
    guard !ids.isEmpty else { return nil }
    var last: Date?
    let rows = try await query(
      """
      SELECT notification_id, CASE event WHEN 'acted' THEN action ELSE event END AS done,
        CASE WHEN device_token_id IS NOT NULL THEN occurred_at END AS here_at
      FROM notification_interactions
      WHERE notification_id = ANY (\(ids)) AND (device_token_id IS NULL OR device_token_id = \(device?.uuid as UUID?))
      ORDER BY occurred_at
      """)
    for row in rows {
      let id = try row.id("notification_id")
      for index in notes.indices where notes[index].notification == id { notes[index].done.append(row["done"] ?? "") }
      last = try row.optional("here_at") ?? last
    }
    return last
  }
}
