import DeliveryLive
import FoundationEssentials
import Notifications
import PersonLive
import Postgres
import TestSupport
import Testing

@testable import ProposalUpdated
@testable import ProposalVoteCast

/// The lead of a proposal's votes is a state, and not an event.
@Suite(.heavy)
struct LeadTests {
  private let demo: Demo
  private let function: ProposalVoteCast

  init() async throws {
    demo = try await Demo()
    function = ProposalVoteCast(store: demo.store())
  }

  /// Ben has voted for Saturday.
  private func vote(
    _ vote: String, by person: Person, on option: String, _ id: String, after seconds: TimeInterval = 0
  ) async throws {
    let event = try await demo.cast(vote, by: person, on: option, id)
    _ = try await demo.run(function, on: event, at: Demo.dayBefore + seconds)
  }

  private func release(after seconds: TimeInterval) async throws -> ReleaseResult {
    try await demo.store().release(at: Demo.dayBefore + seconds, dryRun: false)
  }

  /// The pushes to Ben, in their order.
  private func pushes() async throws -> [String] {
    try await demo.connection.query(
      "SELECT title FROM notifications WHERE user_id = \(Person.ben.id)::uuid AND pushed_at IS NOT NULL ORDER BY pushed_at"
    ).decode("title")
  }

  @Test func severalChangesWithinMinutesEndWithTheTrueOne() async throws {
    try await vote("yes", by: .chloe, on: Demo.sunday, "e1")
    try await vote("yes", by: .eva, on: Demo.sunday, "e2", after: 60)
    try await demo.send()
    try await vote("yes", by: .chloe, on: Demo.saturday, "e3", after: 120)
    try await vote("yes", by: .hugo, on: Demo.saturday, "e4", after: 180)

    let release = try await release(after: 661)

    #expect(release.released == 1)
    #expect(try await pushes() == ["Sun 7pm now winning!", "Sat 7pm now winning!"])
    #expect(try await demo.inbox(of: .ben) == ["Sat 7pm now winning! / 3/5 people available"])
    #expect(
      try await demo.number(
        """
        SELECT count(DISTINCT collapse_id) FROM notifications
        WHERE user_id = \(Person.ben.id)::uuid AND pushed_at IS NOT NULL
        """) == 1)
  }

  @Test(arguments: [false, true]) func aLeadThatComesBackIsNotSaidAgain(_ wasSent: Bool) async throws {
    try await vote("yes", by: .chloe, on: Demo.sunday, "e1")
    try await vote("yes", by: .eva, on: Demo.sunday, "e2", after: 60)
    if wasSent { try await demo.send() }
    try await vote("yes", by: .hugo, on: Demo.saturday, "e3", after: 120)
    try await vote("yes", by: .ada, on: Demo.saturday, "e4", after: 180)
    try await vote("no", by: .ada, on: Demo.saturday, "e5", after: 240)
    try await vote("no", by: .hugo, on: Demo.saturday, "e6", after: 300)

    let release = try await release(after: 661)

    #expect(release.released == 0)
    #expect(try await pushes() == ["Sun 7pm now winning!"])
  }

  /// An option whose times have moved is another one, also when its voters sleep meanwhile.
  @Test(arguments: [false, true]) func aLeadWhoseTimesHaveMovedIsTold(_ isQuiet: Bool) async throws {
    try await vote("yes", by: .chloe, on: Demo.sunday, "e1")
    try await vote("yes", by: .eva, on: Demo.sunday, "e2", after: 60)
    #expect(try await pushes() == ["Sun 7pm now winning!"])
    if isQuiet {
      try await demo.connection.script(
        """
        INSERT INTO user_notification_preferences (user_id, quiet_hours_enabled, quiet_hours_start, quiet_hours_end, timezone)
        VALUES ('\(Person.ben.id)', true, '18:00', '21:00', 'UTC')
        ON CONFLICT (user_id) DO UPDATE SET quiet_hours_enabled = true, quiet_hours_start = '18:00',
          quiet_hours_end = '21:00', timezone = 'UTC'
        """)
    }
    try await demo.connection.script(
      """
      BEGIN; UPDATE proposal_options SET starts_at = starts_at + interval '30 hours', ends_at = ends_at + interval '30 hours';
      UPDATE event_proposals SET options_version = 2; COMMIT
      """)
    let event = RowEvent.proposal("UPDATE", from: #""options_version":1"#, to: #""options_version":2"#, "e3")
    _ = try await demo.run(ProposalUpdated(store: demo.store()), on: event, at: Demo.dayBefore + 700)
    #expect(try await demo.inbox(of: .ben).allSatisfy { !$0.contains("winning") }, "the old time wins no more")

    try await vote("no", by: .ben, on: Demo.sunday, "e4", after: 1_400)
    try await vote("yes", by: .chloe, on: Demo.sunday, "e5", after: 1_500)
    _ = try await release(after: 4 * 3_600)

    #expect(try await pushes().last == "Tue 1am now winning!")
  }

  @Test func votesThatCommitLateCount() async throws {
    try await demo.connection.script("UPDATE proposal_votes SET created_at = '2030-01-04 10:00+00', updated_at = NULL")
    let first = try await demo.cast("yes", by: .eva, on: Demo.sunday, "e1")
    _ = try await demo.run(function, on: first, at: Demo.dayBefore)
    // It carries an earlier time than the vote that was there before it.
    let late = try await demo.cast("yes", by: .chloe, on: Demo.sunday, "e2")
    try await demo.connection.script(
      """
      UPDATE proposal_votes SET created_at = '2030-01-04 09:00+00', updated_at = '2030-01-04 09:00+00'
      WHERE user_id = '\(Person.chloe.id)'
      """)

    _ = try await demo.run(function, on: late, at: Demo.dayBefore + 1)

    #expect(try await pushes() == ["Sun 7pm now winning!"])
  }

  @Test func anOptionThatIsGoneIsNotNamed() async throws {
    try await demo.connection.script(
      """
      INSERT INTO user_notification_preferences (user_id, timezone, quiet_hours_enabled, quiet_hours_start, quiet_hours_end)
      VALUES ('\(Person.ben.id)', 'UTC', true, '19:00', '23:00')
      """)
    try await vote("yes", by: .chloe, on: Demo.sunday, "e1")
    try await vote("yes", by: .eva, on: Demo.sunday, "e2")
    try await demo.connection.script(
      """
      UPDATE proposal_votes SET vote = 'no' WHERE user_id = '\(Person.ben.id)';
      DELETE FROM proposal_options WHERE id = '\(Demo.sunday)';
      """)

    let release = try await release(after: 3 * 3_600 + 61)

    #expect(release.released == 0 && release.suppressed == 1)
  }

  @Test func aVoteThatFlipsBackRingsOnce() async throws {
    try await demo.connection.script("UPDATE event_proposals SET notify_vote_cast = true")
    for (number, said) in ["maybe", "no", "maybe"].enumerated() {
      try await vote(said, by: .eva, on: Demo.sunday, "e\(number)", after: Double(number))
    }

    let release = try await release(after: 661)

    #expect(release.released == 0)
    #expect(try await demo.inbox(of: .ada) == ["Eva voted Maybe / on Game Night"])
  }
}
