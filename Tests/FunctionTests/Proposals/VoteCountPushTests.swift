import DeliveryLive
import FoundationEssentials
import Notifications
import PersonLive
import Postgres
import TestSupport
import Testing

@testable import ProposalVoteCast
@testable import PushDelivery

/// Ben has voted on the demo's proposal: his phone learns in the background how many have.
@Suite(.heavy)
struct VoteCountPushTests {
  private let client = ScriptedClient(.accepted, status: 200)

  /// Casts or changes a vote that changes no lead, and tells the function of it.
  private func vote(
    _ demo: Demo, by person: Person, _ id: String, _ vote: String = "maybe", minutes: Double = 0
  ) async throws {
    let event = try await demo.cast(vote, by: person, on: Demo.saturday, id)
    let now = Demo.dayBefore.addingTimeInterval(minutes * 60)
    _ = try await demo.run(ProposalVoteCast(store: demo.store()), on: event, at: now)
  }

  /// Sends what is due 11 seconds later; answers with the beginnings of the tokens and the payloads.
  private func send(_ demo: Demo, minutes: Double = 0) async throws -> [String] {
    let before = client.pushes.count
    let store = demo.queue()
    let function = PushDelivery(store: store, client: client.client, jitter: { 0 })
    _ = try await function.handle(.wakeUp, .test(now: Demo.dayBefore.addingTimeInterval(minutes * 60 + 11)))
    return client.pushes.dropFirst(before).map { "\($0.device.token.prefix(2)) \($0.payload)" }.sorted()
  }

  private func payload(_ count: Int) -> String {
    #"{"aps":{"content-available":1},"proposal_id":"\#(Demo.proposal)","vote_count":\#(count)}"#
  }

