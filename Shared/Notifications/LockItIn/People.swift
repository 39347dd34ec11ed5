package import FoundationEssentials
package import PushPayload

/// A person wants to become friends with another.
package struct FriendRequest: NoticeOfOneKind {
  package static let kind = Kind(
    .lockItIn, "friend_request", importance: .actionRequired, preference: .init("friend_requests"),
    category: .friendRequest,
    section: .activity)

  let id: UUID
  let requester: UUID
  let name: String
  /// Whether the push shows its text; for a request that was withdrawn and repeated at once, only the badge rises.
  package let isShown: Bool

  /// - Parameters:
  ///   - id: the request's id.
  ///   - requester: the person who asks.
  ///   - name: their name.
  ///   - isShown: whether the push shows its text.
  package init(_ id: UUID, from requester: UUID, named name: String, isShown: Bool = true) {
    (self.id, self.requester, self.name, self.isShown) = (id, requester, name, isShown)
  }

  package var subject: Subject { .friendRequest(id) }
  package var values: [String: PushPayload.Value] {
    LockItInPush.friendRequest(id, from: requester, name: name).values
  }

  package func text(for recipient: Recipient) -> NotificationText {
    let words = recipient.words
    return NotificationText(
      title: words("lockitin.friend_request.title", ["name": .value(name)]),
      body: words("lockitin.friend_request.body"))
  }
}

/// A person is invited into a group.
package struct GroupInvite: NoticeOfOneKind {
  package static let kind = Kind(
    .lockItIn, "group_invite", importance: .actionRequired, preference: .init("group_updates"), category: .groupInvite,
    section: .activity)

  let group: UUID
  let name: String
  let inviter: (id: UUID, name: String)?

  /// - Parameters:
  ///   - group: the group.
  ///   - name: the group's name.
  ///   - inviter: the person who invites; `nil` if they are gone.
  package init(to group: UUID, named name: String, by inviter: (id: UUID, name: String)?) {
    (self.group, self.name, self.inviter) = (group, name, inviter)
  }

  package var subject: Subject { .group(group) }
  package var values: [String: PushPayload.Value] {
    LockItInPush.groupInvite(group: group, name: name, inviter: inviter?.id, inviterName: inviter?.name).values
  }

  package func text(for recipient: Recipient) -> NotificationText {
    let words = recipient.words
    return NotificationText(
      title: words("lockitin.group_invite.title", ["group": .value(name)]),
      body: inviter?.name.unlessBlank.map { words("lockitin.group_invite.body", ["name": .value($0)]) }
        ?? words("lockitin.group_invite.body_unnamed"))
  }
}
