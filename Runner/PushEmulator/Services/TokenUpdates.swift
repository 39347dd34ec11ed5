import FoundationEssentials

/// Limits how often a provider may use a new token: once in 20 minutes, counted from its first use.
struct TokenUpdates: Sendable {
  /// The scope in which new tokens are counted.
  enum Scope: String, Sendable, CaseIterable {
    /// Counts by team and key at each of APNs' hosts, for all connections. Providers have seen this.
    case team
    /// Counts on each connection, as Apple's page says.
    case connection
  }

  /// The tokens before a new one.
  enum Provider: Sendable, Hashable {
    case team(String, keyID: String, APNsEnvironment)
    case connection(Int)
  }

  /// 20 minutes, in seconds.
  static let floor = 1_200.0

  private struct Seen: Sendable {
    let authorization: String
    let at: Date
  }

  private var latest: [Provider: [Seen]] = [:]

  /// Records a token; `false` for one that comes too early after the last new one.
  ///
  /// A token that was seen before stays valid while it lives, because another process of the team may still have it.
  mutating func admits(_ authorization: String, of provider: Provider, now: Date) -> Bool {
    let seen = latest[provider] ?? []
    guard !seen.contains(where: { $0.authorization == authorization }) else { return true }
    if let last = seen.last, now.timeIntervalSince(last.at) < Self.floor { return false }
    // At most four live at once: one for each 20 minutes of an hour, and an old one.
    latest[provider] = seen.suffix(3) + [Seen(authorization: authorization, at: now)]
    return true
  }

  mutating func forget(connection number: Int) {
    latest[.connection(number)] = nil
  }
}
