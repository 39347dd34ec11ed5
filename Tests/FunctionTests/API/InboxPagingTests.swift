import FoundationEssentials
import FunctionKit
import Postgres
import TestSupport
import Testing

@testable import Notifications
@testable import PersonLive
@testable import StoreLive

@Suite(.heavy)
struct InboxPagingTests {
  @Test func pagesFollowEachOtherWithoutLossOrRepetitionWhileNewEntriesComeIn() async throws {
    let scene = try await APIScene()
    for number in 1...10 {
      try await scene.entry(
        "\(number)", at: Demo.now + Double(number), number.isMultiple(of: 3) ? "is_read = true" : "is_read = NULL")
    }

    let titles = try await scene.titlesOfAllPages(["limit": "3"]) {
      try await scene.entry("new", at: Demo.now + 100)
    }

    #expect(titles == (1...10).reversed().map { "\($0)" })
  }

  @Test func entriesOfOneInstantAreEachShownOnce() async throws {
    let scene = try await APIScene()
    let instant = Demo.now + 0.123456
    for number in 1...7 {
      try await scene.entry("\(number)", at: instant, number.isMultiple(of: 2) ? "is_read = true" : "is_read = false")
    }

    let titles = try await scene.titlesOfAllPages(["limit": "2"])

    #expect(titles.count == 7)
    #expect(Set(titles).count == 7)
  }

  @Test func aFullLastPageHasNoNext() async throws {
    let scene = try await APIScene()
    for number in 1...2 { try await scene.entry("\(number)") }

    #expect(try await scene.page(["limit": "2"]).next == nil)
    #expect(try await scene.page(["limit": "1"]).next != nil)
    #expect(try await scene.page(as: .grace).answer.json["nextCursor"] == .null)
  }

  @Test func aFilterHoldsFromPageToPage() async throws {
    let scene = try await APIScene()
    for number in 1...6 {
      try await scene.entry(
        "\(number)", app: "lockitin", type: number > 3 ? "friend_request" : "Event_Confirmed",
        at: Demo.now + Double(number), number.isMultiple(of: 3) ? "is_read = true" : "is_read = false")
    }

    let app = ["app": "lockitin", "limit": "1"]
    #expect(try await scene.titlesOfAllPages(app).count == 6)
    #expect(try await scene.titlesOfAllPages(app.merging(["unread": "true"]) { $1 }) == ["5", "4", "2", "1"])
    #expect(try await scene.titlesOfAllPages(app.merging(["category": "activity"]) { $1 }) == ["6", "5", "4"])
    let both = app.merging(["category": "activity", "unread": "true"]) { $1 }
    #expect(try await scene.titlesOfAllPages(both) == ["5", "4"])
  }

  @Test func aCursorOfAnotherListIsRefused() async throws {
    let scene = try await APIScene()
    for number in 1...2 { try await scene.entry("\(number)") }
    let cursor = try #require(try await scene.page(["limit": "1"]).next)

    for query in [["unread": "true"], ["app": "lockitin"]] {
      let answer = try await scene.page(query.merging(["cursor": cursor]) { $1 }).answer
      #expect(answer.status == 404)
      #expect(answer.reason?.hasPrefix("cursor belongs to another list") == true, "\(answer.reason ?? "")")
    }
    #expect(try await scene.page(["cursor": cursor, "limit": "5"]).titles.count == 1)
  }

  /// A page of an inbox with 20,000 entries touches as little of the database as one of an inbox with 100.
  @Test(arguments: [
    InboxFilter(app: .feedbackKit), InboxFilter(app: .feedbackKit, isUnread: true), InboxFilter(app: .lockItIn),
    InboxFilter(app: .lockItIn, isUnread: true), InboxFilter(app: .lockItIn, category: .activity),
    InboxFilter(app: .lockItIn, isUnread: true, category: .activity),
  ])
  func aLongInboxIsReadLikeAShortOne(_ filter: InboxFilter) async throws {
    let scene = try await APIScene()
    // The wanted ones are the oldest.
    for (person, count) in [(Person.finn, 20_000), (.grace, 100)] {
      _ = try await scene.connection.query(
        """
        INSERT INTO notifications (user_id, app, type, title, origin, is_read, created_at, expires_at)
        SELECT \(person.id)::uuid, \(filter.app.rawValue),
          CASE WHEN i <= 50 THEN 'friend_request' ELSE 'proposal_created' END, 'T', 'function', i > 50,
          \(Demo.now) + i * interval '1 second', \(Demo.now) + interval '30 days'
        FROM generate_series(1, \(count)::int) i
        """)
    }
    try await scene.connection.script("ANALYZE notifications")

    let long = try await pagesTouched(by: filter, of: .finn, scene)
    let short = try await pagesTouched(by: filter, of: .grace, scene)

    #expect(long <= 3 * short, "\(long) against \(short)")
  }

  private func pagesTouched(
    by filter: InboxFilter, of person: Person, _ scene: APIScene
  ) async throws -> Int {
    let id = try #require(UUID(uuidString: person.id))
    let cursor = InboxCursor(time: Demo.now + 40_000, id: id)
    let page = SQL.inbox(filter, of: "\(id)", after: cursor, limit: 21, at: Demo.now)
    let plan = try await scene.connection.query("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) \(page)").only()
    let document = try RawJSON(validating: Array((plan["QUERY PLAN"] ?? "").utf8)[...])
    let node = try #require(document.elements?.first?["Plan"])
    return (node["Shared Hit Blocks"]?.intValue ?? 0) + (node["Shared Read Blocks"]?.intValue ?? 0)
  }
}
