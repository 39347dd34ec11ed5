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
  /// A row without one of Mugshot's `tap_action`s has its kind's; an action that lacks its id becomes `notifications`.
  private static func mugshotValues(of kind: Kind, _ entry: AppEntry) -> [String: PushPayload.Value] {
    let values = MugshotPush.keyNames.reduce(into: [:]) { $0[$1] = entry[$1].map(PushPayload.Value.string) }
    var push = MugshotPush(type: nil, values: values)
    let usual: MugshotPush.TapAction = kind.name.hasPrefix("friend_") ? .friendProfile : .visitDetail
    push.tapAction = (push.tapAction.flatMap(MugshotPush.TapAction.init) ?? usual).rawValue
    push.target = push.target ?? .notifications
    return push.values
  }
}
