import PushPayload

extension AppProfile {
  static let mugshot = AppProfile(
    title: "Mugshot", kinds: MugshotPush.Kind.allCases.map(Kind.init), subjectNames: ["visit_id", "friend_user_id"],
    link: { ReceivedPush<MugshotPush>($0).link }, values: MugshotTapAction.values(of:_:),
    topic: "com.example.mugshot")
}

extension Kind {
  fileprivate init(_ kind: MugshotPush.Kind) {
    let (importance, family): (Importance, BatchingFamily?) =
      switch kind {
      case .newVisit, .friendAccept: (.normal, nil)
      case .like: (.normal, .likes)
      case .comment: (.normal, .visitComments)
      case .friendRequest: (.actionRequired, nil)
      case .friendJoin: (.passive, nil)
      }
    self.init(.mugshot, kind.rawValue, importance: importance, family: family)
  }
}

/// The place that a tap on one of Mugshot's notifications opens.
enum MugshotTapAction: String {
  case visitDetail = "visit_detail"
  case friendProfile = "friend_profile"
  case friendsFeed = "friends_feed"
  case notifications

  /// The fact with the id that the action opens; `nil` for an action without one.
  private var requiredFact: String? {
    switch self {
    case .visitDetail: "visit_id"
    case .friendProfile: "friend_user_id"
    case .friendsFeed, .notifications: nil
    }
  }

  /// Where a kind leads by default.
  private static func usual(for kind: Kind) -> MugshotTapAction {
    kind.name.hasPrefix("friend_") ? .friendProfile : .visitDetail
  }

  static func values(of kind: Kind, _ entry: AppEntry) throws(UnusableEntry) -> [String: PushPayload.Value] {
    var values: [String: PushPayload.Value] = ["actor_username": .string(try entry.require("actor_username"))]
    for name in ["actor_avatar_url", "visit_id", "friend_user_id", "cafe_name"] {
      values[name] = entry[name].map(PushPayload.Value.string)
    }
    let said = entry["tap_action"]
    guard let action = said.map(MugshotTapAction.init) ?? .usual(for: kind) else {
      throw UnusableEntry("record.tap_action has an unusable value.")
    }
    let leadsSomewhere = action.requiredFact.map { values[$0] != nil } ?? true
    values["tap_action"] = .string((leadsSomewhere ? action : .notifications).rawValue)
    return values
  }
}
