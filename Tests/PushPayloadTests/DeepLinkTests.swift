import FoundationEssentials
import PushPayload
import Testing

struct DeepLinkTests {
  private static let text = "550e8400-e29b-41d4-a716-446655440000"
  private static let id = UUID(uuidString: text) ?? UUID()

  static let links: [(DeepLink, String)] = [
    (.feedback(id), "feedbackkit://feedback/\(text)"),
    (.feedbackComments(id), "feedbackkit://feedback/\(text)/comments"),
    (.project(id), "feedbackkit://project/\(text)"),
    (.settings, "feedbackkit://settings"),
    (.notificationSettings, "feedbackkit://settings/notifications"),
    (.pushSettings, "feedbackkit://settings/notifications/push"),
    (.proposal(id), "lockit://proposals/\(text)"),
    (.event(id), "lockit://events/\(text)"),
    (.group(id), "lockit://groups/\(text)"),
    (.friends, "lockit://friends"),
    (.friend(id), "lockit://friends/\(text)"),
    (.inbox, "lockit://inbox"),
    (.order("order-1"), "repairminder://order/order-1"),
    (.device("a b/c"), "repairminder://device/a%20b%2Fc"),
    (.ticket("#4521?x"), "repairminder://ticket/%234521%3Fx"),
    (.enquiry("Zoë"), "repairminder://enquiry/Zo%C3%AB"),
  ]

  @Test(arguments: links)
  func buildsAndReads(link: DeepLink, url: String) {
    #expect(link.url == url)
    #expect(DeepLink(url) == link)
    #expect(DeepLink(url + "/") == link)
    #expect(DeepLink(url + "?from=push#top") == link)
  }

  @Test func readsIdentifiersInAnyCase() {
    #expect(DeepLink("FeedbackKit://feedback/\(Self.text.uppercased())") == .feedback(Self.id))
  }

  @Test(arguments: [
    "", "feedbackkit", "feedbackkit:", "feedbackkit://", "feedbackkit://feedback", "feedbackkit://feedback/1",
    "feedbackkit://feedback/\(text)/votes", "feedbackkit://feedback/\(text)/comments/1", "feedbackkit://project/",
    "feedbackkit://settings/email", "feedbackkit://settings/notifications/email", "feedbackkit://settings/\(text)",
    "feedbackkit://proposals/\(text)", "lockit://proposals", "lockit://feedback/\(text)", "https://feedback/\(text)",
    "lockit://events", "lockit://events/1", "lockit://groups", "lockit://inbox/\(text)", "lockit://inbox/1",
    "lockit://friends/ada", "repairminder://", "repairminder://order", "repairminder://order/",
    "repairminder://order/1/2", "repairminder://order/%", "repairminder://order/%4", "repairminder://order/%4g",
    "repairminder://order/%FF", "repairminder://orders/1", "lockit://order/1",
    "feedbackkit:feedback/\(text)", "feedbackkit://feedback/\(text) ", "://feedback/\(text)",
  ])
  func namesNoPlace(url: String) {
    #expect(DeepLink(url) == nil)
  }
}
