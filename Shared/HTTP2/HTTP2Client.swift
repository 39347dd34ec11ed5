public import EventLoop

/// One HTTP/2 connection to a server, for any number of requests at once.
///
/// The certificate and the host name are always verified. The connection is not reopened after it was lost: whoever
/// owns the client sees `isUsable` turn false and connects anew. All work is done on the loop.
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

  /// Connects, by TLS 1.2 or newer with ALPN `h2`, and waits for the server's SETTINGS, so that its stream limit is known.
  ///
  /// - Parameters:
  ///   - endpoint: the server; the certificate must be for this host.
  ///   - trust: the authorities believed.
  ///   - connectTimeout: for everything: resolving, connecting (every address), handshake and SETTINGS.
  ///   - responseLimit: bytes of one response's body that are accepted.
  public static func connect(
    to endpoint: Endpoint, trust: Trust = .system, connectTimeout: Duration = .seconds(10),
    responseLimit: Int = 1_048_576, loop: EventLoop
  ) async throws(HTTP2Error) -> HTTP2Client {
    let context = try TLSContext.client(trust)
    let client = HTTP2Client(loop: loop)
    try await client.open(endpoint, context, responseLimit, until: .now + connectTimeout)
    return client
  }

  /// Sends a request and waits for its whole response, at most that long, waiting for a free stream included.
  ///
  /// - Returns: the response whatever its status; or why there is none, and by `mayHaveBeenProcessed` whether sending
  ///   the request again may repeat its effect.
  public func send(_ request: HTTP2Request, timeout: Duration) async -> Result<HTTP2Response, StreamFailure> {
    guard let connection else { return .failure(.notSent) }
    return await withCheckedContinuation { continuation in
      connection.send(request, timeout: timeout) { continuation.resume(returning: $0) }
    }
  }

  /// The same for those who are on the loop already and send much: ask by `assumeIsolated`.
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

  private func open(
    _ endpoint: Endpoint, _ context: TLSContext, _ responseLimit: Int, until deadline: ContinuousClock.Instant
  ) async throws(HTTP2Error) {
    let addresses = try await AddressLookup.addresses(of: endpoint, within: .until(deadline), on: loop).get()
    let dialed: Result<Int32, HTTP2Error> = await withCheckedContinuation { continuation in
      Dialer(addresses, loop: loop).start(within: .until(deadline)) { continuation.resume(returning: $0) }
    }
    let socket = Socket(adopting: try dialed.get())
    let transport = try TLSTransport.client(socket, context: context, host: endpoint, loop: loop)
    let connection = ClientConnection(transport: transport, responseLimit: responseLimit, loop: loop)
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
