import Notifications
import PushPayload
import TestSupport
import Testing

/// Lists that others can make as long as they like: twice the length costs twice the time.
struct CostTests {
  @Test(arguments: [
    LongList("people of a gathering") { count in
      let acts = (0..<count).map { Act("\($0)", named: "Name \($0)") }
      let newest = NotificationText(title: "Newest", body: "See you")
      return { _ = Merged(acts, in: .proposalVotes, newest: newest, subjectName: "Dark mode").text }
    },
    LongList("titles of a summary") { count in
      let titles = (0..<count).map { "Title \($0)" }
      return { _ = QuietSummary(of: titles).text }
    },
    LongList("bytes of a name") { count in
      let name = String(repeating: "é\u{202A}", count: count)
      let newest = NotificationText(said: name, name)
      return { _ = Merged([Act("1", named: name), Act("2", named: name)], in: .likes, newest: newest).text }
    },
  ])
  func noListCostsTheSquareOfItsLength(_ list: LongList) throws {
    #expect(try list.growth() < 3)
  }
}
