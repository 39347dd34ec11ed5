import FoundationEssentials
import FunctionKit
import PersonLive
import Postgres
import TestSupport
import Testing

@testable import CommentAdded
@testable import ProposalReminder

@Suite(.heavy)
struct InboxTests {
  @Test func anEntryShowsWhatItsPushSaid() async throws {
    let scene = try await APIScene()
    let event = RowEvent.commentAdded(actor: Person.hugo.id)
    _ = try await scene.demo.run(CommentAdded(store: scene.demo.store()), on: event)

    let entry = try #require(try await scene.page(as: .ada).items.first)

    #expect(entry["app"]?.stringValue == "feedbackkit")
    #expect(entry["type"]?.stringValue == "new_comment")
    #expect(entry["title"]?.stringValue == "New Comment")
    #expect(entry["isRead"] == RawJSON(false))
    #expect(entry["createdAt"]?.stringValue == RFC3339.seconds(Demo.now))
    #expect(entry["expiresAt"]?.stringValue.flatMap(RFC3339.date).map { $0 > Demo.now } == true)
    #expect(entry["feedbackId"]?.stringValue == RowEvent.feedback)
    #expect(entry["subjectId"]?.stringValue == RowEvent.feedback)
    #expect(entry["data"]?["feedbackId"]?.stringValue == RowEvent.feedback)
    #expect(entry["deepLink"]?.stringValue == "feedbackkit://feedback/\(RowEvent.feedback)/comments")
    #expect(entry["category"] == nil)
    #expect(entry["payload"] == nil)
  }

  @Test func whatAnAppsOwnRowIsAboutIsFoundInItsColumns() async throws {
    let scene = try await APIScene()
    try await scene.entry(
      "Order", app: "repairminder", type: "order_created", "entity_id = 'A 7', data = '[1]', body = NULL, message = 'M'"
    )
    try await scene.entry("Cup", app: "mugshot", type: "like", #"data = '{"visit_id":"V1","n":1.50}'"#)

    let order = try #require(try await scene.page(["app": "repairminder"]).items.first)
    let visit = try #require(try await scene.page(["app": "mugshot"]).items.first)

    #expect(order["deepLink"]?.stringValue == "repairminder://order/A%207")
    #expect(order["entityId"]?.stringValue == "A 7")
    #expect(order["body"]?.stringValue == "M")
    #expect(order["data"] == RawJSON(object: []))
    #expect(visit["deepLink"] == nil)
    #expect(visit["data"]?["visit_id"]?.stringValue == "V1")
    #expect(visit["data"]?["n"].map { String(decoding: $0.bytes, as: UTF8.self) } == "1.50")
  }

  @Test func entriesEndByTheClockOfTheRequest() async throws {
    let scene = try await APIScene()
    try await scene.entry("short", expires: Demo.now + 60)
    try await scene.entry("long", expires: Demo.now + 600)
    try await scene.entry("endless", "expires_at = 'infinity'")
    try await scene.entry("forever")

    #expect(try await scene.page(at: Demo.now + 59).titles.count == 4)
    #expect(try await Set(scene.page(at: Demo.now + 60).titles) == ["long", "endless", "forever"])
    #expect(try await scene.unreadCount(at: Demo.now + 60) == [3, 3])
    #expect(try await scene.page(at: Demo.now + 600).titles.count == 2)
  }

  @Test func theInboxIsThePersonsAndTheAppsAlone() async throws {
    let scene = try await APIScene()
    try await scene.entry("mine")
    try await scene.entry("other app", app: "lockitin", type: "friend_request")
    try await scene.entry("other person", of: .grace)
    try await scene.entry("archived", "is_archived = true")
    try await scene.entry(
      "badge", type: "badge", "is_archived = true, counts_for_badge = false, payload = '{\"aps\":{}}'")

    #expect(try await scene.page().titles == ["mine"])
    #expect(try await scene.page(["app": "LockItIn"]).titles == ["other app"])
    #expect(try await scene.unreadCount() == [1, 1])
  }

  @Test func everyKindStandsInOneSection() async throws {
    let scene = try await APIScene()
    let kinds = [
      "pending_votes": ["proposal_created", "proposal_reminder", "proposal_updated"],
      "upcoming": ["event_confirmed", "event_day_before", "event_starting_soon", "time_to_leave"],
      "activity": [
        "vote_cast", "vote_count_update", "conflict_alert", "friend_request", "group_invite", "memory_prompt",
      ],
    ]
    for kind in kinds.values.joined() { try await scene.entry(kind, app: "lockitin", type: kind) }

    let all = try await scene.page(["app": "lockitin"])
    #expect(all.titles.count == 13)
    for (section, names) in kinds {
      let entries = all.items.filter { $0["category"]?.stringValue == section }
      #expect(entries.compactMap { $0["title"]?.stringValue }.sorted() == names.sorted())
    }
    // The other two sections list what is open, see InboxSectionsTests.
    let activity = try await scene.page(["app": "lockitin", "category": "activity"])
    #expect(activity.titles.sorted() == kinds["activity"]?.sorted())
  }

  @Test func aReminderWaitsAmongThePendingVotes() async throws {
    let scene = try await APIScene()
    let tick = try Repository.text("Tests/Events/proposal-reminder.json")
    _ = try await scene.demo.run(ProposalReminder(store: scene.demo.store()), on: tick, at: Demo.beforeDeadline)
    let person = try #require(
      try await Person.allCases.asyncFirst { person in
        try await !scene.page(as: person, ["app": "lockitin", "category": "pending_votes"]).items.isEmpty
      })

    let entry = try #require(try await scene.page(as: person, ["app": "lockitin"]).items.first)

    #expect(entry["deepLink"]?.stringValue == entry["proposalId"]?.stringValue.map { "lockit://proposals/\($0)" })
    #expect(entry["category"]?.stringValue == "pending_votes")
  }

