import FunctionKit
import HTTP1
import System

/// Limits the calls of one caller per minute: each has a bucket of that size, which fills evenly.
///
/// A bearer token is one caller. All calls of an address without a token are one caller, too.
@RunnerLoop
final class CallerLimit {
  /// The most callers that are remembered; full buckets are forgotten first.
  private static let mostCallers = 10_000

  var remembered: Int { buckets.count }

  private let callsAMinute: Double
  private let now: @Sendable () -> ContinuousClock.Instant
  private var buckets: [String: Bucket] = [:]

  private struct Bucket {
    var calls: Double
    var at: ContinuousClock.Instant
  }

  init(callsAMinute: Int, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    self.callsAMinute = Double(callsAMinute)
    self.now = now
  }

  /// Takes a call from a caller's bucket.
  ///
  /// - Returns: the whole seconds until there is a call to take; `nil` if there was one.
  func secondsToWait(_ authorization: String?, from client: ClientAddress = ClientAddress()) -> Int? {
    let token = authorization.flatMap { BearerToken.shown(in: $0) }
    let caller = token.map { SHA256.hex(Array($0.utf8)) } ?? "\(client)"
    let now = now()
    var calls = filled(buckets[caller], at: now)
    defer { buckets[caller] = Bucket(calls: calls, at: now) }
    if buckets.count >= Self.mostCallers { forget(at: now) }
    guard calls >= 1 else { return max(1, Int(((1 - calls) * 60 / callsAMinute).rounded(.up))) }
    calls -= 1
    return nil
  }

  private func filled(_ bucket: Bucket?, at now: ContinuousClock.Instant) -> Double {
    guard let bucket else { return callsAMinute }
    return min(callsAMinute, bucket.calls + (now - bucket.at) / .seconds(60) * callsAMinute)
  }

  private func forget(at now: ContinuousClock.Instant) {
    buckets = buckets.filter { filled($0.value, at: now) < callsAMinute }
    if buckets.count >= Self.mostCallers { buckets.removeAll(keepingCapacity: true) }
  }
}
