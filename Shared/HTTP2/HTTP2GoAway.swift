/// A peer's announcement that it will take no more streams.
public struct HTTP2GoAway: Sendable, Hashable {
  /// Streams above this one have not been processed.
  public let lastStreamID: Int32
  /// The error code of RFC 9113 §7; 0 for an orderly shutdown.
  public let code: UInt32
  /// What the peer says about it; APNs sends a JSON object with a `reason`.
  public let debugData: [UInt8]
}
