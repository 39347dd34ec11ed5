import EventLoop
import Glibc
import Platform
import TestSupport

@testable import HTTP2

/// A TLS server for which a test decides every frame: after the handshake it sends a greeting, if it has one.
actor BareServer {
  nonisolated let endpoint: Endpoint
  nonisolated let frames = Mailbox<Frame>()
  /// How its connections ended: nil for an orderly end.
  nonisolated let ends = Mailbox<HTTP2Error?>()
  private let loop: EventLoop
  private let context: TLSContext
  private let greeting: [Frame]
  private let listener: ListeningSocket
  private var connections: [AcceptedConnection] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ context: TLSContext, greeting: [Frame] = [], loop: EventLoop) throws {
    self.context = context
    self.greeting = greeting
    self.loop = loop
    listener = try HTTP2Server.listener(on: Endpoint(host: "127.0.0.1", port: 0))
    endpoint = listener.address.endpoint
  }

  func start() {
    loop.watch(listener.descriptor, for: .read) { [self] _ in
      guard let (descriptor, _) = listener.accept(),
        let transport = try? TLSTransport.server(Socket(adopting: descriptor), context: context, loop: loop)
      else { return }
      let connection = AcceptedConnection(transport, greeting: greeting, frames: frames, ends: ends)
      connections.append(connection)
      transport.start(connection)
    }
  }

  /// Sends frames on the connection that came last.
  func send(_ frames: Frame...) {
    connections.last?.send(frames)
  }

  func stop() {
    loop.unwatch(listener.descriptor)
    close(listener.descriptor)
    for connection in connections { connection.transport.close() }
  }
}

private final class AcceptedConnection: TLSTransportDelegate {
  let transport: TLSTransport
  private let greeting: [Frame]
  private let frames: Mailbox<Frame>
  private let ends: Mailbox<HTTP2Error?>
  private var received: [UInt8] = []
  private var isPrefaceRead = false

  init(_ transport: TLSTransport, greeting: [Frame], frames: Mailbox<Frame>, ends: Mailbox<HTTP2Error?>) {
    (self.transport, self.greeting, self.frames, self.ends) = (transport, greeting, frames, ends)
  }

  func send(_ frames: [Frame]) {
    transport.write(frames.flatMap(\.bytes))
    transport.flush()
  }

  func transportEstablished() {
    if !greeting.isEmpty { send(greeting) }
  }

  func transportReceived(_ bytes: UnsafeRawBufferPointer) {
    received += bytes
    if !isPrefaceRead, received.count >= 24 {
      received.removeFirst(24)
      isPrefaceRead = true
    }
    while isPrefaceRead, let frame = Frame(takenFrom: &received) { frames.put(frame) }
  }

  func transportDrained() {}

  func transportClosed(_ error: HTTP2Error?) {
    ends.put(error)
  }
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
      Dialer(addresses, loop: loop).start(within: .seconds(120)) { continuation.resume(returning: $0) }
    }
  }
}
