/// The server's connection of a request.
package struct HTTP2ConnectionInfo: Sendable, Hashable {
  /// Unique among the connections of one server, ascending.
  package let id: UInt64
  /// The client's numeric address.
  package let peer: Endpoint
}
