import Formats
import FoundationEssentials
import PushPayload
import Testing

/// The seed of a failing case is the test's argument.
struct RoundTripTests {
  private static let seeds: Range<UInt64> = 0..<8
  private static let cases = 0..<250

  @Test(arguments: seeds) func feedbackKit(_ seed: UInt64) throws { try check(seed) { $0.feedbackKit() } }
  @Test(arguments: seeds) func lockItIn(_ seed: UInt64) throws { try check(seed) { $0.lockItIn() } }
  @Test(arguments: seeds) func repairMinder(_ seed: UInt64) throws { try check(seed) { $0.repairMinder() } }
  @Test(arguments: seeds) func mugshot(_ seed: UInt64) throws { try check(seed) { $0.mugshot() } }
  @Test(arguments: seeds) func messageAI(_ seed: UInt64) throws { try check(seed) { $0.messageAI() } }

  @Test(arguments: seeds) func everyLinkIsReadAsItWasBuilt(_ seed: UInt64) {
    var random = RandomContent(seed: seed)
    for _ in Self.cases {
      let link = random.link()
      #expect(DeepLink(link.url).map(\.utf8) == link.utf8)
      #expect(link.url.utf8.allSatisfy { (0x21..<0x7F).contains($0) })
    }
  }

  /// A written payload is read back the same, from the JSON and as iOS hands it over, with the id that is put in later.
  private func check<Content: PushContent>(_ seed: UInt64, _ content: (inout RandomContent) -> Content) throws {
    var random = RandomContent(seed: seed)
    for _ in Self.cases {
      let content = content(&random)
      let payload = random.payload(content.values)
      let id = random.id()
      let key: PushPayload.IDKey = random.pick([.camelCase, .snakeCase])
      let text = PushPayload.insertID(id, as: key, into: try payload.encoded())

      let push = try #require(ReceivedPush<Content>(json: text.utf8))

      #expect(push.content == content)
      #expect(push.content.values == content.values)
      #expect(push.link == content.link)
      #expect(push.notificationID == id)
      var expected = payload
      expected.values[key.rawValue] = .string(id.lowercased)
      #expect(push.payload == expected)
      #expect(ReceivedPush<Content>(userInfo: expected.userInfo) == push)
    }
  }
}

extension DeepLink {
  /// Bytes, since strings that differ in bytes may be equal.
  fileprivate var utf8: [UInt8] { Array("\(self)".utf8) }
}

extension PushPayload {
  /// The form in which iOS hands a payload to an app.
  var userInfo: [AnyHashable: Any] {
    var aps: [String: Any] = [:]
    aps["alert"] = alert.map { alert in
      var texts: [String: Any] = [:]
      texts["title"] = alert.title
      texts["subtitle"] = alert.subtitle
      texts["body"] = alert.body
      return texts
    }
    aps["badge"] = badge
    aps["sound"] = sound
    aps["thread-id"] = threadID
    aps["category"] = category
    aps["interruption-level"] = interruptionLevel?.rawValue
    aps["relevance-score"] = relevanceScore
    aps["mutable-content"] = isMutable ? 1 : nil
    aps["content-available"] = isContentAvailable ? 1 : nil
    var userInfo: [AnyHashable: Any] = ["aps": aps]
    for (name, value) in values {
      switch value {
      case .string(let text): userInfo[name] = text
      case .integer(let number): userInfo[name] = number
      }
    }
    return userInfo
  }
}
