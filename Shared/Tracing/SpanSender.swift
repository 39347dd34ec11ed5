import Glibc
import HTTP1
import Synchronization

/// Sends the spans of a program that runs by itself to a collector, on a thread of its own.
///
/// It speaks HTTP without TLS, as collectors beside a program do.
final class SpanSender: Sendable {
  private struct State {
    var queue = SpanQueue()
    var isFlushed = false
    /// Whether the collector is given time, however much waits.
    var isPausing = false
  }

  private let settings: TraceSettings
  private let place: CollectorPlace
  private let name: String
  private let state: Mutex<State>
  private let report: @Sendable (String) -> Void
  // Several threads may use a semaphore at once. These are never freed, because the process ends with them.
  private nonisolated(unsafe) let wanted = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
  private nonisolated(unsafe) let flushed = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  /// - Parameters:
  ///   - name: the program.
  ///   - report: told what is wrong, once.
  init(
    _ settings: TraceSettings, to place: CollectorPlace, of name: String, report: @escaping @Sendable (String) -> Void
  ) {
    (self.settings, self.place, self.name, self.report) = (settings, place, name, report)
    state = Mutex(State())
    sem_init(wanted, 0, 0)
    sem_init(flushed, 0, 0)
    BackgroundThread.start { [self] in work() }
  }

  func take(_ spans: [Span]) {
    let isFull = state.withLock { state in
      for span in spans { state.queue.add(span.json, of: name, isFunction: true) }
      return state.queue.isFull && !state.isPausing
    }
    if isFull { sem_post(wanted) }
  }

  /// Sends what waits, before the process ends; gives up after the limit.
  func flush(within limit: Duration) {
    guard
      state.withLock({ state in
        state.isFlushed = true
        return state.queue.holdsSpans
      })
    else { return }
    sem_post(wanted)
    var end = Self.time(after: limit)
    while sem_timedwait(flushed, &end) != 0, errno == EINTR {}
  }

  private func work() -> Never {
    var pause = settings.delay
    while true {
      var end = Self.time(after: pause)
      while sem_timedwait(wanted, &end) != 0, errno == EINTR {}
      // More calls for the same spans.
      while sem_trywait(wanted) == 0 {}
      state.withLock { $0.isPausing = false }
      pause = send()
      if state.withLock({ $0.isFlushed }) { sem_post(flushed) }
    }
  }

  /// Sends what waits.
  ///
  /// - Returns: the pause until there is to be more.
  private func send() -> Duration {
    while let batch = state.withLock({ $0.queue.next() }) {
      let answer = post(SpanQueue.body(of: batch, settings))
      let (sequel, lost) = state.withLock { state in
        let sequel = state.queue.ended(
          batch, status: answer?.status, retryAfter: answer?["retry-after"].flatMap { Int($0) },
          rejected: answer.map { PartialSuccess.rejected($0.body) } ?? 0)
        if case .send(let pause) = sequel { state.isPausing = pause > .zero }
        return (sequel, state.queue.loss())
      }
      if lost != nil { report("Spans were lost: the collector answers \(answer.map { "\($0.status)" } ?? "nothing").") }
      if case .send(let pause) = sequel, pause > .zero { return pause }
    }
    return settings.delay
  }

  private func post(_ body: [UInt8]) -> HTTP1Answer? {
    var headers = settings.headers.map { ($0.name, $0.value) }
    headers.append(("Content-Type", "application/json"))
    let call = HTTP1Call("POST", place.path, headers: headers, body: body)
    for address in place.addresses() {
      if let answer = try? call.send(to: address, host: place.authority, most: 65_536, limit: settings.timeout) {
        return answer
      }
    }
    return nil
  }

  private static func time(after pause: Duration) -> timespec {
    let end = Span.now() + UInt64(pause / .nanoseconds(1))
    return timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
  }
}
