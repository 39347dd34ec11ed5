import Glibc

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
}

/// A listener that accepts nobody; its queue is full.
final class DeafListener {
  let endpoint: Endpoint
  private let descriptors: [Int32]

  init() throws {
    let listener = try Socket.listening(on: Endpoint(host: "127.0.0.1", port: 0)).release()
    listen(listener, 0)
    let endpoint = SocketAddress { getsockname(listener, $0, $1) }.endpoint
    self.endpoint = endpoint
    var descriptors = [listener]
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
