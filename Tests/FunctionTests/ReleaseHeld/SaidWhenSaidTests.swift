import DeliveryLive
import FoundationEssentials
import Notifications
import PersonLive
import Postgres
import TestSupport
import Testing

@testable import EventConfirmed
@testable import ProposalCreated
@testable import ProposalVoteCast

/// A waiting notification is worded when it goes out, from the rows as they are then.
@Suite(.heavy)
struct SaidWhenSaidTests {
  /// Ben and Eva sleep from an hour before until three hours after ``Demo/dayBefore``.
  private func demo() async throws -> Demo {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      INSERT INTO user_notification_preferences (user_id, timezone, quiet_hours_enabled, quiet_hours_start, quiet_hours_end)
      VALUES ('\(Person.ben.id)', 'UTC', true, '19:00', '23:00'), ('\(Person.eva.id)', 'UTC', true, '19:00', '23:00');
      """)
    return demo
  }

  private func proposed() async throws -> Demo {
    let demo = try await demo()
    let answer = try await demo.run(
      ProposalCreated(store: demo.store()), on: RowEvent.proposal("INSERT"), at: Demo.dayBefore)
    try #require(answer.decisions[.eva] == "hold quiet_hours", "\(answer.decisions)")
    return demo
  }

  private func confirmed() async throws -> Demo {
    let demo = try await demo()
    try await demo.connection.script(
      """
      UPDATE event_proposals SET status = 'confirmed';
      INSERT INTO events (group_id, proposal_id, title, location, starts_at, ends_at) VALUES
        ('\(Demo.group)', '\(Demo.proposal)', 'Game Night', 'Attic', '2030-01-12 19:00+00', '2030-01-12 23:00+00');
      """)
    let event = RowEvent.proposal("UPDATE", from: #""status":"open""#, to: #""status":"confirmed""#)
    let answer = try await demo.run(EventConfirmed(store: demo.store()), on: event, at: Demo.dayBefore)
    try #require(answer.decisions[.ben] == "hold quiet_hours", "\(answer.decisions)")
    return demo
  }

  private func awake(_ demo: Demo) async throws -> ReleaseResult {
    try await demo.store().release(at: Demo.dayBefore + 3 * 3_600 + 61, dryRun: false)
  }

  @Test func theTimeThatIsLeftIsThatOfTheMoment() async throws {
    let demo = try await proposed()

    _ = try await awake(demo)

    #expect(try await demo.inbox(of: .eva) == ["Ada proposed Game Night / Vote needed • Closes in 21 hours"])
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE payload LIKE '%in 21 hours%'") == 1)
  }

  @Test(
    arguments: [
      ("UPDATE event_proposals SET title = 'Quiz'", "Ada proposed Quiz / Vote needed • Closes in 21 hours"),
      (
        "UPDATE users SET name = 'Augusta' WHERE name = 'Ada'",
        "Augusta proposed Game Night / Vote needed • Closes in 21 hours"
      ),
      (
        "UPDATE event_proposals SET deadline = deadline + interval '9 hours'",
        "Ada proposed Game Night / Vote needed • Closes in 30 hours"
      ),
      (
        "UPDATE event_proposals SET visibility = 'private'",
        "Ada updated their availability / Vote needed • Closes in 21 hours"
      ),
    ])
  func whatChangedMeanwhileIsSaidAsItIs(change: String, words: String) async throws {
    let demo = try await proposed()
    try await demo.connection.script(change)

    let release = try await awake(demo)

    #expect(release.released == 1)
    #expect(try await demo.inbox(of: .eva) == [words])
  }

  @Test(
    arguments: [
      "UPDATE event_proposals SET status = 'cancelled'", "DELETE FROM event_proposals",
      "UPDATE event_proposals SET deadline = '2030-01-04 22:00+00'",
      "DELETE FROM group_members WHERE user_id = '\(Person.eva.id)'",
    ])
  func whatIsNoLongerTrueIsNotSaid(change: String) async throws {
    let demo = try await proposed()
    try await demo.connection.script(change)

    let release = try await awake(demo)

    #expect(release.released == 0 && release.held == 0)
    #expect(try await demo.inbox(of: .eva).isEmpty)
    #expect(try await demo.number("SELECT count(*) FROM deliveries WHERE user_id = \(Person.eva.id)::uuid") == 0)
  }

  @Test func anEventThatWasMovedIsConfirmedForItsNewTime() async throws {
    let demo = try await confirmed()
    try await demo.connection.script(
      "UPDATE events SET starts_at = '2030-01-13 20:00+00', ends_at = '2030-01-13 22:00+00', title = 'Quiz'")

    _ = try await awake(demo)

    #expect(try await demo.inbox(of: .ben) == ["Quiz confirmed! / Sunday at 8:00 PM"])
    #expect(
      try await demo.number("SELECT count(*) FROM notifications WHERE payload LIKE '%2030-01-13T20:00:00Z%'") >= 1)
  }

  @Test(
    arguments: [
      "UPDATE events SET status = 'cancelled'", "DELETE FROM events",
      "DELETE FROM group_members WHERE user_id = '\(Person.ben.id)'",
    ])
  func anEventThatIsOffIsNotConfirmed(change: String) async throws {
    let demo = try await confirmed()
    try await demo.connection.script(change)

    let release = try await awake(demo)

    #expect(release.released == 0 && release.held == 0)
    #expect(try await demo.inbox(of: .ben).isEmpty)
  }

  @Test(arguments: ["quiet_hours_enabled = false", "quiet_hours_end = '19:30'", "timezone = 'Asia/Tokyo'"])
  func whoLiftsTheirQuietHoursIsToldAtOnce(change: String) async throws {
    let demo = try await proposed()
    let before = try await demo.store().release(at: Demo.dayBefore + 60, dryRun: false)
    try await demo.connection.script("UPDATE user_notification_preferences SET \(change)")

    let after = try await demo.store().release(at: Demo.dayBefore + 120, dryRun: false)

    #expect(before.released == 0)
    #expect(after.released == 1)
  }

  @Test func whoChangesSomethingElseIsLeftToSleep() async throws {
    let demo = try await proposed()
    try await demo.connection.script("UPDATE user_notification_preferences SET notification_sound = 'chime.caf'")

    let after = try await demo.store().release(at: Demo.dayBefore + 120, dryRun: false)

    #expect(after.released == 0 && after.held == 1)
    #expect(try await awake(demo).released == 1)
  }

  @Test func peopleAndGroupsGoWithTheirSettingsWhileSomethingWaits() async throws {
    let demo = try await proposed()
    try await demo.connection.script(
      """
      INSERT INTO group_notification_preferences (user_id, group_id) VALUES ('\(Person.eva.id)', '\(Demo.group)')
      ON CONFLICT DO NOTHING;
      DELETE FROM groups WHERE id = '\(Demo.group)'; DELETE FROM users WHERE id = '\(Person.ben.id)';
      """)

    #expect(try await demo.number("SELECT count(*) FROM held_notifications") == 0)
  }
}
