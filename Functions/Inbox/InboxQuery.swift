import API
import Notifications
import PersonLive

extension InboxFilter {
  /// Reads the query of a request.
  init(_ request: APIRequest) throws(APIError) {
    let app = try request.app()
    let category = try request.parameter("category", .choice as FieldRule<InboxCategory>)
    self.init(
      app: app, isUnread: try request.parameter("unread", .boolean) ?? false,
      category: app.profile.hasSections ? category : nil)
  }
}

extension APIRequest {
  /// The place after which the page begins; `nil` for the first.
  ///
  /// A cursor that no page gave gets 404, like an unknown id.
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
