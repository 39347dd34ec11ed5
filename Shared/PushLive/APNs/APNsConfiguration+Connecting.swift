import EventLoop
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
