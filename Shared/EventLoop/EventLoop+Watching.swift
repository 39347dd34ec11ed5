/// Descriptors and timers. Call these on the loop only: elsewhere they trap.
extension EventLoop {
  /// Calls `body` on every turn in which the descriptor is ready (level-triggered).
  ///
  /// The loop does not own the descriptor: `unwatch` it before you close it. A handler may unwatch any descriptor; its
  /// handler is then not called, even if it was ready in the same turn. With an empty interest nothing is reported, not
  /// even a failure. Traps for a regular file, which epoll cannot watch, and for a descriptor that is watched already.
  package func watch(_ fd: Int32, for interest: Interest, _ body: @escaping (Interest) -> Void) {
    preconditionOnLoop()
    turn.poller.watch(fd, for: interest, body)
  }

  /// Changes what a watched descriptor is watched for; costs nothing when that is the same.
  package func update(_ fd: Int32, to interest: Interest) {
    preconditionOnLoop()
    turn.poller.update(fd, to: interest)
  }

  /// Ends the watch: its handler is not called again.
  ///
  /// Does nothing for a descriptor that is not watched.
  package func unwatch(_ fd: Int32) {
    preconditionOnLoop()
    turn.poller.unwatch(fd)
  }

  /// Calls `body` once when that time has passed (`CLOCK_MONOTONIC`), usually within a millisecond.
  @discardableResult
  package func schedule(after delay: Duration, _ body: @escaping () -> Void) -> TimerID {
    preconditionOnLoop()
    let (seconds, attoseconds) = delay.components
    let nanoseconds = seconds.clampedNanoseconds(adding: attoseconds / 1_000_000_000)
    return turn.timers.add(deadline: MonotonicClock.nanoseconds + nanoseconds, body)
  }

  /// Forgets a timer.
  ///
  /// Does nothing for one that has fired or was cancelled before.
  package func cancel(_ timer: TimerID) {
    preconditionOnLoop()
    turn.timers.cancel(timer)
  }

  /// Calls `body` once, after this turn's descriptors, timers and jobs.
  ///
  /// Write there what they have gathered.
  package func atEndOfTurn(_ body: @escaping () -> Void) {
    preconditionOnLoop()
    turn.endings.append(body)
  }

  /// A process has work and may answer soon, so the thread stays awake; call ``endExpecting()`` when it has none left.
  package func beginExpecting() {
    preconditionOnLoop()
    turn.expected += 1
  }

  /// A process has answered all of its work, or has ended.
  package func endExpecting() {
    preconditionOnLoop()
    turn.expected -= 1
  }
}

extension Int64 {
  /// Seconds as nanoseconds: at least 0, and at most about 146 years, so that a deadline never overflows.
  fileprivate func clampedNanoseconds(adding rest: Int64) -> UInt64 {
    let limit: Int64 = Int64.max / 2_000_000_000
    guard self < limit else { return UInt64(limit) * 1_000_000_000 }
    return UInt64(Swift.max(0, self * 1_000_000_000 + rest))
  }
}
