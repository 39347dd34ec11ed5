public import FoundationEssentials
public import FunctionKit
public import Notifications
import Postgres
import PushPayload

/// One inbox entry as its person sees it.
public struct InboxItem: Sendable {
  /// The row of `notifications`, a UUID in lower case; the proposal or event itself where there is none.
  public let id: String
  /// The app.
  public let app: App
  /// The name of its kind, in the app's own writing.
  public let type: String
  /// The first line; empty where an app's own row has not got its words yet.
  public let title: String
  /// The text.
  public let body: String?
  /// The app's own keys, always an object.
  public let data: RawJSON
  /// Whether it was read.
  public let isRead: Bool
  /// When it was told.
  public let createdAt: Date
  /// When it leaves the inbox; `nil` for never.
  public let expiresAt: Date?
  /// What it is about, by the names of the API.
  let subjects: [(name: String, id: String)]

  /// What an entry is made from, of a notification `n`.
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

  /// The section of LockItIn's inbox that it stands in.
  public var category: InboxCategory? { Kind.named(type, of: app).flatMap(InboxCategory.init) }

  /// The place that a tap opens, as its push says.
  var link: DeepLink? {
    var values = Dictionary(
      data.members.compactMap { member -> (String, PushPayload.Value)? in
        if let text = member.value.stringValue { return (member.name, .string(text)) }
        return member.value.intValue.map { (member.name, .integer($0)) }
      }, uniquingKeysWith: { first, _ in first })
    values["type"] = .string(type.lowercased())
    // An app's own row may name what it is about in columns alone.
    for (name, id) in subjects where name != "subjectId" {
      let key = app == .feedbackKit ? name : name.snakeCased
      if values[key] == nil { values[key] = .string(id) }
    }
    let payload = PushPayload(values: values)
    return switch app {
    case .feedbackKit: ReceivedPush<FeedbackKitPush>(payload).link
    case .lockItIn: ReceivedPush<LockItInPush>(payload).link
    case .repairMinder: ReceivedPush<RepairMinderPush>(payload).link
    case .mugshot: ReceivedPush<MugshotPush>(payload).link
    case .messageAI: ReceivedPush<MessageAIPush>(payload).link
    }
  }

  /// The entry as the API gives it.
  public var json: RawJSON {
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
