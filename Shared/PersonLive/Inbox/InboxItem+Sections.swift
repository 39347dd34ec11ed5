import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import PushPayload

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
    let recipient = Recipient(.member, timeZone: row["timezone"])
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
