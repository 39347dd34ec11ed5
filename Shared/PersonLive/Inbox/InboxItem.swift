package import FoundationEssentials
package import FunctionKit
package import Notifications
import Postgres
import PushPayload

/// One inbox entry as its person sees it.
package struct InboxItem: Sendable {
  /// The row of `notifications`, or else the proposal or event: a UUID in lower case.
  package let id: String
  package let app: App
  /// The name of its kind, in the app's own spelling.
  package let type: String
  /// The first line; empty if an app's own row has no words yet.
  package let title: String
  /// The text.
  package let body: String?
  /// The app's own keys, always an object.
  package let data: RawJSON
  /// Whether it was read.
  package let isRead: Bool
  /// The time of the notification.
  package let createdAt: Date
  /// When it leaves the inbox; `nil` for never.
  package let expiresAt: Date?
  /// The ids of its subjects, by their names in the API.
  let subjects: [(name: String, id: String)]

  /// The columns of a notification `n` that make an entry.
  /// - Parameter end: when the entry leaves the list.
  static func columns(until end: SQL = "n.expires_at") -> SQL {
    """
    n.id, n.type, coalesce(n.title, '') AS title, coalesce(n.body, n.message) AS body, n.data::text AS data,
    coalesce(n.is_read, false) OR coalesce(n.is_archived, false) AS is_read, n.created_at,
    CASE WHEN isfinite(\(end)) THEN \(end) END AS expires_at, n.subject_id, n.feedback_id, n.project_id,
    n.proposal_id, n.event_id, n.friend_request_id, n.entity_id
    """
  }

  private static let subjectColumns = [
    ("subjectId", "subject_id"), ("feedbackId", "feedback_id"), ("projectId", "project_id"),
    ("proposalId", "proposal_id"), ("eventId", "event_id"), ("friendRequestId", "friend_request_id"),
    ("entityId", "entity_id"),
  ]

  init(_ row: Row, of app: App) throws(PostgresError) {
    self.app = app
    id = try row.decode("id")
    type = try row.decode("type")
    title = try row.decode("title")
    body = row["body"]
    let document = RawJSON(trusting: Array((row["data"] ?? "{}").utf8))
    data = document.kind == .object ? document : RawJSON(object: [])
    isRead = try row.decode("is_read")
    createdAt = try row.decode("created_at")
    expiresAt = try row.optional("expires_at")
    subjects = Self.subjectColumns.compactMap { name, column in row[column].map { (name, $0) } }
  }

  /// Its section of LockItIn's inbox; `nil` in other apps.
  package var category: InboxCategory? { Kind.named(type, of: app)?.section }

  /// The place that a tap opens, as its push says.
  var link: DeepLink? {
    var values = Dictionary(
      data.members.compactMap { member -> (String, PushPayload.Value)? in
        if let text = member.value.stringValue { return (member.name, .string(text)) }
        return member.value.intValue.map { (member.name, .integer($0)) }
      }, uniquingKeysWith: { first, _ in first })
    values["type"] = .string(type.lowercased())
    // An app's own row may name its subjects in columns only.
    for (name, id) in subjects where name != "subjectId" {
      let key = app.profile.idKey == .camelCase ? name : name.snakeCased
      if values[key] == nil { values[key] = .string(id) }
    }
    return app.profile.link(PushPayload(values: values))
  }

  /// The entry in the API.
  package var json: RawJSON {
    var members = [
      ("id", RawJSON(id)), ("app", RawJSON(app.rawValue)), ("type", RawJSON(type)),
      ("title", RawJSON(title)), ("data", data), ("isRead", RawJSON(isRead)),
      ("createdAt", RawJSON(RFC3339.string(createdAt))),
    ]
    let optional = [
      ("body", body), ("expiresAt", expiresAt.map(RFC3339.string)), ("category", category?.rawValue),
      ("deepLink", link?.url),
    ]
    members += optional.compactMap { name, value in value.map { (name, RawJSON($0)) } }
    members += subjects.map { ($0.name, RawJSON($0.id)) }
    return RawJSON(object: members)
  }
}

extension String {
  /// `friendRequestId` → `friend_request_id`.
  fileprivate var snakeCased: String {
    reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : String($1) }
  }
}
