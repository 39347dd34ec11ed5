import EventLoop
import Glibc

@testable import HTTP2

/// A TLS server that does its handshake and then keeps silent.
actor BareServer {
  nonisolated let endpoint: Endpoint
  private let loop: EventLoop
  private let context: TLSContext
  private let listener: Int32
  private let ear = Ear()
  private var transports: [TLSTransport] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ context: TLSContext, loop: EventLoop) throws {
    self.context = context
    self.loop = loop
    let descriptor = try Socket.listening(on: Endpoint(host: "127.0.0.1", port: 0)).release()
    listener = descriptor
    endpoint = SocketAddress { getsockname(descriptor, $0, $1) }.endpoint
  }

  func start() {
    loop.watch(listener, for: .read) { [self] _ in
      let accepted = accept(listener, nil, nil)
      guard accepted >= 0,
        let transport = try? TLSTransport.server(Socket(accepted: accepted), context: context, loop: loop)
      else { return }
      transports.append(transport)
      transport.start(ear)
    }
  }

  func stop() {
    loop.unwatch(listener)
    close(listener)
    for transport in transports { transport.close() }
  }
}

private final class Ear: TLSTransportDelegate {
  func transportEstablished() {}
  func transportReceived(_ bytes: UnsafeRawBufferPointer) {}
  func transportDrained() {}
  func transportClosed(_ error: HTTP2Error?) {}
}

func withBareServer(
  configure: (TLSContext) -> Void,
  connect body: ((Duration) async throws(HTTP2Error) -> HTTP2Client) async throws -> Void
) async throws {
  let credentials = try Credentials()
  let loop = EventLoop(name: "test")
  defer { loop.stop() }
  let context = try TLSContext.server(
    certificateChain: credentials.certificatePath, privateKey: credentials.keyPath)
  configure(context)
  let server = try BareServer(context, loop: loop)
  await server.start()
  try await body { (timeout) async throws(HTTP2Error) in
    try await HTTP2Client.connect(
      to: server.endpoint, trust: credentials.trust, connectTimeout: timeout, loop: loop)
  }
  await server.stop()
}

/// Lets a test dial on a loop.
actor Dialing {
  private let loop: EventLoop

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(loop: EventLoop) {
    self.loop = loop
  }

  func dial(_ addresses: [SocketAddress]) async -> Result<Int32, HTTP2Error> {
    await withCheckedContinuation { continuation in
      Dialer(addresses, loop: loop).start(within: .seconds(10)) { continuation.resume(returning: $0) }
    }
  }
}
