public import EventLoop

/// One HTTP/2 connection to a server, for any number of requests at once.
///
/// The certificate and the host name are always verified. The connection is not reopened after a loss: the client's
/// owner sees `isUsable` turn false and connects again. All work is done on the loop.
public actor HTTP2Client {
  private let loop: EventLoop
  private var connection: ClientConnection?

  /// The loop's.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

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
  ///   - trust: the authorities believed.
  ///   - proxy: makes a tunnel to the server, whose certificate is verified all the same.
  ///   - connectTimeout: for everything: resolving, connecting (every address), tunnel, handshake and SETTINGS.
  ///   - keepAlive: after this long without a byte from the server it is sent a PING, and if that stays unanswered for
  ///     `connectTimeout`, the connection is closed; nil for never. Apple recommends an hour.
  ///   - responseLimit: bytes of one response's body that are accepted.
  public static func connect(
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
  /// - Returns: the response, no matter what its status is; or why there is none, and by `mayHaveBeenProcessed` whether
  ///   sending the request again may repeat its effect.
  public func send(_ request: HTTP2Request, timeout: Duration) async -> Result<HTTP2Response, StreamFailure> {
    guard let connection else { return .failure(.notSent) }
    return await withCheckedContinuation { continuation in
      connection.send(request, timeout: timeout) { continuation.resume(returning: $0) }
    }
  }

  /// The same for callers that are on the loop already and send much: ask by `assumeIsolated`.
  ///
  /// - Parameter completion: called on the loop, once.
  public func send(
    _ request: HTTP2Request, timeout: Duration,
    completion: @escaping @Sendable (Result<HTTP2Response, StreamFailure>) -> Void
  ) {
    guard let connection else { return completion(.failure(.notSent)) }
    connection.send(request, timeout: timeout, completion)
  }

  /// Sends a PING and waits for its answer, at most that long; answers the round-trip time.
  public func ping(timeout: Duration) async -> Result<Duration, StreamFailure> {
    guard let connection else { return .failure(.notSent) }
    return await withCheckedContinuation { continuation in
      connection.ping(timeout: timeout) { continuation.resume(returning: $0) }
    }
  }

  /// Whether the server is still there; to be asked before something is sent on a connection that was idle for long.
  ///
  /// A server that has vanished is not noticed before one speaks to it. What happened while this process or its machine
  /// stood still is not noticed either. Where nothing has come from the server for `silence`, by a clock that goes on
  /// meanwhile, it is sent a PING; a connection on which that stays unanswered is closed.
  ///
  /// - Parameters:
  ///   - limit: how long the answer is waited for.
  ///   - silence: if something has come from the server within this time, it is not asked.
  public func isAlive(within limit: Duration = .seconds(2), afterSilence silence: Duration = .seconds(10)) async -> Bool
  {
    guard let connection else { return false }
    return await withCheckedContinuation { continuation in
      connection.check(within: limit, afterSilence: silence) { continuation.resume(returning: $0) }
    }
  }

  /// Whether requests can still be sent: neither closed, nor lost, nor told to go away.
  public var isUsable: Bool { connection?.isUsable ?? false }

  /// The GOAWAY that the server has sent, if any.
  public var goAwayReason: HTTP2GoAway? { connection?.goAway }

  /// How many streams the server now lets us have open at once; `UInt32.max` when it sets no limit.
  public var remoteMaxConcurrentStreams: UInt32 { connection?.session.remoteMaxConcurrentStreams ?? 0 }

  /// Requests whose response is awaited, without those that wait for a free stream.
  public var openStreams: Int { connection?.session.streams.count ?? 0 }

  /// Tells the server to go away and closes; responses still awaited fail with `.connectionLost`.
  public func close() {
    connection?.close()
  }

  private func keepAlive(within limit: Duration) {
    connection?.startKeepAlive(within: limit)
  }

  /// A socket whose other end is the server, directly or through the proxy.
  private func dial(
    _ endpoint: Endpoint, _ proxy: Proxy?, until deadline: ContinuousClock.Instant
  ) async throws(HTTP2Error) -> Int32 {
    let addresses = try await AddressLookup.addresses(
      of: proxy?.endpoint ?? endpoint, within: .until(deadline), on: loop
    ).get()
    let dialed: Result<Int32, HTTP2Error> = await withCheckedContinuation { continuation in
      Dialer(addresses, loop: loop).start(within: .until(deadline)) { continuation.resume(returning: $0) }
    }
    guard let proxy else { return try dialed.get() }
    let tunnel = ProxyTunnel(Socket(adopting: try dialed.get()), to: endpoint, by: proxy, loop: loop)
    let tunneled: Result<Int32, HTTP2Error> = await withCheckedContinuation { continuation in
      tunnel.start(within: .until(deadline)) { continuation.resume(returning: $0) }
    }
    return try tunneled.get()
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

extension Duration {
  fileprivate static func until(_ deadline: ContinuousClock.Instant) -> Duration {
    ContinuousClock.now.duration(to: deadline)
  }
}
