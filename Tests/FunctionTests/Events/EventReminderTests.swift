import FoundationEssentials
import FunctionKit
import PersonLive
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import EventReminder

/// Ada comes to the picnic from 19:00 to 23:00 and needs 25 minutes, Ben may come, Eva does not.
@Suite(.heavy)
struct EventReminderTests {
  private static let start = Date(timeIntervalSince1970: 1_894_474_800)
  private static let bensDayBefore = """
    INSERT INTO user_notification_preferences (user_id, day_before_reminders) VALUES ('\(Person.ben.id)', true);
    """

  private func tick(
    _ demo: Demo, _ id: String = "t1", minutes: Double, dryRun: Bool = false
  ) async throws -> Answer {
    let event = #"{"specversion":"1.0","id":"\#(id)","source":"/schedules","type":"tick","data":{}}"#
    let now = Self.start.addingTimeInterval(minutes * 60)
    return try await demo.run(EventReminder(store: demo.store()), on: event, dryRun: dryRun, at: now)
  }

  /// The titles of the pushes to a person.
  private func pushes(_ demo: Demo, to person: Person) async throws -> [String] {
    let rows = try await demo.connection.query(
      """
      SELECT title FROM notifications WHERE user_id = \(person.id)::uuid AND payload IS NOT NULL ORDER BY title
      """)
    return try rows.decode("title", as: String.self)
  }

  @Test(arguments: [
    ("UPDATE event_attendees SET travel_minutes = NULL", -30.0, "notify attendee", "event_starting_soon"),
    (bensDayBefore, -1_440, "suppress type_disabled", "event_day_before"),
  ])
  func whoComesIsRemindedHalfAnHourBeforeAndADayBeforeIfTheyAsked(
    change: String, minutes: Double, adas: String, payload: String
  ) async throws {
    let demo = try await Demo()
    try await demo.connection.script(change)

    let answer = try await tick(demo, minutes: minutes, dryRun: true)

    #expect(answer.decisions == [.ada: adas, .ben: "notify attendee"])
    #expect(try answer.payloads[.ben] == .onFile("lockitin/\(payload)"))
  }

