import Postgres
import TestSupport
import Testing

/// The view of delivery, open, action and opt-out rates.
@Suite(.heavy)
struct RatesTests {
  private func database(_ script: String) async throws -> Connection {
    let connection = try await TemporaryPostgres.connection()
    for migration in Schema.migrations { try await connection.script(migration.sql) }
    try await connection.script("SET session_replication_role = replica; \(script)")
    return connection
  }

  /// A notification with a delivery in each of some states.
  private static func told(_ states: [String], kind: String = "new_vote", at: String = "2026-11-20 12:00+00") -> String
  {
    """
    WITH told AS (
      INSERT INTO notifications (user_id, type, title, created_at) VALUES (gen_random_uuid(), '\(kind)', '', '\(at)')
      RETURNING id
    )
    INSERT INTO deliveries
      (notification_id, device_token_id, user_id, app, state, not_before, expires_at, created_at, updated_at)
    SELECT id, gen_random_uuid(), gen_random_uuid(), 'feedbackkit', unnest('{\(states.joined(separator: ","))}'::text[]),
      now(), now(), now(), now() FROM told;
    """
  }

  private static func decided(
    _ reason: String?, app: String = "feedbackkit", kind: String = "new_vote", facts: String = "NULL"
  ) -> String {
    """
    INSERT INTO decisions
      (function, source, event_id, user_id, subject_id, app, kind, decision, reason, recipient_reason, created_at,
        facts)
    VALUES ('f', 's', 'e', gen_random_uuid(), '', '\(app)', '\(kind)', '\(reason == nil ? "notify" : "suppress")',
      \(reason.map { "'\($0)'" } ?? "NULL"), 'member', '2026-11-20 12:00+00', \(facts));
    """
  }

