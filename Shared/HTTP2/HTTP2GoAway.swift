/// A peer's announcement that it accepts no more streams.
package struct HTTP2GoAway: Sendable, Hashable {
  /// Streams above this one have not been processed.
  package let lastStreamID: Int32
  /// The error code of RFC 9113 §7; 0 for an orderly shutdown.
  package let code: UInt32
  /// What the peer says about it; APNs sends a JSON object with a `reason`.
  package let debugData: [UInt8]
}
