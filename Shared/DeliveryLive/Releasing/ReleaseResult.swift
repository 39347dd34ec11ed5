package import FoundationEssentials

/// The result of releasing held notifications.
package struct ReleaseResult: Encodable, Sendable, Equatable {
  /// The number of notifications that were sent.
  package internal(set) var released = 0
  /// The number of notifications that were merged into those.
  package internal(set) var merged = 0
  /// The number of notifications in summaries after quiet hours; a summary itself counts as released.
  package internal(set) var summarized = 0
  /// The number of notifications that wait again.
  package internal(set) var held = 0
  /// The number of notifications that were not sent; they are in the inbox, or have left it.
  package internal(set) var suppressed = 0
  /// The number of people whose release has failed, and is tried again later; absent if there is none.
  package internal(set) var putAside: Int?
  /// When the next ones come due; absent if nothing waits.
  package internal(set) var wakeAt: Date?
}

extension ReleaseResult {
  mutating func add(_ releases: [Release]) {
    for release in releases {
      released += release.pushes.count + (release.summary == nil ? 0 : 1)
      summarized += release.summary?.entries.count ?? 0
      merged += release.merged.count
      held += release.held.count
      suppressed += release.suppressed.count
    }
  }
}
