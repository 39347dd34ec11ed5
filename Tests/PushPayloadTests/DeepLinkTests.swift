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
    (.notificationSettings, "feedbackkit://settings/notifications"),
    (.pushSettings, "feedbackkit://settings/notifications/push"),
    (.proposal(id), "lockit://proposals/\(text)"), (.event(id), "lockit://events/\(text)"),
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
    "feedbackkit://settings", "feedbackkit://settings/notifications/email", "feedbackkit://settings/\(text)",
    "feedbackkit://proposals/\(text)", "lockit://proposals", "lockit://feedback/\(text)", "https://feedback/\(text)",
    "feedbackkit:feedback/\(text)", "feedbackkit://feedback/\(text) ", "://feedback/\(text)",
  ])
  func namesNoPlace(url: String) {
    #expect(DeepLink(url) == nil)
  }
}
