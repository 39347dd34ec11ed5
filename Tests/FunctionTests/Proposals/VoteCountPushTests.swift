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
    let store = DeliveryStore.postgres(Connection(url: demo.url, applicationName: "push-delivery"))
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
    #expect(try await send(demo, minutes: 1) == ["c1 \(payload(2))"])
  }

  @Test func theFourthOfAnHourWaitsAndIsTheLatest() async throws {
    let demo = try await Demo()
    var counts: [String] = []
    for (minute, voter) in [Person.ada, .eva, .chloe, .hugo].enumerated() {
      try await vote(demo, by: voter, "e\(minute)", minutes: Double(minute))
      counts += try await send(demo, minutes: Double(minute)).filter { $0.hasPrefix("c2") }
    }
    #expect(counts == [2, 3, 4].map { "c2 \(payload($0))" })

    _ = try await demo.connection.query("DELETE FROM proposal_votes WHERE user_id = \(Person.chloe.id)::uuid")
    try await vote(demo, by: .ada, "e5", "no", minutes: 5)
    #expect(try await send(demo, minutes: 59).filter { $0.hasPrefix("c2") }.isEmpty)
    #expect(try await send(demo, minutes: 61).filter { $0.hasPrefix("c2") } == ["c2 \(payload(4))"])
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
    ])
  func onlyWhoBelongsToItAndWantsIt(change: String, told: Int) async throws {
    let demo = try await Demo()
    try await vote(demo, by: .ada, "e1")
    try await demo.connection.script(change)

    try await vote(demo, by: .ada, "e2", "no")

    #expect(
      try await demo.number("SELECT count(*) FROM deliveries WHERE user_id = \(Person.ben.id)::uuid") == told)
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
