public import FoundationEssentials
public import Notifications
import Postgres

extension Announcement<FriendRequest> {
  /// A request to the person who is asked, except by themselves.
  init(_ request: FriendRequest, except actor: Actor) {
    let id = request.subject.id
    self.init(
      [request],
      to: Audience(
        people: """
          SELECT r.recipient_id AS user_id, r.id::text AS subject_id, \(RecipientReason.addressee.rawValue) AS reason,
            NULL::uuid AS scope_id,
            CASE WHEN r.status <> 'pending' THEN 'handled' END AS standing
          FROM friend_requests r
          WHERE r.id = \(id)::uuid
          """),
      except: actor)
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
              THEN 'handled' END AS standing
          FROM group_invites i
          WHERE i.id = \(invite)
          """),
      except: actor)
  }
}

extension EventReader {
  /// The friend request in a row, to whom it is addressed; `nil` when it was taken back.
  public func friendRequest(_ id: UUID) async throws -> Announcement<FriendRequest>? {
    let rows = try await query(
      """
      SELECT r.requester_id, u.name FROM friend_requests r JOIN users u ON u.id = r.requester_id WHERE r.id = \(id)
      """)
    guard let row = rows.first else { return nil }
    let requester: UUID = try row.decode("requester_id")
    let request = FriendRequest(id, from: requester, named: try row.decode("name"))
    return Announcement(request, except: Actor(claimed: event.actorID, byID: [requester]))
  }

  /// The invitation in a row, to whom it is addressed; `nil` when it was taken back.
  public func groupInvite(_ id: UUID) async throws -> Announcement<GroupInvite>? {
    let rows = try await query(
      """
      SELECT g.id, g.name, u.id AS inviter_id, u.name AS inviter
      FROM group_invites i
      JOIN groups g ON g.id = i.group_id
      LEFT JOIN users u ON u.id = i.inviter_id
      WHERE i.id = \(id)
      """)
    guard let row = rows.first else { return nil }
    let inviter: UUID? = try row.optional("inviter_id")
    let notice = GroupInvite(
      to: try row.decode("id"), named: try row.decode("name"), by: inviter.map { ($0, row["inviter"] ?? "") })
    return Announcement(notice, invite: id, except: Actor(claimed: event.actorID, byID: inviter.map { [$0] } ?? []))
  }
}
