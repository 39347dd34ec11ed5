import DeliveryLive
import FoundationEssentials
import FunctionKit
import PersonLive
import Postgres
import PushPayload
import TestSupport
import Testing

/// The fate of a message that MessageAI has judged.
@Suite(.heavy)
struct AnalyzeForNotificationTests {
  @Test(arguments: [
    ("high", nil, "urgent", 10), ("medium", nil, "passive", 5), ("low", nil, "passive", 5),
    ("high", "https://example.com/anna.jpg", "urgent", 10),
  ])
  func thePayloadFollowsThePriority(
    priority: String, image: String?, importance: String, apnsPriority: Int
  ) async throws {
    let scene = try await AnalysisScene()

    let answer = try await scene.analyze(
      "m-4", ["priority": "\"\(priority)\"", "senderAvatarUrl": image.map { "\"\($0)\"" }])

    #expect(answer.outcome == "delivered")
    #expect(answer["userId"]?.stringValue == Person.ada.id && answer["messageId"]?.stringValue == "m-4")
    let row = try await scene.notification()
    #expect(row["importance"] == importance && row["priority"] == "\(apnsPriority)" && row["deliveries"] == "1")
    #expect(row["body"] == "Anna needs an answer by noon" && row["app"] == "messageai")
    let payload = try row.decode("payload", as: String.self).sent(withBadge: 1)
    let id = try row.decode("id", as: UUID.self).uuidString.lowercased()
    let bare = payload.replacing(#","notificationId":"\#(id)""#, with: "")
    let expected = try JSONTree.onFile("messageai/smart_notification.\(image == nil ? priority : "image")")
    #expect(try JSONDecoder().decode(JSONTree.self, from: Data(bare.utf8)) == expected)
    #expect(payload != bare)
  }

  @Test(arguments: [
    ("high", "SELECT 1", "delivered", "f"),
    ("high", "UPDATE notification_settings SET is_enabled = false", "disabled", "f"),
    (
      "high", #"UPDATE notification_settings SET switches = '{"smart_notification": false}'"#, "type_disabled", "f"
    ),
    (
      "high",
      "INSERT INTO user_activity VALUES ('\(Person.ada.id)', 'messageai', 'c-17', to_timestamp(1790000000 - 119))",
      "active conversation", "t"
    ),
    (
      "high",
      "INSERT INTO user_activity VALUES ('\(Person.ada.id)', 'messageai', 'c-17', to_timestamp(1790000000 - 121))",
      "delivered", "f"
    ),
    (
      "high", "INSERT INTO user_activity VALUES ('\(Person.ada.id)', 'messageai', 'c-18', to_timestamp(1790000000))",
      "delivered", "f"
    ),
    ("high", "DELETE FROM device_tokens WHERE app = 'messageai'", "no_device", "f"), ("high", quiet, "delivered", "f"),
    ("medium", quiet, "quiet hours", "f"), ("low", quiet, "quiet hours", "f"),
  ])
  func aGateNamesItsReason(priority: String, change: String, outcome: String, isRead: String) async throws {
    let scene = try await AnalysisScene()
    try await scene.set("timezone = 'Europe/Berlin'")
    try await scene.demo.connection.script(change)

    let answer = try await scene.analyze("m-4", ["priority": "\"\(priority)\""])

    #expect(answer.outcome == outcome)
    let row = try await scene.notification()
    #expect(row["deliveries"] == (outcome == "delivered" ? "1" : "0") && row["is_read"] == isRead)
    #expect(try await scene.demo.number("SELECT count(*) FROM held_notifications") == 0)
  }

  /// It is 16:13 in Berlin.
  private static let quiet = """
    UPDATE notification_settings SET quiet_hours_enabled = true, quiet_hours_start = '16:00', quiet_hours_end = '17:00'
    """

  @Test func nobodyIsToldOfTheirOwnMessage() async throws {
    let scene = try await AnalysisScene()

    #expect(try await scene.analyze("m-4", ["senderId": "\"\(Person.ada.id)\""]).outcome == "actor")
    #expect(try await scene.analyze("m-5", ["senderId": "\"\(Person.ben.id)\""]).outcome == "delivered")
  }

  @Test func whatIsNotWorthTellingIsCountedAndNotTold() async throws {
    let scene = try await AnalysisScene()

    let answer = try await scene.analyze("m-4", ["shouldNotify": "false", "notificationText": nil])

    #expect(answer.outcome == "shouldNotify is false")
    #expect(try await scene.demo.number("SELECT count(*) FROM notifications") == 0)
    #expect(try await scene.demo.number("SELECT count(*) FROM analyses WHERE reason = 'should_not_notify'") == 1)
  }

  @Test func aUserWhomNobodyKnowsIsNotFound() async throws {
    let scene = try await AnalysisScene()

    let answer = try await scene.analyze("m-4", ["userId": "\"\(UUID())\""])

    #expect(answer["statusCode"]?.intValue == 404)
    #expect(answer["body"]?.stringValue?.contains(#""found":false"#) == true)
    #expect(try await scene.demo.effects() == [0, 0, 0, 0, 0])
  }

  @Test func mediumOnesOfAConversationAreMergedSilentlyAndHighAndLowOnesAreNot() async throws {
    let scene = try await AnalysisScene()
    let outcomes = try await [
      scene.analyze("m-1"), scene.analyze("m-2"), scene.analyze("m-3", ["priority": "\"high\""]),
      scene.analyze("m-4", ["priority": "\"low\""]), scene.analyze("m-5", ["conversationId": "\"c-18\""]),
    ].map(\.outcome)

    let released = try await scene.demo.store().release(at: Demo.now + 600, dryRun: false)

    #expect(outcomes == ["delivered", "batched", "delivered", "delivered", "delivered"])
    #expect(released.released == 1)
    let row = try await scene.demo.connection.query("SELECT payload FROM notifications WHERE actor = 'm-2'").only()
    let payload: String = try row.decode("payload")
    #expect(payload.contains("(2 new messages)") && payload.contains(#""interruption-level":"passive""#))
    #expect(!payload.contains("sound"))
  }

  @Test func aRehearsalShowsThePayloadAndWritesNothing() async throws {
    let scene = try await AnalysisScene()

    let answer = try await scene.analyze(dryRun: true)

    #expect(answer.outcome == "delivered" && answer["dryRun"] == RawJSON(true))
    #expect(answer["payloads"]?.elements?.count == 1)
    #expect(try await scene.demo.effects() == [0, 0, 0, 0, 0])
    #expect(try await scene.demo.number("SELECT count(*) FROM analyses") == 0)
  }

  @Test func theSampleReachesAda() async throws {
    let scene = try await AnalysisScene()
    let sample = try RawJSON(validating: Array(Repository.text("Tests/Events/analyze-for-notification.json").utf8)[...])
    let members = Dictionary(sample.members.map { ($0.name, String(decoding: $0.value.bytes, as: UTF8.self)) }) { $1 }

    #expect(try await scene.analyze("", members.mapValues(Optional.some)).outcome == "delivered")
  }
}
