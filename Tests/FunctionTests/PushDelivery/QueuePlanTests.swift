import FoundationEssentials
import Notifications
import PersonLive
import TestSupport
import Testing

@testable import DeliveryLive
@testable import PersonLive
@testable import Postgres

/// The queue among many finished deliveries: its cost must not grow with them.
@Suite(.heavy)
struct QueuePlanTests {
  /// A database with a hundred thousand finished deliveries and a few that are due.
  private func fixture() async throws -> DeliveryFixture {
    let fixture = try await DeliveryFixture()
    // This takes long beside other tests.
    try await fixture.connection.another(statementTimeout: .seconds(300)).script(
      """
      SET session_replication_role = replica;
      INSERT INTO device_tokens (user_id, token, platform)
      SELECT gen_random_uuid(), 'token-' || i, 'iOS' FROM generate_series(1, 20000) i;
      INSERT INTO notifications (id, user_id, type, title, payload)
      SELECT md5('n' || i)::uuid, gen_random_uuid(), 'new_vote', '', '{"aps":{"alert":"Hi"}}'
      FROM generate_series(1, 100000) i;
      INSERT INTO deliveries (id, notification_id, device_token_id, user_id, app, state, not_before, expires_at,
        created_at, updated_at)
      SELECT md5('d' || i)::uuid, md5('n' || i)::uuid, gen_random_uuid(), gen_random_uuid(), 'feedbackkit',
        CASE WHEN i % 1000 = 0 THEN 'queued' ELSE 'accepted' END, now() - interval '1 day', now() + interval '1 day',
        now(), now()
      FROM generate_series(1, 100000) i;
      SET session_replication_role = origin;
      ANALYZE device_tokens, notifications, deliveries;
      """)
    return fixture
  }

  /// The plan of a statement, made for its values or once for all.
  private func plan(_ sql: SQL, _ mode: Mode, _ connection: Connection) async throws -> String {
    switch mode {
    case .ownPlan: return try await Self.lines(of: "EXPLAIN \(sql)", connection)
    case .onePlan:
      // With the values in it, EXPLAIN plans for them, whatever plan_cache_mode says.
      let types = sql.parameters.map { Int64($0.oid) }
      let names = try await connection.query(
        """
        SELECT CASE WHEN type = 0 THEN 'unknown' ELSE type::oid::regtype::text END AS name
        FROM unnest(\(types)) WITH ORDINALITY AS types (type, number) ORDER BY number
        """
      ).decode("name", as: String.self)
      try await connection.script(
        """
        SET plan_cache_mode = 'force_generic_plan';
        PREPARE planned (\(names.joined(separator: ", "))) AS \(sql.text);
        """)
      let values = names.map { _ in "NULL" }.joined(separator: ", ")
      let plan = try await Self.lines(of: "EXPLAIN EXECUTE planned (\(unescaped: values))", connection)
      let plans = try await connection.query(
        "SELECT generic_plans FROM pg_prepared_statements WHERE name = 'planned'"
      ).decode("generic_plans", as: Int.self)
      #expect(plans == [1])
      try await connection.script("DEALLOCATE planned")
      return plan
    }
  }

  /// Whether a plan is for the values of a statement, or for all.
  private enum Mode: CaseIterable {
    case ownPlan
    case onePlan
  }

  private static func lines(of sql: SQL, _ connection: Connection) async throws -> String {
    try await connection.query(sql).decode("QUERY PLAN", as: String.self).joined(separator: "\n")
  }

  @Test func nothingReadsAWholeTable() async throws {
    let fixture = try await fixture()
    for mode in Mode.allCases { try await expectIndexes(fixture, mode) }
  }

