import FoundationEssentials
import Notifications
import Postgres
import PushPayload
import StoreLive

/// The verdict on a notification that may have stayed unread.
struct UnreadVerdict {
  let notification: UUID
  /// The function that is to get it.
  let function: String
  let outcome: Outcome

  /// The reason if every try to decide has failed for ``UnreadFacts/longestDelay``.
  static let failed = "failed"

  enum Outcome {
    /// The function gets it, in these words.
    case give(UnreadWords)
    /// It is asked again; the reason is `nil` if it has only not been unread for long enough.
    case wait(until: Date, reason: String?)
    /// No function gets it.
    case end(reason: String)

    /// This version does not know the app or kind.
    static let unknown = Outcome.end(reason: Suppression.unencodable.rawValue)

    static func end(_ reason: Suppression) -> Outcome { .end(reason: reason.rawValue) }
  }
}

/// A notification in its current words.
struct UnreadWords {
  let text: NotificationText
  /// The app's own keys as JSON.
  let data: String
  let link: String?
  /// The tag of the language that the person reads.
  let language: String
}

/// The facts about a notification that may have stayed unread, apart from those for the gates.
struct UnreadFacts {
  let notification: UUID
  private let function: String
  private let after: TimeInterval
  private let checkAt: Date
  /// When the person was told, or the entry was made.
  private let told: Date
  private let expiry: Date?
  private let held: (reason: String, until: Date)?
  private let isMerged: Bool
  /// Whether an app has inserted it itself, and no function has decided about it yet.
  private let isUndecided: Bool
  private let isOpened: Bool
  /// Whether the function got one that was merged into it, within a day.
  private let wasGiven: Bool
  /// Whether the person wants to hear of what stays unread.
  private let isWanted: Bool

  init(_ row: Row) throws {
    (notification, function) = (try row.decode("notification_id"), try row.decode("function"))
    after = TimeInterval(try row.decode("after_seconds", as: Int.self))
    checkAt = try row.decode("check_at")
    told = try row.decode("told_at")
    expiry = try row.optional("expires_at")
    held = try row.optional("held_until", as: Date.self).map { (row["hold_reason"] ?? "", $0) }
    (isMerged, isUndecided) = (try row.decode("is_merged"), try row.decode("is_undecided"))
    isOpened = try row.decode("is_opened")
    (wasGiven, isWanted) = (try row.decode("was_given"), try row.decode("is_wanted"))
  }

  /// The verdict on it.
  /// - Parameter part: the notification with the facts for the gates; `nil` if this version does not know its kind.
  func verdict(on part: Waiting?, at now: Date) -> UnreadVerdict {
    UnreadVerdict(notification: notification, function: function, outcome: outcome(part, at: now))
  }

  private func outcome(_ part: Waiting?, at now: Date) -> UnreadVerdict.Outcome {
    guard let part else { return .unknown }
    let end = part.inboxExpiry ?? expiry ?? .distantFuture
    if isMerged { return .end(.duplicate) }
    if isOpened { return .end(.alreadyHandled) }
    // Nobody wants to hear of everything at once that came due while nothing ran.
    if now >= min(end, checkAt.addingTimeInterval(Self.longestDelay)) { return .end(.expired) }
    if isUndecided { return .wait(until: now.addingTimeInterval(Self.untilDecided), reason: nil) }
    if let held { return .wait(until: max(held.until, now).addingTimeInterval(after), reason: held.reason) }
    let due = told.addingTimeInterval(after)
    if due > now { return .wait(until: due, reason: nil) }
    if !isWanted { return .end(reason: Self.unwanted) }
    if wasGiven { return .end(.duplicate) }
    switch Recheck(at: now).judge(part, asking: Gate.switches + [.eligibility, .quietHours], until: end).decision {
    case .suppress(let reason): return .end(reason)
    case .hold(let hold): return .wait(until: hold.until, reason: hold.reason.rawValue)
    case .notify: return .give(words(part))
    }
  }

  private func words(_ part: Waiting) -> UnreadWords {
    var values = part.values
    values["type"] = .string(part.kind.name)
    let said = try? part.said(with: part.acts)
    return UnreadWords(
      text: said?.text ?? part.text.inInbox, data: said?.data ?? "{}",
      link: part.kind.app.profile.link(PushPayload(values: values))?.url, language: part.candidate.language.tag)
  }

  /// The reason if the person does not want to hear of what stays unread.
  private static let unwanted = "unwanted"
  /// How many seconds late it may be.
  static let longestDelay: TimeInterval = 86_400
  /// How many seconds pass until it is asked again whether a function has decided.
  private static let untilDecided: TimeInterval = 300
}
