import Signing
import TestSupport
import Testing

/// Lists that a caller can make as long as it likes: twice the length costs twice the time.
struct CostTests {
  private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

  @Test(arguments: ["v1,AAAA ", "v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= ", "v1,? ", "v2,AAAA ", " "])
  func signaturesOfAWebhookDoNotCostTheSquareOfTheirNumber(_ signature: String) throws {
    let keys = try #require(WebhookKeys(Self.secret))
    let list = LongList(signature) { count in
      let signatures = String(repeating: signature, count: count)
      return { _ = keys.isSigned(by: signatures, id: "1", time: "2", body: []) }
    }
    #expect(try list.growth() < 3)
  }
}
