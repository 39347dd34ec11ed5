import COpenSSL
import EventLoop
import Glibc
import Platform

/// The object that gets the bytes of a transport.
///
/// All calls are made on the loop.
protocol TLSTransportDelegate: AnyObject {
  /// The handshake is done: the peer is verified and speaks HTTP/2.
  func transportEstablished()
  func transportReceived(_ bytes: UnsafeRawBufferPointer)
  /// The bytes that waited because the socket was full are sent.
  func transportDrained()
  /// The last call, made exactly once unless the delegate has closed the transport; nil for an orderly end.
  func transportClosed(_ error: HTTP2Error?)
}

/// A TLS connection over a non-blocking socket, used on its loop only.
///
/// While it is open the loop keeps it alive, and it keeps its delegate alive.
final class TLSTransport {
  enum State { case handshaking, open, finishing, closed }

  let loop: EventLoop
  private let channel: SocketChannel
  private let ssl: OpaquePointer
  private var delegate: (any TLSTransportDelegate)?
  private(set) var state = State.handshaking
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  private var isBlocked = false
  private var hasEndedSending = false
  private var lingerTimer: TimerID?

  private init(_ socket: consuming Socket, context: TLSContext, loop: EventLoop) throws(HTTP2Error) {
    self.loop = loop
    socket.sendWithoutDelay()
    channel = SocketChannel(socket)
    guard let ssl = SSL_new(context.handle) else { throw .handshakeFailed(reason: tlsErrorMessage()) }
    self.ssl = ssl
    let bio = channel.makeBIO()
    SSL_set_bio(ssl, bio, bio)
  }

  deinit {
    SSL_free(ssl)
    buffer.deallocate()
  }

  /// The client's side.
  ///
  /// The certificate must be for this host, a name or an address.
  static func client(
    _ socket: consuming Socket, context: TLSContext, host: Endpoint, loop: EventLoop
  ) throws(HTTP2Error) -> TLSTransport {
    let transport = try TLSTransport(socket, context: context, loop: loop)
    let parameters = SSL_get0_param(transport.ssl)
    let isNamed: Bool
    if host.isNumeric {
      isNamed = X509_VERIFY_PARAM_set1_ip_asc(parameters, host.host) == 1
    } else {
      X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
      isNamed =
        X509_VERIFY_PARAM_set1_host(parameters, host.host, 0) == 1
        && shim_SSL_set_tlsext_host_name(transport.ssl, host.host) == 1
    }
    guard isNamed else { throw .handshakeFailed(reason: tlsErrorMessage()) }
    SSL_set_connect_state(transport.ssl)
    return transport
  }

  static func server(_ socket: consuming Socket, context: TLSContext, loop: EventLoop) throws(HTTP2Error)
    -> TLSTransport
  {
    let transport = try TLSTransport(socket, context: context, loop: loop)
    SSL_set_accept_state(transport.ssl)
    return transport
  }

  /// Encrypted bytes that wait for the socket.
  var pendingCount: Int { channel.pendingCount }

  /// Begins the handshake.
  ///
  /// The delegate learns how it ends.
  func start(_ delegate: any TLSTransportDelegate) {
    self.delegate = delegate
    loop.watch(channel.descriptor, for: .read) { [self] ready in self.ready(ready) }
    continueHandshake()
    settle()
  }

  /// Encrypts; the bytes leave with the next `flush`.
  func write(_ bytes: [UInt8]) {
    guard state == .open, !bytes.isEmpty else { return }
    ERR_clear_error()
    if SSL_write(ssl, bytes, Int32(bytes.count)) <= 0 { fail(.closedEarly(reason: tlsErrorMessage())) }
  }

  /// Sends what has been written, or as much as the socket takes for now.
  func flush() {
    settle()
  }