  @Test func votesThatComeTogetherAreOnePushToEachDeviceOfWhoHasVoted() async throws {
    let demo = try await Demo()

    try await vote(demo, by: .ada, "e1")
    try await vote(demo, by: .hugo, "e2")
    #expect(try await send(demo, minutes: -1).isEmpty)

    #expect(try await send(demo) == ["c1 \(payload(3))", "c2 \(payload(3))"])
    #expect(client.pushes.allSatisfy { $0.pushType == "background" && $0.priority == 5 && $0.badge == nil })
    #expect(Set(client.pushes.map(\.collapseID)) == ["votes \(Demo.proposal)"])
    #expect(
      try await demo.number(
        """
        SELECT count(*) FROM notifications WHERE type = 'vote_count' AND is_archived AND NOT counts_for_badge
          AND pushed_at IS NULL AND origin = 'function'
        """) == 2)
  }

  @Test func theVotersDevicesLearnItOnlyWhereAnEarlierCountWaits() async throws {
    let demo = try await Demo()
    try await vote(demo, by: .ada, "e1")
    try await vote(demo, by: .ben, "e2")

    #expect(try await send(demo) == ["c1 \(payload(2))", "c2 \(payload(2))"])
    try await vote(demo, by: .ben, "e3", "no", minutes: 1)
    try await vote(demo, by: .ada, "e4", "no", minutes: 2)
    #expect(try await send(demo, minutes: 2).isEmpty, "they know the number")
    try await vote(demo, by: .eva, "e5", minutes: 3)
    #expect(try await send(demo, minutes: 3) == ["c1 \(payload(3))", "c2 \(payload(3))"])
  }

  @Test func theFourthOfAnHourWaitsAndIsTheLatest() async throws {
    let demo = try await Demo()
    var counts: [String] = []
    for (minute, voter) in [Person.ada, .eva, .chloe, .hugo].enumerated() {
      try await vote(demo, by: voter, "e\(minute)", minutes: Double(minute))
      counts += try await send(demo, minutes: Double(minute)).filter { $0.hasPrefix("c2") }
    }
    #expect(counts == [2, 3, 4].map { "c2 \(payload($0))" })

    try await vote(demo, by: .dan, "e5", minutes: 5)
    _ = try await demo.connection.query("DELETE FROM proposal_votes WHERE user_id = \(Person.ada.id)::uuid")
    #expect(try await send(demo, minutes: 59).filter { $0.hasPrefix("c2") }.isEmpty)
    _ = try await demo.connection.query("DELETE FROM proposal_votes WHERE user_id = \(Person.eva.id)::uuid")
    #expect(try await send(demo, minutes: 61).filter { $0.hasPrefix("c2") } == ["c2 \(payload(3))"])
  }

  /// The act before a count leaves, and the number that Ben's phone is told; it was told 2.
  @Test(
    arguments: [
      ("SELECT", 4), ("DELETE FROM proposal_votes WHERE user_id = '\(Person.eva.id)'", 3),
      ("DELETE FROM proposal_votes WHERE user_id <> '\(Person.ben.id)'", 1),
      ("DELETE FROM proposal_votes", 0), ("DELETE FROM proposal_options", 0),
      ("DELETE FROM group_members WHERE user_id = '\(Person.hugo.id)'", 3),
      ("DELETE FROM proposal_votes WHERE user_id IN ('\(Person.eva.id)', '\(Person.hugo.id)')", nil),
      ("DELETE FROM group_members WHERE user_id = '\(Person.ben.id)'", nil),
      ("UPDATE event_proposals SET status = 'cancelled'", nil),
      ("UPDATE event_proposals SET deadline = '2030-01-04 20:00+00'", nil), ("DELETE FROM event_proposals", nil),
      (
        """
        INSERT INTO group_notification_preferences (user_id, group_id, notification_level)
        VALUES ('\(Person.ben.id)', '\(Demo.group)', 'muted')
        """, nil
      ),
    ] as [(String, Int?)])
  func theNumberIsThatOfTheMoment(change: String, number: Int?) async throws {
    let demo = try await Demo()
    try await vote(demo, by: .ada, "e1")
    #expect(try await send(demo).contains("c2 \(payload(2))"))
    try await vote(demo, by: .eva, "e2", minutes: 1)
    try await vote(demo, by: .hugo, "e3", minutes: 1)
    try await demo.connection.script(change)

    let sent = try await send(demo, minutes: 1).filter { $0.hasPrefix("c2") }

    #expect(sent == (number.map { ["c2 \(payload($0))"] } ?? []))
    let told = try await demo.connection.query(
      """
      SELECT n.payload FROM notifications n JOIN deliveries d ON d.notification_id = n.id
      WHERE n.type = 'vote_count' AND n.user_id = \(Person.ben.id)::uuid ORDER BY d.accepted_at DESC NULLS LAST LIMIT 1
      """
    ).decode("payload", as: String.self)
    #expect(told == [payload(number ?? 2)] || change.hasSuffix("event_proposals"))
  }

  @Test func aNumberThatIsNotNeededTakesNoPlace() async throws {
    let demo = try await Demo()
    try await vote(demo, by: .ada, "e1")
    _ = try await send(demo)
    for minute in 1...3 {
      try await vote(demo, by: .ada, "no \(minute)", minute % 2 == 0 ? "maybe" : "no", minutes: Double(minute))
      #expect(try await send(demo, minutes: Double(minute)).isEmpty)
    }
    try await vote(demo, by: .eva, "e2", minutes: 4)

    #expect(try await send(demo, minutes: 4).filter { $0.hasPrefix("c2") } == ["c2 \(payload(3))"])
    #expect(
      try await demo.number(
        "SELECT sum(cardinality(quiet_pushes)) FROM device_tokens WHERE user_id = \(Person.ben.id)::uuid") == 2)
  }

  @Test(arguments: ["DELETE FROM proposal_votes WHERE user_id = $", "DELETE FROM proposal_options"])
  func aVoteThatGoesMakesACount(deletion: String) async throws {
    let demo = try await Demo()
    for (number, voter) in [Person.ada, .eva].enumerated() {
      try await vote(demo, by: voter, "e\(number)", minutes: Double(number))
      _ = try await send(demo, minutes: Double(number))
    }
    let gone = try await demo.connection.query(
      "SELECT to_jsonb(v)::text AS row FROM proposal_votes v WHERE user_id = \(Person.eva.id)::uuid"
    ).only().decode("row", as: String.self)
    try await demo.connection.script(deletion.replacing("$", with: "'\(Person.eva.id)'"))
    let function = ProposalVoteCast(store: demo.store())
    let event = RowEvent.event("DELETE", "proposal_votes", record: "null", oldRecord: gone, id: "gone")

    let answers = try await [
      demo.run(function, on: event, at: Demo.dayBefore + 300), demo.run(function, on: event, at: Demo.dayBefore + 301),
    ]

    #expect(answers.allSatisfy { $0.decisions.isEmpty && $0.json == answers[0].json })
    #expect(try await send(demo, minutes: 4).isEmpty)
    let left = deletion.contains("options") ? 0 : 2
    #expect(try await send(demo, minutes: 5).filter { $0.hasPrefix("c2") } == ["c2 \(payload(left))"])
  }

  /// The place of a number that is not needed goes to what waited for room.
  @Test func anotherProposalsNumberDoesNotWaitForOneThatIsNotNeeded() async throws {
    let demo = try await Demo()
    try await vote(demo, by: .ada, "e1")
    _ = try await send(demo)
    try await demo.connection.script("UPDATE device_tokens SET quiet_pushes = quiet_pushes || quiet_pushes")
    try await vote(demo, by: .ada, "e2", "no", minutes: 1)
    let other = "f4000000-0000-4000-8000-000000000077"
    try await demo.connection.script(
      """
      INSERT INTO event_proposals (id, group_id, created_by, title, deadline)
      SELECT '\(other)', group_id, created_by, 'Other', deadline FROM event_proposals WHERE id = '\(Demo.proposal)';
      INSERT INTO proposal_options (id, proposal_id, starts_at, ends_at)
      SELECT '\(other)', '\(other)', starts_at, ends_at FROM proposal_options WHERE id = '\(Demo.sunday)';
      INSERT INTO proposal_votes (proposal_id, option_id, user_id, vote) VALUES
        ('\(other)', '\(other)', '\(Person.ben.id)', 'no')
      """)
    let gone =
      #"{"id":"\#(other)","proposal_id":"\#(other)","option_id":"\#(other)","user_id":"\#(other)","vote":"no"}"#
    let event = RowEvent.event("DELETE", "proposal_votes", record: "null", oldRecord: gone, id: "other")
    _ = try await demo.run(ProposalVoteCast(store: demo.store()), on: event, at: Demo.dayBefore + 61)

    let sent = try await send(demo, minutes: 1.1)

    #expect(sent.filter { $0.hasPrefix("c2") }.count == 1 && sent.contains { $0.contains(other) })
  }

  @Test(
    arguments: [
      (
        "INSERT INTO user_notification_preferences (user_id, notifications_enabled) VALUES ('\(Person.ben.id)', false)",
        0
      ),
      ("INSERT INTO user_notification_preferences (user_id, vote_updates) VALUES ('\(Person.ben.id)', false)", 0),
      (
        """
        INSERT INTO user_notification_preferences (user_id, vote_updates) VALUES ('\(Person.ben.id)', false);
        INSERT INTO group_notification_preferences (user_id, group_id, vote_updates)
        VALUES ('\(Person.ben.id)', '\(Demo.group)', true)
        """, 1
      ),
      (
        """
        INSERT INTO group_notification_preferences (user_id, group_id, notification_level)
        VALUES ('\(Person.ben.id)', '\(Demo.group)', 'muted')
        """, 0
      ),
      ("DELETE FROM group_members WHERE user_id = '\(Person.ben.id)'", 0),
      ("UPDATE device_tokens SET is_active = false", 0), ("UPDATE event_proposals SET status = 'confirmed'", 0),
    ], [true, false])
  func onlyWhoBelongsToItAndWantsIt(is setting: (change: String, told: Int), before isEarly: Bool) async throws {
    let demo = try await Demo()
    if isEarly { try await demo.connection.script(setting.change) }
    try await vote(demo, by: .ada, "e1")
    if !isEarly { try await demo.connection.script(setting.change) }

    #expect(try await send(demo).filter { $0.hasPrefix("c2") }.count == setting.told)
    if isEarly { #expect(try await told(demo) == setting.told) }
  }

  private func told(_ demo: Demo) async throws -> Int {
    try await demo.number("SELECT count(*) FROM deliveries WHERE user_id = \(Person.ben.id)::uuid")
  }

  @Test func aRepeatedEventSendsNothingTwice() async throws {
    let demo = try await Demo()
    let event = try await demo.cast("maybe", by: .ada, on: Demo.saturday)
    let function = ProposalVoteCast(store: demo.store())
    _ = try await demo.run(function, on: event, dryRun: true, at: Demo.dayBefore)
    #expect(try await demo.number("SELECT count(*) FROM deliveries") == 0)

    for _ in 1...2 {
      _ = try await demo.run(function, on: event, at: Demo.dayBefore)
      _ = try await send(demo)
    }

    #expect(client.pushes.count == 1)
  }
}
