import FoundationEssentials
import Notifications
import PersonLive
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import DeliveryLive
@testable import StatusChanged

/// The inbox never shows what is no longer true, and nobody is told of that.
@Suite(.heavy)
struct CorrectionTests {
  /// A digest of four votes on Dark mode that has gone out.
  private func digest() async throws -> DeliveryPolicyScene {
    let scene = try await DeliveryPolicyScene()
    for number in 1...4 { try await scene.vote(number, at: Demo.now + Double(number)) }
    _ = try await scene.release(at: Demo.now + 602)
    try await scene.demo.send()
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
    let release = try await scene.release(at: Demo.now + 1_300)

    #expect(release.released == 0)
    #expect(try await scene.demo.unread(of: .grace) == left)
    #expect(try await scene.demo.badge(of: .grace) == left.count)
    #expect(
      try await scene.demo.number("SELECT count(*) FROM badge_losses WHERE ends_at IS NULL")
        == (left.isEmpty ? 1 : 0))
    #expect(try await scene.demo.number("SELECT count(*) FROM stale_entries") == 0)

    // The next vote takes the place of the digest on the phone, even where it is gone from the inbox.
    try await scene.vote(5, at: Demo.now + 2_000)
    let pushes = try await scene.pushes()
    if next.hasPrefix("4") {
      #expect(pushes.count == pushed, "the phone says so already")
    } else {
      #expect(pushes.count == pushed + 1 && Set(pushes.suffix(2).map(\.collapseID)).count == 1)
    }
    #expect(try await scene.demo.unread(of: .grace) == [next])
    #expect(try await scene.demo.badge(of: .grace) == 1)
  }

  /// The phone says so already, in whatever language it does.
  @Test(arguments: ["fr", "ar"])
  func aVoteInThePlaceOfAnotherIsNotToldInAnotherLanguage(language: String) async throws {
    let scene = try await digest()
    let pushed = try await scene.pushes().count
    _ = try await scene.demo.connection.query("DELETE FROM votes WHERE user_id = 'sdk-1'")
    try await scene.set("language = \(language)")

    let vote = try await scene.vote(5, at: Demo.now + 2_000)
    #expect(vote.decisions == [.grace: "suppress duplicate"])
    #expect(try await scene.pushes().count == pushed)

    let next = try await scene.vote(6, at: Demo.now + 2_001)
    #expect(next.decisions == [.grace: "notify submitter"])
  }

  /// A vote that is cast again says what the phone says already: it returns into the inbox, and nothing rings.
  @Test func whoVotesAgainAndAgainIsToldOfOnce() async throws {
    let scene = try await DeliveryPolicyScene()
    try await scene.vote(1, at: Demo.now)
    try await scene.demo.send()
    for round in 1...3 {
      let time = Demo.now + Double(round) * 1_500
      try await scene.demo.connection.script("DELETE FROM votes WHERE user_id = 'sdk-1'")
      _ = try await scene.release(at: time)
      #expect(try await scene.demo.unread(of: .grace) == [])
      #expect(try await scene.demo.badge(of: .grace) == 0)

      let again = try await scene.vote(1, at: time + 60, "again-\(round)")

      #expect(again.decisions == [.grace: "suppress duplicate"])
      #expect(try await scene.demo.unread(of: .grace) == ["Dark mode now has 3 votes"])
      #expect(try await scene.demo.badge(of: .grace) == 1)
    }
    #expect(try await scene.pushes().count == 1)
    #expect(
      try await scene.demo.number("SELECT count(*) FROM badge_losses WHERE ends_at IS NULL") == 6,
      "the phone's badge follows")
  }

  @Test func whatWaitsLeavesTheInboxAtOnce() async throws {
    let scene = try await DeliveryPolicyScene()
    for number in 1...2 { try await scene.vote(number, at: Demo.now + Double(number)) }
    try await scene.demo.connection.script("DELETE FROM votes WHERE user_id = 'sdk-2'")

    _ = try await scene.release(at: Demo.now + 60)

    #expect(try await scene.demo.unread(of: .grace) == ["Dark mode now has 3 votes"])
    #expect(try await scene.demo.number("SELECT count(*) FROM held_notifications") == 0)
    #expect(
      try await scene.demo.number("SELECT count(*) FROM notification_rechecks WHERE reason = 'subject_gone'") == 1)
  }

  @Test func whatIsReadOrArchivedStaysAsItIs() async throws {
    let scene = try await digest()
    try await scene.demo.connection.script(
      "UPDATE notifications SET is_read = true WHERE NOT is_archived; DELETE FROM votes")

    _ = try await scene.release(at: Demo.now + 1_300)

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

    _ = try await scene.release(at: Demo.now + 1_300)

    #expect(try await scene.demo.unread(of: .grace) == [])
    #expect(try await scene.demo.unread(of: .hugo).count == 1)
    #expect(try await scene.demo.number("SELECT count(*) FROM stale_entries") == 0)
  }

  @Test func whatARunLeavesStartsTheNextOne() async throws {
    let scene = try await digest()
    try await scene.demo.connection.script("DELETE FROM votes")
    var (short, whole) = (
      ReleaseRun(scene.demo.connection, at: Demo.now + 1_300, longest: .zero),
      ReleaseRun(scene.demo.connection, at: Demo.now + 1_301)
    )

    #expect(try await short.release().wakeAt == Demo.now + 1_300)
    #expect(try await scene.demo.unread(of: .grace).count == 1)
    #expect(try await whole.release().wakeAt == nil)
    #expect(try await scene.demo.unread(of: .grace) == [])
  }

  /// Whatever becomes of the push about a feedback's status, no earlier status stays in the inbox.
  @Test(
    arguments: [
      ("pushed a day later", "", 90_000.0, ["Dark mode is now Rejected"]),
      ("held in the window", "", 60, ["Dark mode is now Rejected"]),
      ("switched off", "UPDATE users SET push_notify_status_changes = false", 700, ["Dark mode is now Rejected"]),
      ("without a device", "DELETE FROM device_tokens", 700, ["Dark mode is now Rejected"]),
      ("changed by the person", "", 700, ["Dark mode is now Rejected"]),
    ] as [(String, String, Double, [String])])
  func onlyTheLastStatusIsInTheInbox(_ name: String, _ change: String, _ later: Double, _ left: [String]) async throws {
    let demo = try await Demo()
    try await set("pending", "approved", "e1", at: Demo.now, in: demo)
    #expect(try await demo.unread(of: .grace) == ["Dark mode is now Approved"])
    if !change.isEmpty { try await demo.connection.script(change) }

    let actor = name == "changed by the person" ? Person.grace.id : nil
    try await set("approved", "rejected", "e2", at: Demo.now + later, by: actor, in: demo)
    _ = try await demo.store().release(at: Demo.now + later, dryRun: false)

    #expect(try await demo.unread(of: .grace) == left)
    try await set("rejected", "completed", "e3", at: Demo.now + later + 1_500, in: demo)
    _ = try await demo.store().release(at: Demo.now + later + 2_200, dryRun: false)
    #expect(try await demo.unread(of: .grace) == ["Dark mode is now Completed"])
  }

  /// Changes the status of Dark mode, and tells of it.
  private func set(
    _ old: String, _ new: String, _ id: String, at time: Date, by actor: String? = nil, in demo: Demo
  ) async throws {
    try await demo.connection.script("UPDATE feedbacks SET status = '\(new)' WHERE id = '\(RowEvent.feedback)'")
    let row = { (status: String) in #"{"id":"\#(RowEvent.feedback)","status":"\#(status)"}"# }
    let event = RowEvent.event("UPDATE", "feedbacks", record: row(new), oldRecord: row(old), id: id, actor: actor)
    _ = try await demo.run(StatusChanged(store: demo.store()), on: event, at: time)
  }

  /// The status is another one for a minute, with corrections at some seconds; then everything is released.
  private func comeBack(in demo: Demo, _ corrections: [Double]) async throws {
    for (number, change) in [("approved", "rejected"), ("rejected", "approved")].enumerated() {
      let time = Demo.now + Double(number + 1) * 60
      try await set(change.0, change.1, "e\(number + 2)", at: time, in: demo)
      if corrections.contains(time.timeIntervalSince(Demo.now)) {
        _ = try await demo.store().release(at: time, dryRun: false)
      }
    }
    _ = try await demo.store().release(at: Demo.now + 700, dryRun: false)
  }

  /// A status that comes back is told to each device which has not heard of it, whatever became of the one in between.
  @Test(
    arguments: [
      ("still in the queue", "d.state", 1), ("sent", "'accepted'", 0), ("given up", "'expired'", 0),
      ("sent to one of two devices", "CASE WHEN d.provider = 'fcm' THEN 'queued' ELSE 'accepted' END", 1),
    ], [[60.0], [], [60, 120], [120]])
  func aStatusThatComesBackIsToldOnce(_ first: (String, String, Int), _ corrections: [Double]) async throws {
    let (name, state, left) = first
    let demo = try await Demo()
    if name.contains("two devices") {
      try await demo.connection.script(
        """
        INSERT INTO device_tokens (user_id, app, token, platform, provider)
        VALUES ('\(Person.grace.id)', 'feedbackkit', 'second', 'Android', 'fcm')
        """)
    }
    try await set("pending", "approved", "e1", at: Demo.now, in: demo)
    try await demo.connection.script("UPDATE deliveries d SET state = \(state)")
    try await comeBack(in: demo, corrections)

    let queued = try await demo.connection.query(
      """
      SELECT n.body FROM deliveries d JOIN notifications n ON n.id = d.notification_id
      WHERE d.state = 'queued' AND d.user_id = \(Person.grace.id)
      """
    ).decode("body", as: String.self)
    #expect(queued == [String](repeating: "Dark mode is now Approved", count: left))
    #expect(try await demo.unread(of: .grace) == ["Dark mode is now Approved"])
    #expect(try await demo.badge(of: .grace) == 1)
  }

  /// A push whose answer was lost may be on the phone: it is sent again as itself, and never as another one.
  @Test(
    arguments: [
      "UPDATE deliveries SET unsettled = 1, lease_id = gen_random_uuid(), lease_until = created_at - interval '1 minute'",
      """
      INSERT INTO push_notification_logs (user_id, notification_type, status, delivery_id, created_at)
      SELECT user_id, 'status_changed', 'unknown', id, created_at FROM deliveries;
      UPDATE deliveries SET attempts = 1, reason = 'ConnectionLost'
      """,
    ], [[60.0], [], [120]])
  func aPushInDoubtIsTakenUpAgainAsItself(_ doubt: String, _ corrections: [Double]) async throws {
    let demo = try await Demo()
    try await set("pending", "approved", "e1", at: Demo.now, in: demo)
    try await demo.connection.script(doubt)
    let first = try await demo.connection.query("SELECT notification_id FROM deliveries")
      .decode("notification_id", as: UUID.self)
    try await comeBack(in: demo, corrections)

    let queued = try await demo.connection.query("SELECT notification_id FROM deliveries WHERE state = 'queued'")
      .decode("notification_id", as: UUID.self)
    #expect(queued.count == first.count && Set(queued) == Set(first))
    #expect(try await demo.unread(of: .grace) == ["Dark mode is now Approved"])
  }
}
