/// What Mugshot's pushes are about: a friend did something.
public struct MugshotPush: PushContent {
  /// The name of what the friend did, also one that this version does not know; `nil` where the push has none.
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
  /// The name of what a tap does, also one that this version does not know.
  public var tapAction: String?

  /// A content with nothing but its type; everything else is set afterwards.
  public init(_ kind: Kind) { type = kind.rawValue }

  /// Reads the app's own keys.
  public init(type: String?, values: [String: PushPayload.Value]) {
    self.type = type
    for (name, property) in Self.keys { self[keyPath: property] = values.text(name) }
  }

  /// What the friend did; `nil` for a type that this version does not know.
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

  /// The place that a tap opens; `nil` for an action that is unknown or lacks its id.
  ///
  /// Setting it sets the action, and the id that it needs.
  public var target: Target? {
    get {
      switch tapAction {
      case "visit_detail": visit.map(Target.visit)
      case "friend_profile": friend.map(Target.friendProfile)
      case "friends_feed": .friendsFeed
      case "notifications": .notifications
      default: nil
      }
    }
    set {
      tapAction = newValue?.tapAction
      if case .visit(let id) = newValue { visit = id }
      if case .friendProfile(let id) = newValue { friend = id }
    }
  }

  /// What a friend can do; the raw values are the types of payloads.
  public enum Kind: String, Sendable, CaseIterable {
    case like
    case comment
    case newVisit = "new_visit_from_friend"
    case friendRequest = "friend_request"
    case friendAccept = "friend_accept"
    case friendJoin = "friend_join"
  }

  /// A place in Mugshot.
  public enum Target: Sendable, Hashable {
    /// The detail of the visit of that id.
    case visit(String)
    /// The profile of the friend of that user id.
    case friendProfile(String)
    /// What friends did.
    case friendsFeed
    /// The notifications center.
    case notifications

    /// The name in payloads.
    public var tapAction: String {
      switch self {
      case .visit: "visit_detail"
      case .friendProfile: "friend_profile"
      case .friendsFeed: "friends_feed"
      case .notifications: "notifications"
      }
    }
  }

  private static var keys: [(String, WritableKeyPath<Self, String?>)] {
    [
      ("actor_username", \.actorUsername), ("actor_avatar_url", \.actorAvatarURL), ("visit_id", \.visit),
      ("friend_user_id", \.friend), ("cafe_name", \.cafeName), ("tap_action", \.tapAction),
    ]
  }
}
