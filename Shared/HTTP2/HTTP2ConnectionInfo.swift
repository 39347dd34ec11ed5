/// The connection of a server by which a request came.
public struct HTTP2ConnectionInfo: Sendable, Hashable {
  /// Unique among the connections of one server, ascending.
  public let id: UInt64
  /// The client's numeric address.
  public let peer: Endpoint
}
