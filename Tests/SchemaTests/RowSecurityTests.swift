import Postgres
import TestSupport
import Testing

private typealias Scene = RowSecurityScene

/// Rows of a table, what Ada may do with them (`s`elect, `u`pdate, `d`elete), and a change.
private struct Rows: CustomTestStringConvertible, Sendable {
  let table: String
  let condition: String
  let allowed: String
  let change: String

  init(_ table: String, _ condition: String, _ allowed: String, _ change: String) {
    (self.table, self.condition, self.allowed, self.change) = (table, condition, allowed, change)
  }

  var testDescription: String { "\(table) \(condition)" }

  func statement(_ letter: Character) -> String {
    switch letter {
    case "s": "SELECT FROM \(table) WHERE \(condition)"
    case "u": "UPDATE \(table) SET \(change) WHERE \(condition)"
    default: "DELETE FROM \(table) WHERE \(condition)"
    }
  }
}

/// The rows that the role `push_app` can reach for one person.
@Suite(.heavy)
struct RowSecurityTests {
  private static let (ada, ben, chloe) = (Scene.ada, Scene.ben, Scene.chloe)
  private static let (own, foreign) = ("user_id = '\(ada)'", "user_id = '\(ben)'")

  private static let table: [Rows] =
    [
      ("device_tokens", "sud", "app_version = '2'"), ("notifications", "su", "is_read = true, is_archived = true"),
      ("notification_settings", "sud", "sound = 'x'"),
      ("user_notification_preferences", "sud", "haptic_feedback = false"),
      ("user_activity", "sud", "subject_id = 'y'"), ("notification_state", "s", "all_read_at = now()"),
    ].flatMap { [Rows($0.0, own, $0.1, $0.2), Rows($0.0, foreign, "", $0.2)] } + [
      Rows("project_member_preferences", "\(own) AND project_id = '\(Scene.id("b", 1))'", "sud", "push_muted = true"),
      Rows("project_member_preferences", "\(own) AND project_id = '\(Scene.id("b", 2))'", "", "push_muted = true"),
      Rows("project_member_preferences", foreign, "", "push_muted = true"),
      Rows(
        "group_notification_preferences", "\(own) AND group_id = '\(Scene.id("f", 1))'", "sud", "vote_updates = true"),
      Rows("group_notification_preferences", "\(own) AND group_id = '\(Scene.id("f", 2))'", "", "vote_updates = true"),
      Rows("group_notification_preferences", foreign, "", "vote_updates = true"),
      Rows("event_attendees", "\(own) AND event_id = '\(Scene.id("4", 1))'", "sud", "travel_minutes = 5"),
      Rows("event_attendees", "\(own) AND event_id = '\(Scene.id("4", 2))'", "", "travel_minutes = 5"),
      Rows("event_attendees", "user_id = '\(chloe)'", "", "travel_minutes = 5"),
      Rows("friend_requests", "recipient_id = '\(ada)'", "su", "status = 'accepted'"),
      Rows("friend_requests", "requester_id = '\(ada)'", "s", "status = 'accepted'"),
      Rows("friend_requests", "recipient_id = '\(chloe)'", "", "status = 'accepted'"),
      Rows("group_invites", "invitee_id = '\(ada)'", "su", "status = 'declined'"),
      Rows("group_invites", "inviter_id = '\(ada)'", "s", "status = 'declined'"),
      Rows("group_invites", "invitee_id = '\(chloe)'", "", "status = 'declined'"),
      Rows("group_invites", "invitee_id = '\(ada)'", "s", "status = 'pending'"),
      Rows("friend_requests", "recipient_id = '\(ada)'", "s", "status = 'pending'"),
      Rows("proposal_votes", "\(own) AND proposal_id = '\(Scene.id("1", 1))'", "sud", "vote = 'no'"),
      Rows("proposal_votes", "\(own) AND proposal_id = '\(Scene.id("1", 2))'", "", "vote = 'no'"),
      Rows("proposal_votes", "\(own) AND proposal_id = '\(Scene.id("1", 3))'", "s", "vote = 'no'"),
      Rows("proposal_votes", "\(own) AND proposal_id = '\(Scene.id("1", 5))'", "s", "vote = 'no'"),
      Rows("proposal_votes", "user_id = '\(chloe)'", "s", "vote = 'no'"),
      Rows("proposal_votes", foreign, "", "vote = 'no'"),
    ]

  @Test(arguments: table)
  private func aPersonReachesTheirOwnRowsAndNoOthers(_ rows: Rows) async throws {
    let scene = try await Scene()

    for letter in "sud" {
      let count = try await scene.rows(rows.statement(letter))
      #expect(count == (rows.allowed.contains(letter) ? 1 : 0), "\(letter)")
      // There is something to reach.
      #expect(try await scene.rows(rows.statement(letter), role: "postgres") == 1, "\(letter)")
    }
  }

