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
