import FunctionKit
import HTTPClient
import Postgres
import TestSupport
import Testing

/// The inbox and the activity as an app uses them, over HTTP.
@Suite(.heavy)
struct InboxTests {
  private static let feedback = "c0000000-0000-4000-8000-000000000001"
  private static let token = [(name: "Authorization", value: "Bearer token-of-grace")]

  @Test func whatAPersonLooksAtIsNotPushedAndWhatTheyReadLeavesTheBadge() async throws {
    let bundle = try await RunningBundle()
    let phones = try await bundle.start()
    let database = bundle.runner.database
    try await database.script(
      "INSERT INTO user_tokens (value, user_id) SELECT 'token-of-grace', id FROM users WHERE name = 'Grace'")
    try await bundle.settle()
    let pushes = try await phones.pushes().count

    let looking = try await phones.served.request(
      "/api/v1/activity", #"{"feedbackId":"\#(Self.feedback)"}"#, method: .put, headers: Self.token)
    try await database.script(
      """
      INSERT INTO comments (content, user_id, is_admin, feedback_id) VALUES ('Soon.', 'sdk-hugo', false, '\(Self.feedback)')
      """)
    try await bundle.settle()

    #expect(looking.status == 204)
    let toGrace = try await phones.pushes().dropFirst(pushes).filter {
      $0["token"]?.stringValue?.hasPrefix("a7") == true
    }
    #expect(toGrace.isEmpty)
    let first = try await get("/api/v1/notifications?limit=1", phones)
    #expect(first["notifications"]?.elements?.first?["type"]?.stringValue == "new_comment")
    #expect(first["notifications"]?.elements?.first?["isRead"] == RawJSON(true))
    let cursor = try #require(first["nextCursor"]?.stringValue)
    let second = try await get("/api/v1/notifications?limit=1&cursor=\(cursor)", phones)
    #expect(second["notifications"]?.elements?.count == 1)
    #expect(second["notifications"]?.elements?.first?["id"] != first["notifications"]?.elements?.first?["id"])

    let unread = try #require(try await get("/api/v1/notifications/unread-count", phones)["unread"]?.intValue)
    let read = try await phones.served.request(
      "/api/v1/notifications/read-all?app=feedbackkit", method: .post, headers: Self.token)
    #expect(unread > 0)
    #expect(read.json?["read"]?.intValue == unread)
    #expect(try await get("/api/v1/notifications/unread-count", phones)["badge"]?.intValue == 0)
    let left = try await phones.served.request(
      "/api/v1/activity?feedbackId=\(Self.feedback)", method: .delete, headers: Self.token)
    #expect(left.status == 204)
    #expect(try await database.query("SELECT FROM user_activity").isEmpty)
    #expect(try await phones.served.request("/api/v1/notifications").status == 401)
  }

  private func get(_ path: String, _ phones: Phones) async throws -> RawJSON {
    let answer = try await phones.served.request(path, headers: Self.token)
    #expect(answer.status == 200, "\(answer.text)")
    return try #require(answer.json)
  }
}
