import HTTP1
import System

/// Limits how often tokens from one address may be refused: ten times a second.
///
/// Further tokens must wait. A token that was accepted before never waits, because all clients of a proxy have one
/// address.
@RunnerLoop
final class FailedTokens {
  /// The most addresses, and the most accepted tokens, that are remembered.
  private static let mostRemembered = 10_000
  private static let perSecond = 10.0

  private let now: @Sendable () -> ContinuousClock.Instant
  private var buckets: [ClientAddress: Bucket] = [:]
  /// Hashes, with this process's own seed.
  private var taken: Set<Int> = []

  private struct Bucket {
    /// It is below zero after many tries at once.
    var tries: Double
    var at: ContinuousClock.Instant
  }

  init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    self.now = now
  }

  /// The whole seconds until the address may try another token; `nil` if it may now.
  func secondsToWait(_ head: HTTP1Request) -> Int? {
    guard let bucket = buckets[head.client], let token = Self.token(of: head), !taken.contains(token) else {
      return nil
    }
    let tries = filled(bucket, at: now())
    return tries >= 1 ? nil : max(1, Int(((1 - tries) / Self.perSecond).rounded(.up)))
  }

  /// Counts whether a request's token was accepted.
  ///
  /// - Returns: whether the address has to wait from now on.
  @discardableResult
  func count(_ request: HTTP1Request, isRefused: Bool) -> Bool {
    guard let token = Self.token(of: request) else { return false }
    guard isRefused else {
      if taken.count >= Self.mostRemembered { taken.removeAll(keepingCapacity: true) }
      taken.insert(token)
      return false
    }
    taken.remove(token)
    let now = now()
    if buckets.count >= Self.mostRemembered { forget(at: now) }
    let tries = buckets[request.client].map { filled($0, at: now) } ?? Self.perSecond
    buckets[request.client] = Bucket(tries: tries - 1, at: now)
    return tries >= 1 && tries < 2
  }

  private static func token(of request: HTTP1Request) -> Int? {
    let shown = [request.headers["authorization"], request.headers["apikey"]]
    return shown.allSatisfy { $0 == nil } ? nil : shown.hashValue
  }

  private func filled(_ bucket: Bucket, at now: ContinuousClock.Instant) -> Double {
    min(Self.perSecond, bucket.tries + (now - bucket.at) / .seconds(1) * Self.perSecond)
  }

  private func forget(at now: ContinuousClock.Instant) {
    buckets = buckets.filter { filled($0.value, at: now) < Self.perSecond }
    if buckets.count >= Self.mostRemembered { buckets.removeAll(keepingCapacity: true) }
  }
}
