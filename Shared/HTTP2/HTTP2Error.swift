/// Why there is no connection, or no server.
///
/// Descriptions name hosts and causes, never the content of certificates, keys or requests.
package enum HTTP2Error: Error, Sendable, Hashable {
  /// The connection took too long; with the phase that it was in.
  case timedOut(Phase)
  /// The host name has no address.
  case unresolved(host: String, reason: String)
  /// No address accepted a connection; the reason is the last address's.
  case unreachable(reason: String)
  /// The given proxy cannot be used.
  case unusableProxy(reason: String)
  /// There is no connection to the proxy.
  case proxyUnreachable(reason: String)
  /// The proxy says that it cannot reach the server (502, 503, 504).
  case beyondProxy(answer: String)
  /// The proxy refuses to make a tunnel; its status line says why.
  case proxyRefused(answer: String)
  /// The proxy answers, but the tunnel failed.
  case proxyFailed(reason: String)
  /// The peer's certificate is not trusted, or is for another name.
  case certificateRefused(reason: String)
  /// The TLS handshake failed otherwise.
  case handshakeFailed(reason: String)
  /// The peer speaks TLS but did not choose `h2` by ALPN.
  case http2NotOffered
  /// The connection ended before the peer's first SETTINGS frame.
  case closedEarly(reason: String)
  /// A certificate or key file that cannot be used.
  case unusableFile(path: String, reason: String)
  /// The server cannot listen on its endpoint.
  case cannotListen(reason: String)

  /// The steps of establishing a connection.
  package enum Phase: String, Sendable, Hashable {
    /// Asking for the addresses of the host name.
    case resolving
    /// Connecting to the addresses.
    case connecting
    /// Waiting for the proxy's tunnel.
    case tunneling
    /// The TLS handshake.
    case handshaking
    /// Waiting for the peer's first SETTINGS frame.
    case settling
  }
}

extension HTTP2Error: CustomStringConvertible {
  /// One line for the log.
  package var description: String {
    switch self {
    case .timedOut(let phase): "timed out while \(phase.rawValue)"
    case .unresolved(let host, let reason): "\(host) has no address: \(reason)"
    case .unreachable(let reason): "unreachable: \(reason)"
    case .unusableProxy(let reason): "unusable proxy: \(reason)"
    case .proxyUnreachable(let reason): "the proxy cannot be reached: \(reason)"
    case .beyondProxy(let answer): "the proxy cannot reach the server: \(answer)"
    case .proxyRefused(let answer): "the proxy refused: \(answer)"
    case .proxyFailed(let reason): "no tunnel: \(reason)"
    case .certificateRefused(let reason): "certificate refused: \(reason)"
    case .handshakeFailed(let reason): "TLS handshake failed: \(reason)"
    case .http2NotOffered: "the peer does not offer HTTP/2 (ALPN h2)"
    case .closedEarly(let reason): "closed before HTTP/2 began: \(reason)"
    case .unusableFile(let path, let reason): "\(path) cannot be used: \(reason)"
    case .cannotListen(let reason): "cannot listen: \(reason)"
    }
  }
}

/// Why a request got no response.
package enum StreamFailure: Error, Sendable, Hashable {
  /// It was sent, but no whole response came in time. The stream was reset with `CANCEL`.
  case timedOut
  /// Never sent: its time ended while it waited for a free stream.
  case timedOutWaiting
  /// The peer has promised not to have processed it: `REFUSED_STREAM`, or above the last stream of a `GOAWAY`.
  case refused
  /// Never sent: the connection was closed, or takes no more streams since a `GOAWAY`.
  case notSent
  /// Reset by the peer, or by us because the peer broke the protocol; the code is of RFC 9113 §7.
  case reset(code: UInt32)
  /// The connection ended while the response was awaited.
  case connectionLost
  /// The response was larger than the client accepts; with its status, or 0 if that had not come yet.
  case responseTooLarge(status: Int)
  /// Never sent: a header name or value that HTTP/2 does not allow.
  case invalidRequest

  /// Whether the peer may have acted on the request.
  ///
  /// Then to send it again may repeat its effect.
  package var mayHaveBeenProcessed: Bool {
    switch self {
    case .timedOut, .reset, .connectionLost, .responseTooLarge: true
    case .timedOutWaiting, .refused, .notSent, .invalidRequest: false
    }
  }
}
