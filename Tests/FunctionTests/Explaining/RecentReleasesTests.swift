import DeliveryLive
import FoundationEssentials
import FunctionKit
import Postgres
import TestSupport
import Testing

@testable import StatusChanged

/// Notifications that were told because a wait was over, among the events that functions have decided about last.
@Suite(.heavy)
struct RecentReleasesTests {
  private static let night = RFC3339.date("2026-06-15T21:10:00Z") ?? .distantPast
  private static let morning = night + 9 * 3_600

  /// Function, title, and the people with what is said of them.
  private func recent(_ scene: ExplainScene, _ words: [String] = []) async throws -> [String] {
    let events = try await scene.json(["why", "--recent"] + words)["events"]?.elements ?? []
    return events.map { event in
      let people = event["people"]?.elements?.map { person in
        "\(person["person"]?["name"]?.stringValue ?? "") \(person["words"]?.stringValue ?? "")"
      }
      return "\(event["function"]?.stringValue ?? ""): \(event["title"]?.stringValue ?? "-"): \(people ?? [])"
    }
  }

  @Test func thePushThatIsForeseenIsTheOneThatIsSent() async throws {
    let scene = try await ExplainScene()
    let noon = Self.night - 9 * 3_600
    for number in 0..<3 { try await scene.policy.vote(number, at: noon + Double(number) * 60) }
    func said(_ one: RawJSON?) -> [String?] { ["title", "body"].map { one?[$0]?.stringValue } }

    let waiting = try await scene.json(["people", "--waiting"])["waiting"]?.elements ?? []
    let first = try await scene.json(["why", "--recent"])["events"]?.elements?.last?["people"]?.elements?.first
    _ = try await scene.policy.release(at: noon + 660)
    let sent = try await scene.json(["why", "--recent"])["events"]?.elements?.first

    let messages = waiting.first?["messages"]?.elements ?? []
    #expect(waiting.count == 1 && messages.count == 1, "\(waiting)")
    #expect(messages.first?["count"]?.intValue == 2 && messages.first?["countsReplaced"] == RawJSON(true), "\(waiting)")
    #expect(said(messages.first?["replaces"]) == said(first?["said"]), "\(waiting)")
    #expect(sent?["function"]?.stringValue == "release-held")
    #expect(said(messages.first?["said"]) == said(sent?["people"]?.elements?.first?["said"]), "\(waiting)")
    #expect(
      said(messages.first?["said"]).allSatisfy { $0 != nil } && said(first?["said"]) != said(messages.first?["said"]))
    #expect(try await scene.json(["people", "--waiting"])["waiting"]?.elements?.isEmpty == true)
  }

  @Test func whatHadWaitedForTheEndOfQuietHoursIsToldOnceForAPerson() async throws {
    let scene = try await ExplainScene()
    try await scene.policy.set("quiet_hours_enabled = true, timezone = 'Europe/Berlin'")
    for number in 1...3 { try await scene.policy.vote(number, at: Self.night + Double(number)) }
    let before = try await recent(scene)

    _ = try await scene.policy.release(at: Self.morning)
    let after = try await recent(scene)
    let first = try await scene.json(["why", "--recent"])["events"]?.elements?.first
    let text = try await scene.text(["why", "--recent"])

    #expect(before.count == 3 && before.allSatisfy { $0.hasPrefix("vote-cast: -: ") })
    #expect(after.first == #"release-held: Quiet hours ended: ["Grace told: 3 votes that had waited"]"#, "\(after)")
    #expect(after.count == 4 && after.dropFirst().allSatisfy { $0.hasPrefix("vote-cast: -: ") })
    let person = first?["people"]?.elements?.first
    #expect(first?["event"]?.stringValue == "vote-3" && person?["function"]?.stringValue == "vote-cast")
    #expect(person?["outcome"]?.stringValue == "told" && person?["said"]?["title"]?.stringValue == "New Votes")
    let parts = first?["parts"]?.elements ?? []
    #expect(parts.map { $0["event"]?.stringValue } == ["vote-3", "vote-2", "vote-1"] && first?["otherParts"] == nil)
    #expect(parts.allSatisfy { $0["kind"]?.stringValue == "new_vote" && $0["function"]?.stringValue == "vote-cast" })
    #expect(parts.allSatisfy { $0["person"] == person?["person"]?["id"] })
    #expect(first?["otherPushes"] == nil && first?["otherSubjects"] == nil, "they are merged, and about one feedback")
    #expect(first?["counts"]?.elements?.map { $0["people"]?.intValue } == [1] && first?["hasMore"] == nil)
    #expect(text.split(separator: "\n").first?.hasSuffix("release-held  vote-3  1 told") == true, "\(text)")
    #expect(try await recent(scene, ["--function", "vote-cast"]).count == 3)
    #expect(try await recent(scene, ["--function", "release-held"]) == Array(after.prefix(1)))
    #expect(try await recent(scene, ["--count", "2"]) == Array(after.prefix(2)))
  }

  @Test func aWaitThatGoesOnOrEndsInSilenceTellsNothing() async throws {
    let scene = try await ExplainScene()
    try await scene.policy.set("quiet_hours_enabled = true, timezone = 'Europe/Berlin'")
    try await scene.policy.vote(1, at: Self.night)
    try await scene.policy.set("quiet_hours_end = '09:00'")
    let again = try await scene.policy.release(at: Self.morning)
    let waiting = try await recent(scene)

    _ = try await scene.connection.query("UPDATE device_tokens SET is_active = false")
    _ = try await scene.policy.release(at: Self.morning + 7_200)

    #expect(again.held == 1 && waiting.count == 1 && waiting[0].hasPrefix("vote-cast: -: "))
    let silenced: SQL = "SELECT FROM notification_rechecks WHERE decision = 'suppress'"
    #expect(try await scene.connection.query(silenced).count == 1)
    #expect(try await recent(scene).allSatisfy { $0.hasPrefix("vote-cast: -: ") })
  }

  @Test func whatWasOnThePhoneAlreadyHadNotWaited() async throws {
    let scene = try await ExplainScene()
    try await scene.policy.set("quiet_hours_enabled = true, timezone = 'Europe/Berlin'")
    for day in [0, 86_400.0] {
      try await scene.policy.vote(Int(day), at: Self.night + day)
      _ = try await scene.policy.release(at: Self.morning + day)
    }

    let told = try await recent(scene).filter { $0.hasPrefix("release-held") }

    #expect(told == Array(repeating: #"release-held: Quiet hours ended: ["Grace told"]"#, count: 2))
    let decisions: SQL = "SELECT FROM notification_rechecks WHERE decision = 'notify'"
    #expect(try await scene.connection.query(decisions).count == 2)
  }

  @Test(arguments: [(65.0, ["Grace told: 2 votes that had waited"]), (80.0, ["Grace told", "Grace told"])])
  func oneReleaseIsToldOnceAlsoBeyondAMinute(_ second: TimeInterval, _ people: [String]) async throws {
    let scene = try await ExplainScene()
    try await scene.policy.set("quiet_hours_enabled = true, timezone = 'Europe/Berlin'")
    for day in [0, 86_400.0] {
      try await scene.policy.vote(Int(day), at: Self.night + day)
      _ = try await scene.policy.release(at: Self.morning + 45 + day)
    }
    // As a release does that takes some time for very many people.
    let moved = try await scene.connection.query(
      """
      UPDATE notification_rechecks SET created_at = \(Self.morning + second)
      WHERE decision = 'notify' AND created_at > \(Self.morning + 86_400) RETURNING decision
      """)

    let told = try await recent(scene).filter { $0.hasPrefix("release-held") }

    #expect(moved.count == 1)
    #expect(told == people.map { "release-held: Quiet hours ended: [\"\($0)\"]" })
  }

  @Test func waitsThatEndAllTheTimeAreNotOneRelease() async throws {
    let scene = try await ExplainScene()
    try await scene.policy.set("quiet_hours_enabled = true, timezone = 'Europe/Berlin'")
    try await scene.policy.vote(1, at: Self.night)
    _ = try await scene.policy.release(at: Self.morning)
    _ = try await scene.connection.query(
      """
      INSERT INTO notification_rechecks (notification_id, decision, reason, facts, created_at)
      SELECT r.notification_id, v.decision, 'quiet_hours', r.facts, r.created_at + make_interval(secs => 20 * n + v.after)
      FROM notification_rechecks r, generate_series(1, 45) n, (VALUES ('hold', -1), ('notify', 0)) v (decision, after)
      WHERE r.decision = 'notify'
      """)

    let told = try await recent(scene).filter { $0.hasPrefix("release-held") }

    #expect(
      told == [31, 15].map { "release-held: Quiet hours ended: [\"Grace told: \($0) votes that had waited\"]" },
      "\(told)")
  }

  @Test func aPushKeepsItsWordsWhenItIsGatheredWithLaterOnes() async throws {
    let scene = try await ExplainScene()
    let votes = try await (1...3).asyncMap { try await scene.policy.vote($0, at: Self.morning + Double($0)) }
    func said(_ vote: Int) async throws -> String? {
      let handling = try await scene.json(["why", scene.event(votes[vote])])["handlings"]?.elements?.first
      let words = handling?["people"]?.elements?.first?["said"]
      return words.map { "\($0["title"]?.stringValue ?? ""): \($0["body"]?.stringValue ?? "")" }
    }
    let first = try await said(0)
    _ = try await scene.policy.release(at: Self.morning + 700)

    #expect(first?.hasPrefix("New Vote: ") == true)
    #expect(try await said(0) == first, "it said that then")
    let (second, third) = (try await said(1), try await said(2))
    #expect(second?.hasPrefix("New Votes: 3 people") == true && second == third, "\(second ?? "")")
    // What the phone still says of words that were corrected in the inbox.
    _ = try await scene.connection.query(
      """
      UPDATE notifications SET title = 'Corrected', phone_text = ARRAY[title, body]::text[] WHERE pushed_at IS NOT NULL
      """)
    #expect(try await said(0) == first)
    #expect(try await said(1) == second)
  }

  @Test func eachPushThatAPersonGotIsThereWithWhatItSaid() async throws {
    let scene = try await ExplainScene()
    try await scene.policy.set("quiet_hours_enabled = true, timezone = 'Europe/Berlin'")
    for number in 1...2 { try await scene.policy.vote(number, at: Self.night + Double(number)) }
    let other = "cf000000-0000-4000-8000-000000000001"
    try await scene.connection.script(
      """
      INSERT INTO feedbacks (id, title, user_id, user_email, project_id, status)
      SELECT '\(other)', 'Night mode', 'sdk-x', 'grace@example.com', project_id, 'approved' FROM feedbacks
      WHERE id = '\(RowEvent.feedback)'
      """)
    let row = { (status: String) in #"{"id":"\#(other)","status":"\#(status)"}"# }
    let event = RowEvent.event(
      "UPDATE", "feedbacks", record: row("approved"), oldRecord: row("pending"), id: "status-1")
    let store = scene.policy.demo.store()
    _ = try await scene.policy.demo.run(StatusChanged(store: store), on: event, at: Self.night + 3)

    _ = try await scene.policy.release(at: Self.morning)
    let pushes = try await scene.policy.pushes().map(\.body)
    let first = try await scene.json(["why", "--recent"])["events"]?.elements?.first

    let people = first?["people"]?.elements ?? []
    let others = first?["otherPushes"]?.elements ?? []
    #expect(
      people.map { $0["words"]?.stringValue } == ["told: 1 change of status, 2 votes that had waited"], "\(people)")
    #expect(others.map { $0["words"]?.stringValue } == ["told"])
    #expect(others.allSatisfy { $0["person"] == people.first?["person"] && $0["gates"]?.elements?.isEmpty == true })
    #expect(first?["subjectName"]?.stringValue == "Night mode" && first?["otherSubjects"]?.intValue == 1)
    #expect(Set((people + others).map { $0["said"]?["body"]?.stringValue }) == Set(pushes) && pushes.count == 2)
    let titles = (people + others).map { $0["said"]?["title"]?.stringValue }
    #expect(titles == ["Status Updated", "New Votes"])
  }

  @Test func eachReasonHasItsOwnTitleAndTime() async throws {
    let scene = try await ExplainScene()
    for number in 1...3 { try await scene.policy.vote(number, at: Self.morning + Double(number)) }
    _ = try await scene.policy.release(at: Self.morning + 700)
    try await scene.policy.set("quiet_hours_enabled = true, timezone = 'Europe/Berlin'")
    try await scene.policy.vote(4, at: Self.night + 86_400)
    _ = try await scene.policy.release(at: Self.morning + 86_400)

    let titles = try await recent(scene).filter { $0.hasPrefix("release-held") }

    #expect(
      titles == [
        #"release-held: Quiet hours ended: ["Grace told"]"#,
        #"release-held: Gathering ended: ["Grace told: 2 votes that had waited"]"#,
      ])
  }
}
