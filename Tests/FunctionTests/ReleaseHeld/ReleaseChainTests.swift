import DeliveryLive
import FoundationEssentials
import Notifications
import PersonLive
import Postgres
import TestSupport
import Testing

@testable import ConflictDetected
@testable import EventConfirmed
@testable import FeedbackCreated
@testable import StatusChanged

/// Windows that follow one another add up.
@Suite(.heavy)
struct ReleaseChainTests {
  private static let noon = Date(timeIntervalSince1970: 1_790_000_000)

  /// The entries of a person's inbox.
  private func inbox(_ scene: DeliveryPolicyScene) async throws -> [String] {
    try await scene.demo.connection.query(
      "SELECT body FROM notifications WHERE user_id = \(scene.person) AND NOT is_archived ORDER BY created_at"
    ).decode("body")
  }

  @Test func aVoteAMinuteIsOneEntryThatCountsAll() async throws {
    let scene = try await DeliveryPolicyScene()
    for number in 0..<22 {
      try await scene.vote(number, at: Self.noon + Double(number) * 60)
      _ = try await scene.release(at: Self.noon + Double(number) * 60)
    }
    _ = try await scene.release(at: Self.noon + 32 * 60)
    let pushes = try await scene.pushes()

    #expect(
      pushes.map(\.body).dropFirst() == [
        "11 people voted for Dark mode", "21 people voted for Dark mode", "22 people voted for Dark mode",
      ])
    #expect(Set(pushes.map(\.collapseID)).count == 1)
    #expect(try await inbox(scene) == ["22 people voted for Dark mode"])
    #expect(try await scene.demo.number("SELECT push_badge(\(scene.person), 'feedbackkit', \(Self.noon))") == 1)
  }

  @Test func whatComesLaterGoesOnFromWhatNobodyHasOpened() async throws {
    let scene = try await DeliveryPolicyScene()
    try await scene.vote(1, at: Self.noon)
    try await scene.vote(2, at: Self.noon + 3_600)
    try await scene.vote(3, at: Self.noon + 86_400 + 3_600 + 1)

    let pushes = try await scene.pushes()

    #expect(pushes.count == 3)
    #expect(pushes[1].body == "2 people voted for Dark mode" && pushes[1].collapseID == pushes[0].collapseID)
    #expect(pushes[2].collapseID != pushes[0].collapseID, "a day later it is something new")
    #expect(try await inbox(scene).count == 2)
  }

  @Test func whatWasOpenedIsNotCountedAgain() async throws {
    let scene = try await DeliveryPolicyScene()
    try await scene.vote(1, at: Self.noon)
    try await scene.vote(2, at: Self.noon + 60)
    _ = try await scene.release(at: Self.noon + 601)
    _ = try await scene.demo.connection.query("UPDATE notifications SET is_read = true WHERE NOT is_archived")
    for number in 3..<5 { try await scene.vote(number, at: Self.noon + 601 + Double(number)) }

    _ = try await scene.release(at: Self.noon + 1_300)

    #expect(try await scene.pushes().last?.body == "2 people voted for Dark mode")
    #expect(try await inbox(scene).count == 2)
  }

  @Test func whoHasTakenTheirVoteBackDoesNotCount() async throws {
    let scene = try await DeliveryPolicyScene()
    for number in 0..<4 { try await scene.vote(number, at: Self.noon + Double(number)) }
    try await scene.demo.connection.script("DELETE FROM votes WHERE user_id IN ('sdk-0', 'sdk-2')")

    let release = try await scene.release(at: Self.noon + 601)

    #expect(release.released == 1)
    #expect(try await scene.pushes().last?.body == "2 people voted for Dark mode")
  }

  /// Words that say the same with one act less and one more are not said again, and count them all.
  @Test func whoActsAfterAnActWasTakenBackIsCounted() async throws {
    let scene = try await DeliveryPolicyScene()
    for number in 1...2 { try await scene.vote(number, at: Self.noon + Double(number)) }
    _ = try await scene.release(at: Self.noon + 602)
    try await scene.demo.connection.script("DELETE FROM votes WHERE user_id = 'sdk-1'")
    let same = try await scene.vote(3, at: Self.noon + 2_000)
    try await scene.vote(4, at: Self.noon + 4_000)
    let three = try await scene.pushes().last?.body
    // While the window is open, and then all that was gathered says the same.
    try await scene.vote(5, at: Self.noon + 4_010)
    try await scene.demo.connection.script("DELETE FROM votes WHERE user_id = 'sdk-2'")
    let release = try await scene.release(at: Self.noon + 4_601)
    try await scene.vote(6, at: Self.noon + 6_000)

    #expect(same.decisions.values.allSatisfy { $0 == "suppress duplicate" })
    #expect(three == "3 people voted for Dark mode")
    #expect(release.released == 0 && release.merged == 1)
    #expect(try await scene.pushes().last?.body == "4 people voted for Dark mode")
    #expect(try await inbox(scene) == ["4 people voted for Dark mode"])
    #expect(try await scene.demo.number("SELECT push_badge(\(scene.person), 'feedbackkit', \(Self.noon))") == 1)
  }

  @Test func whenAllAreTakenBackNothingIsSaid() async throws {
    let scene = try await DeliveryPolicyScene()
    for number in 0..<3 { try await scene.vote(number, at: Self.noon + Double(number)) }
    try await scene.demo.connection.script("DELETE FROM votes")

    #expect(try await scene.release(at: Self.noon + 601).released == 0)
  }

  @Test func messagesCountForTheBadgeMergedOrNot() async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      INSERT INTO device_tokens (user_id, token, platform, app) VALUES ('\(Person.ada.id)', 'aa', 'iOS', 'messageai');
      INSERT INTO notifications (user_id, app, type, title, body, payload, family, family_subject, actor, created_at)
      SELECT '\(Person.ada.id)', 'messageai', 'smart_notification', 'Bob', 'Hi', '{"aps":{"alert":"x"}}', 'messages', 'c1',
        'm' || i, to_timestamp(1790000000 + i) FROM generate_series(1, 4) i;
      INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)
      SELECT id, user_id, app, 'batched', to_timestamp(1790000000), to_timestamp(1790000000) FROM notifications;
      """)
    let badge: SQL = "SELECT push_badge('\(unescaped: Person.ada.id)', 'messageai', to_timestamp(1790000100))"

    let release = try await demo.store().release(at: Demo.now + 60, dryRun: false)

    #expect(release.released == 1 && release.merged == 3)
    #expect(try await demo.number(badge) == 4)
    try await demo.connection.script("UPDATE notifications SET is_read = true WHERE actor = 'm1'")
    #expect(try await demo.number(badge) == 3)
    try await demo.connection.script("UPDATE notifications SET is_read = true WHERE NOT is_archived")
    #expect(try await demo.number(badge) == 0)
  }

  @Test func severalNewFeedbacksOpenTheProject() async throws {
    let demo = try await Demo()
    for number in 0..<3 {
      let id = "cf000000-0000-4000-8000-00000000000\(number)"
      try await demo.connection.script(
        """
        INSERT INTO feedbacks (id, title, user_id, project_id)
        SELECT '\(id)', 'F\(number)', 'sdk-x', project_id FROM feedbacks WHERE id = '\(RowEvent.feedback)'
        """)
      let event = RowEvent.event("INSERT", "feedbacks", record: #"{"id":"\#(id)"}"#, id: "e\(number)")
      _ = try await demo.run(FeedbackCreated(store: demo.store()), on: event, at: Self.noon + Double(number))
    }

    _ = try await demo.store().release(at: Self.noon + 601, dryRun: false)

    #expect(
      try await demo.number(
        """
        SELECT count(*) FROM notifications
        WHERE body LIKE '3 new items in%' AND payload LIKE '%feedbackkit:\\/\\/project\\/%' OR
          body LIKE '3 new items in%' AND payload LIKE '%feedbackkit://project/%'
        """) > 0)
  }

  @Test func conflictsOfOneProposalAreOnePushToTheOrganizer() async throws {
    let demo = try await Demo()
    try await demo.tell(ofConflictsOf: .ben, .chloe, .eva, .hugo)

    _ = try await demo.store().release(at: Demo.dayBefore + 661, dryRun: false)

    #expect(try await demo.inbox(of: .ada) == ["4 people have a scheduling conflict / with Game Night on Saturday"])
    #expect(
      try await demo.number(
        "SELECT count(*) FROM notifications WHERE user_id = '\(unescaped: Person.ada.id)' AND pushed_at IS NOT NULL")
        == 2)
    #expect(
      try await demo.inbox(of: .ben) == ["You have a scheduling conflict / Game Night conflicts with another event"])
  }
}

extension Demo {
  /// The proposal conflicts with an event of each person, one after the other from the day before.
  func tell(ofConflictsOf people: Person...) async throws {
    for (number, person) in people.enumerated() {
      let id = "f9000000-0000-4000-8000-0000000000f\(number)"
      try await connection.script(
        """
        INSERT INTO event_conflicts (id, proposal_id, user_id, existing_event_id)
        VALUES ('\(id)', '\(Self.proposal)', '\(person.id)', gen_random_uuid())
        """)
      let event = RowEvent.event("INSERT", "event_conflicts", record: #"{"id":"\#(id)"}"#, id: "e\(number)")
      _ = try await run(ConflictDetected(store: store()), on: event, at: Self.dayBefore + Double(number))
    }
  }
}
