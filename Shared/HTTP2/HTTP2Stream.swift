import EventLoop

/// One stream: what has been received on it, and what is still to be sent.
final class HTTP2Stream {
  /// The part of a message that was too large.
  enum Excess { case headers, body }

  var id: Int32 = 0
  var method = ""
  var path = ""
  var authority = ""
  var status = 0
  var headers: [HTTP2Header] = []
  var body: [UInt8] = []
  var headerBytes = 0

  /// If set, nothing more of what arrives is kept.
  var excess: Excess?

  /// Set if nghttp2 could not send the frame that opens the stream.
  var wasNeverSent = false

  /// On a client's stream: the exchange that waits for the response.
  let exchange: Exchange?

  private let outgoing: [UInt8]
  private var outgoingOffset = 0

  init(outgoing: [UInt8] = [], exchange: Exchange? = nil) {
    self.outgoing = outgoing
    self.exchange = exchange
  }

  /// Forgets an informational (1xx) response; the final one follows.
  func discardInterimResponse() {
    guard (100..<200).contains(status) else { return }
    status = 0
    headers = []
    headerBytes = 0
  }

  /// Copies the next part of the body to send; true with the last one.
  func copyOutgoing(into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, isLast: Bool) {
    let count = min(buffer.count, outgoing.count - outgoingOffset)
    outgoing.withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[outgoingOffset...].prefix(count)))
    }
    outgoingOffset += count
    return (count, outgoingOffset == outgoing.count)
  }
}
