import FoundationEssentials
import FunctionKit
import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Runner

/// The rows that are moved when the clock goes back to real time.
@Suite(.makesDatabases)
struct ClockStampsTests {
  /// A day ahead of real time: one notification, with its rows, is from before, and one is from the virtual future.
  private func database() async throws -> Connection {
    let database = try await CapturingDatabase(
      tables: """
        CREATE TABLE t (id int);
        INSERT INTO users (id, email, name) VALUES (gen_random_uuid(), 'ada@example.com', 'Ada');
        INSERT INTO device_tokens (user_id, token, platform) SELECT id, repeat('a1', 32), 'iOS' FROM users;
        INSERT INTO notifications (user_id, type, title, created_at, updated_at, pushed_at, push_expires_at,
          window_ends_at, expires_at)
        SELECT u.id, 'new_vote', title, now() + ahead, now() + ahead, now() + ahead, now() + ahead + interval '23 hours',
          now() + ahead + interval '10 minutes', now() + ahead + interval '30 days'
        FROM users AS u, (VALUES ('before', interval '-1 hour'), ('ahead', interval '1 day')) AS v (title, ahead);
        INSERT INTO deliveries (notification_id, device_token_id, user_id, app, not_before, expires_at, lease_until,
          created_at, updated_at)
        SELECT n.id, d.id, n.user_id, n.app, n.created_at + interval '5 minutes', n.push_expires_at,
          now() + interval '1 hour', n.created_at, n.updated_at
        FROM notifications AS n, device_tokens AS d;
        INSERT INTO analyses (user_id, message_id, conversation_id, priority, source, event_id, created_at)
        SELECT id, 'm', 'c', 'low', 's', 'e', now() + interval '1 day' FROM users;
        """)
    return database.connection
  }

  @Test func everythingOfTheVirtualFutureMovesAndWhatIsStillToComeOfBeforeStays() async throws {
    let database = try await database()

    let found = try await database.transaction { transaction in
      let stamps = ClockStamps(transaction: transaction)
      let found = try await stamps.later(than: .now).map(\.column)
      try await stamps.moveBack(later: .now, by: 86_400)
      return (found, try await stamps.later(than: .now).map(\.column))
    }

    #expect(
      found.0 == [
        "public.analyses.created_at", "public.deliveries.created_at", "public.deliveries.updated_at",
        "public.notifications.created_at", "public.notifications.pushed_at", "public.notifications.updated_at",
      ])
    #expect(found.1.isEmpty)
    let rows = try await database.query(
      """
      SELECT title, round(extract(epoch FROM n.created_at - now()) / 3600)::int AS made,
        round(extract(epoch FROM n.push_expires_at - now()) / 3600)::int AS push_ends,
        round(extract(epoch FROM n.expires_at - now()) / 86400)::int AS ends,
        round(extract(epoch FROM d.expires_at - now()) / 3600)::int AS delivery_ends,
        d.not_before < now() + interval '6 minutes' AND n.window_ends_at < now() + interval '11 minutes' AS is_soon,
        d.lease_until > now() AS is_leased
      FROM notifications AS n JOIN deliveries AS d ON d.notification_id = n.id ORDER BY title DESC
      """)
    let times = try rows.map { row in
      try ["made", "push_ends", "ends", "delivery_ends"].map { try row.decode($0, as: Int.self) }
    }
    #expect(times == [[-1, 22, 30, 22], [0, 23, 30, 23]])
    #expect(rows.allSatisfy { $0["is_soon"] == "t" && $0["is_leased"] == "t" })
  }
}
