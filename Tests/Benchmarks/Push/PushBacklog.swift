import Postgres

/// Deliveries that are all due: one feedback's voters are told of its new status.
enum PushBacklog {
  /// The statements that insert `count` deliveries.
  ///
  /// They are dated some minutes ahead: for what has waited for a minute the gates are asked again, which is other work.
  static func rows(_ count: Int) -> String {
    """
    INSERT INTO users (email, name) VALUES ('owner@example.com', 'Owner');
    INSERT INTO projects (name, api_key, owner_id) SELECT 'App', 'key', id FROM users;
    INSERT INTO feedbacks (title, description, status, category, user_id, project_id)
      SELECT 'Dark mode', 'Please', 'approved', 'feature_request', 'u', id FROM projects;
    INSERT INTO users (email, name) SELECT n || '@example.com', 'Ada' FROM generate_series(1, \(count)) AS n;
    INSERT INTO device_tokens (user_id, token, platform, environment)
      SELECT id, encode(sha256(id::text::bytea), 'hex'), 'iOS', 'production' FROM users WHERE name = 'Ada';
    INSERT INTO notifications (user_id, type, title, body, project_id, feedback_id, payload, collapse_id)
      SELECT u.id, 'status_change', 'Status Updated', 'Feedback you voted on: Approved', f.project_id, f.id,
        format(
          '{"aps":{"alert":{"title":"Status Updated","body":"Feedback you voted on: Approved"},"sound":"default",'
          '"thread-id":"%s","mutable-content":1},"type":"status_change","feedbackId":"%s","projectId":"%s",'
          '"oldStatus":"pending","newStatus":"approved","user":"%s"}', f.id, f.id, f.project_id, u.id),
        u.id
      FROM users u, feedbacks f WHERE u.name = 'Ada';
    INSERT INTO deliveries
      (notification_id, device_token_id, user_id, app, not_before, expires_at, created_at, updated_at)
    SELECT n.id, t.id, t.user_id, 'feedbackkit', now(), now() + interval '1 day', now() + interval '10 minutes', now()
    FROM notifications n JOIN device_tokens t USING (user_id);
    """
  }

  /// Throws unless every delivery was accepted at once, is in the log, and its device is known to work.
  static func verify(_ count: Int, _ database: Connection) async throws {
    let row = try await database.query(
      """
      SELECT (SELECT count(*) FROM deliveries WHERE state = 'accepted' AND attempts = 1 AND lease_id IS NULL) AS accepted,
        (SELECT count(DISTINCT delivery_id) FROM push_notification_logs WHERE status = 'sent') AS logged,
        (SELECT count(*) FROM device_tokens WHERE last_accepted_at IS NOT NULL) AS devices
      """
    ).only()
    let counts: [Int] = [try row.decode("accepted"), try row.decode("logged"), try row.decode("devices")]
    guard counts == [count, count, count] else {
      throw BenchmarkError(
        "Of \(count) deliveries, \(counts[0]) were accepted, \(counts[1]) logged, \(counts[2]) noted at their devices.")
    }
  }
}
