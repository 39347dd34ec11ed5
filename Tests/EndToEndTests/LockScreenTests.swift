import Foundation
import FunctionKit
import HTTPClient
import Postgres
import TestSupport
import Testing

/// A proposal on Eva's lock screen, through the whole bundle and the emulator.
@Suite(.heavy)
struct LockScreenTests {
  private static let proposal = "f4000000-0000-4000-8000-000000000019"
  private static let option = "f5000000-0000-4000-8000-000000000019"
  private static let type = "ProposalActivityAttributes"
  private static let phone = String(repeating: "c5", count: 32)

  /// Registers a token for Eva's phone.
  private func register(_ token: String, _ subject: String, _ phones: Phones) async throws {
    let body = """
      {"app":"lockitin","deviceId":"dd000000-0000-4000-8000-000000000025","attributesType":"\(Self.type)",
       "token":"\(token)"\(subject)}
      """
    let answer = try await phones.served.request(
      "/api/v1/activities", body, method: .post,
      headers: [("Authorization", "Bearer eva-of-the-test"), ("Content-Type", "application/json")])
    #expect(answer.status == 201, "\(answer.text)")
  }

  /// The activity on Eva's lock screen, when it fulfils a condition.
  private func activity(_ phones: Phones, when isSo: (RawJSON) -> Bool) async throws -> RawJSON {
    let pauses = Pauses()
    let deadline = ContinuousClock.now + .seconds(300)
    while true {
      let shown = try await phones.ask("/activities?token=\(Self.phone)")["activities"]?.elements ?? []
      if let one = shown.first(where: isSo) { return one }
      guard .now < deadline else { throw ProgramFailure(description: "\(shown.map(\.printable))") }
      try await pauses.next()
    }
  }

  @Test func aProposalIsStartedUpdatedAndEndedOnTheLockScreen() async throws {
    let bundle = try await RunningBundle()
    let phones = try await bundle.start()
    let database = bundle.runner.database
    try await database.script(
      "INSERT INTO user_tokens (value, user_id) VALUES ('eva-of-the-test', '\(BadgeTests.eva)')")
    let given = try await phones.client.send(
      HTTPCall(
        .post, (phones.environment["PUSH_EMULATOR_URL"] ?? "") + "/activities",
        body: Array(#"{"device":"\#(Self.phone)","type":"\#(Self.type)"}"#.utf8)))
    let token = try #require(try RawJSON(validating: given.body[...])["token"]?.stringValue)
    try await register(token, "", phones)

    try await database.script(
      """
      INSERT INTO event_proposals (id, group_id, created_by, title, deadline)
      SELECT '\(Self.proposal)', id, created_by, 'Chess', runner.now() + interval '3 hours' FROM groups
      WHERE name = 'College Friends';
      INSERT INTO proposal_options (id, proposal_id, starts_at, ends_at) VALUES
        ('\(Self.option)', '\(Self.proposal)', runner.now() + interval '4 days', runner.now() + interval '5 days')
      """)
    let started = try await activity(phones) { $0["phase"]?.stringValue == "active" }
    #expect(started["attributes"]?["title"]?.stringValue == "Chess")
    let own = try #require(started["token"]?.stringValue)
    try await register(own, #","proposalId":"\#(Self.proposal)""#, phones)

    try await database.script(
      """
      INSERT INTO proposal_votes (proposal_id, option_id, user_id, vote)
      SELECT '\(Self.proposal)', '\(Self.option)', user_id, 'yes' FROM group_members m JOIN groups g ON g.id = m.group_id
      WHERE g.name = 'College Friends' AND m.user_id <> '\(BadgeTests.eva)'
      """)
    let updated = try await activity(phones) { ($0["state"]?["votes"]?.intValue ?? 0) > 0 }
    #expect(updated["state"]?["leader"]?["option_id"]?.stringValue == Self.option)

    try await database.script("UPDATE event_proposals SET status = 'cancelled' WHERE id = '\(Self.proposal)'")
    let ended = try await activity(phones) { ["ended", "dismissed"].contains($0["phase"]?.stringValue) }
    #expect(ended["state"]?["status"]?.stringValue == "cancelled")
    try await bundle.settle()
    #expect(
      try await database.query("SELECT ended_reason AS end FROM live_activities WHERE subject_id = \(Self.proposal)")
        .only()["end"] == "ended")
  }
}
