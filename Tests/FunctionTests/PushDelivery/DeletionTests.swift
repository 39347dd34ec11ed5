import DeliveryLive
import FoundationEssentials
import Notifications
import Postgres
import TestSupport
import Testing

@testable import PushDelivery

/// An app deletes the subjects of pushes while they are sent: it neither fails nor waits for a deadlock to be found.
@Suite(.heavy)
struct DeletionTests {
  /// A session of the app: if it and another wait for each other, it is the one to find that, and to fail.
  private func app(_ fixture: DeliveryFixture) -> Connection {
    Connection(url: fixture.url, applicationName: "app", parameters: [("deadlock_timeout", "1ms")])
  }

  private func sendAll(_ fixture: DeliveryFixture) async throws {
    let store = DeliveryStore.postgres(fixture.anotherConnection())
    while true {
      let batch = try await store.claim(100, [.apns], fixture.now)
      guard batch.taken > 0 else {
        // A row that the other sender has locked at this moment is written a moment later.
        while try await store.settleKept() > 0 { await Task.yield() }
        return
      }
      try await store.settle(batch.lease, batch.pushes.map { .accepted($0, fixture.now) }, fixture.now)
    }
  }

  @Test func deletingNeverFailsWhilePushesAreSettled() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.connection.script(Self.world)
    let deletions = try await fixture.connection.query(Self.deletions).decode("statement", as: String.self)

    let senders = (0..<2).map { _ in Task { try await sendAll(fixture) } }
    let app = app(fixture)
    try await fixture.wait(until: "EXISTS (SELECT FROM push_notification_logs)")
    let queued = try await fixture.connection.query("SELECT FROM deliveries WHERE state = 'queued'")
    for statement in deletions { try await app.script(statement) }
    for sender in senders { try await sender.value }
    // Rows that the app had locked were left out, and so are rows that a slow sender lost with its lease.
    try await fixture.connection.script("UPDATE deliveries SET lease_until = NULL WHERE state = 'queued'")
    try await sendAll(fixture)

