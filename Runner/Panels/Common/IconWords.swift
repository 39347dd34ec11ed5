import Console
import Documents

/// Why an app's icon shows another number than the one that is counted, as a sum.
struct IconWords {
  let counted: Int
  let icon: Int
  /// How many wait; `nil` if none does.
  let waiting: Int?
  /// Whether more may wait.
  var isMore = false
  let unpushed: Int?
  let countsRequests: Bool

  /// The parts that make the one number of the other: `6 on the icon + 2 that wait for their time + 1 without a push`.
  var sum: String {
    guard counted > icon else {
      let gone = icon - counted
      let were = gone == 1 ? "was" : "were"
      return "\(icon) on the icon − \(gone) that \(were) read, done or taken back since its last push"
    }
    let missing = counted - icon
    guard !countsRequests else {
      return "\(icon) on the icon + \(missing) that \(missing == 1 ? "counts" : "count") without a push, as requests do"
    }
    let known = (waiting ?? 0) + (unpushed ?? 0)
    // Where they are more, the last push has counted some of them already: nobody knows which.
    guard known <= missing, !isMore else { return "\(icon) on the icon + \(missing) that came since its last push" }
    let parts: [(Int, String)] = [
      (icon, "on the icon"), (waiting ?? 0, waiting == 1 ? "that waits for its time" : "that wait for their time"),
      (unpushed ?? 0, "without a push"), (missing - known, "that came since its last push"),
    ]
    return parts.filter { $0.0 > 0 || $0.1 == "on the icon" }.map { "\($0) \($1)" }.joined(separator: " + ")
  }
}

extension Phone {
  /// The words of the warning; `nil` where the icon is right, or as right as a push can make it.
  var iconWords: String? {
    guard isIconWrong, let counted, let badge else { return nil }
    let words = IconWords(
      counted: counted, icon: badge, waiting: waiting, isMore: (waiting ?? 0) > BoundedCount.most, unpushed: unpushed,
      countsRequests: countsRequests ?? false)
    return "\(counted) \(words.countsRequests ? "unanswered" : "unread") = \(words.sum)"
  }
}

extension AppState {
  /// The words about phones that show another number.
  func iconWords(showing icon: Int) -> String {
    let count = waiting.count
    let words = IconWords(
      counted: badge, icon: icon, waiting: count == 0 ? nil : count, isMore: count >= Self.mostWaiting,
      unpushed: unpushed, countsRequests: countsRequests ?? false)
    return "their phones follow with the next push: \(badge) = \(words.sum)"
  }

  /// The rule by which the badge counts, where that is not all that is unread; `nil` otherwise.
  var badgeRule: String? {
    if countsRequests == true { return "requests without an answer" }
    let leavesOut = !isEnabled || !switchedOff.isEmpty || mutes.contains { $0.level == .muted }
    return leavesOut ? "without what they have muted or switched off" : nil
  }
}