  @Test(arguments: [
    ("device_tokens (user_id, token, platform) VALUES ('\(ada)', 'new', 'iOS')", 1),
    ("device_tokens (user_id, token, platform) VALUES ('\(ben)', 'new', 'iOS')", 0),
    ("device_tokens (user_id, token, platform, is_active) VALUES ('\(ada)', 'new', 'iOS', true)", 0),
    ("notifications (user_id, type, title) VALUES ('\(ada)', 'x', 'x')", 0),
    ("project_member_preferences (user_id, project_id) VALUES ('\(ada)', '\(Scene.id("b", 3))')", 1),
    ("project_member_preferences (user_id, project_id) VALUES ('\(chloe)', '\(Scene.id("b", 1))')", 0),
    ("notification_settings (user_id, app) VALUES ('\(ada)', 'messageai')", 1),
    ("notification_settings (user_id, app) VALUES ('\(ben)', 'messageai')", 0),
    ("user_notification_preferences (user_id) VALUES ('\(chloe)')", 0),
    ("group_notification_preferences (user_id, group_id) VALUES ('\(ada)', '\(Scene.id("f", 4))')", 1),
    ("group_notification_preferences (user_id, group_id) VALUES ('\(ben)', '\(Scene.id("f", 1))')", 0),
    ("user_activity VALUES ('\(ada)', 'lockitin', 'x', now())", 1),
    ("user_activity VALUES ('\(ben)', 'lockitin', 'x', now())", 0),
    ("notification_state VALUES ('\(ada)', 'lockitin')", 0),
    ("event_attendees (event_id, user_id, status) VALUES ('\(Scene.id("4", 4))', '\(ada)', 'no')", 1),
    ("event_attendees (event_id, user_id, status) VALUES ('\(Scene.id("4", 4))', '\(ben)', 'no')", 0),
    ("friend_requests (requester_id, recipient_id) VALUES ('\(ada)', '\(chloe)')", 0),
    ("group_invites (group_id, inviter_id, invitee_id) VALUES ('\(Scene.id("f", 1))', '\(ada)', '\(ben)')", 0),
    (vote(ada, on: 1), 1), (vote(ada, on: 2), 0), (vote(ada, on: 3), 0), (vote(ada, on: 5), 0), (vote(chloe, on: 1), 0),
  ])
  func aPersonAddsWhatIsTheirs(_ row: String, _ count: Int) async throws {
    let scene = try await Scene()

    #expect(try await scene.rows("INSERT INTO \(row)") == count)
    #expect(try await scene.rows("INSERT INTO \(row)", role: "postgres") == 1)
  }

  private static func vote(_ person: String, on proposal: Int) -> String {
    """
    proposal_votes (proposal_id, option_id, user_id, vote)
    VALUES ('\(Scene.id("1", proposal))', '\(Scene.id("3", proposal))', '\(person)', 'no')
    """
  }

  @Test func aVoteIsStampedWithTheOptionsThatItIsFor() async throws {
    let scene = try await Scene()

    let count = try await scene.rows(
      """
      WITH cast_vote AS (INSERT INTO \(Self.vote(Self.ada, on: 1)) RETURNING options_version)
      SELECT FROM cast_vote WHERE options_version = 1
      """)

    #expect(count == 1)
  }

  @Test(arguments: [
    "UPDATE device_tokens SET user_id = '\(ben)'", "UPDATE notification_settings SET user_id = '\(chloe)'",
    "UPDATE notifications SET user_id = '\(ben)'", "UPDATE notifications SET title = 'x'",
    "UPDATE friend_requests SET recipient_id = '\(ben)'", "UPDATE proposal_votes SET user_id = '\(ben)'",
    "UPDATE event_attendees SET event_id = '\(Scene.id("4", 2))'", "UPDATE device_tokens SET is_active = true",
    "SELECT * FROM device_tokens", "SELECT FROM device_tokens WHERE token = 'foreign'",
    "INSERT INTO device_tokens (user_id, token, platform) VALUES ('\(ada)', 'foreign', 'iOS') \(upsert)",
    "UPDATE device_tokens SET token = 'own' WHERE token = 'foreign'",
    "TRUNCATE notification_settings", "SELECT push_admit_app()", "CREATE TABLE public.mine ()",
  ])
  func whatGoesBeyondIsNotPermitted(_ statement: String) async throws {
    #expect(try await RowSecurityScene().rows(statement) == 0)
  }

