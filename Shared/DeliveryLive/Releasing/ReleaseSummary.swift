import FoundationEssentials
import Notifications
import PushPayload

/// One push for what waited for the end of a person's quiet hours.
struct ReleaseSummary {
  /// The seconds in which it may be delivered.
  private static let lifetime: TimeInterval = 86_400

  /// The notification that carries the push.
  let id: UUID
  let user: UUID
  let kind: Kind
  let devices: [UUID]
  let text: NotificationText
  /// The app's own keys as JSON.
  let data: String
  let payload: String
  let expiry: Date
  /// The notifications in it, each with its words in the inbox.
  let entries: [Release.Push]

  /// - Parameters:
  ///   - entries: the oldest first; the newest is named first.
  ///   - part: any one of them.
  init(_ id: UUID, of entries: [Release.Push], to part: Waiting, at now: Date) throws {
    let summary = QuietSummary(of: entries.reversed().map(\.text.title))
    let values = summary.values(in: part.kind.app)
    (self.id, self.entries) = (id, entries)
    (user, devices) = (part.candidate.user, part.candidate.devices)
    (kind, text) = (.quietSummary(of: part.kind.app), summary.text)
    var push = kind.payload(
      saying: text, values, thread: QuietSummary.collapseID, sound: part.candidate.sound)
    push.threadID = nil
    data = PushPayload(values: values).encodedValues
    payload = PushPayload.insertID(id, as: kind.app.profile.idKey, into: try push.encoded())
    expiry = min(now.addingTimeInterval(Self.lifetime), entries.map(\.expiry).max() ?? .distantFuture)
  }
}
