import EventLoop

extension ClientConnection {
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
