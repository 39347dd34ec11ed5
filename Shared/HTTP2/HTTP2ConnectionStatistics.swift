/// The counts of one of a server's connections.
package struct HTTP2ConnectionStatistics: Sendable, Hashable {
  /// Streams that are open now.
  package let openStreams: Int
  /// Streams that were refused: those above the limit, and those that the handler reset so.
  package let refusedStreams: Int
}
