internal import CCurl
import Glibc
import Synchronization

/// One thread for all calls of a client, because libcurl's handles belong to one thread at a time.
final class TransferLoop: Sendable {
  typealias Completion = @Sendable (Result<HTTPAnswer, HTTPClientError>) -> Void

  private struct State {
    var submitted: [(order: TransferOrder, completion: Completion)] = []
    var isRunning = false
    var isStopped = false
  }

  private let state = Mutex(State())
  // Other threads use it only in curl_multi_wakeup, which libcurl allows on any thread.
  nonisolated(unsafe) private let multi: UnsafeMutableRawPointer?

  init() {
    _ = LoopHTTPClient.libraryIsReady
    multi = curl_multi_init()
  }

  deinit {
    _ = curl_multi_cleanup(multi)
  }

  func submit(_ order: TransferOrder, completion: @escaping Completion) {
    let isAccepted = state.withLock { state in
      if !state.isRunning { state.isRunning = startThread() }
      if state.isRunning { state.submitted.append((order, completion)) }
      return state.isRunning
    }
    guard isAccepted else {
      return completion(.failure(HTTPClientError(code: .exhausted, host: order.host, detail: "no thread")))
    }
    _ = curl_multi_wakeup(multi)
  }

  func cancel(_ order: TransferOrder) {
    order.cancel()
    _ = curl_multi_wakeup(multi)
  }

  func stop() {
    state.withLock { $0.isStopped = true }
    _ = curl_multi_wakeup(multi)
  }

  private func startThread() -> Bool {
    guard multi != nil, LoopHTTPClient.libraryIsReady else { return false }
    var thread = pthread_t()
    let loop = Unmanaged.passRetained(self)
    let status = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        let loop = Unmanaged<TransferLoop>.fromOpaque(argument).takeRetainedValue()
        loop.run()
        return nil
      }, loop.toOpaque())
    guard status == 0 else {
      loop.release()
      return false
    }
    _ = pthread_detach(thread)
    return true
  }

  private func run() {
    var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
    while true {
      let (submitted, isStopped) = state.withLock { state in
        defer { state.submitted = [] }
        return (state.submitted, state.isStopped)
      }
      for (order, completion) in submitted {
        start(order, completion, among: &transfers)
      }
      var stillRunning: Int32 = 0
      _ = curl_multi_perform(multi, &stillRunning)
      finishCompleted(among: &transfers)
      for (easy, transfer) in transfers where isStopped || transfer.order.isCancelled {
        finish(easy, .failure(transfer.error(.cancelled)), among: &transfers)
      }
      if isStopped { return }
      // libcurl waits less if one of its own timers is due sooner.
      _ = curl_multi_poll(multi, nil, 0, 60_000, nil)
    }
  }

  private func start(
    _ order: TransferOrder, _ completion: @escaping Completion,
    among transfers: inout [UnsafeMutableRawPointer: Transfer]
  ) {
    do throws(HTTPClientError) {
      let transfer = try Transfer(order, completion: completion)
      guard curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else { throw transfer.error(.exhausted) }
      transfers[transfer.easy] = transfer
    } catch {
      completion(.failure(error))
    }
  }

  private func finishCompleted(among transfers: inout [UnsafeMutableRawPointer: Transfer]) {
    var remaining: Int32 = 0
    while let message = curl_multi_info_read(multi, &remaining) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
      let result = shim_message_result(message)
      guard let transfer = transfers[easy] else { continue }
      finish(easy, transfer.result(of: result), among: &transfers)
    }
  }

  private func finish(
    _ easy: UnsafeMutableRawPointer, _ result: Result<HTTPAnswer, HTTPClientError>,
    among transfers: inout [UnsafeMutableRawPointer: Transfer]
  ) {
    _ = curl_multi_remove_handle(multi, easy)
    transfers.removeValue(forKey: easy)?.completion(result)
  }
}
