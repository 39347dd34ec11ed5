import FoundationEssentials
import PushPayload
import Testing

/// Apps understand the payloads that functions send, as the functions' own tests have them.
struct PayloadFileTests {
  @Test(arguments: try files(of: "feedbackkit")) func feedbackKit(_ file: String) throws {
    try check(file, FeedbackKitPush.self)
  }
  @Test(arguments: try files(of: "lockitin")) func lockItIn(_ file: String) throws {
    try check(file, LockItInPush.self)
  }
  @Test(arguments: try files(of: "repairminder")) func repairMinder(_ file: String) throws {
    let push = try check(file, RepairMinderPush.self)
    #expect(push.content.kind != nil)
    #expect(push.link != nil)
  }
  @Test(arguments: try files(of: "mugshot")) func mugshot(_ file: String) throws {
    let push = try check(file, MugshotPush.self)
    #expect(push.content.kind != nil)
    #expect(push.content.target != nil)
  }
  @Test(arguments: try files(of: "messageai")) func messageAI(_ file: String) throws {
    try check(file, MessageAIPush.self)
  }

  /// Nothing but the notification's id is lost when the payload is read and its own keys are written again.
  @discardableResult
  private func check<Content: PushContent>(_ file: String, _: Content.Type) throws -> ReceivedPush<Content> {
    let json = try Data(contentsOf: Self.folder.appending(path: file))
    let push = try #require(ReceivedPush<Content>(json: json))
    let ids = [PushPayload.IDKey.camelCase, .snakeCase].map(\.rawValue)
    #expect(push.content.values.count > 1, "the type is unknown, or lacks its id")
    #expect(push.content.values == push.payload.values.filter { !ids.contains($0.key) })
    #expect(push.payload.category.map { ActionCategory(rawValue: $0) != nil } ?? true)
    return push
  }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "FunctionTests/Payloads")

  private static func files(of app: String) throws -> [String] {
    let apps = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return try apps.filter { $0.lowercased() == app }.flatMap { name in
      try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: name).path).sorted().map {
        "\(name)/\($0)"
      }
    }
  }
}
