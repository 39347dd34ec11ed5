package import EventLoop
import Glibc
import Platform

/// An HTTP/2 server over TLS with ALPN `h2` or none. It does all its work on the loop.
package actor HTTP2Server {
  /// Called on the loop for each whole request; it must not block.
  ///
  /// It may answer now, or pass the responder on to code that answers later.
  package typealias Handler = @Sendable (HTTP2Request, HTTP2Responder) -> Void

  /// The address where it listens, with the real port if 0 was given.
  package nonisolated let endpoint: Endpoint
  /// The loop that calls the handler.
  package nonisolated let loop: EventLoop
  /// The limits for connections still to come.
  package private(set) var settings: HTTP2ServerSettings

  private let context: TLSContext
  private let handler: Handler
  private let onConnect: (@Sendable (HTTP2ConnectionInfo) -> Void)?
  private let onDisconnect: (@Sendable (HTTP2ConnectionInfo) -> Void)?
  private let listener: ListeningSocket
  private var isListening = false
  private var isFull: Bool { connections.count >= settings.maxConnections }
  private(set) var connections: [UInt64: ServerConnection] = [:]
  private var nextConnectionID: UInt64 = 1
  private var stopping: [CheckedContinuation<Void, Never>] = []
  /// Looks again for room when the next connection has been silent for long enough.
  private var roomTimer: TimerID?

  /// The loop's.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Listens and serves until `stop`.
  ///
  /// - Parameters:
  ///   - endpoint: an address of this machine; port 0 for any free one.
  ///   - certificateChain: a PEM file, the server's own certificate first.
  ///   - privateKey: a PEM file.
  ///   - onConnect: called on the loop when a connection has been accepted, before its handshake.
  ///   - onDisconnect: called on the loop when a connection has ended; its statistics are still there.
  ///   - handler: answers the requests.
  package static func start(
    on endpoint: Endpoint, certificateChain: String, privateKey: String,
    settings: HTTP2ServerSettings = HTTP2ServerSettings(), loop: EventLoop,
    onConnect: (@Sendable (HTTP2ConnectionInfo) -> Void)? = nil,
    onDisconnect: (@Sendable (HTTP2ConnectionInfo) -> Void)? = nil, handler: @escaping Handler
  ) async throws(HTTP2Error) -> HTTP2Server {
    let context = try TLSContext.server(certificateChain: certificateChain, privateKey: privateKey)
    let listener = try Self.listener(on: endpoint)
    let server = HTTP2Server(listener, context, settings, loop, onConnect, onDisconnect, handler)
    await server.listen()
    return server
  }

  private init(
    _ listener: ListeningSocket, _ context: TLSContext, _ settings: HTTP2ServerSettings, _ loop: EventLoop,
    _ onConnect: (@Sendable (HTTP2ConnectionInfo) -> Void)?,
    _ onDisconnect: (@Sendable (HTTP2ConnectionInfo) -> Void)?, _ handler: @escaping Handler
  ) {
    endpoint = listener.address.endpoint
    self.listener = listener
    self.context = context
    self.settings = settings
    self.loop = loop
    self.onConnect = onConnect
    self.onDisconnect = onDisconnect
    self.handler = handler
  }

  static func listener(on endpoint: Endpoint) throws(HTTP2Error) -> ListeningSocket {
    var reason = "no address"
    for address in try SocketAddress.resolve(endpoint, listening: true) {
      if let listener = ListeningSocket(on: address) { return listener }
      reason = systemMessage(errno)
    }
    throw .cannotListen(reason: "\(endpoint): \(reason)")
  }

  /// The counts of an open connection; `nil` when it has ended.
  package func statistics(of connection: HTTP2ConnectionInfo) -> HTTP2ConnectionStatistics? {
    connections[connection.id]?.statistics
  }

  /// Changes how many streams each present and future connection may have open at once.
  package func setMaxConcurrentStreams(_ count: UInt32) {
    settings.maxConcurrentStreams = count
    for connection in connections.values { connection.setMaxConcurrentStreams(count) }
  }

  /// Stops listening, waits at most this time for the answers of open requests, and closes all connections.
  package func stop(within gracePeriod: Duration = .seconds(5)) async {
    stopListening()
    for connection in connections.values { connection.goAway() }
    guard !connections.isEmpty else { return }
    let timer = loop.schedule(after: gracePeriod) { [self] in
      for connection in connections.values { connection.drop() }
    }
    await withCheckedContinuation { stopping.append($0) }
    loop.cancel(timer)
  }

  nonisolated func onLoop(_ body: @escaping @Sendable (isolated HTTP2Server) -> Void) {
    if loop.isCurrent {
      assumeIsolated(body)
    } else {
      loop.execute { self.assumeIsolated(body) }
    }
  }

  func connection(_ id: UInt64) -> ServerConnection? {
    connections[id]
  }

  private func listen() {
    isListening = true
    loop.watch(listener.descriptor, for: .read) { [self] _ in accept() }
  }

  private func stopListening() {
    guard isListening else { return }
    isListening = false
    roomTimer.take().map(loop.cancel)
    loop.unwatch(listener.descriptor)
    close(listener.descriptor)
  }

  private func accept() {
    while isListening {
      // Further connections wait in the kernel until one ends or has been silent for too long. While none waits, nobody has
      // to make room.
      if isFull {
        guard isAwaited else { return }
        guard makeRoom() else { return loop.update(listener.descriptor, to: []) }
      }
      guard let (descriptor, peer) = listener.accept() else { return acceptFailed(errno) }
      open(Socket(adopting: descriptor), from: peer.endpoint)
    }
  }

  /// Whether a connection waits in the kernel.
  private var isAwaited: Bool {
    var entry = pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  /// Closes the connection that has been silent longest; `false` if none has been silent for long enough.
  private func makeRoom() -> Bool {
    let silent = connections.values.compactMap { one in one.silentSince.map { (connection: one, since: $0) } }
    guard let longest = silent.min(by: { $0.since < $1.since }) else { return false }
    let left = ContinuousClock.now.duration(to: longest.since + settings.silence)
    guard left > .zero else {
      longest.connection.drop()
      return true
    }
    roomTimer.take().map(loop.cancel)
    roomTimer = loop.schedule(after: left) { [self] in
      roomTimer = nil
      if isListening { loop.update(listener.descriptor, to: .read) }
    }
    return false
  }

  private func acceptFailed(_ error: Int32) {
    guard error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM else { return }
    // The waiting connection keeps the listener readable: without a pause this would spin.
    loop.update(listener.descriptor, to: [])
    loop.schedule(after: .milliseconds(100)) { [self] in
      listenAgain()
    }
  }

  private func listenAgain() {
    if isListening, !isFull { loop.update(listener.descriptor, to: .read) }
  }

  private func open(_ socket: consuming Socket, from peer: Endpoint) {
    let info = HTTP2ConnectionInfo(id: nextConnectionID, peer: peer)
    guard let transport = try? TLSTransport.server(socket, context: context, loop: loop) else { return }
    nextConnectionID += 1
    let connection = ServerConnection(
      info, transport: transport, settings: settings, loop: loop,
      onRequest: { [self] request, connection, stream in
        handler(request, HTTP2Responder(connection: connection.info, streamID: stream, server: self))
      },
      onClose: { [self] in closed($0) })
    connections[info.id] = connection
    onConnect?(info)
    connection.start(handshakeTimeout: settings.handshakeTimeout)
  }

  private func closed(_ connection: ServerConnection) {
    onDisconnect?(connection.info)
    connections[connection.info.id] = nil
    listenAgain()
    guard connections.isEmpty else { return }
    for continuation in stopping { continuation.resume() }
    stopping = []
  }
}

/// The answering side of one request: answer now, later, wrongly, or never.
///
/// Any thread may use it. On the server's loop it works at once. A call after the end of the stream or the connection
/// does nothing. If there is never a response, the stream stays open until the client resets it.
package struct HTTP2Responder: Sendable {
  package let connection: HTTP2ConnectionInfo
  /// The request's stream.
  package let streamID: Int32
  let server: HTTP2Server

  /// Sends the response; only the first one counts.
  package func respond(_ response: HTTP2Response) {
    perform { [streamID] in $0.respond(response, on: streamID) }
  }

  /// Resets the stream with an error code of RFC 9113 §7.
  package func reset(code: UInt32) {
    perform { [streamID] in $0.reset(streamID, code: code) }
  }

  /// Announces the end of the connection.
  ///
  /// Streams up to `lastStreamID` (nil: all received so far) can still be answered; then the connection closes. Streams
  /// above it are dropped, and their requests never reach the handler. So the client knows that they were not
  /// processed.
  package func goAway(lastStreamID: Int32? = nil, code: UInt32 = 0, debugData: [UInt8] = []) {
    perform { $0.goAway(lastStreamID: lastStreamID, code: code, debugData: debugData) }
  }

  /// Closes the connection at once, by a TCP reset.
  package func dropConnection() {
    perform { $0.drop() }
  }

  /// Changes how many streams this connection may have open at once.
  package func setMaxConcurrentStreams(_ count: UInt32) {
    perform { $0.setMaxConcurrentStreams(count) }
  }

  private func perform(_ body: @escaping @Sendable (ServerConnection) -> Void) {
    server.onLoop { [id = connection.id] server in
      if let connection = server.connection(id) { body(connection) }
    }
  }
}

/// The limits of a server.
package struct HTTP2ServerSettings: Sendable {
  /// Streams a new connection may have open at once; change it for one connection by `HTTP2Responder`.
  package var maxConcurrentStreams: UInt32 = 1_000
  /// Bytes of a request's fields, counted as RFC 9113 §6.5.2 does; more are answered by status 431.
  package var maxHeaderListBytes = 16_384
  /// Bytes of a request's body; more are answered as ``answerToLargeBodies`` says, and the stream ends.
  package var maxBodyBytes = 1_048_576
  /// The same for single paths.
  package var maxBodyBytesOfPaths: [String: Int] = [:]
  /// The answer to a body that is too large.
  package var answerToLargeBodies = HTTP2Response(status: 413)
  /// Connections at once; a further one takes the place of one that is silent (see ``silence``), or waits until one ends.
  package var maxConnections = 1_024
  /// The time limit of a new connection's TLS handshake and its first words of HTTP/2.
  package var handshakeTimeout = Duration.seconds(10)
  /// After this time without a word of HTTP/2 a connection may have to make room for another one.
  ///
  /// A handshake that is under way has this long: on a busy machine it takes a while.
  package var silence = Duration.seconds(5)

  /// The defaults above.
  package init() {}
}

/// The server's connection of a request.
package struct HTTP2ConnectionInfo: Sendable, Hashable {
  /// Unique among the connections of one server, ascending.
  package let id: UInt64
  /// The client's numeric address.
  package let peer: Endpoint
}

/// The counts of one of a server's connections.
package struct HTTP2ConnectionStatistics: Sendable, Hashable {
  /// Streams that are open now.
  package let openStreams: Int
  /// Streams that were refused: those above the limit, and those that the handler reset so.
  package let refusedStreams: Int
}
