/// The limits of a server.
public struct HTTP2ServerSettings: Sendable {
  /// Streams a new connection may have open at once; change it for one connection by `HTTP2Responder`.
  public var maxConcurrentStreams: UInt32 = 1_000
  /// Bytes of a request's fields, counted as RFC 9113 §6.5.2 does; more are answered by status 431.
  public var maxHeaderListBytes = 16_384
  /// Bytes of a request's body; more are answered as ``answerToLargeBodies`` says, and the stream ends.
  public var maxBodyBytes = 1_048_576
  /// The same for single paths.
  public var maxBodyBytesOfPaths: [String: Int] = [:]
  /// The answer to a body that is larger.
  public var answerToLargeBodies = HTTP2Response(status: 413)
  /// Connections at once; more wait until one ends.
  public var maxConnections = 1_024
  /// For the TLS handshake of a new connection.
  public var handshakeTimeout = Duration.seconds(10)

  /// The defaults above.
  public init() {}
}
