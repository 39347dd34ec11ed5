package import FoundationEssentials

/// How many pushes a person gets in a rolling hour.
package enum HourlyLimit {
  /// The seconds for which a push counts.
  package static let window: TimeInterval = 3_600
  /// The seconds that a push waits for room; after that it is only in the inbox.
  package static let longestWait: TimeInterval = 6 * 3_600

  /// When the next push may go out; `nil` when it may now.
  /// - Parameters:
  ///   - limit: with 0 or less there is never room; the answer is an hour from now.
  ///   - recent: when pushes went out, in any order; those of the last hour count.
  package static func nextRoom(limit: Int, recent: [Date], at now: Date) -> Date? {
    guard limit > 0 else { return now.addingTimeInterval(window) }
    let releases = recent.map { $0.addingTimeInterval(window) }.filter { $0 > now }.sorted()
    return releases.count < limit ? nil : releases[releases.count - limit]
  }
}
