import HTTP2
import HTTPClient

/// The thing to look at when a provider's server gives no answer.
package enum SilenceCause: Sendable {
  /// The server's certificate was not trusted.
  case trust
  /// The proxy: it is not reached, or makes no tunnel.
  case proxy
  /// The server, or the way from the proxy to it.
  case beyondProxy
  /// The server, or the way to it, where no proxy is set.
  case server

  init(_ error: HTTP2Error, behindProxy isBehindProxy: Bool) {
    self =
      switch error {
      case .certificateRefused: .trust
      case .unusableProxy, .proxyUnreachable, .proxyRefused, .proxyFailed, .timedOut(.tunneling): .proxy
      default: Self.silent(isBehindProxy)
      }
  }

  init(_ error: HTTPClientError, behindProxy isBehindProxy: Bool) {
    self =
      switch error.code {
      case .untrusted: .trust
      case .proxyUnreachable, .proxyRefused: .proxy
      default: Self.silent(isBehindProxy)
      }
  }

  static func silent(_ isBehindProxy: Bool) -> Self { isBehindProxy ? .beyondProxy : .server }
}
