import DeliveryLive
import FoundationEssentials
import Postgres
import StoreLive
import TestSupport

/// People for whom very much is held.
struct FloodScene {
  /// When everything that is held is due.
  static let due = Date(timeIntervalSince1970: 1_790_000_600)

  let demo: Demo

  init() async throws { demo = try await Demo() }

  func store() -> NotificationStore { demo.store() }

  func release(at time: Date = due) async throws -> ReleaseResult {
    try await store().release(at: time, dryRun: false)
  }

  /// Holds notifications of votes for an idea of somebody's, as `vote-cast` does.
  func hold(_ count: Int, of person: Person, about idea: String, from first: Int = 0) async throws {
    try await demo.connection.script(
      """
      INSERT INTO feedbacks (id, title, user_id, project_id, created_at)
      SELECT md5('idea ' || '\(idea)' || '\(person.id)')::uuid, 'Idea \(idea)', '\(person.id)', project_id, created_at
      FROM feedbacks WHERE id = '\(RowEvent.feedback)'
      ON CONFLICT DO NOTHING;
      INSERT INTO votes (user_id, feedback_id)
      SELECT 'voter-' || n, md5('idea ' || '\(idea)' || '\(person.id)')::uuid
      FROM generate_series(\(first), \(first + count - 1)) AS n;
      WITH held AS (
        INSERT INTO notifications (user_id, app, type, title, body, origin, function, payload, family, family_subject,
          family_name, subject_id, feedback_id, project_id, recipient_reason, actor, push_type, created_at,
          push_expires_at)
        SELECT '\(person.id)', 'feedbackkit', 'new_vote', 'New Vote', 'A vote', 'function', 'vote-cast',
          '{"aps":{"alert":"x"}}', 'votes', f.id::text, f.title, f.id::text, f.id, f.project_id, 'submitter', 'voter-' || n, 'alert',
          to_timestamp(1790000000) + n * interval '1 millisecond', to_timestamp(1790086400)
        FROM feedbacks f, generate_series(\(first), \(first + count - 1)) AS n
        WHERE f.id = md5('idea ' || '\(idea)' || '\(person.id)')::uuid
        RETURNING id, user_id, app
      )
      INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)
      SELECT id, user_id, app, 'batched', to_timestamp(1790000600), to_timestamp(1790000000) FROM held
      """)
  }

  /// Holds a status change for each of some registered voters of a feedback that has many others.
  func manyVoters(_ people: Int, among votes: Int, analyzed: Bool = true) async throws {
    try await demo.connection.script(
      """
      INSERT INTO users (id, email, name)
      SELECT md5('registered ' || n)::uuid, 'r' || n || '@example.com', 'R' FROM generate_series(1, \(people)) AS n;
      INSERT INTO votes (user_id, feedback_id)
      SELECT CASE WHEN n <= \(people) THEN upper(md5('registered ' || n)::uuid::text) ELSE 'sdk ' || n END,
        '\(RowEvent.feedback)'
      FROM generate_series(\(votes), 1, -1) AS n;
      INSERT INTO device_tokens (user_id, token, platform, app)
      SELECT md5('registered ' || n)::uuid, 'registered ' || n, 'iOS', 'feedbackkit' FROM generate_series(1, \(people)) AS n;
      WITH held AS (
        INSERT INTO notifications (user_id, app, type, title, body, origin, function, payload, family, family_subject,
          subject_id, feedback_id, project_id, recipient_reason, push_type, data, created_at, push_expires_at)
        SELECT md5('registered ' || n)::uuid, 'feedbackkit', 'status_change', 'Status', 'New', 'function',
          'status-changed', '{"aps":{"alert":"x"}}', 'statuses', f.project_id::text, f.id::text, f.id, f.project_id,
          'voter', 'alert', '{"oldStatus":"odd"}', to_timestamp(1790000000), to_timestamp(1790086400)
        FROM feedbacks f, generate_series(1, \(people)) AS n WHERE f.id = '\(RowEvent.feedback)'
        RETURNING id, user_id, app
      )
      INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)
      SELECT id, user_id, app, 'batched', to_timestamp(1790000600), to_timestamp(1790000000) FROM held
      """)
    if analyzed { try await demo.connection.script("ANALYZE") }
  }

  /// The pushes of a person in the order in which they went out.
  func pushes(of person: Person) async throws -> [String] {
    try await demo.connection.query(
      """
      SELECT n.body FROM notifications n WHERE n.user_id = \(person.id)::uuid AND n.pushed_at IS NOT NULL
        AND EXISTS (SELECT FROM deliveries d WHERE d.notification_id = n.id) ORDER BY n.pushed_at
      """
    ).decode("body")
  }

  func anyNotification(of person: Person) async throws -> String {
    try await demo.connection.query(
      "SELECT notification_id::text AS id FROM held_notifications WHERE user_id = \(person.id)::uuid LIMIT 1"
    ).only().decode("id")
  }

  /// How many rows of votes all sessions have read.
  func votesRead() async throws -> Int {
    try await demo.functionsHaveEnded()
    return try await demo.number(
      """
      SELECT ((SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'votes')
        + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'votes'))::int
      """)
  }
}
