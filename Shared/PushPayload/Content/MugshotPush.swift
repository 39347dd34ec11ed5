/// The content of Mugshot's pushes: a friend did something.
public struct MugshotPush: PushContent {
  /// The name of the act, even if this version does not know it; `nil` if the push has none.
  public var type: String?
  /// The username of the person who did it.
  public var actorUsername: String?
  /// The URL of their picture.
  public var actorAvatarURL: String?
  /// The visit that it is about.
  public var visit: String?
  /// The friend whose profile it leads to.
  public var friend: String?
  /// Where the visit was.
  public var cafeName: String?
  /// The name of the tap's action, even if this version does not know it.
  public var tapAction: String?

  /// Content with its type only; set everything else afterwards.
  public init(_ kind: Kind) { type = kind.rawValue }

  /// Reads the app's own keys.
  public init(type: String?, values: [String: PushPayload.Value]) {
    self.type = type
    for (name, property) in Self.keys { self[keyPath: property] = values.text(name) }
  }

  /// The friend's act; `nil` for a type that this version does not know.
  public var kind: Kind? { type.flatMap(Kind.init) }

  /// The app's own keys.
  public var values: [String: PushPayload.Value] {
    var values: [String: PushPayload.Value] = [:]
    values.set("type", type)
    for (name, property) in Self.keys { values.set(name, self[keyPath: property]) }
    return values
  }

  /// Mugshot has no URLs; see ``target``.
  public var link: DeepLink? { nil }

  /// The place that a tap opens; `nil` if the action is unknown or lacks its id.
  ///
  /// Setting it sets the action and the id that the action needs.
  public var target: Target? {
    get {
      switch tapAction.flatMap(TapAction.init) {
      case .visitDetail: visit.map(Target.visit)
      case .friendProfile: friend.map(Target.friendProfile)
      case .friendsFeed: .friendsFeed
      case .notifications: .notifications
      case nil: nil
      }
    }
    set {
      tapAction = newValue?.tapAction
      if case .visit(let id) = newValue { visit = id }
      if case .friendProfile(let id) = newValue { friend = id }
    }
  }

  /// The acts of friends; the raw values are the types of payloads.
  public enum Kind: String, Sendable, CaseIterable {
    case newVisit = "new_visit_from_friend"
    case like
    case comment
    case friendRequest = "friend_request"
    case friendAccept = "friend_accept"
    case friendJoin = "friend_join"
  }

  /// A place in Mugshot.
  public enum Target: Sendable, Hashable {
    /// The details of the visit with this id.
    case visit(String)
    /// The profile of the friend with this user id.
    case friendProfile(String)
    /// The feed of friends' activity.
    case friendsFeed
    /// The notifications center.
    case notifications

    /// The name in payloads.
    public var tapAction: String {
      let action: TapAction =
        switch self {
        case .visit: .visitDetail
        case .friendProfile: .friendProfile
        case .friendsFeed: .friendsFeed
        case .notifications: .notifications
        }
      return action.rawValue
    }
  }

  /// The action of a tap; the raw values are those of payloads.
  package enum TapAction: String {
    case visitDetail = "visit_detail"
    case friendProfile = "friend_profile"
    case friendsFeed = "friends_feed"
    case notifications
  }

  /// The names of its own keys, without the type.
  package static var keyNames: [String] { keys.map(\.0) }

  private static var keys: [(String, WritableKeyPath<Self, String?>)] {
    [
      ("actor_username", \.actorUsername), ("actor_avatar_url", \.actorAvatarURL), ("visit_id", \.visit),
      ("friend_user_id", \.friend), ("cafe_name", \.cafeName), ("tap_action", \.tapAction),
    ]
  }
}
