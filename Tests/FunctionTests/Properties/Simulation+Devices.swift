import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import World

@testable import ActionCompleted

/// Changes of a badge without a push that tells of something, and the numbers that devices show.
extension Simulation {
  /// Notes the changes of rows that `action-completed` hears of, as its triggers in functions.json say.
  static let capture = """
    CREATE TABLE changes (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, type text, "table" text, record text, old_record text);
    CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO changes (type, "table", record, old_record)
      VALUES (TG_OP, TG_TABLE_NAME, to_jsonb(NEW), CASE TG_OP WHEN 'UPDATE' THEN to_jsonb(OLD) END);
      RETURN NULL;
    END
    $$;
    CREATE TRIGGER note_change AFTER INSERT OR UPDATE OF vote ON proposal_votes
      FOR EACH ROW EXECUTE FUNCTION note_change();
    CREATE TRIGGER note_change AFTER UPDATE OF status ON friend_requests
      FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION note_change();
    CREATE TRIGGER note_change AFTER UPDATE OF status ON group_invites
      FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION note_change();
    CREATE TRIGGER note_change AFTER INSERT ON badge_losses FOR EACH ROW EXECUTE FUNCTION note_change();
    CREATE TRIGGER note_change AFTER UPDATE OF is_read, is_archived ON notifications
      FOR EACH ROW WHEN (
        (OLD.is_read, OLD.is_archived) IS DISTINCT FROM (NEW.is_read, NEW.is_archived)
        AND current_setting('app.own_write', true) IS DISTINCT FROM 'on')
      EXECUTE FUNCTION note_change()
    """

  /// Tells `action-completed` of what was noted; answers whether there was anything.
  func tellChanges() async throws -> Bool {
    var isAny = false
    while true {
      let rows = try await database.query(
        """
        WITH taken AS (DELETE FROM changes RETURNING *)
        SELECT id, type, "table", record, coalesce(old_record, 'null') AS old_record FROM taken ORDER BY id
        """)
      if rows.isEmpty { return isAny }
      isAny = true
      for row in rows {
        let text = { (column: String) in row[column] ?? "" }
        let document = """
          {"specversion":"1.0","id":"change \(text("id"))","source":"/changes","type":"dev.push-functions.row","data":{\
          "type":"\(text("type"))","table":"\(text("table"))","schema":"public","record":\(text("record")),\
          "old_record":\(text("old_record"))}}
          """
        let envelope = try Envelope(RawJSON(validating: Array(document.utf8)[...]))
        let event = Event(envelope: envelope, data: try ActionCompleted.payload(envelope.data))
        let context = Context(function: ActionCompleted.name, now: clock, log: Log { _ in })
        _ = try await ActionCompleted(store: acts).handle(event, context)
      }
    }
  }

  /// In the end, each device shows its person's number.
  ///
  /// Three kinds of devices are left out. A provider has refused the number of the first. The person of the second has
  /// switched pushes off, so nobody sends the number. The person of the third has read everything, and the API's answer gives
  /// the app the number. An entry that ends unread lowers the badge when `notification-cleanup` finds it, and that function
  /// follows the real clock.
  func wrongDevices() async throws -> [String] {
    let rows = try await database.query(
      """
      SELECT t.id, t.user_id::text AS person, t.app, (
          SELECT max(n.expires_at) FROM notifications n
          WHERE n.user_id = t.user_id AND n.app = t.app AND n.app <> 'lockitin' AND n.expires_at <= \(clock)) AS ended, (
          SELECT s.all_read_at FROM notification_state s WHERE s.user_id = t.user_id AND s.app = t.app) AS read
      FROM device_tokens t
      WHERE t.is_active AND CASE t.app
        WHEN 'feedbackkit' THEN (SELECT u.push_notifications_enabled FROM users u WHERE u.id = t.user_id)
        WHEN 'lockitin' THEN (
          SELECT p.notifications_enabled FROM user_notification_preferences p WHERE p.user_id = t.user_id)
        ELSE (SELECT s.is_enabled FROM notification_settings s WHERE s.user_id = t.user_id AND s.app = t.app)
      END IS NOT FALSE
      ORDER BY t.token
      """)
    var wrong: [String] = []
    for row in rows {
      let (id, person, app): (UUID, String, String) = (
        try row.decode("id"), try row.decode("person"), try row.decode("app")
      )
      let times: [Date?] = [try row.optional("ended"), try row.optional("read")]
      let tried = sent.filter { $0.device == id && $0.badge != nil }
      guard let last = tried.last(where: { $0.verdict == .accepted }), let shown = last.badge,
        tried.last?.verdict != .rejected, times.allSatisfy({ $0.map { $0 < last.time } ?? true })
      else { continue }
      let badge = try await countBadge(of: person, app)
      if shown != badge {
        wrong.append("badge: a device shows \(shown) instead of \(badge), since \(last.words)")
      }
    }
    return wrong
  }
}
