import API
import DeliveryLive
import FoundationEssentials
import FunctionKit
import PersonLive
import Postgres
import TestSupport
import Testing

@testable import Inbox
@testable import VoteCast

@Suite(.heavy)
struct InboxReadingTests {
  private static let path = "/api/v1/notifications"

  @Test func whatWasReadStaysAndCountsNoMore() async throws {
    let scene = try await APIScene()
    let id = try await scene.entry("one")
    try await scene.entry("two")

    for _ in 0..<2 {
      let answer = try await scene.call(scene.inbox, .post, "\(Self.path)/\(id)/read", as: .finn)
      #expect(answer.status == 204 && answer.response.body == nil)
    }

    #expect(try await scene.page().titles.count == 2)
    #expect(try await scene.page(["unread": "true"]).titles == ["two"])
    #expect(try await scene.unreadCount() == [1, 1])
  }

  @Test(arguments: [("archive", HTTPMethod.post), ("", .delete)])
  func whatWasPutAwayIsGone(_ action: String, _ method: HTTPMethod) async throws {
    let scene = try await APIScene()
    let id = try await scene.entry("one")
    let path = "\(Self.path)/\(id)" + (action.isEmpty ? "" : "/\(action)")

    for _ in 0..<2 {
      #expect(try await scene.call(scene.inbox, method, path, as: .finn).status == 204)
    }

    #expect(try await scene.page().titles.isEmpty)
    #expect(try await scene.unreadCount() == [0, 0])
  }

  @Test(arguments: ["00000000-0000-4000-8000-000000000000", "x", "' OR true --", "%00", "theirs"])
  func whatIsNotThePersonsIsNotThere(_ name: String) async throws {
    let scene = try await APIScene()
    let theirs = try await scene.entry("theirs", of: .grace)
    let id = name == "theirs" ? theirs : name

    for (method, path) in [
      (HTTPMethod.post, "\(Self.path)/\(id)/read"), (.post, "\(Self.path)/\(id)/archive"),
      (.delete, "\(Self.path)/\(id)"),
    ] {
      let answer = try await scene.call(scene.inbox, method, path, as: .finn)
      #expect(answer.status == 404 && answer.reason == "Not Found")
    }

    #expect(try await scene.page(as: .grace, ["unread": "true"]).titles == ["theirs"])
    #expect(try await scene.call(scene.inbox, .get, Self.path, as: nil).status == 401)
  }