  @Test func theEventOfAPrivateProposalIsNotNamedWhereOnlyTheProposalSaysSo() async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      UPDATE event_proposals SET visibility = 'private' WHERE id = '\(Demo.proposal)';
      UPDATE events SET proposal_id = '\(Demo.proposal)'
      """)

    _ = try await tick(demo, minutes: -30)

    #expect(try await pushes(demo, to: .ben) == ["An event starts in 30 minutes"])
  }

  @Test func whoHasAWayToGoIsToldWhenToLeave() async throws {
    let answer = try await tick(try await Demo(), minutes: -40, dryRun: true)

    #expect(try answer.payloads[.ada] == .onFile("lockitin/time_to_leave"))
  }

  @Test func afterwardsPeopleAreAskedForMemories() async throws {
    let answer = try await tick(try await Demo(), minutes: 250, dryRun: true)

    #expect(answer.decisions == [.ada: "notify attendee", .ben: "notify attendee"])
    #expect(try answer.payloads[.ada] == .onFile("lockitin/memory_prompt"))
  }

  @Test(
    arguments: [
      (-31, []), (-30, ["Picnic starts in 30 minutes"]), (-29.995, ["Picnic starts in 30 minutes"]),
      (-1, ["Picnic starts in 1 minute"]), (0, []), (249.9, []), (250, ["How was Picnic?"]),
      (240 + 1439, ["How was Picnic?"]), (240 + 1440, []),
    ] as [(Double, [String])])
  func eachHasItsTimeAndCatchesUpWithinIt(minutes: Double, titles: [String]) async throws {
    let demo = try await Demo()

    _ = try await tick(demo, minutes: minutes)

    #expect(try await pushes(demo, to: .ben) == titles)
  }

  @Test(arguments: [(25, -41, 0), (25, -40, 1), (60, -75, 1), (60, -76, 0), (5, -31, 0), (6, -20, 1), (25, 0, 0)])
  func theTimeToLeaveDependsOnTheWay(travel: Int, minutes: Double, told: Int) async throws {
    let demo = try await Demo()
    try await demo.connection.script("UPDATE event_attendees SET travel_minutes = \(travel) WHERE status = 'yes'")

    _ = try await tick(demo, minutes: minutes)

    #expect(
      try await demo.number("SELECT count(*) FROM notifications WHERE type = 'time_to_leave' AND payload IS NOT NULL")
        == told)
  }

  @Test func aLongerWayMovesWhatIsNotYetSaidAndSaysNothingTwice() async throws {
    let demo = try await Demo()
    _ = try await tick(demo, "t1", minutes: -60)
    try await demo.connection.script("UPDATE event_attendees SET travel_minutes = 50 WHERE status = 'yes'")
    _ = try await tick(demo, "t2", minutes: -59)
    try await demo.connection.script("UPDATE event_attendees SET travel_minutes = 40 WHERE status = 'yes'")

    _ = try await tick(demo, "t3", minutes: -55)

    #expect(try await pushes(demo, to: .ada) == ["Time to leave for Picnic!"])
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE body LIKE '50 min away via car %'") == 1)
  }

  @Test func ticksSayNothingAgain() async throws {
    let demo = try await Demo()
    let first = try await tick(demo, "t1", minutes: -30)
    let effects = try await demo.effects()

    let repeated = try await tick(demo, "t1", minutes: -28)
    let afterRepetition = try await demo.effects()
    let next = try await tick(demo, "t2", minutes: -29)

    #expect(first.result.notified == 3 && repeated.result == first.result && afterRepetition == effects)
    #expect(next.result.decisions.isEmpty)
  }

  /// Later, or for an event that is settled when it is nearer, there is no day left.
  @Test(arguments: [(-1_441, 0), (-1_440, 1), (-1_381, 1), (-1_380, 0), (-420, 0), (-41, 0)])
  func aDayBeforeIsSaidWithinTheHour(minutes: Double, told: Int) async throws {
    let demo = try await Demo()
    try await demo.connection.script(Self.bensDayBefore)

    #expect(try await tick(demo, minutes: minutes).result.notified == told)
  }

  @Test func aMovedEventRemindsAgain() async throws {
    let demo = try await Demo()
    _ = try await tick(demo, "t1", minutes: -30)
    try await demo.connection.script("UPDATE events SET starts_at = starts_at + interval '45 minutes'")

    let again = try await tick(demo, "t2", minutes: 15)

    #expect(again.result.notified == 3)
  }

  @Test(
    arguments: [
      ("UPDATE events SET status = 'cancelled'", nil), ("DELETE FROM group_members", nil),
      ("UPDATE event_attendees SET status = 'no'", nil), ("DELETE FROM event_attendees", nil),
      (
        "INSERT INTO user_notification_preferences (user_id, event_reminders) VALUES ('\(Person.ben.id)', false)",
        "suppress type_disabled"
      ),
      (
        """
        INSERT INTO group_notification_preferences (user_id, group_id, notification_level)
        SELECT '\(Person.ben.id)', group_id, 'important' FROM events
        """, "notify attendee"
      ),
    ] as [(String, String?)])
  func onlyWhoComesAndWantsIt(change: String, expected: String?) async throws {
    let demo = try await Demo()
    try await demo.connection.script(change)

    #expect(try await tick(demo, minutes: -30).decisions[.ben] == expected)
  }

  @Test(arguments: [("yes", true), ("maybe", true), ("no", false)])
  func withoutAWordInTheAppTheVoteCounts(vote: String, comes: Bool) async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      UPDATE events SET option_id = 'f5000000-0000-4000-8000-000000000001';
      UPDATE proposal_votes SET vote = '\(vote)';
      DELETE FROM event_attendees WHERE user_id = '\(Person.ben.id)';
      """)

    #expect(try await tick(demo, minutes: -30).decisions[.ben] == (comes ? "notify attendee" : nil))
  }

  @Test func nobodyIsAskedAboutAnEventThatIsNotTracked() async throws {
    let demo = try await Demo()
    try await demo.connection.script("UPDATE events SET is_tracked = false")

    #expect(try await tick(demo, minutes: 260).result.decisions.isEmpty)
  }

  @Test(
    arguments: [
      (-1_440, "An event starts in 24 hours"), (-40, "Time to leave for an event!"),
      (-30, "An event starts in 30 minutes"), (250, "How was the event?"),
    ], ["private", "busy_only"])
  func aHiddenEventSaysWhenAndNeverWhat(reminder: (minutes: Double, title: String), visibility: String) async throws {
    let demo = try await Demo()
    try await demo.connection.script("UPDATE events SET visibility = '\(visibility)'; \(Self.bensDayBefore)")

    let answer = try await tick(demo, minutes: reminder.minutes, dryRun: true)

    let text = String(decoding: answer.json.bytes, as: UTF8.self)
    #expect(answer.result.notified > 0 && text.contains("\"title\":\"\(reminder.title)\""))
    for hidden in ["Picnic", "Mauerpark", "52.5433", "Ada", "event_title", "location"] {
      #expect(!text.contains(hidden), "\(hidden)")
    }
  }
}