  private func expectIndexes(_ fixture: DeliveryFixture, _ mode: Mode) async throws {
    let (now, lease) = (fixture.now, UUID())
    let device = QueuedPush.Device(id: UUID(), token: "aa", registeredAt: now)
    let settlements = (0..<500).map { _ in
      DeliverySettlement.accepted(
        QueuedPush(id: UUID(), device: device, payload: "{}", collapseID: "c", expiresAt: now + 1), now)
    }
    let interaction = Interaction(notification: UUID(), device: UUID(), event: .acted, action: "A", time: now)
    let providers = PushProvider.allCases

    for sql: SQL in [
      .claim(lease: lease, limit: 500, of: providers, now: now), .nextDue(of: [.fcm], now: now),
      .claim(lease: lease, limit: 500, of: [.fcm], now: now), .nextDue(of: [.apns], now: now),
      .settle(settlements, lease: lease, now: now),
      .log(settlements, now: now), .nextDue(of: providers, now: now), .deliveriesSinceNow(now),
      .suppressionsAhead(of: now), .suppressionsSinceNow(now),
      .record(interaction, now: now), .move(UUID(), to: .opened, now: now),
    ] {
      let plan = try await plan(sql, mode, fixture.connection)
      for table in ["deliveries", "notifications", "device_tokens", "push_notification_logs"] {
        #expect(!plan.contains("Seq Scan on \(table)"), "\(mode): \(plan)")
      }
    }
    for (providers, index) in [(providers, "due"), ([.apns], "apns"), ([.fcm], "fcm")] {
      let claim = try await plan(.claim(lease: lease, limit: 500, of: providers, now: now), mode, fixture.connection)
      #expect(claim.contains("Index Scan using idx_deliveries_\(index)"), "\(mode): \(claim)")
    }
  }

  @Test func aBatchIsLeasedWhileAnswersAreWritten() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa", "bb"])
    let writing = fixture.anotherConnection()
    let store = DeliveryStore.postgres(writing, claims: fixture.anotherConnection())

    // The transaction holds the connection that answers are written on.
    let batch = try await writing.transaction { _ in try await store.claim(10, [.apns], fixture.now + 1) }

    #expect(batch.pushes.count == 2)
  }

  @Test func theAnswersOfABatchDoNotWaitForThoseOfAnother() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    try await fixture.enqueue(["bb"])
    let store = DeliveryStore.postgres(
      fixture.anotherConnection(), fixture.anotherConnection(), claims: fixture.anotherConnection())
    let slow = try await store.claim(1, [.apns], fixture.now)
    let other = try await store.claim(1, [.apns], fixture.now)
    let device = try #require(slow.pushes.first).device.id
    try await fixture.connection.script(
      """
      CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END';
      CREATE TRIGGER wait BEFORE INSERT ON push_notification_logs FOR EACH ROW
      WHEN (NEW.device_token_id = '\(device)') EXECUTE FUNCTION wait();
      """)
    func settle(_ batch: DeliveryBatch) async throws {
      try await store.settle(batch.lease, batch.pushes.map { .accepted($0, fixture.now) }, fixture.now)
    }

    let settling = try await fixture.anotherConnection().transaction { holder in
      _ = try await holder.query("SELECT pg_advisory_xact_lock(1)")
      let settling = Task { try await settle(slow) }
      try await fixture.wait(
        until: """
          EXISTS (SELECT FROM pg_locks JOIN pg_database d ON d.oid = database
            WHERE locktype = 'advisory' AND NOT granted AND datname = current_database())
          """)
      try await settle(other)
      #expect(try await fixture.states() == ["accepted": 1, "queued": 1])
      return settling
    }
    try await settling.value

    #expect(try await fixture.states() == ["accepted": 2])
  }

  @Test func aLeaseTouchesNoIndex() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue((0..<200).map { "token-\($0)" })
    let store = DeliveryStore.postgres(fixture.connection)

    let batch = try await store.claim(10, [.apns], fixture.now + 1)

    #expect(batch.pushes.count == 10)
    try await fixture.connection.reportFigures()
    let updates = try await fixture.connection.query(
      "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'deliveries'"
    ).only()
    #expect(updates["n_tup_upd"] == "10" && updates["n_tup_hot_upd"] == "10")
  }
}
