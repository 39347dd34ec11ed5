import DeliveryLive
import FoundationEssentials
import Notifications
import PersonLive
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import CommentAdded
@testable import ConflictDetected
@testable import FeedbackCreated
@testable import ProposalVoteCast
@testable import StatusChanged

/// The inbox never shows what is no longer true, and nobody is told of that.
@Suite(.heavy)
struct CorrectionTests {
  private static let noon = Date(timeIntervalSince1970: 1_790_000_000)

  /// The bodies of a person's entries, the oldest first.
  private func inbox(_ demo: Demo, of person: Person) async throws -> [String] {
    try await demo.connection.query(
      """
      SELECT body FROM notifications WHERE user_id = \(person.id)::uuid AND NOT is_archived AND NOT is_read
      ORDER BY created_at, id
      """
    ).decode("body")
  }

  /// The bodies of a person's pushes as they went out, with the names under which the phone keeps them.
  private func pushes(_ demo: Demo, of person: Person) async throws -> [(body: String, collapseID: String)] {
    try await demo.connection.query(
      """
      SELECT n.payload::jsonb #>> '{aps,alert,body}' AS body, n.collapse_id FROM notifications n
      WHERE n.user_id = \(person.id)::uuid AND n.pushed_at IS NOT NULL ORDER BY n.pushed_at
      """
    ).map { (try $0.decode("body"), try $0.decode("collapse_id")) }
  }

  private func badge(_ demo: Demo, of person: Person) async throws -> Int {
    try await demo.number("SELECT push_badge(\(person.id)::uuid, 'feedbackkit', \(Self.noon))")
  }

  // Votes ---------------------------------------------------------------------------------------------------------------

  /// A digest of four votes on Dark mode that has gone out.
  private func digest() async throws -> DeliveryPolicyScene {
    let scene = try await DeliveryPolicyScene()
    for number in 1...4 { try await scene.vote(number, at: Self.noon + Double(number)) }
    _ = try await scene.release(at: Self.noon + 602)
    return scene
  }

  @Test(
    arguments: [
      (["sdk-1"], ["3 people voted for Dark mode"], "4 people voted for Dark mode"),
      (["sdk-4", "sdk-2"], ["2 people voted for Dark mode"], "3 people voted for Dark mode"),
      (["sdk-1", "sdk-2", "sdk-3"], ["Dark mode now has 3 votes"], "2 people voted for Dark mode"),
      (["sdk-1", "sdk-2", "sdk-3", "sdk-4"], [], "Dark mode now has 3 votes"),
    ] as [([String], [String], String)])
  func aDigestWhoseVotesAreTakenBackSaysWhatIsLeft(_ voters: [String], _ left: [String], _ next: String) async throws {
    let scene = try await digest()
    let pushed = try await scene.pushes().count

    _ = try await scene.demo.connection.query("DELETE FROM votes WHERE user_id = ANY (\(voters))")
    let release = try await scene.release(at: Self.noon + 1_300)

    #expect(release.released == 0)
    #expect(try await inbox(scene.demo, of: .grace) == left)
    #expect(try await badge(scene.demo, of: .grace) == left.count)
    #expect(
      try await scene.demo.number("SELECT count(*) FROM badge_losses WHERE coalesce(asked_at, ends_at) IS NULL")
        == (left.isEmpty ? 1 : 0))
    #expect(try await scene.demo.number("SELECT count(*) FROM stale_entries") == 0)

