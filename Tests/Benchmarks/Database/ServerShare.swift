import Foundation
import TestSupport

/// How fast something went, and how much PostgreSQL computed for it.
struct ServerShare {
  let perSecond: Double
  /// Of PostgreSQL, in microseconds for each.
  let serverTime: Double

  init(_ count: Int, in time: Duration, serverTime: Duration) {
    perSecond = Double(count) / (time / .seconds(1))
    self.serverTime = serverTime / .microseconds(1) / Double(count)
  }

  /// The rate, against the most that PostgreSQL could do if it had all cores for itself, and that most.
  ///
  /// - Parameter limit: the least ratio, which depends on the machine less than the rate does.
  static func findings(_ what: String, _ shares: [ServerShare], atLeast limit: Double, goal: Double?) -> [Finding] {
    let (rate, time) = (Samples(shares.map(\.perSecond)).p50, Samples(shares.map(\.serverTime)).p50)
    let alone = Double(ProcessInfo.processInfo.activeProcessorCount) * 1e6 / time
    return [
      Finding(
        what: "\(what), against PostgreSQL alone", perSecond: rate, ratio: rate / alone,
        limits: [.ratioAtLeast(limit)], goal: goal.map { .perSecondAtLeast($0) }),
      Finding(what: "\(what): PostgreSQL alone, by its µs of CPU time for each", perSecond: alone, value: time),
    ]
  }
}
