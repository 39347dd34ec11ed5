import EventLoop
import FunctionKit
import HTTP2
import Notifications

extension APNsConfiguration {
  /// Opens a connection to an environment's server, through the proxy if there is one.
  func connect(
    _ environment: PushEnvironment, within limit: Duration, on loop: EventLoop
  ) async throws(HTTP2Error) -> HTTP2Client {
    try await HTTP2Client.connect(
      to: endpoint(environment), trust: trust, proxy: proxies[environment], connectTimeout: limit, keepAlive: nil,
      loop: loop)
  }
}

extension RouteConnection {
  /// Whether the server answers in time.
  func lives(within limit: Duration) async -> Bool {
    if case .success = await client.ping(timeout: limit) { true } else { false }
  }

  /// Why the connection has ended: the reason of APNs' GOAWAY, if it gave one.
  var farewell: String {
    let goAway = client.assumeIsolated { $0.goAwayReason }
    let json = goAway.flatMap { try? RawJSON(validating: $0.debugData[...]) }
    return json?["reason"]?.word ?? "the connection was closed"
  }
}
