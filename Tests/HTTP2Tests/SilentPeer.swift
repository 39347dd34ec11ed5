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
