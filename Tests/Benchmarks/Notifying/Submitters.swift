import Postgres

/// Feedbacks with a submitter each, and one more for warming up.
///
/// Each submitter has a device. The feedbacks belong to some projects in turn; each project has its own owner, without
/// a device.
enum Submitters {
  /// Makes `count` of them, known to the SDK as `sdk-1` and so on.
  static func make(_ count: Int, inProjects projects: Int, _ database: Connection) async throws {
    let statements = [
      """
      INSERT INTO users (email, name) SELECT 'owner-' || n || '@example.com', 'Owner'
      FROM generate_series(0, \(projects - 1)) AS n
      """,
      """
      INSERT INTO projects (name, api_key, owner_id)
      SELECT 'App ' || n, 'key-' || n, u.id
      FROM generate_series(0, \(projects - 1)) AS n JOIN users u ON u.email = 'owner-' || n || '@example.com'
      """,
      "INSERT INTO users (email, name, is_email_verified) SELECT n || '@example.com', 'Submitter', true FROM generate_series(0, \(count)) AS n",
      """
      INSERT INTO device_tokens (user_id, token, platform, environment)
      SELECT id, encode(sha256(id::text::bytea), 'hex'), 'iOS', 'production' FROM users WHERE name = 'Submitter'
      """,
      """
      INSERT INTO feedbacks (title, user_id, user_email, project_id)
      SELECT 'Idea ' || n, 'sdk-' || n, n || '@example.com', p.id
      FROM generate_series(0, \(count)) AS n JOIN projects p ON p.api_key = 'key-' || n % \(projects)
      """,
      "VACUUM ANALYZE", "CHECKPOINT",
    ]
    for statement in statements { try await database.script(statement) }
  }
}
