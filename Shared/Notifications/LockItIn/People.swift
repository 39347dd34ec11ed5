public import FoundationEssentials
public import PushPayload

/// Somebody wants to be friends.
public struct FriendRequest: NoticeOfOneKind {
  /// The kind.
  public static let kind = Kind(
    .lockItIn, "friend_request", importance: .actionRequired, preference: .friendRequests, category: "FRIEND_REQUEST")

  let id: UUID
  let requester: UUID
  let name: String
  /// Whether the push shows its text: for a request that was taken back and made again at once only the badge rises.
  public let isShown: Bool

  /// A request.
  /// - Parameters:
  ///   - id: the request's.
  ///   - requester: the person who asks.
  ///   - name: their name.
  ///   - isShown: whether the push shows its text.
  public init(_ id: UUID, from requester: UUID, named name: String, isShown: Bool = true) {
    (self.id, self.requester, self.name, self.isShown) = (id, requester, name, isShown)
  }

  /// The request.
  public var subject: Subject { .friendRequest(id) }
  /// The app's own keys of the payload.
  public var values: [String: PushPayload.Value] {
    [
      "type": .string(Self.kind.name), "friend_request_id": .string(id.lowercased),
      "requester_id": .string(requester.lowercased), "requester_name": .string(name),
      "deep_link": .string(DeepLink.friends.url),
    ]
  }

  /// The words.
  public func text(for recipient: Recipient) -> NotificationText {
    NotificationText(title: "\(name) sent you a friend request", body: "Tap to view")
  }
}

/// Somebody is asked into a group.
public struct GroupInvite: NoticeOfOneKind {
  /// The kind.
  public static let kind = Kind(
    .lockItIn, "group_invite", importance: .actionRequired, preference: .groupUpdates, category: "GROUP_INVITE")

  let group: UUID
  let name: String
  let inviter: (id: UUID, name: String)?

  /// An invitation.
  /// - Parameters:
  ///   - group: the group.
  ///   - name: the group's name.
  ///   - inviter: the person who invites; `nil` when they are gone.
  public init(to group: UUID, named name: String, by inviter: (id: UUID, name: String)?) {
    (self.group, self.name, self.inviter) = (group, name, inviter)
  }

  /// The group.
  public var subject: Subject { .group(group) }
  /// The app's own keys of the payload.
  public var values: [String: PushPayload.Value] {
    var values: [String: PushPayload.Value] = [
      "type": .string(Self.kind.name), "group_id": .string(group.lowercased), "group_name": .string(name),
      "deep_link": .string(DeepLink.group(group).url),
    ]
    values["inviter_id"] = inviter.map { .string($0.id.lowercased) }
    values["inviter_name"] = inviter.map { .string($0.name) }
    return values
  }

  /// The words.
  public func text(for recipient: Recipient) -> NotificationText {
    let body = inviter.map { "\($0.name) invited you" } ?? "You are invited"
    return NotificationText(title: "You were added to \(name)", body: body)
  }
}
