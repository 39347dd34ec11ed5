package import EventLoop

/// One HTTP/2 connection to a server, for any number of requests at once.
///
/// The certificate and the host name are always verified. A lost connection is not reopened: then `isUsable` is false,
/// and the client's owner connects again. The loop does all the work.
package actor HTTP2Client {
  private let loop: EventLoop
  private var connection: ClientConnection?

  /// The loop's.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private init(loop: EventLoop) {
    self.loop = loop
  }

  isolated deinit {
    connection?.close()
  }

  /// Connects, by TLS 1.2 or newer with ALPN `h2`, and waits for the server's SETTINGS, which state its stream limit.
  ///
  /// - Parameters:
  ///   - endpoint: the server; the certificate must be for this host.
  ///   - trust: the trusted authorities.
  ///   - proxy: makes a tunnel to the server. The server's certificate is verified as without a proxy.
  ///   - connectTimeout: the limit for name lookup, all addresses, tunnel, handshake and SETTINGS together.
  ///   - keepAlive: after this time without a byte from the server it gets a PING. Without an answer within
  ///     `connectTimeout` the connection is closed. Nil means never; Apple recommends an hour.
  ///   - responseLimit: the largest body of a response, in bytes.
  package static func connect(
    to endpoint: Endpoint, trust: Trust = .system, proxy: Proxy? = nil, connectTimeout: Duration = .seconds(10),
    keepAlive: Duration? = .seconds(3_600), responseLimit: Int = 1_048_576, loop: EventLoop
  ) async throws(HTTP2Error) -> HTTP2Client {
    let context = try TLSContext.client(trust)
    let client = HTTP2Client(loop: loop)
    let deadline = ContinuousClock.now + connectTimeout
    let socket = try await client.dial(endpoint, proxy, until: deadline)
    try await client.open(
      { () throws(HTTP2Error) in
        let transport = try TLSTransport.client(
          Socket(adopting: socket), context: context, host: endpoint, loop: loop)
        return ClientConnection(transport: transport, responseLimit: responseLimit, keepAlive: keepAlive, loop: loop)
      }, until: deadline)
    await client.keepAlive(within: connectTimeout)
    return client
  }

  /// Sends a request and waits for its whole response, within a time that includes the wait for a free stream.
  ///
  /// - Returns: the response with any status, or why there is none. Then `mayHaveBeenProcessed` says whether another
  ///   request may repeat the effect.
  package func send(_ request: HTTP2Request, timeout: Duration) async -> Result<HTTP2Response, StreamFailure> {
    guard let connection else { return .failure(.notSent) }
    return await withCheckedContinuation { continuation in
      connection.send(request, timeout: timeout) { continuation.resume(returning: $0) }
    }
  }

  /// The same for callers on the loop that send much: they call it by `assumeIsolated`.
  ///
  /// - Parameter completion: called on the loop, once.
  package func send(
    _ request: HTTP2Request, timeout: Duration,
    completion: @escaping @Sendable (Result<HTTP2Response, StreamFailure>) -> Void
  ) {
    guard let connection else { return completion(.failure(.notSent)) }
    connection.send(request, timeout: timeout, completion)
  }

  /// Sends a PING and waits for its answer, at most this long; returns the round-trip time.
  package func ping(timeout: Duration) async -> Result<Duration, StreamFailure> {
    guard let connection else { return .failure(.notSent) }
    return await withCheckedContinuation { continuation in
      connection.ping(timeout: timeout) { continuation.resume(returning: $0) }
    }
  }

  /// Whether the server is still there.
  ///
  /// Call this before you send on a connection that was idle for long.
  ///
  /// A client learns only by sending that a server has gone, or that something happened while the process or the
  /// machine stood still. So a server that was silent for `silence`, by a clock that always goes on, gets a PING.
  /// Without an answer the connection is closed.
  ///
  /// - Parameters:
  ///   - limit: how long to wait for the answer.
  ///   - silence: a server that sent something within this time gets no PING.
  package func isAlive(
    within limit: Duration = .seconds(2), afterSilence silence: Duration = .seconds(10)
  ) async -> Bool {
    guard let connection else { return false }
    return await withCheckedContinuation { continuation in
      connection.check(within: limit, afterSilence: silence) { continuation.resume(returning: $0) }
    }
  }

  /// Whether requests can still be sent: the connection is open, and the server has sent no GOAWAY.
  package var isUsable: Bool { connection?.isUsable ?? false }

  /// The GOAWAY that the server has sent, if any.
  package var goAwayReason: HTTP2GoAway? { connection?.goAway }

  /// How many streams the server now lets us have open at once; `UInt32.max` when it sets no limit.
  package var remoteMaxConcurrentStreams: UInt32 { connection?.remoteMaxConcurrentStreams ?? 0 }

  /// How many requests wait for their response, without those that wait for a free stream.
  package var openStreams: Int { connection?.openStreams ?? 0 }

  /// Sends a GOAWAY and closes.
  ///
  /// Requests that wait for their response fail with `.connectionLost`.
  package func close() {
    connection?.close()
  }

  private func keepAlive(within limit: Duration) {
    connection?.startKeepAlive(within: limit)
  }

  /// A socket whose other end is the server, directly or through the proxy.
  private func dial(
    _ endpoint: Endpoint, _ proxy: Proxy?, until deadline: ContinuousClock.Instant
  ) async throws(HTTP2Error) -> Int32 {
    guard let proxy else { return try await dial(endpoint, until: deadline) }
    let socket: Int32
    do throws(HTTP2Error) {
      socket = try await dial(proxy.endpoint, until: deadline)
    } catch {
      throw error.onTheWay(to: proxy)
    }
    let tunnel = ProxyTunnel(Socket(adopting: socket), to: endpoint, by: proxy, loop: loop)
    let tunneled: Result<Int32, HTTP2Error> = await withCheckedContinuation { continuation in
      tunnel.start(within: .until(deadline)) { continuation.resume(returning: $0) }
    }
    return try tunneled.get()
  }

  private func dial(_ endpoint: Endpoint, until deadline: ContinuousClock.Instant) async throws(HTTP2Error) -> Int32 {
    let addresses = try await AddressLookup.addresses(of: endpoint, within: .until(deadline), on: loop).get()
    let dialed: Result<Int32, HTTP2Error> = await withCheckedContinuation { continuation in
      Dialer(addresses, loop: loop).start(within: .until(deadline)) { continuation.resume(returning: $0) }
    }
    return try dialed.get()
  }

  private func open(
    _ make: @Sendable () throws(HTTP2Error) -> ClientConnection, until deadline: ContinuousClock.Instant
  ) async throws(HTTP2Error) {
    let connection = try make()
    self.connection = connection
    let opened: Result<Void, HTTP2Error> = await withCheckedContinuation { continuation in
      connection.start(within: .until(deadline)) { continuation.resume(returning: $0) }
    }
    try opened.get()
  }
}

extension HTTP2Error {
  /// The same as an error of the proxy, which it names.
  fileprivate func onTheWay(to proxy: Proxy) -> HTTP2Error {
    switch self {
    case .unreachable(let reason): .proxyUnreachable(reason: reason)
    case .timedOut: .proxyUnreachable(reason: "\(proxy): \(self)")
    default: .proxyUnreachable(reason: "\(self)")
    }
  }
}

extension Duration {
  fileprivate static func until(_ deadline: ContinuousClock.Instant) -> Duration {
    ContinuousClock.now.duration(to: deadline)
  }
}

/// A peer's announcement that it accepts no more streams.
package struct HTTP2GoAway: Sendable, Hashable {
  /// Streams above this one have not been processed.
  package let lastStreamID: Int32
  /// The error code of RFC 9113 §7; 0 for an orderly shutdown.
  package let code: UInt32
  /// The peer's words about it; APNs sends a JSON object with a `reason`.
  package let debugData: [UInt8]
}
