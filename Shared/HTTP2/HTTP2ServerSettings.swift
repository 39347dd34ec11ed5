/// The limits of a server.
public struct HTTP2ServerSettings: Sendable {
  /// Streams a new connection may have open at once; change it for one connection by `HTTP2Responder`.
  public var maxConcurrentStreams: UInt32 = 1_000
  /// Bytes of a request's fields, counted as RFC 9113 §6.5.2 does; more are answered by status 431.
  public var maxHeaderListBytes = 16_384
  /// Bytes of a request's body; more are answered by status 413.
  public var maxBodyBytes = 1_048_576
  /// Connections at once; more are closed at once.
  public var maxConnections = 1_024
  /// For the TLS handshake of a new connection.
  public var handshakeTimeout = Duration.seconds(10)

  /// The defaults above.
  public init() {}
}
