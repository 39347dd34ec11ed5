package import FoundationEssentials
import FunctionKit
package import Notifications
package import Postgres

/// A row of `friend_requests` or `group_invites`, whose person is asked until there is an answer.
package struct AskingRow: Decodable, Sendable {
  package let id: UUID
  private let status: String?

  /// Whether a new row asks, or one that had an answer asks again.
  package func isAsked(after old: Self?) -> Bool {
    guard let old else { return true }
    return old.status != "pending" && status == "pending"
  }
}

extension Announcement<FriendRequest> {
  /// A request for the person who is asked, unless they made it themselves.
  /// - Parameter pair: names the person who asks and the person who is asked.
  init(_ request: FriendRequest, of pair: String, _ event: EventContext, except actor: Actor) {
    let id = request.subject.id
    self.init(
      [request],
      to: Audience(
        people: """
          SELECT r.recipient_id AS user_id, r.id::text AS subject_id, \(RecipientReason.addressee.rawValue) AS reason,
            NULL::uuid AS scope_id,
            CASE WHEN r.status <> 'pending' THEN 'handled' END AS eligibility
          FROM friend_requests r
          WHERE r.id = \(id)::uuid
          """),
      except: actor, closing: request.isShown ? [.noteRequest(of: pair, event)] : [])
  }
}

extension SQL {
  /// Records that a request was announced at once, because its notification is deleted with a withdrawn request.
  fileprivate static func noteRequest(of pair: String, _ event: EventContext) -> SQL {
    """
    INSERT INTO handled_events (function, source, event_id, result, created_at)
    SELECT \(event.function), '/pairs', \(pair), to_json(\(event.id)::text)::text, \(event.now)
    WHERE EXISTS (SELECT FROM decisions d WHERE \(event.decided("d")) AND d.decision = 'notify')
    ON CONFLICT (function, source, event_id) DO UPDATE SET result = excluded.result, created_at = excluded.created_at
    """
  }

  /// Whether another event announced a request between the same people minutes ago.
  fileprivate static func wasRequested(_ pair: SQL, _ event: EventContext) -> SQL {
    """
    EXISTS (
      SELECT FROM handled_events h
      WHERE h.function = \(event.function) AND h.source = '/pairs' AND h.event_id = \(pair)
        AND h.created_at > \(event.now.addingTimeInterval(-Gate.repetitionWindow))
        AND h.result <> to_json(\(event.id)::text)::text)
    """
  }
}

extension Announcement<GroupInvite> {
  /// An invitation to the person who is invited.
  init(_ notice: GroupInvite, invite: UUID, except actor: Actor) {
    self.init(
      [notice],
      to: Audience(
        people: """
          SELECT i.invitee_id AS user_id, i.group_id::text AS subject_id, \(RecipientReason.addressee.rawValue) AS reason,
            i.group_id AS scope_id,
            CASE WHEN i.status <> 'pending' OR EXISTS (
              SELECT FROM group_members m WHERE m.group_id = i.group_id AND m.user_id = i.invitee_id)
              THEN 'handled' END AS eligibility
          FROM group_invites i
          WHERE i.id = \(invite)
          """),
      except: actor)
  }
}

extension EventReader {
  /// The announcement of a row's friend request; `nil` if the request was withdrawn.
  ///
  /// - Parameter isAskedAgain: whether the row had an answer before.
  package func friendRequest(_ id: UUID, isAskedAgain: Bool = false) async throws -> Announcement<FriendRequest>? {
    let wasNotified = "\(SQL.wasRequested(SQL.pair, event)) AS was_told" as SQL
    return try await query(.friendRequests(where: "r.id = \(id)", with: "\(SQL.pair) AS pair, \(wasNotified)")).first
      .map {
        row in
        let request = try FriendRequest(row, isShown: try !row.decode("was_told"))
        let requester: UUID = try row.decode("requester_id")
        var announcement = Announcement(
          request, of: try row.decode("pair"), event, except: Actor(claimed: event.actorID, byID: [requester]))
        announcement.isAskedAgain = isAskedAgain
        return announcement
      }
  }

  /// The announcement of a row's invitation; `nil` if the invitation was withdrawn.
  ///
  /// - Parameter isAskedAgain: whether the row had an answer before.
  package func groupInvite(_ id: UUID, isAskedAgain: Bool = false) async throws -> Announcement<GroupInvite>? {
    try await query(.groupInvites(where: "i.id = \(id)")).first.map { row in
      let inviter: UUID? = try row.optional("inviter_id")
      var announcement = Announcement(
        try GroupInvite(row), invite: id, except: Actor(claimed: event.actorID, byID: inviter.map { [$0] } ?? []))
      announcement.isAskedAgain = isAskedAgain
      return announcement
    }
  }
}

extension SQL {
  /// The person who asks and the person who is asked.
  fileprivate static let pair: SQL = "r.requester_id || '/' || r.recipient_id"

  /// Rows for `FriendRequest`, by a condition on `friend_requests r`.
  /// - Parameter columns: further columns to read.
  package static func friendRequests(where condition: SQL, with columns: SQL = "NULL") -> SQL {
    """
    SELECT r.id, r.requester_id, u.name, \(columns) FROM friend_requests r JOIN users u ON u.id = r.requester_id
    WHERE \(condition)
    """
  }

  /// Rows for `GroupInvite`, by a condition on `group_invites i`, the oldest first.
  package static func groupInvites(where condition: SQL) -> SQL {
    """
    SELECT i.invitee_id, g.id, g.name, u.id AS inviter_id, u.name AS inviter
    FROM group_invites i
    JOIN groups g ON g.id = i.group_id
    LEFT JOIN users u ON u.id = i.inviter_id
    WHERE \(condition)
    ORDER BY i.created_at, i.id
    """
  }
}

extension FriendRequest {
  package init(_ row: Row, isShown: Bool = true) throws {
    self.init(
      try row.decode("id"), from: try row.decode("requester_id"), named: try row.decode("name"), isShown: isShown)
  }
}

extension GroupInvite {
  package init(_ row: Row) throws {
    let inviter: UUID? = try row.optional("inviter_id")
    self.init(
      to: try row.decode("id"), named: try row.decode("name"), by: inviter.map { ($0, row["inviter"] ?? "") })
  }
}
