import FoundationEssentials
import FunctionKit
import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Runner

/// The rows that keep the clock from going back to real time.
@Suite(.heavy)
struct ClockStampsTests {
  /// A day ahead of real time: one notification is from before, and one is from the virtual future.
  private func database() async throws -> Connection {
    let database = try await CapturingDatabase(
      tables: """
        CREATE TABLE t (id int);
        INSERT INTO users (id, email, name) VALUES (gen_random_uuid(), 'ada@example.com', 'Ada');
        INSERT INTO notifications (user_id, type, title, created_at, updated_at, expires_at)
        SELECT u.id, 'new_vote', title, now() + ahead, now() + ahead, now() + ahead + interval '30 days'
        FROM users AS u, (VALUES ('before', interval '-1 hour'), ('ahead', interval '1 day')) AS v (title, ahead);
        INSERT INTO analyses (user_id, message_id, conversation_id, priority, source, event_id, created_at)
        SELECT id, 'm', 'c', 'low', 's', 'e', now() + interval '1 day' FROM users;
        INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)
        SELECT id, user_id, app, 'quiet_hours', now() + interval '8 hours', now() FROM notifications;
        """)
    return database.connection
  }

  @Test func onlyWhatWasStampedLaterIsFound() async throws {
    let database = try await database()
    let tables = ["analyses", "held_notifications", "notifications"]

    let found = try await database.transaction {
      try await ClockStamps(transaction: $0, tables: tables).later(than: .now)
    }

    #expect(
      found.map { "\($0.rows) \($0.column)" } == [
        "1 public.analyses.created_at", "1 public.notifications.created_at", "1 public.notifications.updated_at",
      ])
  }
}
