import PushPayload

extension AppProfile {
  static let mugshot = AppProfile(
    title: "Mugshot", kinds: MugshotPush.Kind.allCases.map(Kind.init), subjectNames: ["visit_id", "friend_user_id"],
    link: { ReceivedPush<MugshotPush>($0).link }, values: mugshotValues(of:_:),
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

extension AppProfile {
  /// A row without a `tap_action` has its kind's; an action that lacks its id becomes `notifications`.
  private static func mugshotValues(
    of kind: Kind, _ entry: AppEntry
  ) throws(UnusableEntry) -> [String: PushPayload.Value] {
    _ = try entry.require("actor_username")
    let values = MugshotPush.keyNames.reduce(into: [:]) { $0[$1] = entry[$1].map(PushPayload.Value.string) }
    var push = MugshotPush(type: nil, values: values)
    let usual: MugshotPush.TapAction = kind.name.hasPrefix("friend_") ? .friendProfile : .visitDetail
    push.tapAction = push.tapAction ?? usual.rawValue
    guard push.tapAction.flatMap(MugshotPush.TapAction.init) != nil else {
      throw UnusableEntry("record.tap_action has an unusable value.")
    }
    push.target = push.target ?? .notifications
    return push.values
  }
}
