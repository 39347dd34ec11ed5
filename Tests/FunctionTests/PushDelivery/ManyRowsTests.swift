import FoundationEssentials
import Notifications
import Postgres
import TestSupport
import Testing

@testable import DeliveryLive

/// Many rows in each table that is worked off: what is done next reads a bounded part of it.
@Suite(.heavy, .qualifiesReleases)
struct ManyRowsTests {
  /// The most pages of 8 kB that a question may touch; each of the tables has more than 3,200.
  private static let mostPages = 2_000

  private func fixture(_ fill: SQL) async throws -> DeliveryFixture {
    let fixture = try await DeliveryFixture()
    let filling = fixture.connection.another(statementTimeout: .seconds(600))
    try await filling.script("SET session_replication_role = replica")
    _ = try await filling.query(fill)
    try await filling.script("SET session_replication_role = origin; ANALYZE")
    return fixture
  }

  /// The pages that a statement touches.
  private func pages(_ sql: SQL, _ connection: Connection) async throws -> Int {
    let plan = try await connection.query("EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) \(sql)")
      .decode("QUERY PLAN", as: String.self)
    let buffers = try #require(plan.first { $0.contains("Buffers: shared") })
    let counts = buffers.split(separator: " ").filter { $0.hasPrefix("hit=") || $0.hasPrefix("read=") }
    return counts.reduce(0) { $0 + (Int($1.drop { !$0.isNumber }) ?? 0) }
  }

  /// Deliveries that wait for a provider that is away are not in the way of the others.
  @Test func deliveries() async throws {
    let fixture = try await fixture(
      """
      WITH n AS (
        INSERT INTO notifications (user_id, type, title, payload)
        VALUES (gen_random_uuid(), 'new_vote', '', '{"aps":{"alert":"Hi"}}') RETURNING id
      )
      INSERT INTO deliveries (notification_id, device_token_id, user_id, app, provider, state, not_before, expires_at,
        created_at, updated_at)
      SELECT n.id, gen_random_uuid(), gen_random_uuid(), 'feedbackkit', 'fcm', 'queued', now() - interval '1 hour',
        now() + interval '1 day', now(), now()
      FROM n, generate_series(1, 150000)
      """)
    let now = Date.now
    for providers: [PushProvider] in [[.apns], [.fcm], [.apns, .fcm]] {
      let looked = try await pages(.nextDue(of: providers, now: now), fixture.connection)
      #expect(looked < Self.mostPages)
      let claimed = try await pages(.claim(lease: UUID(), limit: 100, of: providers, now: now), fixture.connection)
      #expect(claimed < Self.mostPages)
    }
    try await fixture.enqueue(["aa"])

    let batch = try await DeliveryStore.postgres(fixture.connection).claim(500, [.apns], fixture.now + 1)

    #expect(batch.pushes.map(\.device.token) == ["aa"])
  }

  @Test func peopleForWhomSomethingIsHeld() async throws {
    let fixture = try await fixture(
      """
      WITH held AS (
        INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)
        SELECT gen_random_uuid(), gen_random_uuid(), 'feedbackkit', 'batched', now() - n * interval '1 second', now()
        FROM generate_series(1, 400000) AS n RETURNING user_id, app, held_until
      )
      INSERT INTO held_people (user_id, app, release_at) SELECT * FROM held
      """)

    #expect(try await pages(.peopleDue(50, most: 500, at: .now), fixture.connection) < Self.mostPages)
    #expect(try await pages(.nextRelease, fixture.connection) < Self.mostPages)
  }

  @Test func entriesToCorrect() async throws {
    let fixture = try await fixture(
      """
      INSERT INTO stale_entries (notification_id, user_id, app)
      SELECT gen_random_uuid(), gen_random_uuid(), 'feedbackkit' FROM generate_series(1, 400000)
      """)
    var correction = Correction(fixture.connection, until: .now + .seconds(60))

    #expect(try await correction.correctNext(at: .now) == 1_000)
    #expect(try await correction.correctNext(at: .now) == 1_000)

    let left: Int = try await fixture.connection.query("SELECT count(*) AS n FROM stale_entries").only().decode("n")
    #expect(left == 398_000)
  }

  @Test func whatIsTooOld() async throws {
    let fixture = try await fixture(
      """
      WITH losses AS (
        INSERT INTO badge_losses (user_id, app, created_at)
        SELECT gen_random_uuid(), 'feedbackkit', now() - interval '100 days' FROM generate_series(1, 400000)
      )
      INSERT INTO deliveries (notification_id, device_token_id, user_id, app, state, not_before, expires_at,
        created_at, updated_at)
      SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'feedbackkit', 'accepted', o.time, o.time, o.time, o.time
      FROM (SELECT now() - interval '100 days' AS time) o, generate_series(1, 150000)
      """)

    for leftover in [Leftover.badgeLosses, .deliveries] {
      let deleted = try await pages(leftover.delete(limit: 500, at: .now), fixture.connection)
      #expect(deleted < Self.mostPages, "\(leftover)")
    }
  }
}
