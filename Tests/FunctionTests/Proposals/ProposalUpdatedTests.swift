import DeliveryLive
import FoundationEssentials
import FunctionKit
import PersonLive
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import ProposalUpdated

@Suite(.heavy)
struct ProposalUpdatedTests {
  private func update(_ demo: Demo, to version: Int = 2, chunk: Int = 5_000, actor: String? = nil) async throws
    -> Answer
  {
    let event = RowEvent.proposal(
      "UPDATE", from: #""options_version":\#(version - 1)"#, to: #""options_version":\#(version)"#, "e\(version)",
      actor: actor)
    return try await demo.run(ProposalUpdated(store: demo.store(chunk: chunk)), on: event, at: Demo.dayBefore)
  }

  private func change(_ demo: Demo) async throws {
    try await demo.connection.script("UPDATE event_proposals SET options_version = options_version + 1")
  }

  private func votes(_ demo: Demo) async throws -> Int { try await demo.number("SELECT count(*) FROM proposal_votes") }

  @Test func whoHadVotedIsAskedAgainAndTheirVotesAreDeleted() async throws {
    let demo = try await Demo()
    for person in [Person.ada, .eva, .hugo] { _ = try await demo.cast("yes", by: person) }
    try await change(demo)

    let answer = try await update(demo)

    #expect(
      answer.decisions == [
        .ada: "suppress actor", .ben: "notify voter", .eva: "notify voter", .hugo: "suppress no_device",
      ])
    #expect(try await demo.inbox(of: .ben) == ["Game Night times changed / Please vote again on new options"])
    #expect(try await votes(demo) == 0)
  }

  @Test func aRepeatedEventTellsNobodyTwiceAndLeavesTheNewVotes() async throws {
    let demo = try await Demo()
    try await change(demo)
    let first = try await update(demo)
    _ = try await demo.cast("yes", by: .ben)

    let again = try await update(demo)

    #expect(again.json == first.json)
    #expect(try await demo.inbox(of: .ben).count == 1)
    #expect(try await votes(demo) == 1)
  }

  /// Each rings, and only the last one lies on the phone and in the inbox.
  @Test func eachChangeWithinMinutesIsTold() async throws {
    let demo = try await Demo()
    for version in [2, 3, 4] {
      _ = try await demo.cast("yes", by: .ben)
      try await change(demo)
      #expect(try await update(demo, to: version).decisions[.ben] == "notify voter")
      #expect(try await votes(demo) == 0)
      try await demo.send()
    }

    _ = try await demo.store().release(at: Demo.dayBefore, dryRun: false)
    #expect(try await demo.inbox(of: .ben).count == 1)
    let pushes = try await demo.connection.query(
      "SELECT collapse_id FROM notifications WHERE user_id = \(Person.ben.id)::uuid AND pushed_at IS NOT NULL")
    #expect(pushes.count == 3)
    #expect(try Set(pushes.decode("collapse_id", as: String.self)) == ["proposal_updated \(Demo.proposal)"])
  }

  /// The ways in which an app may replace the options and raise their version; the votes go with the options.
  @Test(arguments: [
    ["BEGIN; delete; insert; raise; COMMIT"], ["BEGIN; raise; delete; insert; COMMIT"], ["delete", "insert", "raise"],
    ["raise", "delete", "insert"], ["insert", "raise", "delete"], ["insert; delete", "raise"],
  ]) func whoseVoteWentWithItsOptionIsAskedAgain(_ requests: [String]) async throws {
    let demo = try await Demo()
    _ = try await demo.cast("maybe", by: .eva, on: Demo.saturday)
    let statements = [
      "delete": "DELETE FROM proposal_options WHERE id IN ('\(Demo.saturday)', '\(Demo.sunday)')",
      "insert": """
      INSERT INTO proposal_options (proposal_id, starts_at, ends_at) VALUES ('\(Demo.proposal)', '2030-02-01', '2030-02-02')
      """,
      "raise": "UPDATE event_proposals SET options_version = options_version + 1 WHERE id = '\(Demo.proposal)'",
    ]
    for request in requests {
      try await demo.connection.script(
        request.split(separator: "; ").map { statements[String($0)] ?? String($0) }.joined(separator: ";\n"))
    }

    let answer = try await update(demo)
    let again = try await update(demo)

    #expect(answer.decisions == [.ben: "notify voter", .eva: "notify voter"])
    #expect(again.json == answer.json)
    #expect(try await demo.inbox(of: .ben).count == 1)
    #expect(try await demo.number("SELECT count(*) FROM proposal_lost_votes") == 0)
  }

  @Test func whoTookTheirVoteBackIsNotAskedAgain() async throws {
    let demo = try await Demo()
    _ = try await demo.cast("yes", by: .eva)
    try await demo.connection.script(
      "DELETE FROM proposal_votes WHERE user_id = '\(Person.ben.id)'; DELETE FROM proposal_options WHERE id = '\(Demo.sunday)'"
    )
    try await change(demo)

    #expect(try await update(demo).decisions == [.eva: "notify voter"])
  }

  @Test(arguments: [false, true]) func twoChangesInANightAreToldOnceInTheMorning(_ votesBetween: Bool) async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      INSERT INTO user_notification_preferences (user_id, quiet_hours_enabled, quiet_hours_start, quiet_hours_end, timezone)
      VALUES ('\(Person.ben.id)', true, '19:00', '21:00', 'UTC')
      ON CONFLICT (user_id) DO UPDATE SET quiet_hours_enabled = true, quiet_hours_start = '19:00',
        quiet_hours_end = '21:00', timezone = 'UTC'
      """)
    for version in [2, 3] {
      try await change(demo)
      _ = try await update(demo, to: version)
      if votesBetween, version == 2 { _ = try await demo.cast("yes", by: .ben) }
    }
    let held = try await demo.number("SELECT count(*) FROM held_notifications")

    let release = try await demo.store().release(at: Demo.dayBefore + 3_700, dryRun: false)

    #expect(held == (votesBetween ? 2 : 1), "the newer one takes over what waits when it is corrected")
    #expect(release.released == 1 && release.suppressed == 0, "\(release)")
    #expect(
      try await demo.number(
        "SELECT count(*) FROM deliveries d JOIN notifications n ON n.id = d.notification_id WHERE n.type = 'proposal_updated'"
      ) == 1)
    #expect(
      try await demo.number(
        """
        SELECT count(*) FROM notifications
        WHERE user_id = '\(unescaped: Person.ben.id)' AND NOT is_archived AND is_read IS NOT TRUE
        """) == 1)
  }

  @Test func votesOnTheNewOptionsStay() async throws {
    let demo = try await Demo()
    try await change(demo)
    _ = try await demo.cast("yes", by: .eva)
    _ = try await demo.cast("no", by: .ben, on: Demo.saturday)

    let answer = try await update(demo)

    #expect(answer.result.decisions.isEmpty)
    #expect(try await votes(demo) == 2)
  }

  @Test func whoHasVotedAgainIsNotAskedAndLosesOnlyTheOldVotes() async throws {
    let demo = try await Demo()
    try await change(demo)
    _ = try await demo.cast("yes", by: .ben, on: Demo.sunday)

    let answer = try await update(demo)

    #expect(answer.decisions == [.ben: "suppress already_handled"])
    #expect(try await demo.number("SELECT count(*) FROM proposal_votes WHERE options_version = 2") == 1)
    #expect(try await votes(demo) == 1)
  }

  @Test func nothingIsDeletedBeforeAllAreTold() async throws {
    let demo = try await Demo()
    for person in [Person.eva, .hugo] { _ = try await demo.cast("yes", by: person) }
    try await change(demo)
    try await demo.connection.script(
      "ALTER TABLE decisions ADD CONSTRAINT last CHECK (user_id <> '\(Person.hugo.id)')")
    await #expect(throws: (any Error).self) { try await update(demo, chunk: 1) }
    #expect(try await demo.number("SELECT count(*) FROM notifications") == 2)
    #expect(try await votes(demo) == 3)

    try await demo.connection.script("ALTER TABLE decisions DROP CONSTRAINT last")
    let answer = try await update(demo, chunk: 1)

    #expect(answer.result.decisions.count == 3)
    #expect(try await demo.number("SELECT count(*) FROM notifications") == 3)
    #expect(try await votes(demo) == 0)
  }

  @Test func aVoteThatCameAfterItsTurnIsNotLost() async throws {
    let demo = try await Demo()
    try await change(demo)
    // Ada's turn is over when her vote on the old options arrives.
    try await demo.connection.script(
      """
      CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO proposal_votes (proposal_id, option_id, user_id, vote)
        VALUES ('\(Demo.proposal)', '\(Demo.sunday)', '\(Person.ada.id)', 'yes');
        UPDATE proposal_votes SET options_version = 1 WHERE user_id = '\(Person.ada.id)';
        RETURN NEW; END $$;
      CREATE TRIGGER late AFTER INSERT ON notifications FOR EACH ROW EXECUTE FUNCTION late();
      """)

    _ = try await update(demo)

    #expect(try await demo.number("SELECT count(*) FROM proposal_votes WHERE user_id = \(Person.ada.id)::uuid") == 1)
    #expect(try await votes(demo) == 1)
  }

  @Test(arguments: ["confirmed", "cancelled"])
  func aClosedProposalKeepsItsVotes(status: String) async throws {
    let demo = try await Demo()
    try await change(demo)
    try await demo.connection.script("UPDATE event_proposals SET status = '\(status)'")

    #expect(try await update(demo).decisions == [.ben: "suppress already_handled"])
    #expect(try await votes(demo) == 1)
  }

  @Test func whoHasLeftTheGroupIsNotTold() async throws {
    let demo = try await Demo()
    try await demo.connection.script("DELETE FROM group_members WHERE user_id = '\(Person.ben.id)'")

    #expect(try await update(demo).decisions == [.ben: "suppress not_permitted"])
  }

  @Test func aPrivateTitleAppearsNowhere() async throws {
    let demo = try await Demo()
    try await demo.connection.script("UPDATE event_proposals SET visibility = 'private'")

    _ = try await update(demo)

    #expect(try await demo.inbox(of: .ben) == ["Ada updated their availability / Please vote again on new options"])
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE payload LIKE '%Game Night%'") == 0)
  }

  @Test func aDryRunDeletesNothing() async throws {
    let demo = try await Demo()
    let event = RowEvent.proposal("UPDATE", from: #""options_version":1"#, to: #""options_version":2"#)

    let answer = try await demo.run(
      ProposalUpdated(store: demo.store()), on: event, dryRun: true, at: Demo.dayBefore)

    #expect(answer.result.notified == 1)
    #expect(try await votes(demo) == 1)
  }

  @Test func otherChangesAreNotTold() async throws {
    let demo = try await Demo()
    let event = RowEvent.proposal("UPDATE", from: #""options_version":1"#, to: #""options_version":1"#)

    let answer = try await demo.run(ProposalUpdated(store: demo.store()), on: event)

    #expect(answer.result.reason == "unchanged")
    #expect(try await votes(demo) == 1)
  }
}
