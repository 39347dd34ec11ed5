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
  /// `nil` if an app's own row has no text yet.
  package let body: String?
  /// The app's own keys, always an object.
  package let data: RawJSON
  package let isRead: Bool
  /// The time of the notification.
  package let createdAt: Date
  /// When it leaves the inbox; `nil` for never.
  package let expiresAt: Date?
  /// The ids of its subjects, by their names in the API.
  let subjects: [(name: String, id: String)]

  /// The columns of a notification `n` that ``columns(until:)`` and the order of a page need.
  ///
  /// A list of all columns takes PostgreSQL longer, because each step of its plan knows every one of them.
  static let sources: SQL = """
    n.id, n.type, n.title, n.body, n.message, n.data, n.is_read, n.is_archived, n.created_at, n.expires_at,
    n.subject_id, n.feedback_id, n.project_id, n.proposal_id, n.event_id, n.friend_request_id, n.entity_id
    """

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

  /// The API's names of the subjects, in the order of their columns.
  private static let subjectNames = [
    "subjectId", "feedbackId", "projectId", "proposalId", "eventId", "friendRequestId", "entityId",
  ]

  /// - Parameter row: begins with ``columns(until:)``, which are read by their position, because a page has many rows.
  private init(_ row: Row, of app: App) throws(PostgresError) {
    self.app = app
    id = try row.decode(at: 0)
    type = try row.decode(at: 1)
    title = try row.decode(at: 2)
    body = row.text(at: 3)
    let document = RawJSON(trusting: row.withUTF8(at: 4) { Array($0) } ?? Array("{}".utf8))
    data = document.kind == .object ? document : RawJSON(object: [])
    isRead = try row.decode(at: 5)
    createdAt = try row.decode(at: 6)
    expiresAt = try row.decode(at: 7)
    var subjects: [(name: String, id: String)] = []
    for (place, name) in Self.subjectNames.enumerated() {
      if let id = row.text(at: 8 + place) { subjects.append((name, id)) }
    }
    self.subjects = subjects
  }

  /// Its section of LockItIn's inbox; `nil` in other apps.
  package var category: InboxCategory? { app == .lockItIn ? Kind.named(type, of: app)?.section : nil }

  /// The place that a tap opens, as its push says.
  var link: DeepLink? {
    // Most entries name it, as ``ReceivedPush/link`` reads it first.
    let named = data["actionUrl"] ?? data["deep_link"]
    if let link = named?.stringValue.flatMap(DeepLink.init) { return link }
    var values = Dictionary(
      data.members.compactMap { member -> (String, PushPayload.Value)? in
        if let text = member.value.stringValue { return (member.name, .string(text)) }
        return member.value.intValue.map { (member.name, .integer($0)) }
      }, uniquingKeysWith: { first, _ in first })
    values["type"] = .string(type.lowercased())
    // An app's own row may name its subjects in columns only.
    let profile = app.profile
    for (name, id) in subjects where name != "subjectId" {
      let key = profile.idKey == .camelCase ? name : name.snakeCased
      if values[key] == nil { values[key] = .string(id) }
    }
    return profile.link(PushPayload(values: values))
  }

  /// The entry in the API.
  package var json: RawJSON {
    var object = JSONObjectWriter(capacity: 512 + title.utf8.count + (body?.utf8.count ?? 0) + data.bytes.count)
    object.add("id", id)
    object.add("app", app.rawValue)
    object.add("type", type)
    object.add("title", title)
    object.add("data", data)
    object.add("isRead", RawJSON(isRead))
    object.add("createdAt", RFC3339.seconds(createdAt))
    if let body { object.add("body", body) }
    if let expiresAt { object.add("expiresAt", RFC3339.seconds(expiresAt)) }
    if let category { object.add("category", category.rawValue) }
    if let link { object.add("deepLink", link.url) }
    for subject in subjects { object.add(subject.name, subject.id) }
    return object.finished()
  }
}

extension String {
  /// `friendRequestId` → `friend_request_id`.
  fileprivate var snakeCased: String {
    reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : String($1) }
  }
}

extension InboxItem {
  /// If the person was never notified of it, it has the words of the first notification that they would have got.
  init(_ row: Row, in filter: InboxFilter, at now: Date) throws(PostgresError) {
    guard row["id"] == nil else {
      try self.init(row, of: filter.app)
      return
    }
    let id: UUID = try row.decode("place_id")
    let visibility = row["visibility"].flatMap(EventVisibility.init(rawValue:)) ?? .private
    if filter.category == .upcoming {
      let notice = EventConfirmation(
        of: id, title: try row.decode("about"), organizer: try row.decode("organizer"),
        start: try row.decode("place_time"), location: row["location"], visibility: visibility)
      try self.init(unsent: notice, as: "eventId", row)
    } else {
      let proposal = Proposal(
        id: id, title: try row.decode("about"), proposer: try row.decode("organizer"),
        groupID: try row.decode("group_id"), group: try row.decode("group_name"),
        deadline: try row.decode("place_time"), visibility: visibility)
      try self.init(unsent: NewProposal(proposal, members: 1, at: now), as: "proposalId", row)
    }
  }

  /// - Parameter name: the API's name of the subject's id, which is also the entry's id.
  private init<N: NoticeOfOneKind>(unsent notice: N, as name: String, _ row: Row) throws(PostgresError) {
    let recipient = Recipient(
      .member, timeZone: row["timezone"], language: row["language"].map(Language.init(nearestTo:)) ?? .english)
    let text = notice.text(for: recipient).inInbox
    app = N.kind.app
    id = notice.subject.id
    type = N.kind.name
    (title, body) = (text.title, text.body)
    data = RawJSON(trusting: Array(notice.payload(for: recipient).encodedValues.utf8))
    isRead = false
    createdAt = try row.decode("since")
    expiresAt = try row.optional("expires_at")
    subjects = [("subjectId", notice.subject.id), (name, notice.subject.id)]
  }
}

/// Writes an object's members into one buffer, without a document for each of them.
struct JSONObjectWriter {
  private var bytes = [UInt8(ascii: "{")]

  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  /// The object.
  consuming func finished() -> RawJSON {
    bytes.append(UInt8(ascii: "}"))
    return RawJSON(trusting: bytes)
  }

  /// - Parameter name: without any character that JSON escapes.
  mutating func add(_ name: String, _ text: String) {
    begin(name)
    append(text)
  }

  mutating func add(_ name: String, _ value: RawJSON) {
    begin(name)
    bytes.append(contentsOf: value.bytes)
  }

  private mutating func begin(_ name: String) {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: name.utf8)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func append(_ text: String) {
    var text = text
    let isPlain = text.withUTF8 { characters in
      // To the end, which takes less time than to look after each byte whether to stop.
      var special: UInt8 = 0
      for byte in characters {
        special |= byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 1 : 0
      }
      guard special == 0 else { return false }
      bytes.append(UInt8(ascii: "\""))
      bytes.append(contentsOf: characters)
      bytes.append(UInt8(ascii: "\""))
      return true
    }
    if !isPlain { bytes.append(contentsOf: RawJSON(text).bytes) }
  }
}
