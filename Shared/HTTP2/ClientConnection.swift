import CNGHTTP2
import EventLoop

/// A client's connection.
///
/// It opens a stream for every request as soon as the peer allows it; used on its loop only.
final class ClientConnection {
  private let loop: EventLoop
  private let session: Session
  private let link: Link
  private var waiting = WaitingQueue()
  private var pings: [UInt64: (Result<Void, StreamFailure>) -> Void] = [:]
  private var nextPing: UInt64 = 1
  /// The callers that wait for the answer to the present PING.
  private var checks: [(Bool) -> Void] = []
  /// After this silence the server gets a PING; nil for never.
  private let keepAlive: Duration?
  private var keepAliveTimer: TimerID?
  private(set) var goAway: HTTP2GoAway?
  private var isClosed = false

  /// Called once: when the peer's first SETTINGS have arrived, or can no longer arrive.
  private var onReady: ((Result<Void, HTTP2Error>) -> Void)?

  init(transport: TLSTransport, responseLimit: Int, keepAlive: Duration?, loop: EventLoop) {
    self.loop = loop
    self.keepAlive = keepAlive
    session = Session(
      role: .client, limits: .init(headerBytes: 65_536, bodyBytes: responseLimit),
      settings: [(NGHTTP2_SETTINGS_ENABLE_PUSH, 0), (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 1_048_576)],
      window: 16_777_216)
    link = Link(session: session, transport: transport)
    session.delegate = self
  }

  /// How many streams the peer lets us have open at once.
  var remoteMaxConcurrentStreams: UInt32 { session.remoteMaxConcurrentStreams }
  /// How many are open.
  var openStreams: Int { session.openStreams }

  var isUsable: Bool { !isClosed && goAway == nil && onReady == nil }

  /// Begins the handshake; returns when requests can be sent, or why they cannot.
  func start(within limit: Duration, _ onReady: @escaping (Result<Void, HTTP2Error>) -> Void) {
    let timer = loop.schedule(after: limit) { [self] in
      let phase: HTTP2Error.Phase = link.isOpen ? .settling : .handshaking
      link.close()
      closed(.timedOut(phase))
    }
    self.onReady = { [loop] result in
      loop.cancel(timer)
      onReady(result)
    }
    link.start(self)
  }

  func send(_ request: HTTP2Request, timeout: Duration, _ completion: @escaping (Exchange.Outcome) -> Void) {
    guard isUsable else { return completion(.failure(.notSent)) }
    let exchange = Exchange(request, completion: completion)
    exchange.timer = loop.schedule(after: timeout) { [self] in timedOut(exchange) }
    waiting.append(exchange)
    openMore()
  }

  /// Ends the connection at once; every waiting caller gets an error.
  func close() {
    guard !isClosed else { return }
    if link.isOpen {
      session.submitGoAway()
      link.finish()
    } else {
      link.close()
    }
    closed(nil)
  }

  /// Ends a connection whose peer no longer answers, without another word to it.
  func abandon() {
    guard !isClosed else { return }
    link.close(reset: true)
    closed(nil)
  }

  private func openMore() {
    while isUsable, openStreams < Int(session.remoteMaxConcurrentStreams), let next = waiting.popFirst() {
      do {
        next.streamID = try session.submit(next.request, exchange: next).id
      } catch {
        next.finish(.failure(error), on: loop)
      }
    }
    link.setNeedsFlush()
  }

  private func timedOut(_ exchange: Exchange) {
    if let id = exchange.streamID {
      session.reset(id, code: NGHTTP2_CANCEL.rawValue)
      link.setNeedsFlush()
      exchange.finish(.failure(.timedOut), on: loop)
    } else {
      exchange.finish(.failure(.timedOutWaiting), on: loop)
      waiting.noteDone()
    }
  }

  private func failWaiting() {
    while let exchange = waiting.popFirst() { exchange.finish(.failure(.notSent), on: loop) }
  }

  private func closed(_ error: HTTP2Error?) {
    isClosed = true
    keepAliveTimer.take().map(loop.cancel)
    onReady.take()?(.failure(error ?? .closedEarly(reason: "the peer closed the connection")))
    failWaiting()
    for stream in session.takeStreams() { stream.exchange?.finish(.failure(.connectionLost), on: loop) }
    let unanswered = pings
    pings = [:]
    for answer in unanswered.values { answer(.failure(.connectionLost)) }
  }
}

extension ClientConnection {
  // This clock also counts the time while the process or the machine stands still.
  private var silence: Duration { link.lastReceived.duration(to: .now) }

