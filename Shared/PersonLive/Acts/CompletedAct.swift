package import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import StoreLive

/// An act that notifications asked for, an act on a notification, or a change of what asks for an act.
package enum CompletedAct: Sendable {
  /// They voted on a proposal; `isNew` is `false` for a changed vote.
  case vote(UUID, isNew: Bool)
  /// They answered a friend request, or are asked again; it may have had an answer before.
  case friendRequest(UUID, wasPending: Bool)
  /// They answered an invitation, or are asked again; it may have had an answer before.
  case groupInvite(UUID, wasPending: Bool)
  /// They read, archived or brought back a notification; `wasCounted` says whether the badge counted it, and is `nil` if
  /// the change was not theirs.
  case reading(UUID, wasCounted: Bool?)
  /// Their badge may have changed although nobody is told of it: the row of `badge_losses`.
  case loss(UUID)
}

extension CompletedAct {
  /// The act's person and app, and whether the badge changed: `user_id, app, has_changed`; no row if its object is gone.
  ///
  /// A person who votes for several options lowers the badge once.
  func facts(at now: Date) -> SQL {
    switch self {
    case .vote(let id, let isNew):
      """
      SELECT v.user_id, \(App.lockItIn.rawValue) AS app, \(isNew) AND NOT EXISTS (
          SELECT FROM proposal_votes e
          WHERE e.proposal_id = v.proposal_id AND e.user_id = v.user_id AND (e.created_at, e.id) < (v.created_at, v.id)
        ) AND NOT \(SQL.wasSeen("p.id", by: "v.user_id", options: "p.options_changed_at")) AS has_changed
      FROM proposal_votes v JOIN event_proposals p ON p.id = v.proposal_id
      WHERE v.id = \(id)
      """
    case .friendRequest(let id, let wasPending):
      """
      SELECT r.recipient_id AS user_id, \(App.lockItIn.rawValue) AS app,
        \(wasPending) <> (r.status = 'pending') AND NOT \(SQL.wasSeen("r.id", by: "r.recipient_id")) AS has_changed
      FROM friend_requests r
      WHERE r.id = \(id)
      """
    case .groupInvite(let id, let wasPending):
      """
      SELECT i.invitee_id AS user_id, \(App.lockItIn.rawValue) AS app,
        \(wasPending) <> (i.status = 'pending') AND NOT \(SQL.wasSeen("i.id", by: "i.invitee_id")) AS has_changed
      FROM group_invites i
      WHERE i.id = \(id)
      """
    // A notification that was merged into another left the badge with the push of the other.
    case .reading(let id, let wasCounted):
      """
      SELECT n.user_id, n.app, coalesce(\(wasCounted as Bool?)::boolean = \(Self.isRead), false)
        AND (\(wasCounted as Bool?)::boolean OR n.counts_for_badge) AND n.app = ANY (\(Self.countingNotifications))
        AND n.merged_into IS NULL AND (n.expires_at <= \(now)) IS NOT TRUE AS has_changed
      FROM notifications n WHERE n.id = \(id)
      """
    case .loss(let id):
      """
      SELECT l.user_id, l.app, (l.ends_at <= \(now)) IS NOT TRUE AS has_changed
      FROM badge_losses l JOIN users u ON u.id = l.user_id
      WHERE l.id = \(id)
      """
    }
  }

  /// The notifications that it settles, as `id`.
  ///
  /// A vote on replaced options settles nothing. An answer settles nothing while another invitation into the same group
  /// waits.
  var notifications: SQL {
    switch self {
    case .vote(let id, _):
      """
      SELECT n.id FROM proposal_votes v
      JOIN event_proposals p ON p.id = v.proposal_id
      JOIN notifications n ON n.proposal_id = v.proposal_id AND n.user_id = v.user_id
      WHERE v.id = \(id) AND coalesce(v.options_version, 1) >= p.options_version
        AND \(Self.isOne(of: Kind.askingForVotes))
      """
    case .friendRequest(let id, _):
      """
      SELECT n.id FROM friend_requests r
      JOIN notifications n ON n.friend_request_id = r.id AND n.user_id = r.recipient_id
      WHERE r.id = \(id) AND r.status <> 'pending' AND \(Self.isOne(of: [FriendRequest.kind]))
      """
    case .groupInvite(let id, _):
      """
      SELECT n.id FROM group_invites i
      JOIN notifications n ON n.user_id = i.invitee_id AND push_uuid(n.subject_id) = i.group_id
      WHERE i.id = \(id) AND \(Self.isOne(of: [GroupInvite.kind])) AND NOT EXISTS (
        SELECT FROM group_invites o
        WHERE o.invitee_id = i.invitee_id AND o.group_id = i.group_id AND o.status = 'pending')
      """
    case .reading(let id, _):
      "SELECT n.id FROM notifications n WHERE n.id = \(id) AND \(Self.isRead) AND NOT \(SQL.isBadgePush())"
    case .loss: "SELECT n.id FROM notifications n WHERE false"
    }
  }

  /// The apps whose badges count notifications.
  private static let countingNotifications = App.allCases.filter { $0.profile.badge != .asked }.map(\.rawValue)

  private static let isRead: SQL = "(n.is_read IS TRUE OR n.is_archived IS TRUE)"

  private static func isOne(of kinds: [Kind]) -> SQL {
    "n.app = \(App.lockItIn.rawValue) AND lower(n.type) = ANY (\(kinds.map(\.name)))"
  }
}

/// The effects of an act, as its event's result.
package struct ActResult: Codable, Sendable, Equatable {
  /// The function's name.
  package let function: String
  /// The event's id.
  package let event: String
  /// How many notifications asked for it and are read now.
  package internal(set) var handled = 0
  /// How many deliveries left the queue.
  package internal(set) var withdrawn = 0
  /// How many notifications are no longer held.
  package internal(set) var held = 0
  /// How many devices get a push of the badge.
  package internal(set) var badgePushes = 0
  /// Why there was nothing to settle.
  package internal(set) var reason: String?
  /// `true` in a dry run, else `nil`.
  package internal(set) var dryRun: Bool?

  init(of event: EventContext, reason: String? = nil) {
    (function, self.event, self.reason) = (event.function, event.id, reason)
    dryRun = event.dryRun ? true : nil
  }

  init(recorded: String) throws {
    self = try JSONCoding.decode(Self.self, from: RawJSON(validating: Array(recorded.utf8)[...]))
  }

  var hasEffect: Bool { handled + withdrawn + held + badgePushes > 0 }
}
