import FunctionKit
import PersonLive
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import ProposalVoteCast

@Suite(.heavy)
struct ProposalVoteCastTests {
  private func vote(
    _ demo: Demo, _ vote: String, by person: Person, on option: String = Demo.sunday, _ id: String = "e1",
    actor: String? = nil
  ) async throws -> Answer {
    let event = try await demo.cast(vote, by: person, on: option, id, actor: actor)
    return try await demo.run(ProposalVoteCast(store: demo.store()), on: event, at: Demo.dayBefore)
  }

  private func optIn(_ demo: Demo) async throws {
    try await demo.connection.script("UPDATE event_proposals SET notify_vote_cast = true")
  }

  @Test func nobodyHearsOfAVoteWhoDidNotAsk() async throws {
    let demo = try await Demo()

    #expect(try await vote(demo, "maybe", by: .eva).decisions == [.ada: "suppress type_disabled"])
  }

  @Test(
    arguments: [
      (nil, nil, nil, false), (nil, nil, true, true), (nil, false, true, false), (nil, true, nil, true),
      (false, true, true, false), (true, false, false, true),
    ] as [(Bool?, Bool?, Bool?, Bool)])
  func theProposalsSwitchCountsThenTheGroupsThenThePersons(
    proposal: Bool?, group: Bool?, personal: Bool?, isTold: Bool
  ) async throws {
    let demo = try await Demo()
    _ = try await demo.connection.query("UPDATE event_proposals SET notify_vote_cast = \(proposal as Bool?)")
    _ = try await demo.connection.query(
      """
      INSERT INTO group_notification_preferences (user_id, group_id, vote_cast)
      VALUES (\(Person.ada.id)::uuid, \(Demo.group)::uuid, \(group as Bool?))
      """)
    _ = try await demo.connection.query(
      "INSERT INTO user_notification_preferences (user_id, vote_cast) VALUES (\(Person.ada.id)::uuid, \(personal as Bool?))"
    )

    #expect(try await vote(demo, "maybe", by: .eva).result.notified == (isTold ? 1 : 0))
  }

