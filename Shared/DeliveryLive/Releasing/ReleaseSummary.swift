import FoundationEssentials
import Notifications

/// One push for what waited for the end of a person's quiet hours.
struct ReleaseSummary {
  /// The seconds in which it may be delivered.
  private static let lifetime: TimeInterval = 86_400

  /// The notification that carries the push.
  let id: UUID
  let user: UUID
  let kind: Kind
  let devices: [UUID]
  let words: Reworded
  let expiry: Date
  /// The notifications in it, each with its words in the inbox.
  let entries: [Release.Push]

  /// - Parameters:
  ///   - entries: the oldest first; the newest is named first.
  ///   - part: any one of them.
  init(_ id: UUID, of entries: [Release.Push], to part: Waiting, at now: Date) throws {
    (self.id, self.entries, kind) = (id, entries, .quietSummary(of: part.kind.app))
    (user, devices) = (part.candidate.user, part.candidate.devices)
    words = try QuietSummary(of: entries.reversed().map(\.text.title), words: part.candidate.recipient.words)
      .reworded(id, to: part.candidate, in: part.kind.app)
    expiry = min(now.addingTimeInterval(Self.lifetime), entries.map(\.expiry).max() ?? .distantFuture)
  }
}
