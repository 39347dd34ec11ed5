import FoundationEssentials
import Notifications
import Postgres
import StoreLive

/// The gates' verdicts on notifications to one person that go out later than they were decided.
///
/// A held notification is due, or a push has waited for its provider, its device or the sender. Each push that goes out
/// now counts for the next one.
struct Recheck {
  let now: Date
  private var recentPushes: [Date] = []
  /// The facts of the decisions as JSON, by notification; `nil` if they are the usual ones.
  private(set) var facts: [UUID: String] = [:]

  /// The gates' decision on a notification, with the facts that it was made from.
  struct Judgement {
    let part: Waiting
    let candidate: Candidate
    let decision: Decision
  }

  init(at now: Date) { self.now = now }

  /// People's rechecks, with the pushes that they got in the last hour.
  static func of(_ recentPushes: Rows, at now: Date) throws -> [UUID: Recheck] {
    try recentPushes.grouped { row in try row.decode("pushed_at", as: Date.self) }.mapValues { pushes in
      var recheck = Recheck(at: now)
      recheck.recentPushes = pushes
      return recheck
    }
  }

  /// Asks gates again.
  /// - Parameters:
  ///   - candidate: the person with further facts; `nil` for the notification's.
  ///   - expiry: nothing is held for longer; `nil` for the notification's.
  ///   - canBeSaid: whether its words fit into a push.
  func judge(
    _ part: Waiting, _ candidate: Candidate? = nil, asking gates: [Gate] = Gate.whenDue, until expiry: Date? = nil,
    canBeSaid: Bool = true
  ) -> Judgement {
    var candidate = candidate ?? part.candidate
    if gates.contains(.rateLimit) { candidate.recentPushes = recentPushes }
    let decision = Gate.decision(
      on: candidate, of: part.kind, until: expiry ?? part.holdEnd(for: candidate), asking: gates, at: now)
    let isTooLarge = decision == .notify && !canBeSaid
    return Judgement(part: part, candidate: candidate, decision: isTooLarge ? .suppress(.unencodable) : decision)
  }

  /// Counts a push that goes out now.
  mutating func push() { recentPushes.append(now) }

  /// Keeps the facts of a decision.
  /// - Parameter parts: the notifications that it is about; `nil` for its own.
  mutating func record(_ judgement: Judgement, for parts: [Waiting]? = nil) {
    let part = judgement.part
    let json = DecisionFacts(
      judgement.candidate, of: part.kind, until: part.holdEnd(for: judgement.candidate), decided: judgement.decision,
      at: now
    ).json
    for id in (parts ?? [part]).map(\.id) { facts[id] = json }
  }
}
