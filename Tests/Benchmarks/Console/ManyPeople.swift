import FunctionKit
import Postgres
import TestSupport

/// A bundle with a person who was told very much, an event that concerned very many, many phones, and a long history.
struct ManyPeople {
  static let person = "a0000000-0000-4000-8000-000000000001"
  /// The event that concerned everybody.
  static let event = "to-all"

  /// Of the person, and as many decisions about them.
  let notifications: Int
  /// Of the person.
  let devices: Int
  /// Of others; each has got a push.
  let phones: Int
  /// Whom the one event concerned.
  let audience: Int
  /// Events that have ended.
  let history: Int

  /// The bundle's own commands, pages and emulator, the function that sends, and one that takes rows.
  static func manifest() throws -> String {
    let project = try RawJSON(validating: Array(ProjectManifest.read().text.utf8)[...])
    guard let sender = project["functions"]?["push-delivery"] else {
      throw BenchmarkError("functions.json has no push-delivery.")
    }
    let orders = try RawJSON(validating: Array(Orders.manifest(DrainBenchmark.warmEcho).utf8)[...])["functions"]?[
      "orders"]
    let functions = [("push-delivery", sender)] + (orders.map { [("orders", $0)] } ?? [])
    let rest = ["services", "commands", "panels"].compactMap { name in project[name].map { (name, $0) } }
    let manifest = RawJSON(object: [("functions", RawJSON(object: functions))] + rest)
    return String(decoding: manifest.bytes, as: UTF8.self)
  }

  func fill(_ database: Connection) async throws {
    try await database.script(people)
    try await database.script(pushes)
    try await database.script(FullProject(ended: history, waiting: 0, dead: 0).rows)
    try await database.script("VACUUM ANALYZE")
    try await database.script("CHECKPOINT")
  }

  /// The decisions of the last six days; every tenth one is about the person, and the others about others.
  private var people: String {
    let id = "('a0000000-0000-4000-8000-' || lpad(p.number::text, 12, '0'))::uuid"
    return """
      INSERT INTO users (id, name, email)
        SELECT \(id), 'Person ' || p.number, 'person' || p.number || '@example.com'
        FROM generate_series(1, \(max(audience, phones + 1))) AS p(number);
      INSERT INTO device_tokens (user_id, token, platform)
        SELECT '\(Self.person)', encode(sha256(('own' || n)::bytea), 'hex'), 'iOS' FROM generate_series(1, \(devices)) n;
      CREATE TEMP TABLE told AS
        SELECT n, \(id) AS person, gen_random_uuid() AS notification,
          now() - interval '6 days' * (1 - n / \(notifications * 10 + 1).0) AS at
        FROM (SELECT n, CASE WHEN n % 10 = 0 THEN 1 ELSE 2 + n % \(audience - 1) END AS number
          FROM generate_series(1, \(notifications * 10)) AS n) AS p;
      INSERT INTO notifications (id, user_id, type, title, body, app, origin, subject_id, function, source,
          source_event_id, created_at, family, family_subject, recipient_reason)
        SELECT notification, person, 'new_vote', 'New Votes', 'Somebody voted for Dark mode.', 'feedbackkit', 'function',
          's' || n % 1000, 'vote-cast', '/benchmark', 'e' || n, at, 'votes', 's' || n % 1000, 'submitter'
        FROM told WHERE n % 10 IN (0, 1);
      INSERT INTO decisions (function, source, event_id, user_id, subject_id, kind, decision, reason, recipient_reason,
          notification_id, app, created_at)
        SELECT 'vote-cast', '/benchmark', 'e' || n, person, 's' || n % 1000, 'new_vote',
          CASE WHEN n % 10 IN (0, 1) THEN 'notify' ELSE 'suppress' END,
          CASE WHEN n % 10 NOT IN (0, 1) THEN 'project_muted' END, 'submitter',
          CASE WHEN n % 10 IN (0, 1) THEN notification END, 'feedbackkit', at
        FROM told;
      INSERT INTO handled_events (function, source, event_id, result, created_at)
        SELECT 'vote-cast', '/benchmark', 'e' || n, '{}', at FROM told;
      INSERT INTO decisions (function, source, event_id, user_id, subject_id, kind, decision, reason, recipient_reason,
          app, created_at)
        SELECT 'status-changed', '/benchmark', '\(Self.event)', \(id), 's1', 'status_change',
          CASE p.number % 3 WHEN 0 THEN 'notify' ELSE 'suppress' END,
          CASE p.number % 3 WHEN 1 THEN 'project_muted' WHEN 2 THEN 'no_device' END, 'voter', 'feedbackkit', now()
        FROM generate_series(1, \(audience)) AS p(number);
      INSERT INTO handled_events (function, source, event_id, result, created_at)
        VALUES ('status-changed', '/benchmark', '\(Self.event)', '{}', now());
      DROP TABLE told;
      """
  }

  /// Pushes that are due, one for each phone.
  private var pushes: String {
    let id = "('a0000000-0000-4000-8000-' || lpad((n + 1)::text, 12, '0'))::uuid"
    return """
      INSERT INTO device_tokens (user_id, token, platform)
        SELECT \(id), encode(sha256(('phone' || n)::bytea), 'hex'), 'iOS' FROM generate_series(1, \(phones)) n;
      WITH told AS (
        INSERT INTO notifications (user_id, type, title, body, payload, collapse_id)
        SELECT user_id, 'status_change', 'Status Updated', 'Feedback you voted on: Approved',
          '{"aps":{"alert":{"title":"Status Updated","body":"Feedback you voted on: Approved"},"badge":1},'
          '"type":"status_change"}', id
        FROM device_tokens WHERE user_id <> '\(Self.person)' RETURNING id, user_id)
      INSERT INTO deliveries
        (notification_id, device_token_id, user_id, app, not_before, expires_at, created_at, updated_at)
      SELECT n.id, t.id, t.user_id, 'feedbackkit', now(), now() + interval '1 day', now() + interval '10 minutes', now()
      FROM told n JOIN device_tokens t USING (user_id);
      """
  }
}

extension QueueProject {
  /// Waits until no push waits.
  func waitUntilPushed(within limit: Duration = .seconds(120)) async throws {
    let (deadline, pauses) = (ContinuousClock.now + limit, Pauses())
    try await connected(to: databaseURL) { database in
      while try await database.query("SELECT FROM deliveries WHERE state = 'queued' LIMIT 1").count > 0 {
        guard ContinuousClock.now < deadline else { throw BenchmarkError("Pushes are still waiting.") }
        try await pauses.next()
      }
    }
  }
}
