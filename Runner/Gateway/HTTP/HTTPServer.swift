import CLinux
import EventLoop
import Glibc
package import System

/// The gateway's HTTP/1.1 server, on the runner's loop: no thread of its own.
///
/// A client has a limited time for each thing that it has to do, however it deals it out: to begin a request, to send
/// the rest of it, to read the answer. Where connections become too many, the one ends that has waited longest for its
/// client; so there is always room for one that only asks whether the runner is well.
@RunnerLoop
package final class HTTPServer {
  /// How often a client's time limit is checked before it is over.
  private static let ticks = 30
  /// Connections that are accepted before something else has its turn.
  private static let acceptedAtOnce = 64
  /// What is received comes here first.
  static let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

  private let gateway: Gateway
  private let patience: Duration
  private var mostConnections: Int
  private let reserved: UInt
  let memory: BodyMemory
  private var listener: ListeningSocket?
  private var connections: [Int32: ClientConnection] = [:]
  private var idle = WaitingClients()
  private var busy = WaitingClients()
  /// Connections whose requests functions are working on.
  var working = 0
  private var tick: TimerID?
  private(set) var isDraining = false
  private let quiet = Bell()
  private var dates = HTTPDate()
  package private(set) var port: UInt16 = 0

  /// - Parameters:
  ///   - patience: how long a client may take for each thing that it has to do.
  ///   - mostConnections: for a further one, the one ends that has waited longest for its client.
  ///   - reserved: this number of descriptors is left for other things, where the system allows so few that it matters.
  package init(
    _ gateway: Gateway, patience: Duration = .seconds(30), mostConnections: Int = 4_096, reserving reserved: UInt = 0,
    memory: BodyMemory = BodyMemory()
  ) {
    self.gateway = gateway
    self.reserved = reserved
    self.patience = patience
    self.mostConnections = mostConnections
    self.memory = memory
  }

  /// Begins to listen.
  ///
  /// - Parameter port: 0 for any free one, which ``port`` then says.
  package func start(host: String, port: UInt16) throws(ListenError) {
    let limit = DescriptorLimit.raise(to: UInt(mostConnections) + reserved)
    mostConnections = min(mostConnections, Int(DescriptorLimit.share(of: limit, besides: reserved)))
    let listener = try ListeningSocket.open(host: host, port: port)
    self.listener = listener
    self.port = listener.port
    RunnerLoop.loop.watch(listener.descriptor, for: .read) { [self] _ in accept() }
  }

  /// Takes no new connections and ends the idle ones; requests that have begun are answered, and their connections then
  /// closed.
  package func drain() {
    guard !isDraining else { return }
    isDraining = true
    gateway.drain()
    stopListening()
    for connection in connections.values where connection.phase == .idle { connection.close() }
  }

  /// Waits until no request is being worked on or answered, for that long at most.
  package func finish(within limit: Duration) async {
    let deadline = ContinuousClock.now + limit
    while connections.values.contains(where: { $0.phase == .working || $0.phase == .answering }), .now < deadline {
      await quiet.wait(upTo: deadline - .now)
    }
  }

  /// Ends every connection; what is being worked on is answered first.
  package func stop() {
    isDraining = true
    stopListening()
    for connection in connections.values { connection.finish(.stopping) }
    for connection in connections.values { connection.close() }
    if let tick { RunnerLoop.loop.cancel(tick) }
    tick = nil
  }

  private func stopListening() {
    guard let listener else { return }
    RunnerLoop.loop.unwatch(listener.descriptor)
    close(listener.descriptor)
    self.listener = nil
  }

  private func accept() {
    guard let listener else { return }
    for _ in 0..<Self.acceptedAtOnce {
      var address = sockaddr_storage()
      var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let descriptor = accept4(
        listener.descriptor, &address, &size, Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
      if descriptor < 0 {
        if errno == ECONNABORTED || errno == EINTR { continue }
        return errno == EAGAIN ? () : pause(for: errno)
      }
      if connections.count >= mostConnections { makeRoom() }
      var on: Int32 = 1
      setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
      let connection = ClientConnection(descriptor, from: ClientAddress(address), server: self)
      connections[descriptor] = connection
      connection.open()
      scheduleTick()
    }
  }

  /// The system gives no connection now.
  private func pause(for error: Int32) {
    // There are no descriptors left where something else has taken more than was reserved.
    if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error) { makeRoom() }
    guard let listener else { return }
    // What waits stays in the queue and the listener readable: without a pause this would spin.
    RunnerLoop.loop.update(listener.descriptor, to: [])
    RunnerLoop.loop.schedule(after: .milliseconds(20)) { [self] in
      if let listener = self.listener { RunnerLoop.loop.update(listener.descriptor, to: .read) }
    }
  }

  /// Ends the connection that has waited longest for its client: an idle one, if there is any.
  private func makeRoom() { (idle.next() ?? busy.next())?.close() }

  private func scheduleTick() {
    guard tick == nil else { return }
    tick = RunnerLoop.loop.schedule(after: patience / Self.ticks) { [self] in
      tick = nil
      for connection in connections.values { connection.tick(limit: Self.ticks) }
      memory.trimWhenIdle()
      if !connections.isEmpty || memory.isWorthTrimming { scheduleTick() }
    }
  }
}

// What connections need.
extension HTTPServer {
  /// Whether functions work on nearly as many requests as there may be connections.
  ///
  /// No further call is taken then, so that some connections stay that can be ended for others.
  var isBusy: Bool { working >= max(1, mostConnections - max(1, mostConnections / 16)) }

  func route(_ head: GatewayRequest) -> Route { gateway.route(head) }

  func answer(_ request: GatewayRequest, _ route: Route?, _ answer: @escaping @RunnerLoop (GatewayAnswer) -> Void) {
    gateway.answer(request, route, answer)
  }

  func answers(_ status: Int) { gateway.answered(status) }

  func date() -> String { dates.now() }

  /// The connection waits for its client from now on.
  func waits(_ connection: ClientConnection) {
    // A client that has just come is not the first to go: it may be about to send its request.
    if connection.phase == .idle, connection.isUsed {
      idle.add(connection, of: connections.count)
    } else {
      busy.add(connection, of: connections.count)
    }
  }

  /// A connection has ended its wait, or begun one for somebody else.
  func changed() {
    if isDraining { quiet.ring() }
  }

  func closed(_ connection: ClientConnection) {
    connections[connection.descriptor] = nil
    quiet.ring()
  }
}