    // The next vote takes the place of the digest on the phone, even where it is gone from the inbox.
    try await scene.vote(5, at: Self.noon + 2_000)
    let pushes = try await scene.pushes()
    if next.hasPrefix("4") {
      #expect(pushes.count == pushed, "the phone says so already")
    } else {
      #expect(pushes.count == pushed + 1 && Set(pushes.suffix(2).map(\.collapseID)).count == 1)
    }
    #expect(try await inbox(scene.demo, of: .grace) == [next])
    #expect(try await badge(scene.demo, of: .grace) == 1)
  }

  /// A vote that is cast again says what the phone says already: it returns into the inbox, and nothing rings.
  @Test func whoVotesAgainAndAgainIsToldOfOnce() async throws {
    let scene = try await DeliveryPolicyScene()
    try await scene.vote(1, at: Self.noon)
    for round in 1...3 {
      let time = Self.noon + Double(round) * 1_500
      try await scene.demo.connection.script("DELETE FROM votes WHERE user_id = 'sdk-1'")
      _ = try await scene.release(at: time)
      #expect(try await inbox(scene.demo, of: .grace) == [])
      #expect(try await badge(scene.demo, of: .grace) == 0)

      let again = try await scene.vote(1, at: time + 60, "again-\(round)")

      #expect(again.decisions == [.grace: "suppress duplicate"])
      #expect(try await inbox(scene.demo, of: .grace) == ["Dark mode now has 3 votes"])
      #expect(try await badge(scene.demo, of: .grace) == 1)
    }
    #expect(try await scene.pushes().count == 1)
    #expect(
      try await scene.demo.number("SELECT count(*) FROM badge_losses WHERE coalesce(asked_at, ends_at) IS NULL") == 6,
      "the phone's badge follows")
  }

  @Test func whatWaitsLeavesTheInboxAtOnce() async throws {
    let scene = try await DeliveryPolicyScene()
    for number in 1...2 { try await scene.vote(number, at: Self.noon + Double(number)) }
    try await scene.demo.connection.script("DELETE FROM votes WHERE user_id = 'sdk-2'")

    _ = try await scene.release(at: Self.noon + 60)

    #expect(try await inbox(scene.demo, of: .grace) == ["Dark mode now has 3 votes"])
    #expect(try await scene.demo.number("SELECT count(*) FROM held_notifications") == 0)
    #expect(
      try await scene.demo.number("SELECT count(*) FROM notification_rechecks WHERE reason = 'subject_gone'") == 1)
  }

  @Test func whatIsReadOrArchivedStaysAsItIs() async throws {
    let scene = try await digest()
    try await scene.demo.connection.script(
      "UPDATE notifications SET is_read = true WHERE NOT is_archived; DELETE FROM votes")

    _ = try await scene.release(at: Self.noon + 1_300)

    #expect(
      try await scene.demo.connection.query(
        "SELECT body FROM notifications WHERE NOT is_archived"
      ).decode("body", as: String.self) == ["4 people voted for Dark mode"])
    #expect(try await scene.demo.number("SELECT count(*) FROM notifications WHERE is_gone") == 0)
  }

  /// An entry that cannot be corrected harms no other.
  @Test func whatFailsIsPassedOver() async throws {
    let scene = try await digest()
    try await scene.demo.connection.script(
      """
      INSERT INTO stale_entries (notification_id, user_id, app)
      SELECT gen_random_uuid(), user_id, app FROM notifications LIMIT 1;
      INSERT INTO stale_entries (notification_id, user_id, app) VALUES (gen_random_uuid(), gen_random_uuid(), 'lockitin');
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''not this one''; END';
      CREATE TRIGGER refuse BEFORE UPDATE OF is_gone ON notifications FOR EACH ROW
        WHEN (NEW.user_id <> '\(Person.grace.id)') EXECUTE FUNCTION refuse();
      WITH hugo AS (
        INSERT INTO notifications (user_id, app, type, title, body, origin, family, family_subject, actor, feedback_id,
          subject_id, recipient_reason, pushed_at)
        SELECT '\(Person.hugo.id)', app, type, title, body, origin, family, family_subject, 'sdk-3', feedback_id, subject_id,
          recipient_reason, pushed_at FROM notifications WHERE NOT is_archived
        RETURNING id
      ) SELECT FROM hugo;
      DELETE FROM votes
      """)

    _ = try await scene.release(at: Self.noon + 1_300)

    #expect(try await inbox(scene.demo, of: .grace) == [])
    #expect(try await inbox(scene.demo, of: .hugo).count == 1)
    #expect(try await scene.demo.number("SELECT count(*) FROM stale_entries") == 0)
  }

  // Other acts ----------------------------------------------------------------------------------------------------------

  private func comment(_ demo: Demo, _ number: Int, by author: String, actor: String? = nil) async throws {
    let id = "c1000000-0000-4000-8000-0000000000f\(number)"
    try await demo.connection.script(
      """
      INSERT INTO comments (id, content, user_id, is_admin, feedback_id)
      VALUES ('\(id)', 'Hm', '\(author)', \(author == "admin"), '\(RowEvent.feedback)')
      """)
    let record = #"{"id":"\#(id)","feedback_id":"\#(RowEvent.feedback)"}"#
    let event = RowEvent.event("INSERT", "comments", record: record, id: "comment-\(number)", actor: actor)
    _ = try await demo.run(CommentAdded(store: demo.store()), on: event, at: Self.noon + Double(number))
  }

  @Test func commentsThatWereDeletedAreNotCounted() async throws {
    let demo = try await Demo()
    for number in 1...3 { try await comment(demo, number, by: "sdk-\(number)") }
    _ = try await demo.store().release(at: Self.noon + 700, dryRun: false)
    #expect(try await inbox(demo, of: .grace) == ["3 people commented on Dark mode"])

    try await demo.connection.script("DELETE FROM comments WHERE user_id = 'sdk-3'")
    _ = try await demo.store().release(at: Self.noon + 800, dryRun: false)
    #expect(try await inbox(demo, of: .grace) == ["2 people commented on Dark mode"])

    try await demo.connection.script("DELETE FROM comments WHERE user_id LIKE 'sdk-%'")
    _ = try await demo.store().release(at: Self.noon + 900, dryRun: false)
    #expect(try await inbox(demo, of: .grace) == [])
  }

  /// Several people may write under one id of the SDK; the app names the account that acts.
  @Test(
    arguments: [
      ([nil, nil], "Comment on: Dark mode"), ([.ben, .ben], "Comment on: Dark mode"),
      ([.ben, .chloe], "2 people commented on Dark mode"), ([.ben, nil], "2 people commented on Dark mode"),
      ([.ben, .chloe, .ben], "2 people commented on Dark mode"),
    ] as [([Person?], String)])
  func administratorsCountByTheirAccounts(_ actors: [Person?], _ body: String) async throws {
    let demo = try await Demo()
    for (number, actor) in actors.enumerated() { try await comment(demo, number, by: "admin", actor: actor?.id) }

    _ = try await demo.store().release(at: Self.noon + 700, dryRun: false)

    #expect(try await inbox(demo, of: .grace) == [body])
  }

  @Test(
    arguments: [
      ("DELETE FROM proposal_votes WHERE user_id = '\(Person.eva.id)'", ["2 people voted on Game Night"]),
      (
        "DELETE FROM group_members WHERE user_id IN ('\(Person.eva.id)', '\(Person.hugo.id)')",
        ["Ben voted Yes"]
      ),
      ("DELETE FROM proposal_votes", []),
    ] as [(String, [String])])
  func votesOnAProposalAreThoseOfItsMembers(_ change: String, _ left: [String]) async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      UPDATE event_proposals SET notify_vote_cast = true;
      DELETE FROM proposal_votes WHERE proposal_id = '\(Demo.proposal)';
      INSERT INTO group_members (group_id, user_id)
      SELECT '\(Demo.group)', id FROM users WHERE id = '\(Person.hugo.id)' ON CONFLICT DO NOTHING
      """)
    for (number, person) in [Person.ben, .hugo, .eva].enumerated() {
      let event = try await demo.cast("yes", by: person, on: Demo.sunday, "e\(number)")
      _ = try await demo.run(
        ProposalVoteCast(store: demo.store()), on: event, at: Demo.dayBefore + Double(number))
    }
    _ = try await demo.store().release(at: Demo.dayBefore + 700, dryRun: false)
    let titles = { () async throws -> [String] in
      try await demo.connection.query(
        """
        SELECT title FROM notifications
        WHERE user_id = \(Person.ada.id)::uuid AND family = 'proposal_votes' AND NOT is_archived
        """
      ).decode("title")
    }
    #expect(try await titles() == ["3 people voted on Game Night"])

    try await demo.connection.script(change)
    _ = try await demo.store().release(at: Demo.dayBefore + 800, dryRun: false)

    #expect(try await titles() == left)
  }

  @Test func conflictsThatAreGoneAreNotCounted() async throws {
    let demo = try await Demo()
    for (number, person) in [Person.ben, .chloe, .eva].enumerated() {
      let id = "f9000000-0000-4000-8000-0000000000f\(number)"
      try await demo.connection.script(
        """
        INSERT INTO event_conflicts (id, proposal_id, user_id, existing_event_id)
        VALUES ('\(id)', '\(Demo.proposal)', '\(person.id)', gen_random_uuid())
        """)
      let event = RowEvent.event("INSERT", "event_conflicts", record: #"{"id":"\#(id)"}"#, id: "e\(number)")
      _ = try await demo.run(
        ConflictDetected(store: demo.store()), on: event, at: Demo.dayBefore + Double(number))
    }
    _ = try await demo.store().release(at: Demo.dayBefore + 661, dryRun: false)
    #expect(try await demo.inbox(of: .ada) == ["3 people have a scheduling conflict / with Game Night on Saturday"])

    // The newest is the one whose notification tells of all.
    try await demo.connection.script("DELETE FROM event_conflicts WHERE user_id = '\(Person.eva.id)'")
    _ = try await demo.store().release(at: Demo.dayBefore + 700, dryRun: false)
    #expect(try await demo.inbox(of: .ada) == ["2 people have a scheduling conflict / with Game Night on Saturday"])

    try await demo.connection.script("DELETE FROM event_conflicts")
    _ = try await demo.store().release(at: Demo.dayBefore + 800, dryRun: false)
    #expect(try await demo.inbox(of: .ada) == [])
  }

  /// The notification that tells of all goes with its feedback, and another one takes its place.
  @Test(
    arguments: [
      (["2"], ["2 new items in Feedback Kit Demo"]), (["0"], ["2 new items in Feedback Kit Demo"]),
      (["2", "1"], ["F0"]), (["0", "1"], ["F2"]), (["0", "1", "2"], []),
    ] as [([String], [String])])
  func feedbackThatIsDeletedIsNotCounted(_ deleted: [String], _ left: [String]) async throws {
    let demo = try await Demo()
    let id = { (number: String) in "cf000000-0000-4000-8000-00000000000\(number)" }
    for number in 0..<3 {
      try await demo.connection.script(
        """
        INSERT INTO feedbacks (id, title, user_id, project_id)
        SELECT '\(id("\(number)"))', 'F\(number)', 'sdk-x', project_id FROM feedbacks WHERE id = '\(RowEvent.feedback)'
        """)
      let event = RowEvent.event("INSERT", "feedbacks", record: #"{"id":"\#(id("\(number)"))"}"#, id: "e\(number)")
      _ = try await demo.run(FeedbackCreated(store: demo.store()), on: event, at: Self.noon + Double(number))
    }
    _ = try await demo.store().release(at: Self.noon + 601, dryRun: false)
    let name = try await demo.connection.query(
      "SELECT p.name FROM projects p JOIN feedbacks f ON f.project_id = p.id WHERE f.id = \(id("0"))::uuid"
    ).only().decode("name", as: String.self)
    #expect(try await inbox(demo, of: .ada) == ["3 new items in \(name)"])

    for number in deleted { try await demo.connection.script("DELETE FROM feedbacks WHERE id = '\(id(number))'") }
    _ = try await demo.store().release(at: Self.noon + 700, dryRun: false)

    let expected = left.map { $0.replacing("Feedback Kit Demo", with: name) }
    #expect(try await inbox(demo, of: .ada) == expected)
    #expect(try await badge(demo, of: .ada) == left.count)
  }

  // States --------------------------------------------------------------------------------------------------------------

  /// Whatever becomes of the push about a feedback's status, no earlier status stays in the inbox.
  @Test(
    arguments: [
      ("pushed a day later", "", 90_000.0, ["Dark mode is now Rejected"]),
      ("held in the window", "", 60, ["Dark mode is now Rejected"]),
      ("switched off", "UPDATE users SET push_notify_status_changes = false", 700, ["Dark mode is now Rejected"]),
      ("without a device", "DELETE FROM device_tokens", 700, ["Dark mode is now Rejected"]),
      ("changed by the person", "", 700, []),
    ] as [(String, String, Double, [String])])
  func onlyTheLastStatusIsInTheInbox(_ name: String, _ change: String, _ later: Double, _ left: [String]) async throws {
    let demo = try await Demo()
    let set = { (old: String, new: String, id: String, time: Date, actor: String?) async throws in
      try await demo.connection.script("UPDATE feedbacks SET status = '\(new)' WHERE id = '\(RowEvent.feedback)'")
      let row = { (status: String) in #"{"id":"\#(RowEvent.feedback)","status":"\#(status)"}"# }
      let event = RowEvent.event("UPDATE", "feedbacks", record: row(new), oldRecord: row(old), id: id, actor: actor)
      _ = try await demo.run(StatusChanged(store: demo.store()), on: event, at: time)
    }
    try await set("pending", "approved", "e1", Self.noon, nil)
    #expect(try await inbox(demo, of: .grace) == ["Dark mode is now Approved"])
    if !change.isEmpty { try await demo.connection.script(change) }

    try await set("approved", "rejected", "e2", Self.noon + later, left.isEmpty ? Person.grace.id : nil)

    #expect(try await inbox(demo, of: .grace) == left)
    let before = try await pushes(demo, of: .grace).count
    try await set("rejected", "completed", "e3", Self.noon + later + 1_500, nil)
    _ = try await demo.store().release(at: Self.noon + later + 2_200, dryRun: false)
    #expect(try await inbox(demo, of: .grace) == ["Dark mode is now Completed"])
    #expect(try await pushes(demo, of: .grace).count >= before)
  }
}
