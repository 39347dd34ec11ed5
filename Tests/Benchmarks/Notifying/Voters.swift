import Postgres

/// A feedback with voters, each with preferences and a device; half are known by their id, half by their address.
struct Voters {
  /// The event of the feedback's new status, once for each id.
  let feedback: String

  /// Makes the tables and the voters.
  static func make(_ count: Int, _ database: Connection) async throws -> Voters {
    for statement in rows(count) { try await database.script(statement) }
    // Otherwise writing all that to disk would be charged to the code that works with it.
    for statement in ["VACUUM ANALYZE", "CHECKPOINT"] { try await database.script(statement) }
    return Voters(feedback: try await database.query("SELECT id::text FROM feedbacks").only().decode("id"))
  }

  /// The change of the feedback's status as an event.
  func event(_ id: String) -> String {
    let row = #""id":"\#(feedback)","title":"Dark mode""#
    return """
      {"specversion":"1.0","id":"\(id)","source":"/benchmark","type":"dev.push-functions.row","data":{\
      "type":"UPDATE","schema":"public","table":"feedbacks","record":{\(row),"status":"in_progress"},\
      "old_record":{\(row),"status":"approved"}}}
      """
  }

  private static func rows(_ count: Int) -> [String] {
    [
      "INSERT INTO users (email, name) VALUES ('owner@example.com', 'Owner')",
      "INSERT INTO projects (name, api_key, owner_id) SELECT 'App', 'key', id FROM users",
      """
      INSERT INTO feedbacks (title, description, status, category, user_id, project_id)
      SELECT 'Dark mode', 'Please', 'in_progress', 'feature_request', 'sdk-ada', id FROM projects
      """,
      "INSERT INTO users (email, name, is_email_verified) SELECT n || '@example.com', 'Voter', true FROM generate_series(1, \(count)) AS n",
      """
      INSERT INTO project_member_preferences (user_id, project_id, push_notify_votes)
      SELECT u.id, p.id, true FROM users u, projects p WHERE u.name = 'Voter'
      """,
      """
      INSERT INTO notification_settings (user_id, app, timezone, quiet_hours_enabled, quiet_hours_start, quiet_hours_end)
      SELECT id, 'feedbackkit', 'Europe/Berlin', false, '22:00', '08:00' FROM users WHERE name = 'Voter'
      """,
      """
      INSERT INTO device_tokens (user_id, token, platform, environment)
      SELECT id, encode(sha256(id::text::bytea), 'hex'), 'iOS', 'production' FROM users WHERE name = 'Voter'
      """,
      """
      INSERT INTO votes (user_id, user_email, feedback_id)
      SELECT CASE WHEN n % 2 = 0 THEN u.id::text ELSE 'sdk-' || n END, CASE WHEN n % 2 = 1 THEN upper(u.email) END, f.id
      FROM (SELECT *, row_number() OVER () AS n FROM users WHERE name = 'Voter') u, feedbacks f
      """,
    ]
  }
}
