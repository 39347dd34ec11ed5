import Formats

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension DeepLink {
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
