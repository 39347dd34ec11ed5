import Formats
#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A place in one of the apps, and the URL that opens it.
///
/// Identifiers are written in lower case, as PostgreSQL writes them, and read in any.
public enum DeepLink: Sendable, Hashable {
  /// FeedbackKit: a feedback.
  case feedback(UUID)
  /// FeedbackKit: a feedback, scrolled to its comments.
  case feedbackComments(UUID)
  /// FeedbackKit: the feedbacks of a project.
  case project(UUID)
  /// FeedbackKit: the settings.
  case settings
  /// FeedbackKit: the notification settings.
  case notificationSettings
  /// FeedbackKit: the push notification settings.
  case pushSettings
  /// LockItIn: a proposal.
  case proposal(UUID)
  /// LockItIn: a confirmed event.
  case event(UUID)
  /// LockItIn: a group.
  case group(UUID)
  /// LockItIn: the person's friends and friend requests.
  case friends
  /// LockItIn: a friend.
  case friend(UUID)
  /// LockItIn: the inbox, with requests and activity.
  case inbox
  /// Repair Minder: an order; an id of this app is any text that is not empty.
  case order(String)
  /// Repair Minder: a device.
  case device(String)
  /// Repair Minder: a ticket.
  case ticket(String)
  /// Repair Minder: an enquiry.
  case enquiry(String)

  /// The URL.
  public var url: String {
    switch self {
    case .feedback(let id): "feedbackkit://feedback/\(id.lowercased)"
    case .feedbackComments(let id): "feedbackkit://feedback/\(id.lowercased)/comments"
    case .project(let id): "feedbackkit://project/\(id.lowercased)"
    case .settings: "feedbackkit://settings"
    case .notificationSettings: "feedbackkit://settings/notifications"
    case .pushSettings: "feedbackkit://settings/notifications/push"
    case .proposal(let id): "lockit://proposals/\(id.lowercased)"
    case .event(let id): "lockit://events/\(id.lowercased)"
    case .group(let id): "lockit://groups/\(id.lowercased)"
    case .friends: "lockit://friends"
    case .friend(let id): "lockit://friends/\(id.lowercased)"
    case .inbox: "lockit://inbox"
    case .order(let id): "repairminder://order/\(PercentEncoding.encoded(id))"
    case .device(let id): "repairminder://device/\(PercentEncoding.encoded(id))"
    case .ticket(let id): "repairminder://ticket/\(PercentEncoding.encoded(id))"
    case .enquiry(let id): "repairminder://enquiry/\(PercentEncoding.encoded(id))"
    }
  }

  /// Reads a URL; `nil` if it names no place.
  ///
  /// A query, a fragment and a slash at the end do not matter.
  public init?(_ url: String) {
    // Read for each entry of an inbox: bytes take a fraction of the time of characters.
    guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")), url.utf8[colon...].starts(with: "://".utf8) else {
      return nil
    }
    let place = url.utf8[colon...].dropFirst(3).prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let path = place.split(separator: UInt8(ascii: "/")).map { Substring($0) }
    switch url[..<colon].lowercased() {
    case "feedbackkit": self.init(feedbackKit: path)
    case "lockit": self.init(lockItIn: path)
    case "repairminder": self.init(repairMinder: path)
    default: return nil
    }
  }

  init?(feedbackKit path: [Substring]) {
    let (words, id) = Self.split(path)
    switch (words, id) {
    case ("feedback", let id?): self = .feedback(id)
    case ("feedback/comments", let id?): self = .feedbackComments(id)
    case ("project", let id?): self = .project(id)
    case ("settings", nil): self = .settings
    case ("settings/notifications", nil): self = .notificationSettings
    case ("settings/notifications/push", nil): self = .pushSettings
    default: return nil
    }
  }

  init?(lockItIn path: [Substring]) {
    let (words, id) = Self.split(path)
    switch (words, id) {
    case ("proposals", let id?): self = .proposal(id)
    case ("events", let id?): self = .event(id)
    case ("groups", let id?): self = .group(id)
    case ("friends", nil): self = .friends
    case ("friends", let id?): self = .friend(id)
    case ("inbox", nil): self = .inbox
    default: return nil
    }
  }

  init?(repairMinder path: [Substring]) {
    guard path.count == 2, let id = PercentEncoding.text(path[1]) else { return nil }
    switch path[0] {
    case "order": self = .order(id)
    case "device": self = .device(id)
    case "ticket": self = .ticket(id)
    case "enquiry": self = .enquiry(id)
    default: return nil
    }
  }

  /// The words of a path, with slashes between them, without the id that may follow the first one.
  private static func split(_ path: [Substring]) -> (words: String, id: UUID?) {
    guard path.count > 1, let id = UUID(text: path[1]) else { return (path.joined(separator: "/"), nil) }
    if path.count == 2 { return (String(path[0]), id) }
    return ((path.prefix(1) + path.dropFirst(2)).joined(separator: "/"), id)
  }
}
