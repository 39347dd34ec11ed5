import Documents
import FoundationEssentials
import Notifications

extension Verdict {
  /// The decision in plain words, such as `waits until 08:00: quiet hours`.
  ///
  /// - Parameters:
  ///   - app: the raw value of ``App``, or another word.
  ///   - others: how many others the same message tells of; `nil` where none is known.
  ///   - place: the project or group that is muted; `nil` where it is unknown.
  ///   - isOver: whether the hold has ended.
  func words(
    _ clock: LocalClock, at now: Date, in app: String, others: Int? = nil, mutedIn place: String? = nil,
    isOver: Bool = false
  ) -> String {
    let waits = isOver ? "waited" : "waits"
    let until = until.map { " until \(clock.brief($0, from: now))" } ?? ""
    switch (decision, reason.flatMap(Hold.Reason.init)) {
    case (.notify, _): return others == nil ? "told" : Self.together(others)
    case (.merge, _): return Self.together(others)
    case (.summarize, _): return "\(Self.together(others)), after quiet hours"
    case (.hold, .batched): return "\(waits)\(until) for others like it"
    case (.hold, .quietHours): return "\(waits)\(until): quiet hours"
    case (.hold, .muted): return "\(waits)\(until): they muted it for a while"
    case (.hold, .rateLimited): return "\(waits)\(until): as many pushes an hour as they want"
    case (.hold, .snoozed): return "\(waits)\(until): they snoozed it"
    default: return "not told: \(Self.plain(reason, in: app, muting: place))"
    }
  }

  /// `told in one message with 2 others`.
  private static func together(_ others: Int?) -> String {
    let number =
      others.map { $0 > DecisionReport.mostOthers ? "more than \(DecisionReport.mostOthers) " : "\($0) " } ?? ""
    return "told in one message with \(number)\(others == 1 ? "other" : "others")"
  }

  /// The decision without a time, for the list of counts.
  func title(in app: String) -> String {
    switch decision {
    case .notify: "told"
    case .hold: "held: \(reason.flatMap(Hold.Reason.init)?.words ?? "") (\(reason ?? ""))"
    default: "not told: \(Self.plain(reason, in: app))"
    }
  }

  /// A reason with its name in the database.
  ///
  /// - Parameters:
  ///   - app: the raw value of ``App``, or another word; `nil` where it is unknown.
  ///   - place: the project or group that is muted; `nil` where it is unknown.
  static func plain(_ reason: String?, in app: String?, muting place: String? = nil) -> String {
    guard let reason else { return "no reason is recorded" }
    guard let suppression = Suppression(rawValue: reason) else { return reason }
    let name = suppression == .projectMuted ? place.map { " “\($0)”" } ?? "" : ""
    return "\(suppression.words(in: app.flatMap(App.init)))\(name) (\(reason))"
  }
}
