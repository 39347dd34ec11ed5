/// The limits of a server.
package struct HTTP2ServerSettings: Sendable {
  /// Streams a new connection may have open at once; change it for one connection by `HTTP2Responder`.
  package var maxConcurrentStreams: UInt32 = 1_000
  /// Bytes of a request's fields, counted as RFC 9113 §6.5.2 does; more are answered by status 431.
  package var maxHeaderListBytes = 16_384
  /// Bytes of a request's body; more are answered as ``answerToLargeBodies`` says, and the stream ends.
  package var maxBodyBytes = 1_048_576
  /// The same for single paths.
  package var maxBodyBytesOfPaths: [String: Int] = [:]
  /// The answer to a body that is too large.
  package var answerToLargeBodies = HTTP2Response(status: 413)
  /// Connections at once; a further one takes the place of one that is silent (see ``silence``), or waits until one ends.
  package var maxConnections = 1_024
  /// The time limit of a new connection's TLS handshake and its first words of HTTP/2.
  package var handshakeTimeout = Duration.seconds(10)
  /// After this time without a word of HTTP/2 a connection may have to make room for another one.
  ///
  /// A handshake that is under way has this long: on a busy machine it takes a while.
  package var silence = Duration.seconds(5)

  /// The defaults above.
  package init() {}
}
