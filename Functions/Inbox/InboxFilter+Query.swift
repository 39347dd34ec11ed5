import API
import Notifications
import PersonLive

extension InboxFilter {
  /// Reads what a request asks for.
  init(_ request: APIRequest) throws(APIError) {
    let app = try request.app()
    let category = try request.parameter("category", .choice as FieldRule<InboxCategory>)
    // Only LockItIn's inbox has sections.
    self.init(
      app: app, isUnread: try request.parameter("unread", .boolean) ?? false,
      category: app == .lockItIn ? category : nil)
  }
}

extension APIRequest {
  /// The app that the query names.
  func app() throws(APIError) -> App { try parameter("app", .choice) ?? .feedbackKit }

  /// The place after which the page begins; `nil` for the first.
  ///
  /// What no page gave leads to none, as an unknown id does.
  func cursor(in filter: InboxFilter) throws(APIError) -> InboxCursor? {
    guard let text = try parameter("cursor", .text(1...500)) else { return nil }
    do throws(InboxCursor.Mistake) {
      return try InboxCursor(text, in: filter)
    } catch {
      switch error {
      case .malformed: throw APIError(404, "cursor must be the nextCursor of an earlier answer.")
      case .ofAnotherList:
        throw APIError(
          404, "cursor belongs to another list: app, unread and category stay the same from page to page.")
      }
    }
  }
}

extension App {
  /// How many entries a page has when the request does not say; LockItIn's own inbox shows 50.
  var usualPage: Int { self == .lockItIn ? 50 : 20 }
}
