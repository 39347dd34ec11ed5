import EventLoop

extension ClientConnection {
  // The clock goes on while the process or the machine stands still: after that, everything was long ago.
  private var silence: Duration { link.lastReceived.duration(to: .now) }

  /// Tells whether the peer is there: assumed unless it was silent for too long, else found out by a PING.
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

  /// Asks an idle peer from time to time whether it is there; this also keeps routers from forgetting the connection.
  ///
  /// - Parameter limit: how long its answer is waited for.
  func startKeepAlive(within limit: Duration) {
    guard let keepAlive, !isClosed else { return }
    keepAliveTimer = loop.schedule(after: max(keepAlive - silence, .milliseconds(1))) { [weak self] in
      guard let self else { return }
      check(within: limit, afterSilence: keepAlive) { [weak self] _ in self?.startKeepAlive(within: limit) }
    }
  }
}
