import CMicroHTTPD
import EventLoop
import Glibc

/// libmicrohttpd, driven by the runner's loop through its epoll descriptor: no thread of its own.
///
/// A client has a limited time for each thing that it has to do, however it deals it out: to begin a request, to send
/// the rest of it, to read the answer.
@RunnerLoop
final class HTTPServer {
  /// The largest body that is taken, in bytes.
  nonisolated static let largestBody = 1 << 20
  /// What a connection may use for the head of a request and of its answer, in bytes; cleared for every request.
  static let connectionMemory = 16_384
  /// Into so many ticks a client's time is divided.
  private static let ticks = 30

  private let gateway: Gateway
  private let patience: Duration
  private let mostConnections: UInt32
  private let reserved: UInt
  private var daemon: OpaquePointer?
  private var connections: [ObjectIdentifier: ClientConnection] = [:]
  private var tick: TimerID?
  private var isDue = false
  private var isDraining = false
  private let quiet = Bell()
  private var epoll: Int32 = -1
  private(set) var port: UInt16 = 0

  /// - Parameters:
  ///   - patience: how long a client may take for each thing that it has to do.
  ///   - mostConnections: further ones wait in the kernel until one ends.
  ///   - reserved: this number of descriptors is left for other things, where the system allows so few that it matters.
  init(
    _ gateway: Gateway, patience: Duration = .seconds(30), mostConnections: UInt32 = 4_096, reserving reserved: UInt = 0
  ) {
    self.gateway = gateway
    self.reserved = reserved
    self.patience = patience
    self.mostConnections = mostConnections
  }

  /// Begins to listen.
  ///
  /// - Parameter port: 0 for any free one, which ``port`` then says.
  func start(host: String, port: UInt16) throws(ListenError) {
    let limit = DescriptorLimit.raise(to: UInt(mostConnections) * 2 + reserved)
    let most = UInt32(min(UInt(mostConnections), DescriptorLimit.share(of: limit, besides: reserved)))
    let socket = try ListeningSocket.open(host: host, port: port)
    self.port = socket.port
    let context = Unmanaged.passUnretained(self).toOpaque()
    daemon = shim_start_daemon(
      socket.descriptor, { HTTPServer.connected($0, $1, $2, $3) }, { HTTPServer.begun($0, $1, $2) },
      { context, connection, _, method, _, upload, size, _ in
        HTTPServer.received(context, connection, method, upload, size)
      }, { context, connection, _, _ in HTTPServer.completed(context, connection) }, context, most,
      Self.connectionMemory)
    guard let daemon else {
      close(socket.descriptor)
      throw ListenError("The HTTP server could not be started.")
    }
    epoll = shim_epoll_descriptor(daemon)
    RunnerLoop.loop.watch(epoll, for: .read) { [self] _ in run() }
    run()
  }

  /// Takes no new connections and ends the idle ones; requests that have begun are answered, and their connections then
  /// closed.
  func drain() {
    guard let daemon, !isDraining else { return }
    isDraining = true
    gateway.drain()
    let socket = MHD_quiesce_daemon(daemon)
    if socket >= 0 { close(socket) }
    for connection in connections.values where connection.phase == .idle { connection.cut() }
    runSoon()
  }

  /// Waits until no request is being worked on or answered, for that long at most.
  func finish(within limit: Duration) async {
    let deadline = ContinuousClock.now + limit
    while connections.values.contains(where: { $0.phase == .working || $0.phase == .answering }), .now < deadline {
      await quiet.wait(upTo: deadline - .now)
    }
  }

  /// Ends every connection.
  ///
  /// The library does not allow it while requests rest, so they are answered first.
  func stop() {
    guard let daemon else { return }
    for connection in connections.values where connection.phase == .working {
      _ = connection.finish(.stopping)
    }
    MHD_run(daemon)
    if let tick { RunnerLoop.loop.cancel(tick) }
    RunnerLoop.loop.unwatch(epoll)
    MHD_stop_daemon(daemon)
    self.daemon = nil
    connections = [:]
  }

  /// Lets the library work once, and again at once where it has more to do.
  private func run() {
    guard let daemon else { return }
    MHD_run(daemon)
    var milliseconds: UInt64 = 0
    if MHD_get_timeout(daemon, &milliseconds) == MHD_Result.YES, milliseconds == 0 { runSoon() }
  }

  /// However many answers are finished in one turn of the loop, the library is run once for them.
  private func runSoon() {
    guard !isDue else { return }
    isDue = true
    RunnerLoop.loop.atEndOfTurn { [self] in
      isDue = false
      run()
    }
  }

  private func scheduleTick() {
    guard tick == nil else { return }
    tick = RunnerLoop.loop.schedule(after: patience / Self.ticks) { [self] in
      tick = nil
      for connection in connections.values { connection.tick(limit: Self.ticks) }
      if !connections.isEmpty { scheduleTick() }
    }
  }
}

// What the library's callbacks come to.
extension HTTPServer {
  func opened(_ connection: ClientConnection) {
    connections[ObjectIdentifier(connection)] = connection
    scheduleTick()
  }

  func closed(_ connection: ClientConnection) {
    connections[ObjectIdentifier(connection)] = nil
    quiet.ring()
    // There is room for another: the library looks for it only when it is run again.
    runSoon()
  }

  func tookHead(_ connection: ClientConnection, method: String, _ headers: HeaderFields) -> MHD_Result {
    let mayAnswer = connection.take(method: method, headers) { gateway.route($0) }
    return mayAnswer ? queueAnswer(of: connection, closing: true) ?? MHD_Result.NO : MHD_Result.YES
  }

  func tookAll(_ connection: ClientConnection) -> MHD_Result {
    if let result = queueAnswer(of: connection, closing: isDraining) { return result }
    gateway.answer(connection.request, connection.route) { [self] answer in
      if connection.finish(answer) { runSoon() }
    }
    if let result = queueAnswer(of: connection, closing: isDraining) { return result }
    connection.suspend()
    return MHD_Result.YES
  }

  private func queueAnswer(of connection: ClientConnection, closing: Bool) -> MHD_Result? {
    guard let status = connection.status else { return nil }
    gateway.answered(status)
    return connection.queueAnswer(closing: closing)
  }

  func ended(_ connection: ClientConnection) {
    connection.end()
    if isDraining { quiet.ring() }
  }
}
