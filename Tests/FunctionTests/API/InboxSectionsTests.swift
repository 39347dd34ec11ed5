import FoundationEssentials
import FunctionKit
import Postgres
import TestSupport
import Testing

/// The sections of LockItIn's inbox that list what is open, even if the person was not told of it.
@Suite(.heavy)
struct InboxSectionsTests {
  private static let votes = ["app": "lockitin", "category": "pending_votes"]
  private static let upcoming = ["app": "lockitin", "category": "upcoming"]
  private static let hour: TimeInterval = 3_600

  /// A scene in which nothing is open.
  private func scene() async throws -> APIScene {
    let scene = try await APIScene()
    try await scene.connection.script("DELETE FROM event_proposals; DELETE FROM events")
    return scene
  }

  /// Ada proposes something to College Friends, and answers with its id.
  @discardableResult
  private func propose(
    _ title: String, closing hours: Double, made: Double = -1, in scene: APIScene, _ changes: SQL = "status = 'open'"
  ) async throws -> String {
    let id: String = try await scene.connection.query(
      """
      INSERT INTO event_proposals (group_id, created_by, title, deadline, created_at)
      SELECT id, \(Person.ada.id)::uuid, \(title), \(Demo.now + hours * Self.hour), \(Demo.now + made * Self.hour)
      FROM groups WHERE name = 'College Friends' RETURNING id::text
      """
    ).only().decode("id")
    _ = try await scene.connection.query("UPDATE event_proposals SET \(changes) WHERE id = \(id)::uuid")
    return id
  }

  /// An event of two hours in College Friends; answers with its id.
  @discardableResult
  private func event(
    _ title: String, in hours: Double, of scene: APIScene, _ changes: SQL = "status = 'confirmed'"
  ) async throws -> String {
    let start = Demo.now + hours * Self.hour
    let id: String = try await scene.connection.query(
      """
      INSERT INTO events (group_id, created_by, title, starts_at, ends_at)
      SELECT id, \(Person.ada.id)::uuid, \(title), \(start), \(start + 2 * Self.hour)
      FROM groups WHERE name = 'College Friends' RETURNING id::text
      """
    ).only().decode("id")
    _ = try await scene.connection.query("UPDATE events SET \(changes) WHERE id = \(id)::uuid")
    return id
  }

  private func vote(_ person: Person, on proposal: String, _ scene: APIScene) async throws {
    _ = try await scene.connection.query(
      """
      WITH option AS (
        INSERT INTO proposal_options (proposal_id, starts_at, ends_at)
        VALUES (\(proposal)::uuid, \(Demo.now), \(Demo.now)) RETURNING id
      )
      INSERT INTO proposal_votes (proposal_id, option_id, user_id, vote)
      SELECT \(proposal)::uuid, id, \(person.id)::uuid, 'no' FROM option
      """)
  }

  @Test func whatWaitsForAVoteComesByDeadlineAndEachOnce() async throws {
    let scene = try await scene()
    let later = try await propose("40", closing: 40, in: scene)
    let voted = try await propose("voted", closing: 1, in: scene)
    let sooner = try await propose("5", closing: 5, in: scene)
    try await propose("20", closing: 20, in: scene)
    try await propose("cancelled", closing: 2, in: scene, "status = 'cancelled'")
    try await propose("confirmed", closing: 2, in: scene, "status = 'confirmed'")
    try await propose("closed", closing: -1, in: scene)
    try await propose(
      "elsewhere", closing: 3, in: scene, "group_id = (SELECT id FROM groups WHERE name = 'Book Club')")
    try await vote(.eva, on: voted, scene)
    for (proposal, title) in [(later, "40 first"), (later, "40 told"), (sooner, "5 told"), (voted, "voted told")] {
      try await scene.entry(
        title, of: .eva, app: "lockitin", type: title == "40 told" ? "PROPOSAL_REMINDER" : "proposal_created",
        at: Demo.now - (title == "40 first" ? 60 : 0), "proposal_id = \(proposal)::uuid")
    }

    let page = try await scene.page(as: .eva, Self.votes)

    #expect(page.titles == ["5 told", "Ada proposed 20", "40 told"])
    #expect(page.items.map { $0["category"]?.stringValue } == Array(repeating: "pending_votes", count: 3))
    #expect(page.items.first?["expiresAt"]?.stringValue == RFC3339.seconds(Demo.now + 5 * Self.hour))
    #expect(try await scene.page(as: .ben, Self.votes).titles.first == "Ada proposed voted")
    #expect(try await scene.page(as: .grace, Self.votes).titles.isEmpty)
  }

  @Test func whoJoinsLaterSeesWhatIsOpen() async throws {
    let scene = try await scene()
    let proposal = try await propose("Chess", closing: 5, made: -3, in: scene)
    try await propose("Secret", closing: 6, in: scene, "visibility = 'private'")
    _ = try await scene.connection.query(
      "INSERT INTO group_members (group_id, user_id) SELECT id, \(Person.finn.id)::uuid FROM groups")

    let page = try await scene.page(Self.votes)

    let entry = try #require(page.items.first)
    #expect(entry["id"]?.stringValue == proposal && entry["proposalId"]?.stringValue == proposal)
    #expect(entry["type"]?.stringValue == "proposal_created" && entry["isRead"] == RawJSON(false))
    #expect(entry["body"]?.stringValue == "Vote needed • Closes in 5 hours")
    #expect(entry["createdAt"]?.stringValue == RFC3339.seconds(Demo.now - 3 * Self.hour))
    #expect(entry["deepLink"]?.stringValue == "lockit://proposals/\(proposal)")
    #expect(entry["data"]?["event_title"]?.stringValue == "Chess")
    #expect(page.titles.last == "Ada updated their availability")
    #expect(!page.answer.response.body.orEmpty.contains("Secret"))
    #expect(try await scene.unreadCount(app: "lockitin") == [0, 2])
  }

