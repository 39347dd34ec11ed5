import DeliveryLive
import FoundationEssentials
import FunctionKit
import Postgres
import TestSupport
import Testing

/// The daily cleaning of the log of attempts.
@Suite(.heavy)
struct LogCleanupTests {
  /// Says what time the database has.
  private func set(_ time: String, _ demo: Demo) async throws {
    try await demo.connection.script(
      """
      CREATE SCHEMA IF NOT EXISTS runner;
      CREATE OR REPLACE FUNCTION runner.now() RETURNS timestamptz LANGUAGE sql AS $$ SELECT '\(time)'::timestamptz $$;
      """)
  }

  private func clean(_ demo: Demo, dryRun: Bool = false) async throws -> CleanupStore.Result {
    let context = Context(function: "notification-cleanup", dryRun: dryRun, now: .now, log: Log { _ in })
    return try await CleanupStore(demo.connection(of: "cleanup")).clean(context)
  }

  private func places(_ demo: Demo) async throws -> [String] {
    try await demo.connection.query(
      "SELECT concat_ws(' ', tableoid::regclass, created_at::date) AS place FROM push_notification_logs ORDER BY created_at"
    ).decode("place")
  }

  @Test func daysAreMadeAheadAndDroppedAfterNinety() async throws {
    let demo = try await Demo()
    try await set("2040-01-01 12:00+00", demo)
    _ = try await clean(demo)
    try await demo.connection.script(
      """
      INSERT INTO push_notification_logs (user_id, notification_type, status, created_at)
      SELECT '\(Person.ada.id)', 'x', 'sent', t::timestamptz FROM unnest(ARRAY[
        '2039-12-31 23:59+00', '2040-01-01 00:00+00', '2040-01-02 23:59+00', '2040-01-03 00:00+00', '2040-01-09 00:00+00'
      ]) AS t
      """)
    let name = "push_notification_logs_"
    #expect(
      try await places(demo) == [
        "\(name)default 2039-12-31", "\(name)20400101 2040-01-01", "\(name)20400102 2040-01-02",
        "\(name)20400103 2040-01-03", "\(name)default 2040-01-09",
      ])

    // The ninetieth day before is 3 January.
    try await set("2040-04-02 00:00+00", demo)
    let rehearsal = try await clean(demo, dryRun: true)
    let result = try await clean(demo)

    for counts in [rehearsal.deleted, result.deleted] { #expect(counts["logDays"] == 2 && counts["logs"] == 1) }
    #expect(try await places(demo) == ["\(name)20400103 2040-01-03", "\(name)default 2040-01-09"])
    let tomorrow = try await demo.connection.query(
      "SELECT to_regclass('push_notification_logs_20400403') IS NOT NULL AS v")
    #expect(try tomorrow.only().decode("v", as: Bool.self))
    let again = try await clean(demo)
    #expect(again.deleted["logDays"] == 0 && again.deleted["logs"] == 0)
  }

  @Test func ofAnAppsLogOnlyOurLinesGo() async throws {
    let demo = try await Demo()
    // Our log is known by the name of its default partition.
    try await demo.connection.script(
      """
      ALTER TABLE push_notification_logs_default RENAME TO logs_of_the_app;
      INSERT INTO push_notification_logs (user_id, notification_type, status, created_at, delivery_id)
      SELECT '\(Person.ada.id)', 'x', 'sent', t::timestamptz, d FROM unnest(ARRAY['2039-01-01', '2039-01-02']) AS t,
        unnest(ARRAY[NULL, gen_random_uuid()]) AS d
      """)
    try await set("2040-01-01 12:00+00", demo)

    let rehearsal = try await clean(demo, dryRun: true)
    let result = try await clean(demo)

    for counts in [rehearsal.deleted, result.deleted] { #expect(counts["logDays"] == 0 && counts["logs"] == 2) }
    let rest = try await demo.connection.query("SELECT delivery_id FROM push_notification_logs")
    #expect(rest.count == 2 && rest.allSatisfy { $0["delivery_id"] == nil })
  }

  @Test func aDayThatIsReadIsDroppedNextTime() async throws {
    let demo = try await Demo()
    try await set("2040-01-01 12:00+00", demo)
    _ = try await clean(demo)
    try await set("2040-04-02 00:00+00", demo)

    try await demo.connection.transaction { reader in
      _ = try await reader.query("SELECT FROM push_notification_logs")
      let connection = Connection(
        url: demo.url, applicationName: "cleanup", parameters: [("lock_timeout", "1ms")])
      let context = Context(function: "notification-cleanup", dryRun: false, now: .now, log: Log { _ in })
      let error = await #expect(throws: FunctionError.self) { try await CleanupStore(connection).clean(context) }
      #expect(error?.code == .unavailable)
    }

    #expect(try await clean(demo).deleted["logDays"] == 2)
  }
}
