import DeliveryLive
import EventLoop
import FoundationEssentials
import FunctionKit
import HTTP2
import Notifications
import Postgres
import TestSupport
import Testing

@testable import PushDelivery

/// Answers that arrive while the database is away.
@Suite(.heavy)
struct KeptAnswersTests {
  /// A server that answers each push as soon as the database was killed, which the first push does.
  private static func deadly(_ cluster: PrivateCluster) async throws -> APNsFake {
    try await APNsFake { push, responder in
      // It goes alone.
      guard push.number == 0 else { return responder.answer(200) }
      cluster.kill { push.loop.execute { responder.answer(200) } }
    }
  }

  @Test func theyAreWrittenDownWhenItReturnsAndNothingIsSentTwice() async throws {
    let cluster = try await PrivateCluster()
    let fixture = try await DeliveryFixture(in: cluster.url())
    let apns = try await Self.deadly(cluster)
    try await fixture.enqueue((0..<300).map { "token-\($0)" })

    let program = try fixture.startDelivery(apns)
    try await apns.waitForPushes(300)
    try await cluster.start()
    let exit = try await program.exit(within: .seconds(180))
    let again = try await fixture.startDelivery(apns).exit()

    #expect(exit == 0 && again == 0)
    #expect(apns.pushes.count == 300)
    #expect(try await fixture.states() == ["accepted": 300])
    #expect(try await fixture.connection.query("SELECT FROM push_notification_logs").count == 300)
  }

  @Test func aWarmProcessWhoseInputEndsStillWritesThemDown() async throws {
    let cluster = try await PrivateCluster()
    let fixture = try await DeliveryFixture(in: cluster.url())
    let apns = try await Self.deadly(cluster)
    try await fixture.enqueue((0..<20).map { "token-\($0)" })
    let input = try apns.directory.write("{}\n", to: "events")

    let program = try RunningProgram(
      "/bin/sh", ["-c", "exec '\(BuiltExecutables.path(of: "push-delivery"))' --stream < '\(input)'"],
      environment: apns.environment.merging(["DATABASE_URL": fixture.url]) { $1 })
    try await apns.waitForPushes(20)
    program.send(15)
    try await cluster.start()

    #expect(try await program.exit(within: .seconds(180)) == 0)
    let states = try await fixture.states()
    #expect(states == ["accepted": 20], "\(program.lines)")
  }

  @Test func nothingIsTakenBeforeTheyAreWrittenThoughTheirLeaseRanOut() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa", "bb"])
    let store = DeliveryStore.postgres(fixture.anotherConnection())
    let batch = try await store.claim(1, [.apns], fixture.now)
    let settlements = batch.pushes.map { DeliverySettlement.accepted($0, fixture.now) }
    try await fixture.connection.script(
      """
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE 'could not extend file' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON push_notification_logs FOR EACH ROW EXECUTE FUNCTION refuse()
      """)
    await #expect(throws: PostgresError.self) { try await store.settle(batch.lease, settlements, fixture.now) }
    try await fixture.endLeases()

    await #expect(throws: PostgresError.self) { try await store.claim(10, [.apns], fixture.now) }
    let queued = try await fixture.states()
    try await fixture.connection.script("DROP TRIGGER refuse ON push_notification_logs")
    let next = try await store.claim(10, [.apns], fixture.now)

    #expect(queued == ["queued": 2])
    #expect(next.pushes.count == 1 && next.pushes.map(\.id) != batch.pushes.map(\.id))
    #expect(try await fixture.states() == ["accepted": 1, "queued": 1])
  }

  @Test func whatCouldJustNotBeWrittenIsNotTakenByTheClaimBehindIt() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    let store = DeliveryStore.postgres(fixture.anotherConnection())
    let batch = try await store.claim(1, [.apns], fixture.now)
    try await fixture.endLeases()
    let other = fixture.anotherConnection()

    let (settling, claiming) = try await other.transaction { transaction in
      _ = try await transaction.query("LOCK TABLE push_notification_logs IN SHARE MODE")
      let settling = Task {
        try await store.settle(batch.lease, batch.pushes.map { .accepted($0, fixture.now) }, fixture.now)
      }
      try await fixture.wait(
        until: """
          EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')
          """)
      let claiming = Task { try await store.claim(1, [.apns], fixture.now) }
      try await fixture.connection.endSessions(where: "wait_event_type = 'Lock'")
      return (settling, claiming)
    }

    await #expect(throws: PostgresError.self) { try await settling.value }
    #expect(try await claiming.value.taken == 0)
    _ = try await store.settleKept()
    #expect(try await fixture.states() == ["accepted": 1])
  }

  @Test func anAnswerThatTheDatabaseRefusesHarmsNoOther() async throws {
    let fixture = try await DeliveryFixture()
    let tokens = (0..<9).map { "token-\($0)" }
    try await fixture.enqueue(tokens)
    try await fixture.connection.script(
      """
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON push_notification_logs FOR EACH ROW WHEN (NEW.reason = 'Odd')
      EXECUTE FUNCTION refuse();
      """)
    let client = ScriptedClient { push in
      push.device.token == "token-4" ? .test(.rejected, reason: "Odd") : .test(.accepted, status: 200)
    }

    try await fixture.deliver(client.client)

    #expect(try await fixture.states() == ["accepted": 8, "rejected": 1])
    #expect(try await fixture.log("token-4").isEmpty)
    #expect(try await fixture.connection.query("SELECT FROM push_notification_logs").count == 8)
  }

  @Test func anAnswerThatWasWrittenThoughNobodyHeardOfItIsNotLoggedTwice() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    let batch = try await DeliveryStore.postgres(fixture.connection).claim(1, [.apns], fixture.now)
    let settlements = batch.pushes.map { DeliverySettlement.accepted($0, fixture.now) }

    for _ in 0..<2 {
      let store = DeliveryStore.postgres(fixture.anotherConnection())
      try await store.settle(batch.lease, settlements, fixture.now)
    }

    #expect(try await fixture.log("aa") == ["sent"])
  }

  /// A refusal of every answer stops no push: each is sent three times at most, by a process that knows of it.
  @Test(arguments: [
    "ALTER TABLE push_notification_logs RENAME TO elsewhere",
    "ALTER TABLE push_notification_logs DROP COLUMN duration_ms CASCADE",
    """
    DROP TABLE push_notification_logs CASCADE; CREATE TYPE status AS ENUM ('sent');
    CREATE TABLE push_notification_logs (
      id uuid DEFAULT gen_random_uuid(), user_id uuid, device_token_id uuid, notification_type text, status status,
      feedback_id uuid, project_id uuid, error_message text, apns_id text, created_at timestamptz, delivery_id uuid,
      attempt integer, http_status integer, reason text, duration_ms integer, payload jsonb)
    """,
  ])
  func aTableThatRefusesEveryAnswerStopsNoOtherPush(obstacle: String) async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa", "bb"])
    let store = DeliveryStore.postgres(fixture.anotherConnection())
    try await fixture.connection.script(obstacle)

    var sends: [String: Int] = [:]
    for _ in 1...5 {
      for _ in 1...2 {
        let batch = try await store.claim(1, [.apns], fixture.now)
        for push in batch.pushes { sends[push.device.token, default: 0] += 1 }
        try await store.settle(batch.lease, batch.pushes.map { .accepted($0, fixture.now) }, fixture.now)
      }
      try await fixture.endLeases()
    }

    #expect(sends == ["aa": 3, "bb": 3])
    #expect(try await fixture.states() == ["unknown": 2])
  }
}
