import DeliveryLive
import FoundationEssentials
import Notifications
import PersonLive
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import CommentAdded
@testable import FeedbackCreated
@testable import ProposalVoteCast

/// An entry that tells of several acts tells of those that are left.
@Suite(.heavy)
struct CorrectedActsTests {
  private func comment(_ demo: Demo, _ number: Int, by author: String, actor: String? = nil) async throws {
    let id = "c1000000-0000-4000-8000-0000000000f\(number)"
    try await demo.connection.script(
      """
      INSERT INTO comments (id, content, user_id, is_admin, feedback_id)
      VALUES ('\(id)', 'Hm', '\(author)', \(author == "admin"), '\(RowEvent.feedback)')
      """)
    let record = #"{"id":"\#(id)","feedback_id":"\#(RowEvent.feedback)"}"#
    let event = RowEvent.event("INSERT", "comments", record: record, id: "comment-\(number)", actor: actor)
    _ = try await demo.run(CommentAdded(store: demo.store()), on: event, at: Demo.now + Double(number))
  }

  @Test func commentsThatWereDeletedAreNotCounted() async throws {
    let demo = try await Demo()
    for number in 1...3 { try await comment(demo, number, by: "sdk-\(number)") }
    _ = try await demo.store().release(at: Demo.now + 700, dryRun: false)
    #expect(try await demo.unread(of: .grace) == ["3 people commented on Dark mode"])

    try await demo.connection.script("DELETE FROM comments WHERE user_id = 'sdk-3'")
    _ = try await demo.store().release(at: Demo.now + 800, dryRun: false)
    #expect(try await demo.unread(of: .grace) == ["2 people commented on Dark mode"])

    try await demo.connection.script("DELETE FROM comments WHERE user_id LIKE 'sdk-%'")
    _ = try await demo.store().release(at: Demo.now + 900, dryRun: false)
    #expect(try await demo.unread(of: .grace) == [])
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

    _ = try await demo.store().release(at: Demo.now + 700, dryRun: false)

    #expect(try await demo.unread(of: .grace) == [body])
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
    try await demo.tell(ofConflictsOf: .ben, .chloe, .eva)
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
      _ = try await demo.run(FeedbackCreated(store: demo.store()), on: event, at: Demo.now + Double(number))
    }
    _ = try await demo.store().release(at: Demo.now + 601, dryRun: false)
    let name = try await demo.connection.query(
      "SELECT p.name FROM projects p JOIN feedbacks f ON f.project_id = p.id WHERE f.id = \(id("0"))::uuid"
    ).only().decode("name", as: String.self)
    #expect(try await demo.unread(of: .ada) == ["3 new items in \(name)"])

    for number in deleted { try await demo.connection.script("DELETE FROM feedbacks WHERE id = '\(id(number))'") }
    _ = try await demo.store().release(at: Demo.now + 700, dryRun: false)

    let expected = left.map { $0.replacing("Feedback Kit Demo", with: name) }
    #expect(try await demo.unread(of: .ada) == expected)
    #expect(try await demo.badge(of: .ada) == left.count)
  }
}

extension Demo {
  /// Sends everything that is queued.
  func send() async throws {
    try await connection.script("UPDATE deliveries SET state = 'accepted' WHERE state = 'queued'")
  }

  /// The bodies of a person's unread entries, the oldest first.
  func unread(of person: Person) async throws -> [String] {
    try await connection.query(
      """
      SELECT body FROM notifications WHERE user_id = \(person.id)::uuid AND NOT is_archived AND NOT is_read
      ORDER BY created_at, id
      """
    ).decode("body")
  }

  /// The number on a person's icon of FeedbackKit.
  func badge(of person: Person) async throws -> Int {
    try await number("SELECT push_badge(\(person.id)::uuid, 'feedbackkit', \(Demo.now))")
  }
}
