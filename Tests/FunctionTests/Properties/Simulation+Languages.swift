import FoundationEssentials
import FunctionKit
import Postgres
import World

/// Languages in which people are told things.
extension Simulation {
  /// The way that somebody reads: the tag of their language, and their time zone.
  struct Reading: Equatable {
    let tag: String?
    let zone: String
  }

  /// Notes what each person is told in from now on: the language of their choice, else that of their newest device.
  func noteLanguages() async throws {
    let rows = try await database.query(
      """
      SELECT u.id || ' ' || a.app AS reader, coalesce(
        CASE a.app WHEN 'lockitin' THEN p.language ELSE s.language END, (
          SELECT t.locale FROM device_tokens t
          WHERE t.user_id = u.id AND t.app = a.app AND t.is_active AND t.locale IS NOT NULL
          ORDER BY t.registered_at DESC, t.id LIMIT 1)) AS tag,
        coalesce(CASE a.app WHEN 'lockitin' THEN p.timezone ELSE s.timezone END, 'UTC') AS zone
      FROM users u CROSS JOIN unnest(\(World.apps)::text[]) a (app)
      LEFT JOIN user_notification_preferences p ON p.user_id = u.id
      LEFT JOIN notification_settings s ON s.user_id = u.id AND s.app = a.app
      """)
    for row in rows {
      let reader: String = try row.decode("reader")
      let reading = Reading(tag: row["tag"], zone: try row.decode("zone"))
      if let last = languages[reader]?.last, last.reading == reading { continue }
      languages[reader, default: []].append((clock, reading))
    }
  }

  /// Compares the words of a push with the texts of what its person read when it was decided, or since then.
  ///
  /// Whole titles and bodies are compared; there are no subtitles. Of merged texts, how many were merged is not compared,
  /// and of a conflict, on which day it is.
  func compareLanguage(_ payload: String, _ row: Row, since decided: Date) async throws {
    let (user, app, kind): (String, String, String) = (
      try row.decode("user_id"), try row.decode("app"), try row.decode("kind")
    )
    guard !["badge", "vote_count"].contains(kind) else { return }
    let values = try RawJSON(validating: Array(payload.utf8)[...])
    let alert = values["aps"]?["alert"]
    // A request that was taken back and made again at once only raises the badge.
    if alert == nil, kind == "friend_request" { return }
    let known = languages["\(user) \(app)"] ?? []
    let read = known.indices.filter { $0 + 1 == known.count || known[$0 + 1].since >= decided }
      .map { known[$0].reading }
    let told = ToldPush(
      title: alert?["title"]?.stringValue ?? "", body: alert?["body"]?.stringValue ?? "", kind: kind, app: app,
      user: user, subject: row["subject_id"] ?? "", values: values, world: world,
      feedback: world.feedbacks.first { $0.id == row["feedback_id"] },
      proposal: world.proposals.first { $0.id == row["about_proposal"] })
    if alert?["subtitle"] != nil { violation("language", "\(kind) has a subtitle: \(payload)") }
    for reading in read {
      let wall = try await wall(told.moment, in: reading.zone)
      if told.isSaid(in: ToldLanguage(reading.tag), at: wall, known.map { ToldLanguage($0.reading.tag) }) { return }
    }
    violation(
      "language",
      "\(told.title) / \(told.body) of \(kind) is told to \(user.prefix(8)), who reads \(read.map { $0.tag ?? "nothing" }): \(payload)"
    )
  }

  /// The time that the clocks of a zone show at a moment, in seconds.
  private func wall(_ moment: String?, in zone: String) async throws -> Int? {
    guard let moment else { return nil }
    let zone = World.zones.contains(zone) ? zone : "UTC"
    return try await database.query(
      "SELECT extract(epoch FROM \(moment)::timestamptz AT TIME ZONE \(zone)::text)::bigint AS wall"
    ).only().decode("wall")
  }
}
