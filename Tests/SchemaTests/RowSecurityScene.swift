import Postgres
import TestSupport

/// Ada with what belongs to her, and what belongs to others.
///
/// Ben has nothing to do with her; Chloe is in a group with her.
struct RowSecurityScene {
  static let ada = "a0000000-0000-4000-8000-000000000001"
  static let ben = "a0000000-0000-4000-8000-000000000002"
  static let chloe = "a0000000-0000-4000-8000-000000000003"

  let connection: Connection

  private static let shared = Task.detached {
    try await TemporaryPostgres.database(migrated: fill, named: "row-security")
  }

  /// A connection of its own to a database that tests share, since they undo all that they do.
  init() async throws {
    connection = Connection(url: try await Self.shared.value, applicationName: "test")
  }

  /// How many rows a statement sees or changes, after all is undone; 0 where it is not permitted.
  func rows(_ statement: String, as person: String? = ada, role: String = "push_app") async throws -> Int {
    struct Undo: Error { let rows: Int }
    do {
      return try await connection.transaction { transaction in
        try await transaction.script("SET LOCAL ROLE \(role)")
        if let person { _ = try await transaction.query("SELECT set_config('app.user_id', \(person), true)") }
        throw Undo(rows: try await transaction.query(SQL(unescaped: statement)).affectedRows)
      }
    } catch let undo as Undo {
      return undo.rows
    } catch let error as PostgresError where error.code == .sqlState("42501") {
      return 0
    }
  }

  private static let fill: @Sendable (String) async throws -> Void = { url in
    let connection = Connection(url: url, applicationName: "migration")
    for migration in Schema.migrations { try await connection.script(migration.sql) }
    try await connection.script(people)
    try await connection.script(lockItIn)
    await connection.close()
  }

  /// An id by the letter of its sort and its number.
  static func id(_ letter: String, _ number: Int) -> String { "\(letter)0000000-0000-4000-8000-00000000000\(number)" }

  private static let people = """
    INSERT INTO users (id, email, name, is_email_verified) VALUES
      ('\(ada)', 'a@example.com', 'Ada', true), ('\(ben)', 'b@example.com', 'Ben', true),
      ('\(chloe)', 'c@example.com', 'Chloe', true);
    INSERT INTO projects (id, name, api_key, owner_id) VALUES
      ('\(id("b", 1))', 'Own', '1', '\(ada)'), ('\(id("b", 2))', 'Foreign', '2', '\(ben)'),
      ('\(id("b", 3))', 'Joined', '3', '\(ben)');
    INSERT INTO project_members (project_id, user_id) VALUES ('\(id("b", 3))', '\(ada)');
    INSERT INTO device_tokens (user_id, token, platform) VALUES ('\(ada)', 'own', 'iOS'), ('\(ben)', 'foreign', 'iOS');
    INSERT INTO notifications (user_id, type, title) VALUES ('\(ada)', 'x', 'Own'), ('\(ben)', 'x', 'Foreign');
    INSERT INTO project_member_preferences (user_id, project_id) VALUES
      ('\(ada)', '\(id("b", 1))'), ('\(ada)', '\(id("b", 2))'), ('\(ben)', '\(id("b", 2))');
    INSERT INTO notification_settings (user_id, app) VALUES ('\(ada)', 'mugshot'), ('\(ben)', 'mugshot');
    INSERT INTO user_notification_preferences (user_id) VALUES ('\(ada)'), ('\(ben)');
    INSERT INTO user_activity (user_id, app, subject_id, seen_at) VALUES
      ('\(ada)', 'mugshot', 'x', now()), ('\(ben)', 'mugshot', 'x', now());
    INSERT INTO notification_state (user_id, app) VALUES ('\(ada)', 'mugshot'), ('\(ben)', 'mugshot');
    INSERT INTO friend_requests (requester_id, recipient_id) VALUES
      ('\(chloe)', '\(ada)'), ('\(ada)', '\(ben)'), ('\(ben)', '\(chloe)');
    """

  /// Groups 1 and 4 are Ada's, 2 is Ben's; proposal 3 is closed, 5 is past its deadline.
  private static let lockItIn = """
    INSERT INTO groups (id, name) VALUES
      ('\(id("f", 1))', 'Own'), ('\(id("f", 2))', 'Foreign'), ('\(id("f", 4))', 'Other');
    INSERT INTO group_members (group_id, user_id) VALUES
      ('\(id("f", 1))', '\(ada)'), ('\(id("f", 4))', '\(ada)'), ('\(id("f", 1))', '\(chloe)'),
      ('\(id("f", 2))', '\(ben)');
    INSERT INTO group_notification_preferences (user_id, group_id) VALUES
      ('\(ada)', '\(id("f", 1))'), ('\(ada)', '\(id("f", 2))'), ('\(ben)', '\(id("f", 2))');
    INSERT INTO group_invites (group_id, inviter_id, invitee_id) VALUES
      ('\(id("f", 1))', '\(chloe)', '\(ada)'), ('\(id("f", 1))', '\(ada)', '\(ben)'),
      ('\(id("f", 2))', '\(ben)', '\(chloe)');
    INSERT INTO event_proposals (id, group_id, created_by, title, deadline, status) VALUES
      ('\(id("1", 1))', '\(id("f", 1))', '\(ada)', 'Own', now() + interval '1 day', 'open'),
      ('\(id("1", 2))', '\(id("f", 2))', '\(ben)', 'Foreign', now() + interval '1 day', 'open'),
      ('\(id("1", 3))', '\(id("f", 1))', '\(ada)', 'Closed', now() + interval '1 day', 'confirmed'),
      ('\(id("1", 5))', '\(id("f", 1))', '\(ada)', 'Late', now() - interval '1 day', 'open');
    INSERT INTO proposal_options (id, proposal_id, starts_at, ends_at)
    SELECT ('2' || substr(id::text, 2))::uuid, id, now(), now() FROM event_proposals
    UNION ALL SELECT ('3' || substr(id::text, 2))::uuid, id, now(), now() FROM event_proposals;
    INSERT INTO proposal_votes (proposal_id, option_id, user_id, vote) VALUES
      ('\(id("1", 1))', '\(id("2", 1))', '\(ada)', 'yes'), ('\(id("1", 1))', '\(id("2", 1))', '\(chloe)', 'yes'),
      ('\(id("1", 2))', '\(id("2", 2))', '\(ada)', 'yes'), ('\(id("1", 2))', '\(id("2", 2))', '\(ben)', 'yes'),
      ('\(id("1", 3))', '\(id("2", 3))', '\(ada)', 'yes'), ('\(id("1", 5))', '\(id("2", 5))', '\(ada)', 'yes');
    INSERT INTO events (id, group_id, title, starts_at, ends_at) VALUES
      ('\(id("4", 1))', '\(id("f", 1))', 'Own', now(), now()), ('\(id("4", 2))', '\(id("f", 2))', 'Foreign', now(), now()),
      ('\(id("4", 4))', '\(id("f", 4))', 'Other', now(), now());
    INSERT INTO event_attendees (event_id, user_id, status) VALUES
      ('\(id("4", 1))', '\(ada)', 'yes'), ('\(id("4", 2))', '\(ada)', 'yes'), ('\(id("4", 1))', '\(chloe)', 'yes'),
      ('\(id("4", 2))', '\(ben)', 'yes');
    """
}
