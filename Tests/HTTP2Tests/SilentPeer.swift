import EventLoop
import Glibc
import Platform

@testable import HTTP2

/// A TCP connection on which nothing is ever sent.
struct SilentPeer: ~Copyable {
  private let socket: Socket

  init(of endpoint: Endpoint) throws(HTTP2Error) {
    guard let address = try SocketAddress.resolve(endpoint).first, let socket = Socket(family: address.family),
      socket.startConnecting(to: address) == 0
    else { throw .unreachable(reason: "\(endpoint)") }
    self.socket = socket
  }

  /// The descriptor, which the caller closes.
  consuming func release() -> Int32 { socket.release() }
}

/// Several of them.
final class SilentPeers {
  private let descriptors: [Int32]

  init(_ count: Int, of endpoint: Endpoint) throws(HTTP2Error) {
    var descriptors: [Int32] = []
    for _ in 0..<count { descriptors.append(try SilentPeer(of: endpoint).release()) }
    self.descriptors = descriptors
  }

  deinit {
    descriptors.forEach { close($0) }
  }
}

/// A client that does the TLS handshake and then says no word of HTTP/2.
actor MutePeer {
  private let loop: EventLoop
  private var transport: TLSTransport?

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(loop: EventLoop) { self.loop = loop }

  /// Connects, and waits for the end of the handshake, however it ends.
  func connect(to endpoint: Endpoint, trust: Trust) async throws(HTTP2Error) {
    let ended = Mailbox<Void>()
    guard let address = try SocketAddress.resolve(endpoint).first, let socket = Socket(family: address.family),
      socket.startConnecting(to: address) == 0
    else { throw .unreachable(reason: "\(endpoint)") }
    let transport = try TLSTransport.client(socket, context: .client(trust), host: endpoint, loop: loop)
    transport.start(Handshake { ended.put(()) })
    self.transport = transport
    await ended.next()
  }

  func close() { transport?.close() }
}

private final class Handshake: TLSTransportDelegate {
  private let ended: () -> Void

  init(_ ended: @escaping () -> Void) { self.ended = ended }

  func transportEstablished() { ended() }
  func transportReceived(_ bytes: UnsafeRawBufferPointer) {}
  func transportDrained() {}
  func transportClosed(_ error: HTTP2Error?) { ended() }
}

/// A listener that accepts nobody; its queue is full.
final class DeafListener {
  let endpoint: Endpoint
  private let descriptors: [Int32]

  init() throws {
    let listener = try HTTP2Server.listener(on: Endpoint(host: "127.0.0.1", port: 0))
    listen(listener.descriptor, 0)
    endpoint = listener.address.endpoint
    var descriptors = [listener.descriptor]
    for address in try SocketAddress.resolve(endpoint) {
      for _ in 0..<4 {
        guard let socket = Socket(family: address.family) else { continue }
        _ = socket.startConnecting(to: address)
        descriptors.append(socket.release())
      }
    }
    self.descriptors = descriptors
  }

  deinit {
    descriptors.forEach { close($0) }
  }
}