  private static let upsert = """
    ON CONFLICT (token) DO UPDATE SET user_id = excluded.user_id, token = excluded.token, platform = excluded.platform
    """

  @Test func aDeviceThatIsWrittenDownAgainIsRegistered() async throws {
    let connection = try await RowSecurityScene().connection
    struct Undo: Error {}

    await #expect(throws: Undo.self) {
      try await connection.transaction { transaction in
        try await transaction.script(
          """
          UPDATE device_tokens SET is_active = false, deactivated_reason = 'Unregistered', registered_at = '2020-01-01';
          SET LOCAL ROLE push_app; SET LOCAL app.user_id = '\(Self.ada)';
          INSERT INTO device_tokens (user_id, token, platform) VALUES ('\(Self.ada)', 'own', 'iPadOS') \(Self.upsert);
          RESET ROLE
          """)
        let row = try await transaction.query(
          """
          SELECT platform || ' ' || is_active || ' ' || (registered_at = now()) AS said FROM device_tokens
          WHERE token = 'own' AND deactivated_reason IS NULL
          """)
        #expect(row.first?["said"] == "iPadOS true true")
        throw Undo()
      }
    }
  }

  @Test(arguments: [nil, "", "7", "\(ada)x", "' OR true --"])
  func whoeverIsNobodySeesNothing(_ person: String?) async throws {
    let scene = try await Scene()

    for table in Set(Self.table.map(\.table)) {
      #expect(try await scene.rows("SELECT FROM \(table)", as: person) == 0, "\(table)")
    }
  }

  @Test func aVerifiedTokenSaysWhoItIsBeforeAnythingElseDoes() async throws {
    let scene = try await Scene()
    try await scene.connection.script(
      #"SET request.jwt.claims = '{"sub":"\#(Self.ben)","role":"authenticated"}'"#)

    #expect(try await scene.rows("SELECT FROM notifications WHERE title = 'Foreign'") == 1)
    #expect(try await scene.rows("SELECT FROM notifications WHERE title = 'Own'") == 0)
    for claims in [#"{"role":"anon"}"#, #"{"sub":"ben@example.com"}"#, #"{"sub":null}"#, #"{"sub":["\#(Self.ben)"]}"#] {
      try await scene.connection.script("SET request.jwt.claims = '\(claims)'")
      #expect(try await scene.rows("SELECT FROM notifications", as: nil) == 0)
      #expect(try await scene.rows("SELECT FROM notifications") == 0, "what the back-end has set does not count")
    }
  }

  /// Index scans are asked for, where there are too few rows for them to be worth it.
  @Test func anIndexFindsAPersonsRowsAndAPlanIsMadeForARole() async throws {
    let scene = try await Scene()
    try await scene.connection.script(
      "PREPARE titles AS SELECT title FROM notifications; SET enable_seqscan = false; SET app.user_id = '\(Self.ada)'")

    try await scene.connection.script("SET ROLE push_app")
    let plan = try await scene.connection.query("EXPLAIN SELECT title FROM notifications")

    #expect(try plan.decode("QUERY PLAN", as: String.self).contains { $0.contains("Index Cond: (user_id") })
    for (role, count) in [("postgres", 2), ("push_app", 1), ("postgres", 2)] {
      try await scene.connection.script("SET ROLE \(role)")
      let titles = try await scene.connection.query("EXECUTE titles")
      #expect(titles.count == count, "\(role)")
    }
  }

  @Test func tablesOfTheirOwnDeceiveNobody() async throws {
    let scene = try await Scene()
    let tables = "CREATE TEMP TABLE"
    try await scene.connection.script(
      """
      SET ROLE push_app;
      \(tables) pg_roles (oid oid, rolname name); \(tables) projects AS SELECT '\(Scene.id("b", 2))'::uuid AS id,
        '\(Self.ada)'::uuid AS owner_id;
      \(tables) group_members AS SELECT '\(Scene.id("f", 2))'::uuid AS group_id, '\(Self.ada)'::uuid AS user_id;
      \(tables) event_proposals AS SELECT '\(Scene.id("1", 1))'::uuid AS id, 99 AS options_version;
      RESET ROLE;
      """)

    #expect(try await scene.rows("SELECT FROM notifications") == 1)
    #expect(try await scene.rows("SELECT FROM project_member_preferences") == 1)
    #expect(try await scene.rows("SELECT FROM group_notification_preferences") == 1)
    let stamped = "(INSERT INTO \(Self.vote(Self.ada, on: 1)) RETURNING options_version)"
    #expect(try await scene.rows("WITH v AS \(stamped) SELECT FROM v WHERE options_version = 1") == 1)
  }
}
