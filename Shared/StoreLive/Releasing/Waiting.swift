import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import PushPayload

/// A notification that waited and is due, with everything that decides what becomes of it.
struct Waiting {
  let id: UUID
  let kind: Kind
  let candidate: Candidate
  let text: NotificationText
  /// The app's own keys as JSON.
  let data: String
  let payload: String
  let expiry: Date
  /// What it is merged with others about; `nil` for what is sent alone.
  let subjectID: String?
  let subjectName: String?
  let actor: String?
  let actorName: String?
  /// The notification that opened the window it waited in.
  let opener: UUID?

  init?(_ row: Row, of app: App, at now: Date, _ zones: inout Zones) throws {
    guard let kind = Kind.named(row["type"] ?? "", of: app) else { return nil }
    var candidate = Candidate(
      user: try row.decode("user_id"), subjectID: row["subject_id"] ?? "",
      reason: row["recipient_reason"].flatMap(RecipientReason.init) ?? .addressee)
    try candidate.read(row, in: app, at: now, &zones)
    candidate.heldSince = try row.optional("waiting_since")
    self.kind = row["importance"].flatMap(Importance.init).map(kind.weighing) ?? kind
    self.candidate = candidate
    id = try row.decode("notification_id")
    text = NotificationText(title: row["title"] ?? "", body: row["body"] ?? "")
    data = row["data"] ?? "{}"
    payload = row["payload"] ?? "{}"
    expiry = try row.optional("push_expires_at") ?? .distantFuture
    subjectID = kind.family == nil ? nil : row["family_subject"]
    (subjectName, actor, actorName) = (row["family_name"], row["actor"], row["actor_name"])
    opener = try row.optional("opener_id")
  }

  /// What is sent, alone or for several that are merged into this one.
  func payload(saying merged: NotificationText, sound: String?) throws -> String {
    guard merged != text else { return payload }
    let members = try RawJSON(validating: Array(data.utf8)[...]).members
    let values = members.compactMap { member -> (String, PushPayload.Value)? in
      if let text = member.value.stringValue { return (member.name, .string(text)) }
      return member.value.intValue.map { (member.name, .integer($0)) }
    }
    let push = kind.payload(
      saying: merged, Dictionary(values) { first, _ in first }, thread: candidate.subjectID, sound: sound)
    return PushPayload.insertID(id, as: kind.app.idKey, into: try push.encoded())
  }
}
