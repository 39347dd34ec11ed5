import Notifications
import PushPayload
import Testing

struct QuietSummaryTests {
  @Test(
    arguments: [
      (["A", "B", "C", "D", "E"], "A • B • C • 2 more"),
      (["A", "B", "A", "B", "A"], "A (3) • B (2)"),
      (["A", "", "A", "B"], "A (2) • B • 1 more"),
      (["", "", "", ""], "Tap to view"),
    ])
  func theFirstTitlesAreNamedOnceEach(titles: [String], body: String) {
    let text = QuietSummary(of: titles).text

    #expect(text.title == "\(titles.count) things while it was quiet")
    #expect(text.body == body)
  }

  @Test func longTitlesLeaveRoomForTheNumbers() {
    let long = String(repeating: "x", count: 255)
    let text = QuietSummary(of: [long, long, "\(long)y", "\(long)z", "w"]).text

    #expect(text.inInbox == text)
    #expect(text.body.hasSuffix(" • 1 more") && text.body.contains("… (2) • "))
  }

  @Test(arguments: App.allCases) func thePayloadNamesTheTypeAndTheCount(app: App) {
    let values = QuietSummary(of: ["A", "B", "C", "D"]).values(in: app)

    #expect(values["type"] == "quiet_summary" && values["count"] == 4)
    #expect(values["deep_link"] == (app == .lockItIn ? "lockit://inbox" : nil))
  }

  @Test(arguments: App.allCases) func noAppCanInsertOneItself(app: App) {
    #expect(Kind.named(QuietSummary.typeName, of: app) == nil)
    #expect(Kind.quietSummary(of: app).importance == .normal)
  }
}
