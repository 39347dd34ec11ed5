import FoundationEssentials
import FunctionKit
import Postgres
import TestSupport
import Testing

/// Rows with values that PostgreSQL takes and nobody expects: each harms at most itself.
@Suite(.heavy, .qualifiesReleases)
struct HostileRowsTests {
  /// The tables that any function reads; tables that functions write themselves are left out.
  static let tables = [
    "comments", "device_tokens", "event_attendees", "event_conflicts", "event_proposals", "events", "feedbacks",
    "friend_requests", "group_invites", "group_members", "group_notification_preferences", "groups",
    "held_notifications", "notification_settings", "notifications", "project_member_preferences", "project_members",
    "projects", "proposal_leads", "proposal_options", "proposal_votes", "user_activity",
    "user_notification_preferences", "users", "votes",
  ]

  @Test(arguments: tables)
  func whatIsInARowHarmsNobodyElse(table: String) async throws {
    let world = try await HostileWorld()
    let usual = try await world.scheduled()
    #expect(usual.count == 11 && usual.count { $0.contains("notify") } >= 8, "\(usual)")
    var changes = 0
    let rows: SQL = "to_jsonb(t)::text NOT LIKE '%cccccccc-%'"
    try await world.demo.connection.script("CREATE TABLE kept AS SELECT * FROM \(table)")

    for column in try await HostileColumn.all(of: table, in: world.demo.connection) {
      for value in column.values {
        do {
          try await world.demo.connection.script(
            """
            SET session_replication_role = replica;
            UPDATE \(table) t SET \(column.name) = \(value) WHERE \(rows.text);
            SET session_replication_role = origin
            """)
        } catch {
          guard Self.isRefusal(error) else { throw error }
          // What the table does not take harms nobody.
          try await world.demo.connection.script("SET session_replication_role = origin")
          continue
        }
        changes += 1
        await look(world, "\(table).\(column.name) = \(value.prefix(60))", changed: table, usual: usual)
        try await world.demo.connection.script(
          """
          SET session_replication_role = replica;
          DELETE FROM \(table); INSERT INTO \(table) SELECT * FROM kept;
          SET session_replication_role = origin
          """)
      }
    }
    #expect(changes > 5)
  }

  /// Whether the table does not take a value: data exceptions, constraints, and types that cannot hold the value.
  private static func isRefusal(_ error: PostgresError) -> Bool {
    error.sqlState.map { $0.hasPrefix("22") || $0.hasPrefix("23") || $0 == "42804" } ?? false
  }

  private static let feedbackKit: Set = [
    "comments", "feedbacks", "project_member_preferences", "project_members", "projects", "votes",
  ]

  /// Tables of two apps have nothing to do with each other; people and their devices belong to all of them.
  private static func areRelated(_ one: String, _ other: String) -> Bool {
    let shared: Set = [
      "device_tokens", "held_notifications", "notification_settings", "notifications", "user_activity", "users",
    ]
    return shared.contains(other) || one == other || feedbackKit.contains(one) == feedbackKit.contains(other)
  }

  private func look(_ world: HostileWorld, _ change: String, changed table: String, usual: [String]) async {
    do {
      let scheduled = try await world.scheduled()
      #expect(scheduled == usual, "\(change)")
    } catch {
      Issue.record("\(change): \(error)")
    }
    for entrance in HostileWorld.entrances where Self.areRelated(entrance.table, table) {
      do {
        try await entrance.call(world, true)
      } catch let error as FunctionError where error.code == .invalidEvent && entrance.table == table {
        // A row that says nothing usable is a dead letter by itself.
      } catch {
        Issue.record("\(change): \(entrance.table): \(error)")
      }
    }
  }
}