  /// Whether the peer is there.
  ///
  /// If it was silent for too long, a PING decides.
  func check(within limit: Duration, afterSilence allowed: Duration, _ completion: @escaping (Bool) -> Void) {
    guard isUsable, silence >= allowed else { return completion(isUsable) }
    checks.append(completion)
    guard checks.count == 1 else { return }
    ping(timeout: limit) { [self] outcome in
      if case .failure = outcome { abandon() }
      let waiting = checks
      checks = []
      for completion in waiting { completion(isUsable) }
    }
  }

  /// Checks an idle peer from time to time, so that routers do not forget the connection.
  ///
  /// - Parameter limit: how long to wait for its answer.
  func startKeepAlive(within limit: Duration) {
    guard let keepAlive, !isClosed else { return }
    keepAliveTimer = loop.schedule(after: max(keepAlive - silence, .milliseconds(1))) { [weak self] in
      guard let self else { return }
      check(within: limit, afterSilence: keepAlive) { [weak self] _ in self?.startKeepAlive(within: limit) }
    }
  }

  /// Sends a PING; returns the round-trip time, or why there is none.
  func ping(timeout: Duration, _ completion: @escaping (Result<Duration, StreamFailure>) -> Void) {
    guard !isClosed else { return completion(.failure(.notSent)) }
    let payload = nextPing
    nextPing += 1
    let start = ContinuousClock.now
    let timer = loop.schedule(after: timeout) { [self] in pings.removeValue(forKey: payload)?(.failure(.timedOut)) }
    pings[payload] = { [loop] outcome in
      loop.cancel(timer)
      completion(outcome.map { _ in ContinuousClock.now - start })
    }
    session.submitPing(payload)
    link.setNeedsFlush()
  }
}

extension ClientConnection: LinkDelegate {
  func linkEstablished() {}

  func linkClosed(_ error: HTTP2Error?) {
    closed(error)
  }
}

extension ClientConnection: SessionDelegate {
  func sessionReceivedMessage(on stream: HTTP2Stream) {
    let response = HTTP2Response(status: stream.status, headers: stream.headers, body: stream.body)
    stream.exchange?.finish(.success(response), on: loop)
    // The peer answered before the whole request was sent, so it does not want the rest.
    if !session.hasSentAll(on: stream.id) { session.reset(stream.id, code: NGHTTP2_CANCEL.rawValue) }
  }

  func sessionReceivedTooMuch(on stream: HTTP2Stream) {
    session.reset(stream.id, code: NGHTTP2_CANCEL.rawValue)
    stream.exchange?.finish(.failure(.responseTooLarge(status: stream.status)), on: loop)
  }

  func sessionClosed(_ stream: HTTP2Stream, code: UInt32) {
    let failure: StreamFailure =
      stream.wasNeverSent ? .notSent : code == NGHTTP2_REFUSED_STREAM.rawValue ? .refused : .reset(code: code)
    stream.exchange?.finish(.failure(failure), on: loop)
    openMore()
  }

  func sessionReceivedSettings() {
    onReady.take()?(.success(()))
    openMore()
  }

  func sessionReceivedGoAway(_ goAway: HTTP2GoAway) {
    self.goAway = goAway
    failWaiting()
  }

  func sessionReceivedPong(_ payload: UInt64) {
    pings.removeValue(forKey: payload)?(.success(()))
  }
}

/// A request and the caller that waits for its response.
final class Exchange {
  typealias Outcome = Result<HTTP2Response, StreamFailure>

  let request: HTTP2Request
  var timer: TimerID?
  var streamID: Int32?
  private var completion: ((Outcome) -> Void)?

  init(_ request: HTTP2Request, completion: @escaping (Outcome) -> Void) {
    self.request = request
    self.completion = completion
  }

  var isDone: Bool { completion == nil }

  /// Gives the caller the outcome; only the first one counts.
  func finish(_ outcome: Outcome, on loop: EventLoop) {
    timer.take().map(loop.cancel)
    completion.take()?(outcome)
  }
}

/// Requests that wait for a free stream, first come, first served.
struct WaitingQueue {
  private var exchanges: [Exchange] = []
  private var head = 0
  private var doneCount = 0

  mutating func append(_ exchange: Exchange) {
    exchanges.append(exchange)
  }

  /// The next one that still waits.
  mutating func popFirst() -> Exchange? {
    while head < exchanges.count {
      let exchange = exchanges[head]
      head += 1
      if !exchange.isDone {
        dropPassed()
        return exchange
      }
    }
    self = WaitingQueue()
    return nil
  }

  /// Notes that the time of one request is over.
  ///
  /// It is dropped later, together with many others.
  mutating func noteDone() {
    doneCount += 1
    guard doneCount > 64, doneCount > (exchanges.count - head) / 2 else { return }
    exchanges = exchanges[head...].filter { !$0.isDone }
    head = 0
    doneCount = 0
  }

  private mutating func dropPassed() {
    guard head > 1_024, head > exchanges.count / 2 else { return }
    exchanges.removeFirst(head)
    head = 0
  }
}
