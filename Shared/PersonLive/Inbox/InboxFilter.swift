import Formats
import FoundationEssentials
package import Notifications

/// Selects a person's inbox entries.
package struct InboxFilter: Sendable, Equatable {
  package let app: App
  /// Whether it selects unread entries only.
  package let isUnread: Bool
  /// The section; only LockItIn has them.
  package let category: InboxCategory?

  package init(app: App, isUnread: Bool = false, category: InboxCategory? = nil) {
    (self.app, self.isUnread, self.category) = (app, isUnread, category)
  }

  fileprivate var name: String { "\(app.rawValue)/\(isUnread ? "unread" : "all")/\(category?.rawValue ?? "")" }
}

/// The place in a list where its next page begins.
package struct InboxCursor: Sendable, Equatable {
  let time: Date
  let id: UUID

  init(time: Date, id: UUID) { (self.time, self.id) = (time, id) }

  /// Why a text is not a cursor of a list.
  package enum Mistake: Error, Equatable {
    /// It is not a cursor at all.
    case malformed
    /// It belongs to another list.
    case ofAnotherList
  }

  /// The limit, in microseconds from 2001, up to which a `Date` is exact to the microsecond.
  private static let furthest = 1 << 53

  /// Reads the cursor from a page of a list.
  package init(_ text: String, in filter: InboxFilter) throws(Mistake) {
    guard let bytes = Base64URL.decode(text[...]) else { throw .malformed }
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    guard parts.count == 3, let time = Int(parts[0]), time.magnitude < Self.furthest,
      let id = UUID(uuidString: String(parts[1]))
    else { throw .malformed }
    guard parts[2] == filter.name else { throw .ofAnotherList }
    self.init(time: Date(timeIntervalSinceReferenceDate: Double(time) / 1_000_000), id: id)
  }

  /// The cursor as base64url without padding.
  package func text(in filter: InboxFilter) -> String {
    let microseconds = Int((time.timeIntervalSinceReferenceDate * 1_000_000).rounded())
    return Base64URL.encode(Array("\(microseconds) \(id.lowercased) \(filter.name)".utf8))
  }
}
