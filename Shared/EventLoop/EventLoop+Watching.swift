/// Descriptors and timers. All of these are called on the loop only; elsewhere they trap.
extension EventLoop {
  /// Calls `body` on every turn in which the descriptor is ready (level-triggered).
  ///
  /// The loop does not own the descriptor: `unwatch` it before closing it. Inside a handler any descriptor may be
  /// unwatched; one that was ready in the same turn is then not called any more. With an empty interest nothing is
  /// reported, not even a failure. Traps for a regular file (epoll cannot watch one) or a descriptor watched already.
  public func watch(_ fd: Int32, for interest: Interest, _ body: @escaping (Interest) -> Void) {
    preconditionOnLoop()
    turn.poller.watch(fd, for: interest, body)
  }

  /// Changes what a watched descriptor is watched for; free when it is the same.
  public func update(_ fd: Int32, to interest: Interest) {
    preconditionOnLoop()
    turn.poller.update(fd, to: interest)
  }

  /// Ends the watch: its handler is not called again.
  ///
  /// A descriptor that is not watched is left alone.
  public func unwatch(_ fd: Int32) {
    preconditionOnLoop()
    turn.poller.unwatch(fd)
  }

  /// Calls `body` once, not before that time has passed (`CLOCK_MONOTONIC`; usually within a millisecond after it).
  @discardableResult
  public func schedule(after delay: Duration, _ body: @escaping () -> Void) -> TimerID {
    preconditionOnLoop()
    let (seconds, attoseconds) = delay.components
    let nanoseconds = seconds.clampedNanoseconds(adding: attoseconds / 1_000_000_000)
    return turn.timers.add(deadline: MonotonicClock.nanoseconds + nanoseconds, body)
  }

  /// Forgets a timer; one that has fired or was cancelled before is left alone.
  public func cancel(_ timer: TimerID) {
    preconditionOnLoop()
    turn.timers.cancel(timer)
  }

  /// Calls `body` once, after this turn's descriptors, timers and jobs: the place to write what they have gathered.
  public func atEndOfTurn(_ body: @escaping () -> Void) {
    preconditionOnLoop()
    turn.endings.append(body)
  }
}

extension Int64 {
  /// Seconds as nanoseconds, at least 0 and at most some 146 years, so that a deadline never overflows.
  fileprivate func clampedNanoseconds(adding rest: Int64) -> UInt64 {
    let limit: Int64 = Int64.max / 2_000_000_000
    guard self < limit else { return UInt64(limit) * 1_000_000_000 }
    return UInt64(Swift.max(0, self * 1_000_000_000 + rest))
  }
}
