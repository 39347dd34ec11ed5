/// How long a failed event waits before its next attempt.
enum Backoff {
  /// The first wait at its longest, in seconds; each further one is four times as long.
  static let base = 1.0
  /// No wait is longer, in seconds.
  static let ceiling = 3_600.0

  /// The longest wait, in seconds, of an event that failed because the database was away.
  static let longestOutage = 8.0

  /// Seconds to wait while the database is away: an eighth of the event's age, at least one second.
  ///
  /// - Parameters:
  ///   - age: in seconds, `nil` where it is not known.
  ///   - random: from 0 to 1; spreads those that failed together.
  static func delay(whileAway age: Double?, random: Double) -> Double {
    min(longestOutage, max(2, (age ?? 0) / 8)) * (1 + random) / 2
  }

  /// Seconds to wait: exponential with full jitter, so that events that failed together do not come back together.
  ///
  /// - Parameters:
  ///   - failures: how often the event has failed, from 1.
  ///   - retryAfter: what the function asked for, in seconds; obeyed as it is.
  ///   - isBusy: whether a target had too much to do. It asks all for the same seconds, so they come back spread after
  ///     them.
  ///   - random: from 0 to 1.
  static func delay(afterFailures failures: Int, retryAfter: Int?, isBusy: Bool = false, random: Double) -> Double {
    let asked = retryAfter.map { Double(min(max($0, 0), 86_400)) }
    if let asked, !isBusy { return asked }
    var longest = base
    for _ in 1..<max(1, min(failures, 10)) { longest *= 4 }
    return (asked ?? 0) + min(longest, ceiling) * random
  }
}
