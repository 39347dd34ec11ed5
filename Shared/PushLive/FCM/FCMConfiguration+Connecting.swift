import EventLoop
import HTTP2
import HTTPClient

extension FCMConfiguration {
  /// Opens a connection to FCM, through the proxy if there is one.
  func connect(within limit: Duration, on loop: EventLoop) async throws(HTTP2Error) -> HTTP2Client {
    try await HTTP2Client.connect(to: endpoint, trust: trust, proxy: proxy, connectTimeout: limit, loop: loop)
  }

  /// Asks for an account's access tokens, through the proxy if there is one.
  func tokenClient(for account: ServiceAccount, within limit: Duration) -> HTTPClient {
    HTTPClient(
      trust: trust(for: account), proxy: HTTPProxy(tokenProxies[account.tokenServer]), limits: HTTPLimits(total: limit))
  }

  /// The authority that vouches for the server of an account's access tokens.
  func trust(for account: ServiceAccount) -> HTTPTrust {
    guard case .certificateAuthority(let path) = trust, !Self.isGoogle(account.tokenServer.host) else {
      return .system
    }
    return .certificateAuthority(path: path)
  }
}

extension HTTPProxy {
  fileprivate init(_ proxy: Proxy?) {
    self =
      proxy.map {
        .server(host: $0.endpoint.host, port: $0.endpoint.port, authorization: $0.authorization)
      } ?? .direct
  }
}
