/// Which of a server's connections a request came by.
public struct HTTP2ConnectionInfo: Sendable, Hashable {
  /// Unique among the connections of one server, ascending.
  public let id: UInt64
  /// The client's numeric address.
  public let peer: Endpoint
}