  /// Closes at once, without telling the delegate; with `reset`, by a TCP reset.
  func close(reset: Bool = false) {
    guard state != .closed else { return }
    if reset {
      channel.resetOnClose()
    } else if state == .open {
      SSL_shutdown(ssl)
      _ = channel.flush()
    }
    state = .closed
    delegate = nil
    lingerTimer.take().map(loop.cancel)
    loop.unwatch(channel.descriptor)
    channel.close()
  }

  /// Sends what is pending, ends the sending side, and closes when the peer has closed, or after a second.
  ///
  /// The delegate gets no more calls.
  /// To close a socket with unread bytes would reset it, and the peer might lose our last frames.
  func finish() {
    guard state == .open else { return close() }
    state = .finishing
    delegate = nil
    SSL_shutdown(ssl)
    lingerTimer = loop.schedule(after: .seconds(1)) { [self] in fail(nil) }
    settle()
  }

  private func ready(_ ready: Interest) {
    channel.mayHaveBytes = true
    switch state {
    case .handshaking: continueHandshake()
    case .open: read()
    case .finishing: if !channel.discardIncoming() { fail(nil) }
    case .closed: break
    }
    settle()
  }

  private func continueHandshake() {
    ERR_clear_error()
    let result = SSL_do_handshake(ssl)
    if result == 1 {
      guard mayBeHTTP2 else { return fail(.http2NotOffered) }
      state = .open
      delegate?.transportEstablished()
      if state == .open { read() }
    } else if SSL_get_error(ssl, result) != SSL_ERROR_WANT_READ {
      fail(handshakeError)
    }
  }

  private func read() {
    for _ in 0..<64 {
      ERR_clear_error()
      let count = SSL_read(ssl, buffer.baseAddress, Int32(buffer.count))
      guard count > 0 else { return readEnded(SSL_get_error(ssl, count)) }
      delegate?.transportReceived(UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]))
      guard state == .open else { return }
    }
    // Other work on the loop may run first. Epoll does not know about bytes that OpenSSL has already taken.
    loop.schedule(after: .zero) { [self] in ready(.read) }
  }

  private func readEnded(_ error: Int32) {
    switch error {
    case SSL_ERROR_WANT_READ: break
    case SSL_ERROR_ZERO_RETURN: fail(nil)
    default: fail(.closedEarly(reason: channel.failure == 0 ? tlsErrorMessage() : systemMessage(channel.failure)))
    }
  }

  /// Sends what is pending and watches for what can happen next.
  private func settle() {
    guard state != .closed else { return }
    guard channel.flush() else { return fail(.closedEarly(reason: systemMessage(channel.failure))) }
    let isDrained = channel.pendingCount == 0
    loop.update(channel.descriptor, to: isDrained ? .read : [.read, .write])
    if isDrained, state == .finishing, !hasEndedSending {
      hasEndedSending = true
      channel.endSending()
    }
    if isDrained, isBlocked { delegate?.transportDrained() }
    isBlocked = !isDrained
  }

  private func fail(_ error: HTTP2Error?) {
    guard state != .closed else { return }
    let delegate = delegate
    _ = channel.flush()
    close()
    delegate?.transportClosed(error)
  }

  /// Whether both sides have agreed on `h2`, or the client has no ALPN, which Apple also accepts.
  private var mayBeHTTP2: Bool {
    var name: UnsafePointer<UInt8>?
    var length: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &name, &length)
    if length == 0 { return SSL_is_server(ssl) == 1 }
    return UnsafeBufferPointer(start: name, count: Int(length)).elementsEqual(ALPN.wireFormat.dropFirst())
  }

  private var handshakeError: HTTP2Error {
    if ERR_GET_REASON(ERR_peek_error()) == SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL {
      ERR_clear_error()
      return .http2NotOffered
    }
    let verification = SSL_get_verify_result(ssl)
    guard verification == X509_V_OK else {
      ERR_clear_error()
      return .certificateRefused(reason: String(cString: X509_verify_cert_error_string(verification)))
    }
    return .handshakeFailed(reason: channel.failure == 0 ? tlsErrorMessage() : systemMessage(channel.failure))
  }
}
