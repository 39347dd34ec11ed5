import Documents
import FoundationEssentials
import Notifications

extension Verdict {
  /// The decision in plain words, such as `waits until 08:00: quiet hours`.
  /// - Parameter isOver: whether the hold has ended.
  func words(_ clock: LocalClock, at now: Date, isOver: Bool = false) -> String {
    let waits = isOver ? "waited" : "waits"
    let until = until.map { " until \(clock.brief($0, from: now))" } ?? ""
    switch (decision, reason.flatMap(Hold.Reason.init)) {
    case (.notify, _): return "told"
    case (.merge, _): return "told together with others, in one"
    case (.summarize, _): return "told in one push with others after quiet hours"
    case (.hold, .batched): return "\(waits)\(until), to be told together with others"
    case (.hold, .quietHours): return "\(waits)\(until): quiet hours"
    case (.hold, .muted): return "\(waits)\(until): they muted it for a while"
    case (.hold, .rateLimited): return "\(waits)\(until): as many pushes an hour as they want"
    case (.hold, .snoozed): return "\(waits)\(until): they snoozed it"
    default: return "not told: \(Self.plain(reason))"
    }
  }

  /// The decision without a time, for the list of counts.
  var title: String {
    switch decision {
    case .notify: "told"
    case .hold: "held: \(reason.flatMap(Hold.Reason.init)?.words ?? "") (\(reason ?? ""))"
    default: "not told: \(Self.plain(reason))"
    }
  }

  /// A reason with its name in the database.
  static func plain(_ reason: String?) -> String {
    guard let reason else { return "no reason is recorded" }
    return Suppression(rawValue: reason).map { "\($0.words) (\(reason))" } ?? reason
  }
}
