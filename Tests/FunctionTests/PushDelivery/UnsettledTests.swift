import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import PushDelivery

/// Answers of providers that can never be written down: the phone must not ring again and again.
@Suite(.heavy)
struct UnsettledTests {
  /// The obstacle, and whether the delivery's own row can still be written.
  struct Obstacle: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let sql: String
    var settles = false

    static let all = [
      Obstacle(
        testDescription: "a column is missing", sql: "ALTER TABLE push_notification_logs DROP COLUMN duration_ms"),
      Obstacle(testDescription: "a table is missing", sql: "DROP TABLE push_notification_logs CASCADE"),
      Obstacle(
        testDescription: "a right is missing",
        sql: """
          REVOKE ALL ON push_notification_logs FROM limited_sender
          """),
      Obstacle(
        testDescription: "the disk is full",
        sql: """
          CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
          AS $$ BEGIN RAISE 'could not extend file' USING ERRCODE = '53100'; END $$;
          CREATE TRIGGER refuse BEFORE INSERT ON push_notification_logs FOR EACH ROW EXECUTE FUNCTION refuse()
          """),
      Obstacle(
        testDescription: "a constraint of the queue",
        sql: "ALTER TABLE deliveries ADD CONSTRAINT never CHECK (state <> 'accepted') NOT VALID"),
      Obstacle(
        testDescription: "a constraint of the log",
        sql: "ALTER TABLE push_notification_logs ADD CONSTRAINT never CHECK (status <> 'sent') NOT VALID", settles: true
      ),
      Obstacle(
        testDescription: "ids without a default, as Fluent makes them",
        sql: "ALTER TABLE push_notification_logs ALTER COLUMN id DROP DEFAULT", settles: true),
      Obstacle(
        testDescription: "a trigger of the app",
        sql: """
          CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
          CREATE TRIGGER refuse BEFORE UPDATE ON device_tokens FOR EACH ROW EXECUTE FUNCTION refuse()
          """),
    ]
  }

  /// A role that may do everything with the tables until something is taken from it.
  private func limitedStore(of fixture: DeliveryFixture) -> DeliveryStore {
    .postgres(
      Connection(url: "\(fixture.url)&options=-c%20role%3Dlimited_sender", applicationName: "push-delivery"))
  }

  private func makeRole(in fixture: DeliveryFixture) async throws {
    try await fixture.connection.script(
      """
      SELECT pg_advisory_lock(1);
      DO $$ BEGIN
        CREATE ROLE limited_sender BYPASSRLS;
      EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
      GRANT ALL ON ALL TABLES IN SCHEMA public TO limited_sender;
      SELECT pg_advisory_unlock(1)
      """)
  }

  @Test(arguments: Obstacle.all) func aDeliveryIsSentThreeTimesAtMost(_ obstacle: Obstacle) async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    try await makeRole(in: fixture)
    try await fixture.connection.script(obstacle.sql)

    var sends = 0
    for _ in 1...6 {
      // Each time another process, which knows nothing of the answers that the last one kept.
      let store = limitedStore(of: fixture)
      let batch = try await store.claim(10, [.apns], fixture.now)
      sends += batch.pushes.count
      let settlements = batch.pushes.map { DeliverySettlement.accepted($0, fixture.now) }
      try? await store.settle(batch.lease, settlements, fixture.now)
      try await fixture.endLeases()
    }

    let delivery = try await fixture.delivery("aa")
    #expect(sends == (obstacle.settles ? 1 : 3))
    #expect(delivery.state == (obstacle.settles ? "accepted" : "unknown"))
    #expect(delivery.reason == (obstacle.settles ? nil : "Unsettled"))
  }

  @Test func whatIsNotSettledIsLeftAloneForLongerEachTime() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    var minutes: [Int] = []
    for _ in 1...4 {
      _ = try await DeliveryStore.postgres(fixture.anotherConnection()).claim(10, [.apns], fixture.now)
      minutes.append(
        try await fixture.connection.query(
          "SELECT ceil(extract(epoch FROM lease_until - clock_timestamp()) / 60)::int AS n FROM deliveries"
        ).only().decode("n"))
      try await fixture.endLeases()
    }

    #expect(minutes == [1, 4, 16, 16])
  }

  @Test func whatWasNotSentDoesNotCountAndAnAnswerBeginsAgain() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    let store = DeliveryStore.postgres(fixture.anotherConnection())
    func unsettled(after verdict: PushVerdict?, status: Int? = nil) async throws -> Int {
      let batch = try await store.claim(10, [.apns], fixture.now)
      if let verdict {
        let settlements = batch.pushes.map {
          DeliverySettlement($0, .test(verdict, status: status), now: fixture.now, jitter: 0)
        }
        try await store.settle(batch.lease, settlements, fixture.now)
      }
      _ = try await fixture.connection.query(
        "UPDATE deliveries SET lease_until = now() - interval '1 s', not_before = \(fixture.now)")
      return try await fixture.connection.query("SELECT unsettled FROM deliveries").only().decode("unsettled")
    }

    #expect(try await unsettled(after: nil) == 1)
    #expect(try await unsettled(after: .notSent(pause: nil)) == 1)
    #expect(try await unsettled(after: nil) == 2)
    #expect(try await unsettled(after: .retryLater(atLeast: nil), status: 503) == 0)
  }

  @Test func givingUpIsSaid() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa", "bb"])
    _ = try await fixture.connection.query("UPDATE deliveries SET refusals = 3")
    let accepting = ScriptedClient(.accepted, status: 200)
    let lines = Mutex<[String]>([])
    let log = Log(write: { line in lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) } })

    let summary = try await fixture.function(accepting.client).handle(.wakeUp, .test(now: fixture.now, log: log))

    #expect(accepting.pushes.isEmpty)
    #expect(summary.unknown == 2 && summary.claimed == 2)
    #expect(lines.withLock { $0 }.contains { $0.contains("given up") && $0.contains(#""push.count":"2""#) })
    #expect(try await fixture.states() == ["unknown": 2])
  }
}
