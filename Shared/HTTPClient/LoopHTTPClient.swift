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
  private var watched: Set<Int32> = []
  private var timer: TimerID?
  private var isDue = false

  static let libraryIsReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// - Parameter connections: how many are kept between calls, at most; calls under way have as many as they need.
  package init(on loop: EventLoop, connections: Int) {
    self.loop = loop
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
    loop.checkIsolated()
    let order = TransferOrder(call: call, trust: trust, limits: limits)
    do throws(HTTPClientError) {
      let transfer = try Transfer(order, completion: done)
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

  /// Ends a call at once; its answer is ``HTTPClientError/Code/cancelled``.
  ///
  /// Does nothing for one that has its answer.
  package func cancel(_ call: CallID) {
    guard let transfer = transfers[call.easy], transfer.order === call.order else { return }
    finish(call.easy, .failure(transfer.error(.cancelled)))
  }

  /// Ends all calls and connections; nothing can be sent afterwards.
  package func close() {
    loop.checkIsolated()
    for (easy, transfer) in transfers { finish(easy, .failure(transfer.error(.cancelled))) }
    let ended = multi.take()
    _ = curl_multi_cleanup(ended)
    for socket in watched { loop.unwatch(socket) }
    setTimer(-1)
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

  private func setTimer(_ milliseconds: Int) {
    if let timer { loop.cancel(timer) }
    timer = nil
    if milliseconds > 0 {
      timer = loop.schedule(after: .milliseconds(milliseconds)) { [self] in
        timer = nil
        act(on: CURL_SOCKET_BAD, 0)
      }
    } else if milliseconds == 0, !isDue {
      // libcurl must not be called from its own callback.
      isDue = true
      loop.atEndOfTurn { [self] in
        isDue = false
        act(on: CURL_SOCKET_BAD, 0)
      }
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
    transfers.removeValue(forKey: easy)?.completion(result)
  }
}
