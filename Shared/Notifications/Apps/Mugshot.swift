extension Kind {
  /// Mugshot's kinds.
  public static let mugshot: [Kind] = [
    mugshot("new_visit_from_friend"), mugshot("like", family: .likes), mugshot("comment", family: .visitComments),
    mugshot("friend_request", .actionRequired), mugshot("friend_accept"), mugshot("friend_join", .passive),
  ]

  private static func mugshot(
    _ name: String, _ importance: Importance = .normal, family: BatchingFamily? = nil
  ) -> Kind {
    Kind(.mugshot, name, importance: importance, preference: .own, family: family)
  }
}

/// Where a tap on one of Mugshot's notifications leads.
public enum MugshotTapAction: String, Sendable, CaseIterable {
  case visitDetail = "visit_detail"
  case friendProfile = "friend_profile"
  case friendsFeed = "friends_feed"
  case notifications

  /// The id without which there is nothing to open.
  var requiredFact: String? {
    switch self {
    case .visitDetail: "visit_id"
    case .friendProfile: "friend_user_id"
    case .friendsFeed, .notifications: nil
    }
  }

  /// Where a kind leads that says nothing else.
  static func usual(for kind: Kind) -> MugshotTapAction {
    kind.name.hasPrefix("friend_") ? .friendProfile : .visitDetail
  }
}