  @Test func everythingOfOneAppIsReadAtOnce() async throws {
    let scene = try await APIScene()
    for number in 1...7 { try await scene.entry("\(number)") }
    try await scene.entry("read", "is_read = true")
    try await scene.entry("ended", expires: Demo.now - 1)
    try await scene.entry("other", app: "mugshot", type: "like")
    try await scene.entry("theirs", of: .grace)

    let dry = try await scene.call(scene.inbox, .post, "\(Self.path)/read-all", as: .finn, dryRun: true)
    let answer = try await scene.call(scene.inbox, .post, "\(Self.path)/read-all", as: .finn)
    let again = try await scene.call(scene.inbox, .post, "\(Self.path)/read-all", as: .finn)

    #expect([dry, answer, again].map { $0.json["read"]?.intValue } == [7, 7, 0])
    #expect(try await scene.unreadCount() == [0, 0])
    #expect(try await scene.unreadCount(app: "mugshot") == [1, 1])
    #expect(try await scene.unreadCount(as: .grace) == [1, 1])
    #expect(
      try await scene.call(scene.inbox, .post, "\(Self.path)/read-all", query: ["app": "?"]).reason?
        .hasPrefix("app must be") == true)
  }

  @Test func readingEverythingClearsTheBadgeOfLockItInUntilMoreIsAsked() async throws {
    let scene = try await APIScene()
    let ask: SQL = """
      INSERT INTO friend_requests (requester_id, recipient_id, created_at)
      VALUES (\(Person.ada.id)::uuid, \(Person.hugo.id)::uuid
      """
    try await scene.connection.script(
      """
      INSERT INTO device_tokens (user_id, token, platform, app) VALUES ('\(Person.hugo.id)', 'hugo', 'iOS', 'lockitin')
      """)
    _ = try await scene.connection.query("DELETE FROM group_members WHERE user_id = \(Person.hugo.id)::uuid")
    _ = try await scene.connection.query("\(ask), \(Demo.now - 60))")
    #expect(try await scene.unreadCount(as: .hugo, app: "lockitin") == [0, 1])

    for _ in 0..<2 {
      _ = try await scene.call(
        scene.inbox, .post, "\(Self.path)/read-all", as: .hugo, query: ["app": "lockitin"])
    }
    #expect(try await scene.unreadCount(as: .hugo, app: "lockitin") == [0, 0])
    let pushed = try await scene.connection.query(
      """
      SELECT n.data ->> 'badge' AS badge FROM notifications n JOIN deliveries d ON d.notification_id = n.id
      WHERE n.user_id = \(Person.hugo.id)::uuid AND n.type = 'badge' AND n.app = 'lockitin'
      """)
    #expect(try pushed.decode("badge", as: String.self) == ["0"])

    _ = try await scene.connection.query("\(ask), \(Demo.now + 60))")
    #expect(try await scene.unreadCount(as: .hugo, app: "lockitin", at: Demo.now + 60) == [0, 1])
  }

  @Test func manyReadEverythingAtOnceWithoutStandingInEachOthersWay() async throws {
    let scene = try await APIScene()
    for number in 1...40 { try await scene.entry("\(number)") }

    let read = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        let inbox = Inbox(
          tokens: scene.tokens,
          store: InboxStore(Connection(url: scene.demo.url, applicationName: "function"), chunk: 3))
        group.addTask {
          let answer = try await scene.call(inbox, .post, "\(Self.path)/read-all", as: .finn)
          return answer.json["read"]?.intValue ?? -1
        }
      }
      return try await group.reduce(0, +)
    }

    #expect(read == 40)
  }

  /// A waiting notification stands in the inbox; when it is read there, it stays there, and is not sent.
  @Test func whatIsReadWhileItWaitsIsNotSent() async throws {
    let policy = try await DeliveryPolicyScene()
    let scene = APIScene(policy.demo)
    try await scene.issueTokens()
    try await policy.set("quiet_hours_enabled = true, timezone = 'Europe/Berlin'")
    let night = try #require(RFC3339.date("2026-06-15T21:00:00Z"))
    try await policy.vote(1, at: night)
    let reader = try #require(Person.allCases.first { $0.id == policy.person.uuidString.lowercased() })
    let waiting = try await scene.page(as: reader, ["unread": "true"], at: night)
    let id = try #require(waiting.items.first?["id"]?.stringValue)

    _ = try await scene.call(scene.inbox, .post, "\(Self.path)/\(id)/read", as: reader, at: night)
    let due = try await policy.release(at: night + 10 * 3_600)

    #expect(due.suppressed == 1 && due.released == 0)
    let page = try await scene.page(as: reader, at: night + 10 * 3_600)
    #expect(page.items.first?["id"]?.stringValue == id)
    #expect(page.items.first?["isRead"] == RawJSON(true))
  }

  /// Several votes are one entry in the end.
  @Test func whatWasMergedIsShownOnce() async throws {
    let policy = try await DeliveryPolicyScene()
    let scene = APIScene(policy.demo)
    try await scene.issueTokens()
    let reader = try #require(Person.allCases.first { $0.id == policy.person.uuidString.lowercased() })
    for number in 0..<3 { try await policy.vote(number, at: Demo.now) }
    #expect(try await scene.page(as: reader).items.count == 3)

    _ = try await policy.release(at: Demo.now + 600)

    let page = try await scene.page(as: reader, at: Demo.now + 600)
    #expect(page.items.compactMap { $0["body"]?.stringValue } == ["3 people voted for Dark mode"])
    #expect(try await scene.unreadCount(as: reader, at: Demo.now + 600) == [1, 1])
  }

  @Test func aDryRunChangesNothing() async throws {
    let scene = try await APIScene()
    let id = try await scene.entry("one")

    #expect(try await scene.call(scene.inbox, .post, "\(Self.path)/\(id)/read", as: .finn, dryRun: true).status == 204)
    #expect(try await scene.call(scene.inbox, .delete, "\(Self.path)/\(id)", as: .finn, dryRun: true).status == 204)

    #expect(try await scene.page(["unread": "true"]).titles == ["one"])
  }
}
