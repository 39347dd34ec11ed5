import EventLoop
import Formats
import Glibc
import HTTP1
import Platform
package import System

/// The gateway's HTTP/1.1 server.
///
/// It runs on the runner's loop and has no thread.
///
/// A client has a time limit for each thing that it must do: to begin a request, to send the rest of it, to read the
/// answer. If there are too many connections, the server ends the one that has waited longest for its client. So there
/// is always room for a client that only asks whether the runner is well.
@RunnerLoop
package final class HTTPServer {
  /// How often a client's time limit is checked before it is over.
  private static let ticks = 30
  /// The most connections that are accepted before other work on the loop goes on.
  private static let acceptedAtOnce = 64
  /// The buffer for received bytes.
  static let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

  private let gateway: Gateway
  private let timeLimit: Duration
  private var mostConnections: Int
  private let reserved: UInt
  let memory: BodyMemory
  /// The memory of answers that their clients have not read yet.
  let unread: BodyMemory
  private(set) var listener: ListeningSocket?
  private var failure: ListenError?
  private let stoppedListening = WakeUp()
  private var connections: [Int32: ClientConnection] = [:]
  private var idle = WaitingClients()
  private var busy = WaitingClients()
  /// How many connections have a request that a function is working on.
  var working = 0
  private var tick: TimerID?
  private(set) var isDraining = false
  private let drained = WakeUp()
  private var dates = HTTPDate()
  package private(set) var port: UInt16 = 0

  /// - Parameters:
  ///   - timeLimit: the time limit of a client for each thing that it must do.
  ///   - mostConnections: if there is one more, the connection ends that has waited longest for its client.
  ///   - reserved: how many descriptors to leave for other things, if the system allows only a few.
  package init(
    _ gateway: Gateway, timeLimit: Duration = .seconds(30), mostConnections: Int = 4_096, reserving reserved: UInt = 0,
    memory: BodyMemory = BodyMemory()
  ) {
    self.gateway = gateway
    self.reserved = reserved
    self.timeLimit = timeLimit
    self.mostConnections = mostConnections
    self.memory = memory
    unread = BodyMemory(mebibytes: memory.limit >> 20)
  }

  /// Begins to listen.
  ///
  /// - Parameter port: 0 for any free port; ``port`` then has its number.
  package func start(host: String, port: UInt16) async throws(ListenError) {
    let limit = DescriptorLimit.raise(to: UInt(mostConnections) + reserved)
    mostConnections = min(mostConnections, Int(DescriptorLimit.share(of: limit, besides: reserved)))
    let listener = try await BlockingThread.run { () throws(ListenError) in
      try ListeningSocket.open(host: host, port: port)
    }
    self.listener = listener
    self.port = listener.port
    RunnerLoop.loop.watch(listener.descriptor, for: .read) { [self] _ in accept() }
  }

  /// Waits until it no longer listens.
  ///
  /// - Throws: why the system gives it no more connections.
  package func run() async throws(ListenError) {
    while listener != nil, !Task.isCancelled { await stoppedListening.wait() }
    if let failure { throw failure }
  }

  /// Takes no new connections and closes the idle ones.
  ///
  /// Requests that have begun are answered; then their connections are closed.
  package func drain() {
    guard !isDraining else { return }
    isDraining = true
    gateway.drain()
    stopListening()
    for connection in connections.values where connection.phase == .idle { connection.close() }
  }

  /// Waits until no request is being worked on or answered, but at most for this time.
  package func finish(within limit: Duration) async {
    let deadline = ContinuousClock.now + limit
    while connections.values.contains(where: { $0.phase == .working || $0.phase == .answering }), .now < deadline {
      await drained.wait(upTo: deadline - .now)
    }
  }

  /// Closes every connection.
  ///
  /// Requests that are being worked on are answered first.
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
    stoppedListening.signal()
  }

  private func accept() {
    guard let listener else { return }
    for _ in 0..<Self.acceptedAtOnce {
      guard let (descriptor, peer) = listener.accept() else {
        if errno == ECONNABORTED || errno == EINTR { continue }
        return errno == EAGAIN ? () : refused(errno)
      }
      if connections.count >= mostConnections { makeRoom() }
      var on: Int32 = 1
      setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
      let connection = ClientConnection(descriptor, from: IPAddress(peer.storage), server: self)
      connections[descriptor] = connection
      connection.open()
      scheduleTick()
    }
  }

  /// Called when the system refuses a connection, for now or for good.
  private func refused(_ error: Int32) {
    guard ![EBADF, EINVAL, ENOTSOCK].contains(error) else {
      failure = ListenError("The runner can no longer listen on port \(port): \(systemMessage(error)).")
      return stopListening()
    }
    // No descriptor is left if something else has taken more than was reserved.
    if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error) { makeRoom() }
    guard let listener else { return }
    // A waiting connection keeps the listener readable: without a pause this would spin.
    RunnerLoop.loop.update(listener.descriptor, to: [])
    RunnerLoop.loop.schedule(after: .milliseconds(20)) { [self] in
      if let listener = self.listener { RunnerLoop.loop.update(listener.descriptor, to: .read) }
    }
  }

  /// Closes the connection that has waited longest for its client: an idle one, if there is one.
  private func makeRoom() { (idle.next() ?? busy.next())?.close() }

  /// Makes room for an answer that its client does not read at once: those end that have read theirs for longest.
  func makeRoom(forAnswer size: Int) {
    while !unread.hasRoom(for: size),
      let slowest = connections.values.filter({ $0.unread > 0 }).max(by: { $0.age < $1.age })
    {
      slowest.close()
    }
  }

  private func scheduleTick() {
    guard tick == nil else { return }
    tick = RunnerLoop.loop.schedule(after: timeLimit / Self.ticks) { [self] in
      tick = nil
      for connection in connections.values { connection.tick(limit: Self.ticks) }
      memory.trimWhenIdle()
      unread.trimWhenIdle()
      if !connections.isEmpty || memory.isWorthTrimming || unread.isWorthTrimming { scheduleTick() }
    }
  }
}

