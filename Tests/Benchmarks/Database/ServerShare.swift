import Foundation
import TestSupport

/// How fast something went, and how much PostgreSQL and others computed for it.
struct ServerShare {
  let perSecond: Double
  /// Of PostgreSQL, in microseconds for each.
  let serverTime: Double
  /// Of the runner and its functions, in microseconds for each; `nil` if it was not measured.
  let otherTime: Double?

  init(_ count: Int, in time: Duration, serverTime: Duration, otherTime: Duration? = nil) {
    perSecond = Double(count) / (time / .seconds(1))
    self.serverTime = serverTime / .microseconds(1) / Double(count)
    self.otherTime = otherTime.map { $0 / .microseconds(1) / Double(count) }
  }

  /// The rate, against the most that PostgreSQL could do if it had all cores for itself, and that most.
  ///
  /// If the time of the runner and its functions is known, also the most that all of them could do if no core ever waited.
  /// - Parameter limit: the least ratio, which depends on the machine less than the rate does.
  static func findings(_ what: String, _ shares: [ServerShare], atLeast limit: Double, goal: Double?) -> [Finding] {
    let (rate, time) = (Samples(shares.map(\.perSecond)).p50, Samples(shares.map(\.serverTime)).p50)
    let coreTime = Double(ProcessInfo.processInfo.activeProcessorCount) * 1e6
    let alone = coreTime / time
    let all = shares.compactMap { share in share.otherTime.map { share.serverTime + $0 } }
    return [
      Finding(
        what: "\(what), against PostgreSQL alone", perSecond: rate, ratio: rate / alone,
        limits: [.ratioAtLeast(limit)], goal: goal.map { .perSecondAtLeast($0) }),
      Finding(what: "\(what): PostgreSQL alone, by its µs of CPU time for each", perSecond: alone, value: time),
    ]
      + (all.isEmpty
        ? []
        : [
          Finding(
            what: "\(what): if no core ever waited, by all µs of CPU time for each",
            perSecond: coreTime / Samples(all).p50, value: Samples(all).p50)
        ])
  }
}