  @Test(arguments: [
    (["limit": "0"], "limit must be a whole number from 1 to 100."), (["limit": "101"], "limit must be"),
    (["limit": "99999999999999999999"], "limit must be"), (["limit": "1.5"], "limit must be"),
    (["limit": ""], "limit must be"), (["app": "other"], "app must be one of feedbackkit"),
    (["unread": "yes"], "unread must be true or false."), (["unread": "1"], "unread must be"),
    (["category": "other"], "category must be one of pending_votes, upcoming, activity."),
    (["app": "lockitin", "category": "other"], "category must be one of pending_votes, upcoming, activity."),
    (["cursor": ""], "cursor must be"), (["cursor": "a\u{0}b"], "cursor must be"),
    (["cursor": String(repeating: "A", count: 501)], "cursor must be"),
  ])
  func anUnusableQuestionIsRefusedInASentence(_ query: [String: String], _ sentence: String) async throws {
    let scene = try await APIScene()

    let answer = try await scene.page(query).answer

    #expect(answer.status == 400)
    #expect(answer.reason?.contains(sentence) == true, "\(answer.reason ?? "")")
  }

  @Test(arguments: [
    ("x", "cursor must be the nextCursor of an earlier answer."), ("' OR 1=1", "cursor must be"),
    (encoded("1 2 feedbackkit/all/"), "cursor must be"),
    (encoded("9223372036854775807 \(id) feedbackkit/all/"), "cursor must be"),
    (encoded("-9223372036854775808 \(id) feedbackkit/all/"), "cursor must be"),
    (encoded("1 \(id) feedbackkit/all/ x"), "cursor must be"),
    (encoded("1 \(id) lockitin/all/"), "cursor belongs to another list"),
  ])
  func whatNoPageGaveLeadsToNone(_ cursor: String, _ sentence: String) async throws {
    let scene = try await APIScene()

    let answer = try await scene.page(["cursor": cursor]).answer

    #expect(answer.status == 404)
    #expect(answer.reason?.contains(sentence) == true, "\(answer.reason ?? "")")
  }

  @Test(arguments: ["pending_votes", "upcoming", "activity"])
  func aSectionMeansNothingForAppsWithoutAny(category: String) async throws {
    let scene = try await APIScene()
    try await scene.entry("1")

    #expect(try await scene.page(["category": category]).titles == ["1"])
  }

  private static let id = "a0000000-0000-4000-8000-000000000001"

  private static func encoded(_ text: String) -> String {
    Data(text.utf8).base64EncodedString().filter { $0 != "=" }
  }
}

extension Sequence {
  fileprivate func asyncFirst(where fits: (Element) async throws -> Bool) async rethrows -> Element? {
    for element in self where try await fits(element) { return element }
    return nil
  }
}
