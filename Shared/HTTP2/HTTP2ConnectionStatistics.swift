/// The counts of one of a server's connections.
public struct HTTP2ConnectionStatistics: Sendable, Hashable {
  /// Streams that are open now.
  public let openStreams: Int
  /// Streams that were refused: those above the limit, and those that the handler reset so.
  public let refusedStreams: Int
}
