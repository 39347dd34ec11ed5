import HTTP2

/// One connection of a route; used on the sender's loop only.
final class RouteConnection {
  let number: Int
  let client: HTTP2Client
  /// Whether APNs has answered on it.
  ///
  /// Then pushes no longer go alone.
  var isProven = false
  /// The `authorization` of its pushes; `nil` before its first push.
  ///
  /// APNs counts a provider's tokens on each connection, so one connection never has two.
  var authorization: String?
  /// Whether it takes no more pushes and is closed after its last answer.
  var isRetiring = false
  /// Whether it is being checked.
  var isChecking = false
  var inFlight = 0
  /// When it last received something.
  var lastHeard: ContinuousClock.Instant

  // This is for a server without a limit. Apple: "don't assume a specific number of streams".
  private static let assumedStreams = 1_000

  init(_ number: Int, _ client: HTTP2Client, at now: ContinuousClock.Instant) {
    (self.number, self.client, lastHeard) = (number, client, now)
  }

  /// Whether it can still take pushes, now or later.
  var isUsable: Bool { !isRetiring && client.assumeIsolated { $0.isUsable } }

  /// How many more pushes may go.
  ///
  /// Only one may before the connection is proven.
  var room: Int {
    guard isUsable, !isChecking else { return 0 }
    guard isProven else { return inFlight == 0 ? 1 : 0 }
    let limit = client.assumeIsolated { Int($0.remoteMaxConcurrentStreams) }
    return min(limit, Self.assumedStreams) - inFlight
  }

  /// Whether its pushes may have a provider token.
  func takes(_ token: String) -> Bool { authorization == nil || authorization == token }

  func close() {
    client.assumeIsolated { $0.close() }
  }
}
