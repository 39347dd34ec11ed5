import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import ProposalReminder

@Suite(.heavy)
struct ProposalReminderTests {
  private static let deadline = Date(timeIntervalSince1970: 1_893_873_600)

  private func remind(
    _ demo: Demo, _ id: String = "t1", minutesBefore minutes: Double = 90, dryRun: Bool = false
  ) async throws -> Answer {
    let tick = #"{"specversion":"1.0","id":"\#(id)","source":"/schedules","type":"tick","data":{}}"#
    let now = Self.deadline.addingTimeInterval(-minutes * 60)
    return try await demo.run(ProposalReminder(store: demo.store()), on: tick, dryRun: dryRun, at: now)
  }

  @Test func remindsWhoHasNotVotedTheProposerToo() async throws {
    let demo = try await Demo()

    let answer = try await remind(demo)

    #expect(
      answer.decisions == [
        .ada: "notify member", .chloe: "suppress disabled", .eva: "notify member", .hugo: "suppress no_device",
      ])
  }

  @Test(arguments: [
    (120.1, 0), (120, 2), (119, 2), (1, 2), (0.01, 2), (0, 0), (-1, 0),
  ])
  func onlyInTheTwoHoursBeforeTheDeadline(minutes: Double, notified: Int) async throws {
    let demo = try await Demo()

    #expect(try await remind(demo, minutesBefore: minutes).result.notified == notified)
  }

  @Test func afterADeadlineThatWasMissedWhoeverIsInTheWindowIsReminded() async throws {
    let demo = try await Demo()

    _ = try await remind(demo, minutesBefore: 42)

    let row = try await demo.connection.query("SELECT DISTINCT title FROM notifications").only()
    #expect(row["title"] == "Game Night voting closes in 40 minutes")
  }

  @Test(arguments: ["confirmed", "expired", "cancelled"])
  func onlyOpenProposals(status: String) async throws {
    let demo = try await Demo()
    try await demo.connection.script("UPDATE event_proposals SET status = '\(status)'")

    #expect(try await remind(demo).result.decisions.isEmpty)
  }

  @Test func eachPersonOnceForEachDeadline() async throws {
    let demo = try await Demo()
    _ = try await remind(demo, "t1", minutesBefore: 90)

    let next = try await remind(demo, "t2", minutesBefore: 60)

    #expect(next.result.decisions.isEmpty)
    #expect(try await demo.number("SELECT count(*) FROM deliveries") == 2)
  }

  @Test func aMovedDeadlineRemindsAgain() async throws {
    let demo = try await Demo()
    _ = try await remind(demo, "t1", minutesBefore: 90)
    try await demo.connection.script("UPDATE event_proposals SET deadline = deadline + interval '1 hour'")

    let again = try await remind(demo, "t2", minutesBefore: 30)

    #expect(again.result.notified == 2)
  }

  /// When the request to vote was made, how many minutes ago its push was accepted, and whether it still waits.
  @Test(
    arguments: [
      (29, nil, false, 1), (30, nil, false, 2), (45, 29, false, 1), (45, 30, false, 2), (45, nil, true, 1),
    ] as [(Double, Double?, Bool, Int)])
  func notSoonAfterThePushAboutTheCreation(
    minutesAgo: Double, accepted: Double?, waits: Bool, notified: Int
  ) async throws {
    let demo = try await Demo()
    let now = Self.deadline.addingTimeInterval(-90 * 60)
    let told = now - minutesAgo * 60
    _ = try await demo.connection.query(
      """
      WITH n AS (
        INSERT INTO notifications (user_id, app, type, title, proposal_id, created_at)
        VALUES (\(Person.ada.id)::uuid, 'lockitin', 'PROPOSAL_CREATED', 'x', 'f4000000-0000-4000-8000-000000000001',
          \(told)) RETURNING id)
      INSERT INTO deliveries (notification_id, device_token_id, user_id, app, state, not_before, expires_at, created_at,
        updated_at, accepted_at)
      SELECT n.id, d.id, d.user_id, d.app, \(waits ? "queued" : accepted == nil ? "rejected" : "accepted"), \(told),
        \(Self.deadline), \(told), \(told), \(accepted.map { now - $0 * 60 } as Date?)
      FROM n, device_tokens d
      WHERE d.user_id = \(Person.ada.id)::uuid AND d.app = 'lockitin'
      """)

    #expect(try await remind(demo).result.notified == notified)
  }

  @Test(arguments: [(29, nil), (30, "notify member")] as [(Double, String?)])
  func theProposerIsNotRemindedSoonAfterProposing(minutesAgo: Double, expected: String?) async throws {
    let demo = try await Demo()
    _ = try await demo.connection.query(
      "UPDATE event_proposals SET created_at = \(Self.deadline.addingTimeInterval(-(90 + minutesAgo) * 60))")

    let answer = try await remind(demo)

    #expect(answer.decisions[.ada] == expected && answer.decisions[.eva] == "notify member")
  }

  @Test func aNewProposalThatWasNotPushedIsNoReasonToWait() async throws {
    let demo = try await Demo()
    _ = try await demo.connection.query(
      """
      INSERT INTO notifications (user_id, app, type, title, proposal_id, created_at)
      VALUES (\(Person.ada.id)::uuid, 'lockitin', 'PROPOSAL_CREATED', 'x', 'f4000000-0000-4000-8000-000000000001',
        \(Self.deadline.addingTimeInterval(-91 * 60)))
      """)

    #expect(try await remind(demo).result.notified == 2)
  }

  @Test func aPrivateTitleAppearsNowhere() async throws {
    let demo = try await Demo()
    try await demo.connection.script("UPDATE event_proposals SET visibility = 'private'")

    let answer = try await remind(demo, dryRun: true)

    let text = String(decoding: answer.json.bytes, as: UTF8.self)
    #expect(answer.result.notified == 2)
    #expect(!text.contains("Game Night"))
    #expect(text.contains(#""title":"Voting closes in 2 hours""#))
  }

  @Test(
    arguments: [
      ("UPDATE group_notification_preferences SET notification_level = 'muted'", "suppress project_muted"),
      ("UPDATE group_notification_preferences SET proposal_notifications = false", "suppress type_disabled"),
      (
        "UPDATE group_notification_preferences SET proposal_notifications = false, voting_deadline = true",
        "notify member"
      ),
      (
        "INSERT INTO user_notification_preferences (user_id, proposal_notifications) VALUES ('\(Person.eva.id)', false)",
        "suppress type_disabled"
      ),
      (
        "INSERT INTO user_notification_preferences (user_id, voting_deadline) VALUES ('\(Person.eva.id)', false)",
        "suppress type_disabled"
      ),
      ("DELETE FROM group_members WHERE user_id = '\(Person.eva.id)'", nil),
    ] as [(String, String?)])
  func groupAndPersonalSwitchesCount(change: String, expected: String?) async throws {
    let demo = try await Demo()
    try await demo.connection.script(change)

    #expect(try await remind(demo).decisions[.eva] == expected)
  }

  @Test func aPersonsSoundIsUsed() async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      INSERT INTO user_notification_preferences (user_id, notification_sound)
      VALUES ('\(Person.eva.id)', 'chime.caf')
      """)

    _ = try await remind(demo)

    #expect(
      try await demo.number(
        """
        SELECT count(*) FROM notifications
        WHERE payload LIKE '%"sound":"chime.caf"%' AND user_id = \(Person.eva.id)::uuid
        """) == 1)
  }

  @Test func severalProposalsAreOneEvent() async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      INSERT INTO event_proposals (group_id, created_by, title, deadline)
      SELECT group_id, created_by, 'Second', deadline - interval '5 minutes' FROM event_proposals
      """)

    let answer = try await remind(demo)

    #expect(answer.decisions[.ada] == "notify member, notify member")
    #expect(answer.decisions[.ben] == "notify member")
  }

  @Test func twoTicksAtOnceRemindOnce() async throws {
    let demo = try await Demo()

    async let first = remind(demo, "t1")
    async let second = remind(demo, "t2")
    let notified = try await first.result.notified + second.result.notified

    #expect(notified == 2)
    #expect(try await demo.number("SELECT count(*) FROM deliveries") == 2)
  }

  @Test(arguments: ["[]", "\"tick\"", "null", "1"])
  func aTickIsAnObject(data: String) async throws {
    let demo = try await Demo()
    let event = #"{"specversion":"1.0","id":"t1","source":"/s","type":"tick","data":\#(data)}"#

    let error = await #expect(throws: FunctionError.self) {
      try await demo.run(ProposalReminder(store: demo.store()), on: event)
    }

    #expect(error?.code == .invalidEvent)
  }
}
