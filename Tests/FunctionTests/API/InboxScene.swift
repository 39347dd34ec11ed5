import API
import FoundationEssentials
import FunctionKit
import PersonLive
import Postgres

@testable import Inbox

extension APIScene {
  var inbox: Inbox { Inbox(tokens: tokens, store: InboxStore(connection, chunk: 3)) }

  /// Puts an entry into a person's inbox and answers with its id.
  @discardableResult
  func entry(
    _ title: String, of person: Person = .finn, app: String = "feedbackkit", type: String = "new_vote",
    at time: Date = Demo.now, expires: Date? = nil, _ changes: SQL = "is_read = false"
  ) async throws -> String {
    let id: String = try await connection.query(
      """
      INSERT INTO notifications (user_id, app, type, title, body, origin, created_at, expires_at)
      VALUES (\(person.id)::uuid, \(app), \(type), \(title), 'Body', 'function', \(time), \(expires as Date?))
      RETURNING id::text
      """
    ).only().decode("id")
    _ = try await connection.query("UPDATE notifications SET \(changes) WHERE id = \(id)::uuid")
    return id
  }

  /// The answer of a page of a person's inbox.
  func page(
    as person: Person = .finn, _ query: [String: String] = [:], at now: Date = Demo.now
  ) async throws -> InboxPage {
    InboxPage(try await call(inbox, .get, "/api/v1/notifications", as: person, query: query, at: now))
  }

  /// The titles of all pages, one after the other; `between` is done after each.
  func titlesOfAllPages(
    _ query: [String: String], between: () async throws -> Void = {}
  ) async throws -> [String] {
    var titles: [String] = []
    var query = query
    for _ in 0..<100 {
      let page = try await page(query)
      titles += page.titles
      guard let next = page.next else { return titles }
      query["cursor"] = next
      try await between()
    }
    throw FunctionError(.failed, "There is no last page.")
  }

  func unreadCount(
    as person: Person = .finn, app: String = "feedbackkit", at now: Date = Demo.now
  ) async throws -> [Int?] {
    let answer = try await call(
      inbox, .get, "/api/v1/notifications/unread-count", as: person, query: ["app": app], at: now)
    return [answer.json["unread"]?.intValue, answer.json["badge"]?.intValue]
  }
}

/// A page of an inbox.
struct InboxPage {
  let answer: APIAnswer

  init(_ answer: APIAnswer) { self.answer = answer }

  var items: [RawJSON] { answer.json["notifications"]?.elements ?? [] }
  var titles: [String] { items.compactMap { $0["title"]?.stringValue } }
  var next: String? { answer.json["nextCursor"]?.stringValue }
}
