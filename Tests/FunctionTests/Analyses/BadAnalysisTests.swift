import FunctionKit
import Notifications
import Postgres
import PushPayload
import StoreLive
import Testing

@testable import AnalyzeForNotification

/// Calls that are refused, each with a sentence that names the field; no database is asked.
struct BadAnalysisTests {
  private static let long = "\"\(String(repeating: "é", count: 65))\""

  private func error(_ members: [String: String?]) async -> FunctionError? {
    await #expect(throws: FunctionError.self) {
      let envelope = try Envelope(RawJSON(validating: Array(AnalysisScene.body(members).utf8)[...]))
      let call = Event(envelope: envelope, data: try AnalyzeForNotification.payload(envelope.data))
      let nowhere = Connection(url: "postgresql:///nowhere?host=/nonexistent", applicationName: "test")
      let function = AnalyzeForNotification(store: NotificationStore(nowhere))
      return try await function.handle(call, Context(function: AnalyzeForNotification.name, log: Log { _ in }))
    }
  }

  @Test(
    arguments: [
      ("userId", nil), ("userId", "\"ada\""), ("userId", "7"), ("conversationId", nil), ("conversationId", "\"\""),
      ("conversationId", long), ("messageId", nil), ("messageId", "\"\""), ("messageId", "7"), ("messageId", long),
      ("shouldNotify", nil), ("shouldNotify", "\"yes\""), ("notificationText", nil), ("notificationText", "\" \\n\""),
      ("notificationText", "7"), ("priority", nil), ("priority", "\"urgent\""), ("senderId", "\"ben\""),
      ("senderAvatarUrl", "\"avatar.jpg\""), ("senderAvatarUrl", "\"https://\""),
      ("senderAvatarUrl", "\"https://a/\(String(repeating: "x", count: 1_024))\""),
    ] as [(String, String?)])
  func aWrongCallIsRefusedByItsField(field: String, value: String?) async {
    let error = await error([field: value])

    #expect(error?.code == .invalidEvent && error?.code.exitStatus == 65)
    #expect(error?.message.hasPrefix(field) == true)
  }

  @Test func theLongestCallFitsIntoAPush() throws {
    let id = String(repeating: "\u{1}", count: Request.longestID)
    let url = "https://" + String(repeating: "x", count: Request.longestURL - 8)
    let notice = SmartNotification(id, in: id, .high, saying: String(repeating: "\u{1}", count: 9_000), image: url)

    let payload = try notice.payload(for: Recipient(.addressee)).encoded()

    #expect(payload.utf8.count <= PushPayload.maximumSize)
  }
}
