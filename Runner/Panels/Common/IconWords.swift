import Console
import Documents

/// Why an app's icon shows another number than the one that is counted.
struct IconWords {
  let counted: Int
  let icon: Int
  /// How many wait, such as `2` or `20 or more`; `nil` if none does.
  let waiting: String?
  let unpushed: Int?
  let countsRequests: Bool

  var reason: String {
    guard counted > icon else {
      let gone = icon - counted
      return "\(gone) \(gone == 1 ? "was" : "were") read, done or taken back since its last push"
    }
    guard !countsRequests else { return "requests count also where no push told of them" }
    let parts = [
      waiting.map { $0 == "1" ? "1 waits for its time" : "\($0) wait for their time" },
      unpushed.map { "\($0) came without a push" },
    ]
    let known = parts.compactMap(\.self).joined(separator: ", ")
    return known.isEmpty ? "more came since its last push" : known
  }
}

extension Phone {
  /// The words of the warning; `nil` where the icon is right, or as right as a push can make it.
  var iconWords: String? {
    guard isIconWrong, let counted, let badge else { return nil }
    let words = IconWords(
      counted: counted, icon: badge, waiting: waiting.map(BoundedCount.words), unpushed: unpushed,
      countsRequests: countsRequests ?? false)
    return "\(counted) \(words.countsRequests ? "unanswered" : "unread"), the icon says \(badge): \(words.reason)"
  }
}

extension AppState {
  /// The words about phones that show another number.
  func iconWords(showing icon: Int) -> String {
    let count = waiting.count
    let words = IconWords(
      counted: badge, icon: icon,
      waiting: count == 0 ? nil : count < Self.mostWaiting ? "\(count)" : "\(count) or more", unpushed: unpushed,
      countsRequests: countsRequests ?? false)
    return "their phones say \(icon) until the next push: \(words.reason)"
  }

  /// The rule by which the badge counts, where that is not all that is unread; `nil` otherwise.
  var badgeRule: String? {
    if countsRequests == true { return "requests without an answer" }
    let leavesOut = !isEnabled || !switchedOff.isEmpty || mutes.contains { $0.level == .muted }
    return leavesOut ? "without what they have muted or switched off" : nil
  }
}
