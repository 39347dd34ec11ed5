import EventLoop

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
}
