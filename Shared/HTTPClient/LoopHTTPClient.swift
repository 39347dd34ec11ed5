internal import CCurl
package import EventLoop

/// HTTP and HTTPS calls over libcurl on an event loop, without a thread of their own.
///
/// It makes the same calls as ``HTTPClient``, and keeps the same rules. Call it on its loop only; what it answers is
/// answered there, never before ``send(_:trust:limits:then:)`` has returned.
package final class LoopHTTPClient {
  private let loop: EventLoop
  private var multi: UnsafeMutableRawPointer?
  private var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
  /// Handles that further calls can have.
  private var idle: [Transfer] = []
  /// The places of URLs that were called before.
  private var places: [String: CallPlace] = [:]
  private var watched: Set<Int32> = []
  private var timer: (id: TimerID, end: ContinuousClock.Instant)?
  /// When libcurl wants to be called.
  private var due: ContinuousClock.Instant?
  private var isDue = false
  private let memory: AnswerMemory
  private let proxy: HTTPProxy

  /// How many handles, and places, are kept.
  private static let mostIdle = 1_000
  /// A kept handle has the body of its last call; larger ones are not worth their memory.
  private static let mostIdleBody = 8_192

  private static let libraryIsReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// - Parameters:
  ///   - connections: how many are kept between calls, at most; calls under way have as many as they need.
  ///   - memory: how many bytes of bodies all calls under way may keep together. When they are used up, a call that wants
  ///     a whole body ends with ``HTTPClientError/Code/exhausted``, and one that wants its beginning gets less of it.
  package init(on loop: EventLoop, connections: Int, memory: Int = 64 << 20, proxy: HTTPProxy = .environment) {
    (self.loop, self.proxy) = (loop, proxy)
    self.memory = AnswerMemory(limit: memory)
    multi = Self.libraryIsReady ? curl_multi_init() : nil
    guard multi != nil else { return }
    _ = shim_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connections)
    // Unretained: close() comes before the end.
    _ = shim_multi_follow(
      multi,
      { _, socket, wish, client, _ in
        LoopHTTPClient.from(client)?.follow(socket, wish)
        return 0
      },
      { _, milliseconds, client in
        LoopHTTPClient.from(client)?.setTimer(milliseconds)
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// A call that can be broken off.
  package struct CallID {
    fileprivate let order: TransferOrder
    fileprivate let easy: UnsafeMutableRawPointer
  }

  /// Sends a call; its answer, or why it has none, comes once.
  ///
  /// - Parameter limits: of this call; its own `timeout` does not count.
  /// - Returns: `nil` for a call that cannot be sent.
  @discardableResult
  package func send(
    _ call: HTTPCall, trust: HTTPTrust = .system, limits: HTTPLimits = HTTPLimits(),
    then done: @escaping (Result<HTTPAnswer, HTTPClientError>) -> Void
  ) -> CallID? {
    let place = place(of: call.url)
    return send(TransferOrder(call: call, trust: trust, proxy: proxy, limits: limits, place: place), then: done)
  }

  /// The same with an order, which may have been cancelled meanwhile.
  @discardableResult
  func send(
    _ order: TransferOrder, then done: @escaping (Result<HTTPAnswer, HTTPClientError>) -> Void
  ) -> CallID? {
    loop.checkIsolated()
    do throws(HTTPClientError) {
      guard !order.isCancelled else { throw HTTPClientError(code: .cancelled, host: order.host, detail: "") }
      let transfer = try transfer(for: order, done)
      guard let multi, curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else {
        throw transfer.error(.exhausted)
      }
      transfers[transfer.easy] = transfer
      return CallID(order: order, easy: transfer.easy)
    } catch {
      loop.atEndOfTurn { done(.failure(error)) }
      return nil
    }
  }

  private func place(of url: String) -> CallPlace {
    if let place = places[url] { return place }
    if places.count >= Self.mostIdle { places = [:] }
    let place = CallPlace(url)
    places[url] = place
    return place
  }

  private func transfer(
    for order: TransferOrder, _ done: @escaping Transfer.Completion
  ) throws(HTTPClientError) -> Transfer {
    guard let transfer = idle.popLast() else {
      return try Transfer(order, memory: memory, completion: done)
    }
    try transfer.carry(order, completion: done)
    return transfer
  }

  /// Ends a call at once; its answer is ``HTTPClientError/Code/cancelled``.
  ///
  /// Does nothing for one that has its answer.
  package func cancel(_ call: CallID) {
    guard let transfer = transfers[call.easy], transfer.order === call.order else { return }
    finish(call.easy, .failure(transfer.error(.cancelled)))
  }

  /// The same for an order.
  func cancel(_ order: TransferOrder) {
    guard let easy = transfers.first(where: { $0.value.order === order })?.key else { return }
    cancel(CallID(order: order, easy: easy))
  }

  /// Ends all calls and connections; nothing can be sent afterwards.
  package func close() {
    loop.checkIsolated()
    for (easy, transfer) in transfers { finish(easy, .failure(transfer.error(.cancelled))) }
    let ended = multi.take()
    _ = curl_multi_cleanup(ended)
    for socket in watched { loop.unwatch(socket) }
    if let timer { loop.cancel(timer.id) }
    (timer, due, idle) = (nil, nil, [])
  }
}

// What libcurl wants watched.
extension LoopHTTPClient {
  private static func from(_ pointer: UnsafeMutableRawPointer?) -> LoopHTTPClient? {
    pointer.map { Unmanaged<LoopHTTPClient>.fromOpaque($0).takeUnretainedValue() }
  }

  private func follow(_ socket: Int32, _ wish: Int32) {
    let interest: Interest
    switch wish {
    case CURL_POLL_IN: interest = .read
    case CURL_POLL_OUT: interest = .write
    case CURL_POLL_INOUT: interest = [.read, .write]
    default:
      if watched.remove(socket) != nil { loop.unwatch(socket) }
      return
    }
    guard watched.insert(socket).inserted else { return loop.update(socket, to: interest) }
    loop.watch(socket, for: interest) { [self] ready in
      let reads = ready.contains(.read) ? CURL_CSELECT_IN : 0
      act(on: socket, reads | (ready.contains(.write) ? CURL_CSELECT_OUT : 0))
    }
  }

  /// libcurl sets its timer again with each call: the loop's own stays until it is too late.
  private func setTimer(_ milliseconds: Int) {
    due = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
    guard milliseconds > 0 else {
      if milliseconds == 0 { actSoon() }
      return
    }
    schedule()
  }

  private func schedule() {
    guard let due, timer.map({ $0.end > due }) ?? true else { return }
    if let timer { loop.cancel(timer.id) }
    let id = loop.schedule(after: max(.zero, due - .now)) { [self] in
      timer = nil
      guard let due = self.due else { return }
      if due > .now { return schedule() }
      self.due = nil
      act(on: CURL_SOCKET_BAD, 0)
    }
    timer = (id, due)
  }

  private func actSoon() {
    guard !isDue else { return }
    // libcurl must not be called from its own callback.
    isDue = true
    loop.atEndOfTurn { [self] in
      isDue = false
      act(on: CURL_SOCKET_BAD, 0)
    }
  }

  private func act(on socket: Int32, _ ready: Int32) {
    // libcurl does not look whether there is one.
    guard let multi else { return }
    var running: Int32 = 0
    _ = curl_multi_socket_action(multi, socket, ready, &running)
    var remaining: Int32 = 0
    // An answer may have closed it.
    while self.multi != nil, let message = curl_multi_info_read(multi, &remaining) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
      let result = shim_message_result(message)
      if let transfer = transfers[easy] { finish(easy, transfer.result(of: result)) }
    }
  }

  private func finish(_ easy: UnsafeMutableRawPointer, _ result: Result<HTTPAnswer, HTTPClientError>) {
    _ = curl_multi_remove_handle(multi, easy)
    guard let transfer = transfers.removeValue(forKey: easy) else { return }
    let completion = transfer.completion
    transfer.forget()
    if idle.count < Self.mostIdle, transfer.order.call.body.count <= Self.mostIdleBody { idle.append(transfer) }
    completion(result)
  }
}
