import Postgres

/// Feedbacks with a submitter each, who has a device; one more is for warming up.
///
/// The project's owner has no device.
enum Submitters {
  /// Makes so many, known to the SDK as `sdk-1` and so on.
  static func make(_ count: Int, _ database: Connection) async throws {
    let statements = [
      "INSERT INTO users (email, name) VALUES ('owner@example.com', 'Owner')",
      "INSERT INTO projects (name, api_key, owner_id) SELECT 'App', 'key', id FROM users",
      "INSERT INTO users (email, name) SELECT n || '@example.com', 'Submitter' FROM generate_series(0, \(count)) AS n",
      """
      INSERT INTO device_tokens (user_id, token, platform, environment)
      SELECT id, encode(sha256(id::text::bytea), 'hex'), 'iOS', 'production' FROM users WHERE name = 'Submitter'
      """,
      """
      INSERT INTO feedbacks (title, user_id, user_email, project_id)
      SELECT 'Idea ' || n, 'sdk-' || n, n || '@example.com', id FROM projects, generate_series(0, \(count)) AS n
      """,
      "VACUUM ANALYZE", "CHECKPOINT",
    ]
    for statement in statements { try await database.script(statement) }
  }
}