  @Test func eachRateIsThatOfItsKindAndDay() async throws {
    let decisions = [nil, nil, "disabled", "project_muted", "type_disabled", "no_device", "actor", "duplicate"]
    let connection = try await database(
      decisions.map { Self.decided($0) }.joined()
        + [
          Self.told(["accepted", "opened"]), Self.told(["acted", "rejected"]), Self.told(["accepted"]),
          Self.told(["expired", "unknown"]), Self.told(["queued"]),
          Self.told(["opened"], at: "2026-11-21 00:00+00"), Self.told(["opened"], at: "2026-11-19 23:59:59+00"),
          Self.told(["opened"], kind: "new_comment"),
        ].joined())

    let row = try await connection.query(
      "SELECT * FROM push_rates_by_kind WHERE day = '2026-11-20' AND kind = 'new_vote'"
    ).only()

    let counts = [
      "candidates", "opted_out", "notifications", "deliveries", "delivered", "pending", "reached", "opened", "acted",
    ].map { row[$0] ?? "" }
    #expect(counts == ["8", "3", "5", "8", "4", "1", "3", "2", "1"])
    #expect(row["app"] == "feedbackkit")
    #expect(row["delivery_rate"] == "0.5714" && row["open_rate"] == "0.6667")
    #expect(row["action_rate"] == "0.5000" && row["opt_out_rate"] == "0.3750")
    let all = try await connection.query("SELECT day || ' ' || kind AS k FROM push_rates_by_kind ORDER BY 1")
    #expect(
      try all.decode("k") == [
        "2026-11-19 new_vote", "2026-11-20 new_comment", "2026-11-20 new_vote", "2026-11-21 new_vote",
      ])
  }

  @Test(arguments: ["vote_cast", "event_day_before"])
  func whoDidNotSwitchOnWhatIsOffHasNotOptedOut(kind: String) async throws {
    let facts = [
      "NULL", #"'{"devices": 2}'"#, #"'{"personal": false}'"#, #"'{"override": false, "personal": true}'"#, "NULL",
    ]
    let connection = try await database(
      facts.map { Self.decided("type_disabled", app: "lockitin", kind: kind, facts: $0) }.joined()
        + Self.decided("project_muted", app: "lockitin", kind: kind))

    let row = try await connection.query("SELECT * FROM push_rates_by_kind").only()

    #expect(row["candidates"] == "6" && row["opted_out"] == "3")
  }

  @Test func capitalsMakeNoKindOfTheirOwn() async throws {
    let connection = try await database(
      [
        Self.decided(nil), Self.told(["opened"], kind: "NEW_VOTE"), Self.told(["accepted"]),
        "UPDATE notifications SET variant = 'a'",
      ].joined())

    for view in ["push_rates_by_kind", "push_rates_by_variant"] {
      let row = try await connection.query("SELECT * FROM \(identifier: view)").only()
      #expect(row["kind"] == "new_vote" && row["notifications"] == "2" && row["open_rate"] == "0.5000")
    }
  }

  @Test func aRateOfNothingIsNone() async throws {
    let connection = try await database(Self.decided("type_disabled", app: "lockitin"))

    let row = try await connection.query("SELECT * FROM push_rates_by_kind").only()

    #expect(row["app"] == "lockitin" && row["opt_out_rate"] == "1.0000")
    #expect(row["delivery_rate"] == nil && row["open_rate"] == nil && row["action_rate"] == nil)
  }

  @Test func eachVariantHasRatesOfItsOwn() async throws {
    let connection = try await database(
      [
        Self.decided(nil), Self.decided(nil), Self.decided("type_disabled"), Self.decided("no_device"),
        Self.told(["accepted"]), Self.told(["opened"]), Self.told(["acted", "queued"]), Self.told(["rejected"]),
      ].joined()
        + """
        UPDATE decisions SET variant = CASE WHEN reason = 'no_device' THEN 'names' ELSE 'urgency' END;
        UPDATE notifications n SET variant = CASE d.state WHEN 'rejected' THEN 'names' ELSE 'urgency' END
        FROM deliveries d WHERE d.notification_id = n.id AND d.state <> 'accepted';
        """)

    let rows = try await connection.query("SELECT * FROM push_rates_by_variant ORDER BY variant")

    let lines = rows.map { row in
      [
        "variant", "candidates", "opted_out", "notifications", "deliveries", "reached", "opened", "acted",
        "delivery_rate", "open_rate", "action_rate", "opt_out_rate",
      ].map { row[$0] ?? "-" }.joined(separator: " ")
    }
    #expect(
      lines == [
        "names 1 0 1 1 0 0 0 0.0000 - - 0.0000", "urgency 3 1 2 3 2 2 1 1.0000 1.0000 0.5000 0.3333",
      ])
    #expect(try await connection.query("SELECT reached FROM push_rates_by_kind").only()["reached"] == "3")
  }

  @Test(arguments: ["day = '2026-11-20'", "day >= '2026-11-19' AND kind = 'new_vote'"])
  func aDayIsFoundByIndexes(condition: String) async throws {
    let connection = try await database(
      """
      INSERT INTO notifications (user_id, type, title, created_at)
      SELECT gen_random_uuid(), 'new_vote', '', '2026-11-20 12:00+00'::timestamptz - i * interval '10 minutes'
      FROM generate_series(1, 50000) i;
      INSERT INTO deliveries (notification_id, device_token_id, user_id, app, state, not_before, expires_at, created_at,
        updated_at)
      SELECT id, gen_random_uuid(), user_id, app, 'accepted', now(), now(), now(), now() FROM notifications;
      INSERT INTO decisions
        (function, source, event_id, user_id, subject_id, kind, decision, recipient_reason, created_at)
      SELECT 'f', 's', 'e', user_id, '', type, 'notify', 'member', created_at FROM notifications;
      ANALYZE notifications, deliveries, decisions;
      """)

    let plan = try await connection.query(
      "EXPLAIN SELECT * FROM push_rates_by_kind WHERE \(unescaped: condition)"
    ).decode("QUERY PLAN", as: String.self).joined(separator: "\n")

    #expect(plan.contains("idx_notifications_day") && plan.contains("idx_decisions_day") && !plan.contains("Seq Scan"))
  }
}
