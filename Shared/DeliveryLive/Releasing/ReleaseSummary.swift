import FoundationEssentials
import Notifications
import PushPayload

/// What waited for the end of somebody's quiet hours and goes out in one push.
struct ReleaseSummary {
  /// How long it may take to the phone.
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
  /// What it tells of, each as it stands in the inbox.
  let entries: [Release.Push]

  /// - Parameters:
  ///   - entries: the oldest first; the newest is named first.
  ///   - part: any part of them.
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
    payload = PushPayload.insertID(id, as: kind.app.idKey, into: try push.encoded())
    expiry = min(now.addingTimeInterval(Self.lifetime), entries.map(\.expiry).max() ?? .distantFuture)
  }
}
