import FunctionKit
import PersonLive
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import EventConfirmed

@Suite(.heavy)
struct EventConfirmedTests {
  private func demo() async throws -> Demo {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      UPDATE event_proposals SET status = 'confirmed';
      INSERT INTO events (group_id, proposal_id, title, location, starts_at, ends_at) VALUES
        ('\(Demo.group)', '\(Demo.proposal)', 'Game Night', 'Mike''s Apartment', '2030-01-12 19:00+00',
         '2030-01-12 23:00+00');
      """)
    return demo
  }

  private func confirm(
    _ demo: Demo, from old: String = "open", to new: String = "confirmed", actor: String? = nil
  ) async throws -> Answer {
    let event = RowEvent.proposal("UPDATE", from: #""status":"\#(old)""#, to: #""status":"\#(new)""#, actor: actor)
    return try await demo.run(EventConfirmed(store: demo.store()), on: event, at: Demo.dayBefore)
  }

  @Test func allMembersAreToldTheProposerToo() async throws {
    let demo = try await demo()

    let answer = try await confirm(demo)

    #expect(
      answer.decisions == [
        .ada: "notify member", .ben: "notify member", .chloe: "suppress disabled", .eva: "suppress project_muted",
        .hugo: "suppress no_device",
      ])
    #expect(try await demo.inbox(of: .ada) == ["Game Night confirmed! / Saturday at 7:00 PM"])
  }

  @Test func theTimeIsThePersonsOwn() async throws {
    let demo = try await demo()
    try await demo.connection.script(
      """
      INSERT INTO user_notification_preferences (user_id, timezone, notification_sound) VALUES
        ('\(Person.ada.id)', 'Pacific/Auckland', 'chime.caf'), ('\(Person.ben.id)', 'Nowhere/Land', NULL)
      """)

    _ = try await confirm(demo)

    #expect(try await demo.inbox(of: .ada) == ["Game Night confirmed! / Sunday at 8:00 AM"])
    #expect(try await demo.inbox(of: .ben) == ["Game Night confirmed! / Saturday at 7:00 PM"])
    let sounds = "SELECT user_id::text || ' ' || (payload::jsonb #>> '{aps,sound}') AS sound FROM notifications" as SQL
    #expect(
      try await demo.connection.query("\(sounds) WHERE payload IS NOT NULL ORDER BY 1").decode("sound")
        == ["\(Person.ada.id) chime.caf", "\(Person.ben.id) confirmed.caf"])
  }

  @Test func whoConfirmedItIsNotTold() async throws {
    #expect(try await confirm(try await demo(), actor: Person.ada.id).decisions[.ada] == "suppress actor")
  }

  /// An app writes both rows in one transaction; their events run at the same time.
  @Test func aConfirmationOfOneTransactionIsDecidedOnce() async throws {
    let demo = try await demo()
    let now = Demo.dayBefore
    let ofStatus = RowEvent.proposal("UPDATE", from: #""status":"open""#, to: #""status":"confirmed""#, "of status")
    let row = try await demo.connection.query(
      "SELECT to_jsonb(e)::text AS row FROM events e WHERE title = 'Game Night'")
    let ofEvent = RowEvent.event("INSERT", "events", record: try row.only().decode("row"), id: "of event")
    let waiting: SQL = """
      SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
      """
    let onlooker = Connection(url: demo.url, applicationName: "test")
    // Both have read whom to ask when neither may write.
    let answers = try await demo.connection.transaction { transaction in
      _ = try await transaction.query("SELECT FROM users WHERE id = \(Person.ben.id)::uuid FOR UPDATE")
      let tasks = [ofStatus, ofEvent].map { document in
        Task { try await demo.run(EventConfirmed(store: demo.store()), on: document, at: now) }
      }
      try await onlooker.wait(until: "(\(waiting)) = 2")
      return tasks
    }
    let counts = try await [answers[0].value, answers[1].value].map(\.decisions.count)

    #expect(counts.sorted() == [0, 5])
    #expect(try await demo.number("SELECT count(*) FROM decisions") == 5)
  }

  @Test func aRepeatedEventTellsNobodyTwice() async throws {
    let demo = try await demo()
    let first = try await confirm(demo)

    #expect(try await confirm(demo).json == first.json)
    #expect(try await demo.number("SELECT count(*) FROM deliveries") == 2)
  }

  @Test(arguments: ["UPDATE event_proposals SET visibility = 'private'", "UPDATE events SET visibility = 'private'"])
  func aPrivateTitleAndPlaceAppearNowhere(change: String) async throws {
    let demo = try await demo()
    try await demo.connection.script(change)

    _ = try await confirm(demo)

    #expect(try await demo.inbox(of: .ben) == ["Ada updated their availability / Saturday at 7:00 PM"])
    #expect(
      try await demo.number(
        "SELECT count(*) FROM notifications WHERE payload LIKE '%Game Night%' OR payload LIKE '%Apartment%'") == 0)
  }

  @Test(
    arguments: [
      ("UPDATE group_notification_preferences SET notification_level = 'all', confirmations = false", "type_disabled"),
      ("UPDATE group_notification_preferences SET notification_level = 'muted'", "project_muted"),
    ])
  func theGroupsSwitchesCount(change: String, reason: String) async throws {
    let demo = try await demo()
    try await demo.connection.script(change)

    #expect(try await confirm(demo).decisions[.eva] == "suppress \(reason)")
  }

  @Test(
    arguments: [
      ("DELETE FROM events", "not_both_there"), ("UPDATE events SET status = 'cancelled'", "subject_gone"),
      ("DELETE FROM event_proposals", "subject_gone"),
    ])
  func whatIsGoneOrNotThereYetIsNotTold(change: String, reason: String) async throws {
    let demo = try await demo()
    try await demo.connection.script(change)

    #expect(try await confirm(demo).result.reason == reason)
  }

  @Test(arguments: [("open", "cancelled"), ("confirmed", "confirmed"), ("open", "expired")])
  func onlyAConfirmationIsTold(old: String, new: String) async throws {
    #expect(try await confirm(try await demo(), from: old, to: new).result.reason == "not_confirmed")
  }
}
