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
  /// LockItIn: the person's friends, and those who want to be.
  case friends

  /// The URL.
  public var url: String {
    switch self {
    case .feedback(let id): "feedbackkit://feedback/\(id.lowercased)"
    case .feedbackComments(let id): "feedbackkit://feedback/\(id.lowercased)/comments"
    case .project(let id): "feedbackkit://project/\(id.lowercased)"
    case .notificationSettings: "feedbackkit://settings/notifications"
    case .pushSettings: "feedbackkit://settings/notifications/push"
    case .proposal(let id): "lockit://proposals/\(id.lowercased)"
    case .event(let id): "lockit://events/\(id.lowercased)"
    case .group(let id): "lockit://groups/\(id.lowercased)"
    case .friends: "lockit://friends"
    }
  }

  /// The place that a URL names; `nil` when it names none.
  ///
  /// A query, a fragment and a slash at the end do not matter.
  public init?(_ url: String) {
    guard let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://") else { return nil }
    var words = url[colon...].dropFirst(3).prefix { $0 != "?" && $0 != "#" }.split(separator: "/").map(String.init)
    let id = words.count > 1 ? UUID(uuidString: words[1]) : nil
    if id != nil { words.remove(at: 1) }
    switch (url[..<colon].lowercased(), words, id) {
    case ("feedbackkit", ["feedback"], let id?): self = .feedback(id)
    case ("feedbackkit", ["feedback", "comments"], let id?): self = .feedbackComments(id)
    case ("feedbackkit", ["project"], let id?): self = .project(id)
    case ("feedbackkit", ["settings", "notifications"], nil): self = .notificationSettings
    case ("feedbackkit", ["settings", "notifications", "push"], nil): self = .pushSettings
    case ("lockit", ["proposals"], let id?): self = .proposal(id)
    case ("lockit", ["events"], let id?): self = .event(id)
    case ("lockit", ["groups"], let id?): self = .group(id)
    case ("lockit", ["friends"], nil): self = .friends
    default: return nil
    }
  }
}

extension UUID {
  /// The identifier as PostgreSQL writes it.
  public var lowercased: String { uuidString.lowercased() }
}