  @Test func whatWasReadOrPutAwayWaitsForTheVoteAllTheSame() async throws {
    let scene = try await scene()
    for (place, change) in [("is_read = true" as SQL), "is_archived = true", "is_read = false"].enumerated() {
      let proposal = try await propose("\(place)", closing: Double(place + 1), in: scene)
      try await scene.entry(
        "\(place)", of: .eva, app: "lockitin", type: "proposal_created", "proposal_id = \(proposal)::uuid, \(change)")
    }

    let page = try await scene.page(as: .eva, Self.votes)

    #expect(page.titles == ["0", "1", "2"])
    #expect(page.items.map { $0["isRead"] } == [true, true, false].map { RawJSON($0) })
    #expect(try await scene.page(as: .eva, Self.votes.merging(["unread": "true"]) { $1 }).titles == ["2"])
    #expect(try await scene.page(as: .eva, ["app": "lockitin"]).titles.sorted() == ["0", "2"])
  }

  @Test func theNextPageFollowsTheDeadlineAndThenTheNewest() async throws {
    let scene = try await scene()
    _ = try await scene.connection.query(
      "INSERT INTO group_members (group_id, user_id) SELECT id, \(Person.finn.id)::uuid FROM groups")
    for number in 1...4 { try await propose("same \(number)", closing: 5, made: -Double(number), in: scene) }
    try await propose("first", closing: 1, in: scene)
    let last = try await propose("last", closing: 9, in: scene)
    for number in 1...2 { try await propose("twin \(number)", closing: 7, in: scene) }

    var titles = try await scene.titlesOfAllPages(Self.votes.merging(["limit": "1"]) { $1 })
    let all = try await scene.page(Self.votes)

    #expect(titles == all.titles && titles.count == 8)
    titles.removeAll { $0.contains("twin") }
    #expect(titles == ["first", "same 1", "same 2", "same 3", "same 4", "last"].map { "Ada proposed \($0)" })

    let first = try await scene.page(Self.votes.merging(["limit": "3"]) { $1 })
    try await vote(.finn, on: last, scene)
    try await propose("sooner", closing: 0.5, in: scene)
    let rest = try await scene.page(
      Self.votes.merging(["limit": "9", "cursor": try #require(first.next)]) { $1 })
    #expect(first.titles + rest.titles == all.titles.filter { !$0.contains("last") })
  }

  @Test func eventsToComeStandByTheirStartAndEachOnce() async throws {
    let scene = try await scene()
    let told = try await event("30", in: 30, of: scene)
    try await event("past", in: -3, of: scene)
    try await event("under way", in: -1, of: scene)
    try await event("cancelled", in: 2, of: scene, "status = 'cancelled'")
    let untold = try await event("10", in: 10, of: scene)
    try await event("Secret", in: 20, of: scene, "visibility = 'private', location = 'Secret'")
    try await event("elsewhere", in: 3, of: scene, "group_id = (SELECT id FROM groups WHERE name = 'Book Club')")
    for (minutes, title) in [(1, "30 confirmed!"), (2, "30 starts in 24 hours")] {
      try await scene.entry(
        title, of: .eva, app: "lockitin", type: minutes == 1 ? "event_confirmed" : "event_day_before",
        at: Demo.now + Double(minutes), "event_id = \(told)::uuid")
    }
    _ = try await scene.connection.query(
      """
      INSERT INTO user_notification_preferences (user_id, timezone) VALUES (\(Person.eva.id)::uuid, 'europe/berlin')
      """)

    let page = try await scene.page(as: .eva, Self.upcoming)

    #expect(
      page.titles == [
        "under way confirmed!", "10 confirmed!", "Ada updated their availability", "30 starts in 24 hours",
      ])
    #expect(!page.answer.response.body.orEmpty.contains("Secret"))
    #expect(page.items.map { $0["category"]?.stringValue } == Array(repeating: "upcoming", count: 4))
    // Demo.now is a Monday, 14:13:20 UTC.
    #expect(page.items[1]["body"]?.stringValue == "Tuesday at 2:13 AM")
    #expect(page.items[1]["id"]?.stringValue == untold && page.items[1]["eventId"]?.stringValue == untold)
    #expect(page.items[1]["deepLink"]?.stringValue == "lockit://events/\(untold)")
    #expect(try await scene.page(as: .grace, Self.upcoming).titles.isEmpty)
    let pages = try await scene.page(as: .eva, Self.upcoming.merging(["limit": "2"]) { $1 })
    let rest = try await scene.page(
      as: .eva, Self.upcoming.merging(["limit": "2", "cursor": try #require(pages.next)]) { $1 })
    #expect(pages.titles + rest.titles == page.titles && rest.next == nil)
  }

  @Test func eventsOfOneStartAreEachShownOnceFromPageToPage() async throws {
    let scene = try await scene()
    _ = try await scene.connection.query(
      "INSERT INTO group_members (group_id, user_id) SELECT id, \(Person.finn.id)::uuid FROM groups")
    for number in 1...5 { try await event("\(number)", in: number == 1 ? 1 : 2, of: scene) }

    let titles = try await scene.titlesOfAllPages(Self.upcoming.merging(["limit": "2"]) { $1 })

    #expect(titles.first == "1 confirmed!" && titles.sorted() == (1...5).map { "\($0) confirmed!" })
  }
}

extension String? {
  fileprivate var orEmpty: String { self ?? "" }
}
