import Notifications

extension Kind.BatchingFamily {
  /// How many of what they tell, such as `3 votes`.
  func words(for count: Int) -> String {
    let noun =
      switch self {
      case .newFeedback: "new item"
      case .comments, .visitComments: "comment"
      case .votes, .proposalVotes: "vote"
      case .likes: "like"
      case .messages: "message"
      case .statuses: "change of status"
      case .leads: "change of the lead"
      case .conflicts: "conflict"
      }
    guard count != 1 else { return noun }
    return "\(count) " + (noun.hasPrefix("change") ? noun.replacing("change", with: "changes") : "\(noun)s")
  }
}