    #expect(deletions.count == 64 && !queued.isEmpty)
    let others = try await fixture.connection.query(
      """
      SELECT concat_ws(' ', state, reason, attempts, refusals, unsettled, lease_until) AS other FROM deliveries
      WHERE state <> 'accepted'
      """
    ).decode("other", as: String.self)
    #expect(others.isEmpty, "\(others)")
    let twice = try await fixture.connection.query(
      "SELECT FROM push_notification_logs WHERE status = 'sent' GROUP BY delivery_id HAVING count(*) > 1")
    #expect(twice.isEmpty)
    let unlogged = try await fixture.connection.query(
      "SELECT FROM deliveries d WHERE NOT EXISTS (SELECT FROM push_notification_logs l WHERE l.delivery_id = d.id)")
    #expect(unlogged.isEmpty)
    #expect(try await fixture.connection.query(Self.linesAboutNobody).isEmpty)
  }

  private static let linesAboutNobody: SQL = """
    SELECT FROM push_notification_logs l WHERE NOT EXISTS (SELECT FROM users u WHERE u.id = l.user_id)
    """

  @Test(arguments: ["DELETE FROM users", "TRUNCATE users CASCADE"])
  func thePersonsLinesGoWithThem(deletion: String) async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    try await sendAll(fixture)
    #expect(try await fixture.log("aa") == ["sent"])

    try await app(fixture).script(deletion)

    #expect(try await fixture.connection.query("SELECT FROM push_notification_logs").isEmpty)
  }

  /// The answer is written while the app deletes the person, whose phone it has not come to.
  @Test func aLineThatIsWrittenMeanwhileGoesToo() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    let store = DeliveryStore.postgres(fixture.anotherConnection())
    let batch = try await store.claim(10, [.apns], fixture.now)

    let deleting = try await fixture.connection.another(statementTimeout: .seconds(300)).transaction { other in
      _ = try await other.query("SELECT FROM device_tokens FOR KEY SHARE")
      let deleting = Task { try await app(fixture).script("DELETE FROM users") }
      try await fixture.wait(
        until: "EXISTS (SELECT FROM pg_stat_activity WHERE application_name = 'app' AND wait_event_type = 'Lock')")
      try await store.settle(batch.lease, batch.pushes.map { .accepted($0, fixture.now) }, fixture.now)
      #expect(try await fixture.connection.query("SELECT FROM push_notification_logs").count == 1)
      return deleting
    }
    try await deleting.value

    #expect(try await fixture.connection.query("SELECT FROM push_notification_logs").isEmpty)
  }

  /// The rows that a line of the log names, and nothing else that is written.
  @Test(arguments: ["users", "feedbacks", "projects"])
  func whatALineNamesMayBeLocked(table: String) async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    try await fixture.connection.script(Self.subjects)
    let store = DeliveryStore.postgres(fixture.anotherConnection())
    let batch = try await store.claim(10, [.apns], fixture.now)

    try await app(fixture).transaction { app in
      _ = try await app.query("SELECT FROM \(identifier: table) FOR UPDATE")
      try await store.settle(batch.lease, batch.pushes.map { .accepted($0, fixture.now) }, fixture.now)
      #expect(try await fixture.log("aa") == ["sent"])
    }
  }

  private static let subjects = """
    INSERT INTO projects (name, api_key, owner_id) SELECT 'P', email, id FROM users;
    INSERT INTO feedbacks (title, user_id, project_id) SELECT 'F', 'x', id FROM projects;
    UPDATE notifications AS n SET project_id = p.id, feedback_id = f.id
    FROM projects AS p, feedbacks AS f WHERE p.owner_id = n.user_id AND f.project_id = p.id
    """

  /// 30 people with two phones each, told of 50 feedbacks.
  private static let world = """
    INSERT INTO users (email, name) SELECT n || '@example.com', 'P' || n FROM generate_series(1, 30) AS n;
    INSERT INTO device_tokens (user_id, token, platform)
    SELECT u.id, u.name || '-' || n, 'iOS' FROM users AS u, generate_series(1, 2) AS n;
    INSERT INTO projects (name, api_key, owner_id)
    SELECT 'Project ' || n, n, (SELECT id FROM users WHERE name = 'P1') FROM generate_series(1, 5) AS n;
    INSERT INTO feedbacks (title, user_id, project_id) SELECT p.name || n, 'x', p.id FROM projects AS p, generate_series(1, 10) AS n;
    INSERT INTO notifications (user_id, type, title, payload, feedback_id, project_id)
    SELECT u.id, 'new_vote', 'Hi', '{"aps":{"alert":"Hi"}}', f.id, f.project_id FROM feedbacks AS f, users AS u
    ORDER BY md5(f.id::text || u.id);
    INSERT INTO deliveries (notification_id, device_token_id, user_id, app, not_before, expires_at, created_at, updated_at)
    SELECT n.id, t.id, n.user_id, 'feedbackkit', now() - interval '1 h', now() + interval '1 d', now(), now()
    FROM notifications AS n JOIN device_tokens AS t USING (user_id) ORDER BY md5(n.id::text || t.id);
    """

  /// Feedbacks, inboxes, phones, people and projects, one and several at once.
  private static let deletions: SQL = """
    SELECT statement FROM (
      SELECT format('DELETE FROM feedbacks WHERE id = %L', id) AS statement FROM (
        SELECT id, row_number() OVER (PARTITION BY project_id ORDER BY id) AS n FROM feedbacks) AS f WHERE n <= 6
      UNION ALL SELECT format('DELETE FROM device_tokens WHERE user_id = %L', id) FROM users WHERE name IN ('P2', 'P3', 'P4', 'P5')
      UNION ALL SELECT format('DELETE FROM notifications WHERE user_id = %L', id) FROM users WHERE name IN ('P6', 'P7', 'P8', 'P9')
      UNION ALL SELECT format('DELETE FROM users WHERE name = %L', 'P' || n) FROM generate_series(10, 20) AS n
      UNION ALL SELECT format('DELETE FROM users WHERE name LIKE %L', 'P2' || n || '%') FROM generate_series(1, 6) AS n
      UNION ALL SELECT format('BEGIN; %s; DELETE FROM users WHERE id = %L; COMMIT',
        format('DELETE FROM notifications WHERE user_id = %L', id), id) FROM users WHERE name IN ('P27', 'P28', 'P29', 'P30')
      UNION ALL SELECT format('DELETE FROM projects WHERE id = %L', id) FROM projects WHERE name < 'Project 5'
      UNION ALL SELECT 'DELETE FROM feedbacks WHERE title LIKE ''Project 5%'' AND title < ''Project 56'''
    ) AS s ORDER BY (statement LIKE '%projects%'), md5(statement)
    """

  /// The rows that an app may have locked.
  @Test(arguments: ["device_tokens", "deliveries"])
  func whatSomebodyHasIsWrittenDownLaterAndTheRestAtOnce(table: String) async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    try await fixture.enqueue(["bb"])
    let store = DeliveryStore.postgres(fixture.anotherConnection())
    let batch = try await store.claim(10, [.apns], fixture.now)
    let first = try #require(batch.pushes.first { $0.device.token == "aa" })

    try await app(fixture).transaction { app in
      let rows = try await app.query(
        """
        SELECT id AS deliveries, device_token_id AS device_tokens FROM deliveries WHERE id = \(first.id)
        """)
      let row: UUID = try rows.only().decode(table)
      _ = try await app.query("SELECT FROM \(identifier: table) WHERE id = \(row) FOR UPDATE")
      try await store.settle(batch.lease, batch.pushes.map { .accepted($0, fixture.now) }, fixture.now)

      #expect(try await fixture.delivery("aa").state == "queued")
      #expect(try await fixture.delivery("bb").state == "accepted")
      #expect(try await store.nextDue([.apns], fixture.now) == fixture.now + 1)
      // Pushes go to others meanwhile.
      try await fixture.enqueue(["cc"])
      #expect(try await store.claim(10, [.apns], fixture.now).pushes.map(\.device.token) == ["cc"])
    }
    _ = try await store.settleKept()

    #expect(try await fixture.delivery("aa").state == "accepted")
    #expect(try await fixture.log("aa") == ["sent"])
    #expect(try await fixture.log("bb") == ["sent"])
  }

  @Test func whatIsDeletedMeanwhileIsForgotten() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    let store = DeliveryStore.postgres(fixture.anotherConnection())
    let batch = try await store.claim(10, [.apns], fixture.now)

    try await app(fixture).transaction { app in
      _ = try await app.query("DELETE FROM users")
      try await store.settle(batch.lease, batch.pushes.map { .accepted($0, fixture.now) }, fixture.now)
    }
    let kept = try await store.settleKept()

    #expect(kept == 1)
    #expect(try await store.nextDue([.apns], fixture.now) == nil)
    #expect(try await store.settleKept() == 0)
  }

  @Test func whatGaveWayIsDoneAgain() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    try await fixture.connection.script(
      """
      UPDATE deliveries SET state = 'accepted';
      UPDATE notifications SET created_at = now() - interval '200 d', expires_at = now() - interval '150 d'
      """)
    let connection = Connection(url: fixture.url, applicationName: "cleanup", parameters: [("lock_timeout", "400ms")])
    let waiting: SQL = """
      FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'cleanup' AND wait_event_type = 'Lock'
      """

    let cleaning = try await app(fixture).transaction { app in
      _ = try await app.query("SELECT FROM deliveries FOR UPDATE")
      let cleaning = Task { try await CleanupStore(connection).clean(.test(now: fixture.now)) }
      try await fixture.wait(until: "EXISTS (SELECT \(waiting))")
      let first: String = try await fixture.connection.query("SELECT clock_timestamp()::text AS time").only().decode(
        "time")
      try await fixture.wait(until: "EXISTS (SELECT \(waiting) AND query_start > \(first)::timestamptz)")
      return cleaning
    }

    #expect(try await cleaning.value.isComplete)
    #expect(try await fixture.connection.query("SELECT FROM notifications").isEmpty)
  }
}
