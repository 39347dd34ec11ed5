import FoundationEssentials
import PushPayload
import TestSupport
import Testing

/// Input that nobody should send is read as far as it goes, and never crashes.
struct HostileInputTests {
  private static let seeds: Range<UInt64> = 0..<8

  @Test(arguments: seeds) func randomBytesAreNoPayload(_ seed: UInt64) {
    var random = SplitMix(seed: seed)
    for _ in 0..<500 {
      let bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(PushPayload(json: bytes) == nil)
      read(url: String(decoding: bytes, as: UTF8.self))
    }
  }

  @Test(arguments: seeds) func damagedPayloadsAreReadAsFarAsTheyGo(_ seed: UInt64) throws {
    var content = RandomContent(seed: seed)
    for _ in 0..<200 {
      var bytes = Array(try content.payload(content.lockItIn().values).encoded().utf8)
      for _ in 0..<Int.random(in: 1...4, using: &content.random) {
        bytes[Int.random(in: bytes.indices, using: &content.random)] = content.pick(Array(#"{}[]":,0-eE.\utn"#.utf8))
      }
      read(json: bytes)
      read(json: bytes.dropLast(Int.random(in: 1..<bytes.count, using: &content.random)))
      read(url: "repairminder://order/" + String(decoding: bytes, as: UTF8.self))
    }
  }

  @Test(arguments: ["{\"a\":", "[", "{\"aps\":{\"alert\":"], [10, 500, 511, 513, 100_000])
  func deepNestingIsRefusedOrIgnored(opening: String, depth: Int) {
    let closing = opening == "[" ? "]" : String(repeating: "}", count: opening.count { $0 == "{" })
    let deep = String(repeating: opening, count: depth) + "1" + String(repeating: closing, count: depth)
    read(json: Array(deep.utf8))
    read(json: Array(#"{"type":"like","aps":{"badge":1},"x":\#(deep)}"#.utf8))
  }

  @Test func deepUserInfoIsIgnored() {
    var deep: [String: Any] = ["badge": 1]
    for _ in 0..<100 { deep = ["aps": deep, "alert": deep["alert"] ?? 1] }

    #expect(PushPayload(userInfo: deep).badge == nil)
  }

  @Test(arguments: ["null", "true", "1.5", "1e400", "-1", "99999999999999999999", "[]", "[1]", "{}", "\"\"", "\"x\""])
  func valuesOfWrongTypesAreLeftOut(value: String) throws {
    let names = [
      "type", "feedbackId", "projectId", "voteCount", "entity_id", "visit_id", "tap_action", "conversationId",
      "priority",
      "proposal_id", "event_id", "deadline_timestamp", "deep_link", "actionUrl", "notificationId", "notification_id",
    ]
    let aps = ["alert", "badge", "sound", "thread-id", "category", "interruption-level", "mutable-content"]
    let members = names.map { "\"\($0)\":\(value)" }.joined(separator: ",")
    let apsMembers = aps.map { "\"\($0)\":\(value)" }.joined(separator: ",")
    let text = "{\(members),\"aps\":{\(apsMembers)}}"

    let push = try #require(ReceivedPush<LockItInPush>(json: text.utf8))

    #expect(push.notificationID == nil)
    #expect(push.payload.interruptionLevel == nil)
    #expect(push.link == nil)
    read(json: Array(text.utf8))
    read(json: Array("{\"aps\":\(value)}".utf8))
    read(json: Array(value.utf8))
  }

  @Test(arguments: ["", "x", "-1", "999999999999-01-01T00:00:00Z", "2026-01-01", "\u{0}\""])
  func aTimeThatIsNoneIsLeftOut(text: String) {
    let id = "550e8400-e29b-41d4-a716-446655440000"
    let push = LockItInPush(
      type: "proposal_created", values: ["proposal_id": .string(id), "deadline_timestamp": .string(text)])

    guard case .proposalCreated(_, _, _, let deadline) = push else {
      Issue.record("\(push)")
      return
    }
    #expect(deadline == nil)
  }

  private func read(json: some Collection<UInt8>) {
    _ = ReceivedPush<FeedbackKitPush>(json: json)?.link
    _ = ReceivedPush<LockItInPush>(json: json)?.link
    _ = ReceivedPush<RepairMinderPush>(json: json)?.link
    _ = ReceivedPush<MugshotPush>(json: json)?.content.target
    _ = ReceivedPush<MessageAIPush>(json: json)?.content.target
  }

  private func read(url: String) { _ = DeepLink(url).map(\.url) }
}
