import FoundationEssentials
import FunctionKit
import PersonLive
import Postgres
import TestSupport
import Testing

@testable import StatusChanged
@testable import VoteCast

/// Events with many people, and events that have not happened.
@Suite(.heavy)
struct ExplainManyTests {
  @Test func ofManyPeopleTheFirstAreShownAndAllAreCounted() async throws {
    let scene = try await ExplainScene()
    try await scene.connection.script(
      """
      INSERT INTO users (id, email, name, is_email_verified)
      SELECT md5('many' || i)::uuid, 'many' || i || '@example.com', 'Many ' || i, true FROM generate_series(1, 60) i;
      INSERT INTO votes (id, user_id, user_email, feedback_id)
      SELECT md5('vote' || i)::uuid, 'sdk-many' || i, 'many' || i || '@example.com', '\(RowEvent.feedback)'
      FROM generate_series(1, 60) i
      """)
    _ = try await scene.policy.demo.run(
      StatusChanged(store: scene.policy.demo.store()), on: RowEvent.statusChanged(actor: Person.ada.id))

    let text = try await scene.text(["why", "e1"])
    let one = try await scene.text(["why", "e1", "--user", "MANY7@example.com"])
    let report = try await scene.json(["why", "e1"])
    let absent = try await scene.text(["why", "e1", "--user", Person.ben.id])

    #expect(text.contains("62 candidates."))
    #expect(
      text.contains("  60 not told: no active device; it is in the inbox (no_device)") && text.contains("and 42 more"))
    #expect(report["handlings"]?.elements?.first?["people"]?.elements?.count == 20)
    #expect(one.contains("Many 7 <many7@example.com>, a voter: not told") && !one.contains("Many 8"))
    #expect(absent.contains("Ben <ben@example.com> was not among them"))
  }

  @Test func anEventThatHasNotHappenedIsExplainedAndLeavesNoTrace() async throws {
    let scene = try await ExplainScene()
    try await scene.policy.set("quiet_hours_enabled = true, quiet_hours_start = '00:00', quiet_hours_end = '23:59'")
    let before = try await scene.policy.demo.effects()
    let words = ["why", "--dry-run", "--function", "vote-cast"]
    let file = try TemporaryDirectory()
    try file.write(RowEvent.voteCast(), to: "vote.json")

    let text = try await scene.text(words, stdin: RowEvent.voteCast())
    let person = try await scene.json(words + ["--event", "\(file.path)/vote.json"]).firstPerson

    #expect(text.hasPrefix("This event has not happened: nothing was written, nobody was told.\n"))
    #expect(text.contains("Grace <grace@example.com>, a submitter: ") && text.contains("00:00–23:59 UTC, it was"))
    #expect(person?["gates"]?.elements?.count == 11)
    #expect(try await scene.policy.demo.effects() == before)
  }

  @Test func aRehearsalThatCannotBeSaysWhy() async throws {
    let scene = try await ExplainScene()
    func rehearse(_ words: [String], _ stdin: String = "{}") async throws -> BuiltExecutables.Outcome {
      try await scene.run(["why", "--dry-run"] + words, stdin: stdin)
    }

    let bare = try await rehearse([])
    let unknown = try await rehearse(["--function", "../../bin/sh"])
    let refused = try await rehearse(["--function", "vote-cast"])
    let other = try await rehearse(["--function", "echo"])
    let absent = try await rehearse(["--function", "vote-cast", "/nowhere.json"])

    #expect(bare.exit == 64 && unknown.exit == 64 && other.exit == 64 && absent.exit == 66)
    #expect(refused.exit == 65 && refused.stderr.contains("vote-cast refuses the event: "))
  }
}

/// The function of a vote on a scene's database.
func voteCast(_ scene: ExplainScene) -> VoteCast { VoteCast(store: scene.policy.demo.store()) }