  @Test func theProposerWhoAskedHearsOfEachVote() async throws {
    let demo = try await Demo()
    try await optIn(demo)

    _ = try await vote(demo, "maybe", by: .eva)
    _ = try await vote(demo, "no", by: .eva, "e2")

    #expect(
      try await demo.inbox(of: .ada).sorted() == ["Eva voted Maybe / on Game Night", "Eva voted No / on Game Night"])
  }

  @Test func nobodyHearsOfTheirOwnVote() async throws {
    let demo = try await Demo()
    try await optIn(demo)

    let own = try await vote(demo, "no", by: .ada)
    let written = try await vote(demo, "yes", by: .ada, "e2", actor: Person.hugo.id)

    #expect(own.decisions[.ada] == "suppress actor")
    #expect(written.decisions[.ada] == "suppress already_handled")
  }

  @Test func theLeadPassesOnlyWhenATieIsBroken() async throws {
    let demo = try await Demo()

    let tie = try await vote(demo, "yes", by: .eva, "e1")
    let lead = try await vote(demo, "yes", by: .chloe, "e2")
    let more = try await vote(demo, "yes", by: .hugo, "e3")

    #expect(tie.decisions == [.ada: "suppress type_disabled"])
    #expect(lead.decisions[.ben] == "notify voter")
    #expect(lead.decisions[.chloe] == "suppress actor")
    // Eva wants only what is important.
    #expect(lead.decisions[.eva] == "suppress project_muted")
    #expect(more.decisions == [.ada: "suppress type_disabled"])
    #expect(try await demo.inbox(of: .ben) == ["Sun 7pm now winning! / 2/5 people available"])
  }

  @Test func theLeadIsToldInThePersonsTimeZone() async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      INSERT INTO user_notification_preferences (user_id, timezone) VALUES ('\(Person.ben.id)', 'Asia/Kolkata');
      INSERT INTO proposal_votes (proposal_id, option_id, user_id, vote)
      VALUES ('\(Demo.proposal)', '\(Demo.sunday)', '\(Person.hugo.id)', 'yes');
      """)

    _ = try await vote(demo, "yes", by: .eva)

    #expect(try await demo.inbox(of: .ben) == ["Mon 12:30am now winning! / 2/5 people available"])
  }

  @Test(arguments: [true, false])
  func theProposerHearsOfAVoteOrOfTheLeadButNotOfBoth(isOptedIn: Bool) async throws {
    let demo = try await Demo()
    if isOptedIn { try await optIn(demo) }
    _ = try await demo.cast("yes", by: .ada)

    let answer = try await vote(demo, "yes", by: .eva)

    #expect(answer.decisions[.ada] == (isOptedIn ? "notify organizer" : "notify voter"))
    #expect(try await demo.inbox(of: .ada).count == 1)
  }

  @Test func votesThatAreCastTogetherTellOfTheLeadOnce() async throws {
    let demo = try await Demo()
    _ = try await demo.cast("yes", by: .hugo)
    try await demo.connection.script(
      """
      INSERT INTO proposal_votes (proposal_id, option_id, user_id, vote) VALUES
        ('\(Demo.proposal)', '\(Demo.sunday)', '\(Person.eva.id)', 'yes'),
        ('\(Demo.proposal)', '\(Demo.saturday)', '\(Person.eva.id)', 'no');
      """)
    let rows = try await demo.connection.query(
      "SELECT to_jsonb(v)::text AS row FROM proposal_votes v WHERE user_id = \(Person.eva.id)::uuid")

    for (number, row) in try rows.decode("row", as: String.self).enumerated() {
      let event = RowEvent.event("INSERT", "proposal_votes", record: row, id: "e\(number)")
      _ = try await demo.run(ProposalVoteCast(store: demo.store()), on: event, at: Demo.dayBefore)
    }

    #expect(try await demo.inbox(of: .ben) == ["Sun 7pm now winning! / 2/5 people available"])
  }

  @Test func whatComesLateIsJudgedByTheVotesOfNow() async throws {
    let demo = try await Demo()
    _ = try await demo.cast("yes", by: .hugo)
    let first = try await demo.cast("yes", by: .eva, "e1")
    let second = try await demo.cast("yes", by: .chloe, "e2")

    let function = ProposalVoteCast(store: demo.store())
    _ = try await demo.run(function, on: first, at: Demo.dayBefore)
    _ = try await demo.run(function, on: second, at: Demo.dayBefore)

    #expect(try await demo.inbox(of: .ben) == ["Sun 7pm now winning! / 3/5 people available"])
  }

  @Test func aRepeatedEventTellsNobodyTwice() async throws {
    let demo = try await Demo()
    try await optIn(demo)
    _ = try await demo.cast("yes", by: .hugo)
    let event = try await demo.cast("yes", by: .eva)
    let function = ProposalVoteCast(store: demo.store())

    let first = try await demo.run(function, on: event, at: Demo.dayBefore)
    let effects = try await demo.effects()
    let again = try await demo.run(function, on: event, at: Demo.dayBefore)

    #expect(first.result.notified == 2)
    #expect(again.json == first.json)
    #expect(try await demo.effects() == effects)
  }

  @Test func afterACrashBetweenTheTwoTheOtherIsStillTold() async throws {
    let demo = try await Demo()
    try await optIn(demo)
    _ = try await demo.cast("yes", by: .hugo)
    let event = try await demo.cast("yes", by: .eva)
    let function = ProposalVoteCast(store: demo.store())
    try await demo.connection.script("ALTER TABLE decisions ADD CONSTRAINT none CHECK (kind <> 'vote_count_update')")
    await #expect(throws: (any Error).self) { try await demo.run(function, on: event, at: Demo.dayBefore) }

    try await demo.connection.script("ALTER TABLE decisions DROP CONSTRAINT none")
    let answer = try await demo.run(function, on: event, at: Demo.dayBefore)

    #expect(answer.result.notified == 2)
    #expect(
      try await demo.number(
        "SELECT count(*) FROM notifications WHERE NOT counts_for_badge AND type <> 'vote_count'") == 0)
  }

  @Test func aPrivateTitleAppearsNowhere() async throws {
    let demo = try await Demo()
    try await optIn(demo)
    try await demo.connection.script("UPDATE event_proposals SET visibility = 'private'")

    _ = try await vote(demo, "yes", by: .eva)

    #expect(try await demo.inbox(of: .ada) == ["Eva voted Yes / Ada updated their availability"])
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE payload LIKE '%Game Night%'") == 0)
  }

  @Test(arguments: ["DELETE FROM proposal_votes", "DELETE FROM event_proposals"])
  func whatIsGoneIsNotTold(change: String) async throws {
    let demo = try await Demo()
    let event = try await demo.cast("yes", by: .eva)
    try await demo.connection.script(change)

    let answer = try await demo.run(ProposalVoteCast(store: demo.store()), on: event)

    #expect(answer.result.reason == "subject_gone")
  }
}
