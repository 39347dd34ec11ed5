import EventLoop

/// The owner of a link.
protocol LinkDelegate: AnyObject {
  func linkEstablished()
  /// The last call, made exactly once unless the owner has closed the link; nil for an orderly end.
  func linkClosed(_ error: HTTP2Error?)
}

/// Connects a session with a transport.
///
/// It writes once in a turn everything that the turn has gathered.
final class Link: TLSTransportDelegate {
  private static let highWater = 262_144

  let session: Session
  private let transport: TLSTransport
  private weak var delegate: (any LinkDelegate)?
  private var plaintext: [UInt8] = []
  private var isFlushScheduled = false

  /// When the last bytes came from the peer.
  private(set) var lastReceived = ContinuousClock.now

  init(session: Session, transport: TLSTransport) {
    self.session = session
    self.transport = transport
    plaintext.reserveCapacity(65_536)
  }

  var isOpen: Bool { transport.state == .open }

  func start(_ delegate: any LinkDelegate) {
    self.delegate = delegate
    transport.start(self)
  }

  /// Sends at the end of this turn what was submitted to the session.
  func setNeedsFlush() {
    guard !isFlushScheduled else { return }
    isFlushScheduled = true
    transport.loop.atEndOfTurn { [self] in
      isFlushScheduled = false
      flush()
    }
  }

  /// Sends what the session still has, then closes without a call of the delegate.
  func finish() {
    flush()
    transport.finish()
  }

  /// Closes at once, by a TCP reset if wanted, without a call of the delegate.
  func close(reset: Bool = false) {
    transport.close(reset: reset)
  }

  func transportEstablished() {
    delegate?.linkEstablished()
    setNeedsFlush()
  }

  func transportReceived(_ bytes: UnsafeRawBufferPointer) {
    lastReceived = .now
    if session.receive(bytes) {
      setNeedsFlush()
    } else {
      end(.closedEarly(reason: "the peer broke the HTTP/2 protocol"))
    }
  }

  func transportDrained() {
    setNeedsFlush()
  }

  func transportClosed(_ error: HTTP2Error?) {
    delegate?.linkClosed(error)
  }

  private func flush() {
    guard isOpen else { return }
    var isFull: Bool
    repeat {
      guard fillTransport() else { return end(.closedEarly(reason: "the HTTP/2 session failed")) }
      isFull = transport.pendingCount >= Self.highWater
      transport.flush()
    } while isFull && isOpen && transport.pendingCount == 0
    if isOpen, session.isFinished { end(nil) }
  }

  /// Encrypts frames, as many as possible in one record, until none is left or enough wait for the socket.
  private func fillTransport() -> Bool {
    while transport.pendingCount < Self.highWater {
      plaintext.removeAll(keepingCapacity: true)
      guard session.produce(into: &plaintext, atLeast: 16_384) else { return false }
      guard !plaintext.isEmpty else { return true }
      transport.write(plaintext)
      guard isOpen else { return true }
    }
    return true
  }

  private func end(_ error: HTTP2Error?) {
    transport.finish()
    delegate?.linkClosed(error)
  }
}