// The calls of connections.
extension HTTPServer {
  /// Whether functions work on nearly as many requests as there may be connections.
  ///
  /// Then no further call is taken, so that some connections are left that the server can close for others.
  var isBusy: Bool { working >= max(1, mostConnections - max(1, mostConnections / 16)) }

  func route(_ head: HTTP1Request) -> Route { gateway.route(head) }

  func client(of head: HTTP1Request, from peer: IPAddress?) throws(UnreadableClient) -> IPAddress? {
    try gateway.client(of: head, from: peer)
  }

  func answer(_ request: HTTP1Request, _ route: Route?, _ answer: @escaping @RunnerLoop (HTTP1Answer) -> Void) {
    gateway.answer(request, route, answer)
  }

  func serve(_ stream: any AnswerStream, for head: HTTP1Request) { gateway.serve(stream, for: head) }

  func answers(_ status: Int) { gateway.answered(status) }

  func date() -> String { dates.text(at: time(nil)) }

  /// From now on the connection waits for its client.
  func waits(_ connection: ClientConnection) {
    // A new client is not the first to go, because it may be about to send its request.
    if connection.phase == .idle, connection.isUsed {
      idle.add(connection, of: connections.count)
    } else {
      busy.add(connection, of: connections.count)
    }
  }

  /// Called when a connection no longer waits for its client.
  func changed() {
    if isDraining { drained.signal() }
  }

  func closed(_ connection: ClientConnection) {
    connections[connection.descriptor] = nil
    drained.signal()
  }
}

/// The connections that wait for their clients; the one that has waited longest is first.
@RunnerLoop
struct WaitingClients {
  private var entries: [(connection: ClientConnection, phaseNumber: UInt)] = []
  private var first = 0

  /// - Parameter all: how many connections there are.
  mutating func add(_ connection: ClientConnection, of all: Int) {
    if entries.count > 4 * all + 64 {
      entries = entries[first...].filter { $0.connection.phaseNumber == $0.phaseNumber }
      first = 0
    }
    entries.append((connection, connection.phaseNumber))
  }

  /// The connection that has waited longest and still waits.
  mutating func next() -> ClientConnection? {
    while first < entries.count {
      let entry = entries[first]
      first += 1
      if entry.connection.phaseNumber == entry.phaseNumber { return entry.connection }
    }
    (entries, first) = ([], 0)
    return nil
  }
}
