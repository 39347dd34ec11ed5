import FunctionKit
import HTTP1
import System

/// Limits how often tokens from one address may be refused.
///
/// Further tokens must wait, the right ones as well: else they could be told from wrong ones. A token that was accepted
/// from the address before never waits, because all clients of a proxy have one address.
@RunnerLoop
final class FailedTokens {
  /// How many may be refused at once, and a second.
  struct Limit {
    var atOnce: Double
    var perSecond: Double

    /// For the tokens of people.
    static let tokens = Limit(atOnce: 10, perSecond: 10)
    /// For the runner's key, which somebody may have chosen.
    static let keys = Limit(atOnce: 5, perSecond: 0.5)
  }

  /// The most addresses, and the most accepted tokens, that are remembered.
  private static let mostRemembered = 10_000

  private let limit: Limit
  private let log: Log?
  private let now: @Sendable () -> ContinuousClock.Instant
  private var buckets: [ClientAddress: Bucket] = [:]
  /// Hashes, with this process's own seed.
  private var taken: Set<Int> = []

  private struct Bucket {
    /// It is below zero after many tries at once.
    var tries: Double
    var at: ContinuousClock.Instant
  }

  init(
    _ limit: Limit = .tokens, log: Log? = nil, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    (self.limit, self.log, self.now) = (limit, log, now)
  }

  /// The whole seconds until the address may try this token; `nil` if it may now.
  func secondsToWait(_ token: String, from client: ClientAddress) -> Int? {
    guard let bucket = buckets[client], !taken.contains(Self.hash(token, client)) else { return nil }
    let tries = filled(bucket, at: now())
    return tries >= 1 ? nil : max(1, Int(((1 - tries) / limit.perSecond).rounded(.up)))
  }

  /// Counts whether a token was accepted.
  func count(_ token: String, from client: ClientAddress, isRefused: Bool) {
    guard isRefused else {
      if taken.count >= Self.mostRemembered { taken.removeAll(keepingCapacity: true) }
      taken.insert(Self.hash(token, client))
      return
    }
    taken.remove(Self.hash(token, client))
    let now = now()
    if buckets.count >= Self.mostRemembered { forget(at: now) }
    let tries = buckets[client].map { filled($0, at: now) } ?? limit.atOnce
    buckets[client] = Bucket(tries: tries - 1, at: now)
    guard tries >= 1 && tries < 2 else { return }
    log?.warning("Tokens of an address are refused: further ones have to wait", ["client.address": "\(client)"])
  }

  private static func hash(_ token: String, _ client: ClientAddress) -> Int {
    var hasher = Hasher()
    hasher.combine(client)
    hasher.combine(token)
    return hasher.finalize()
  }

  private func filled(_ bucket: Bucket, at now: ContinuousClock.Instant) -> Double {
    min(limit.atOnce, bucket.tries + (now - bucket.at) / .seconds(1) * limit.perSecond)
  }

  private func forget(at now: ContinuousClock.Instant) {
    buckets = buckets.filter { filled($0.value, at: now) < limit.atOnce }
    if buckets.count >= Self.mostRemembered { buckets.removeAll(keepingCapacity: true) }
  }
}

// The tokens that a request shows to a function which checks its callers.
extension FailedTokens {
  func secondsToWait(_ head: HTTP1Request) -> Int? {
    Self.token(of: head).flatMap { secondsToWait($0, from: head.client) }
  }

  func count(_ request: HTTP1Request, isRefused: Bool) {
    if let token = Self.token(of: request) { count(token, from: request.client, isRefused: isRefused) }
  }

  private static func token(of request: HTTP1Request) -> String? {
    let shown = [request.headers["authorization"], request.headers["apikey"]]
    return shown.allSatisfy { $0 == nil } ? nil : shown.map { $0 ?? "" }.joined(separator: "\n")
  }
}
