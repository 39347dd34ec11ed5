import Postgres

extension QueueMachine {
  /// Why a step failed.
  enum Failure: Equatable {
    /// The session of the database was lost; nothing was sent.
    case otherSession
    /// A partition has gone to another runner.
    case fenced
    /// A runner of another group has one of the functions.
    case conflict(String)
    case database(String, isOfNetwork: Bool)
  }

  /// What is to be done next.
  mutating func next(now: Instant) -> Step {
    while true {
      switch stage {
      case .hold:
        if isStopping, running == 0, ended.isEmpty, asked == nil { return .end(leaves: true) }
        stage = .release
        if due.contains(.hold) || now >= lease.nextLook {
          due.remove(.hold)
          return .hold(functions.keys.sorted(), asksOthers: !lease.isShort)
        }
      case .release:
        stage = .blockers
        if let partitions = releasable() { return .release(partitions) }
      case .blockers:
        stage = .audit
        if let request = blockerRequest() { return .readBlockers(request) }
      case .audit:
        stage = .poll
        if let request = auditRequest(now) { return .audit(request) }
      case .poll:
        stage = .rest(isBusy: false)
        if asked != nil { return .takePollAhead }
        if let request = poll(now) { return .poll(request) }
      case .rest(let isBusy):
        stage = .hold
        (trouble, answeredAt) = (0, now)
        if let pause = pause(isBusy, now) { return .wait(upTo: pause, hearsWakeUps: true) }
      case .recover:
        stage = .hold
        if isStopping, trouble > 3 { return .end(leaves: false) }
        return .wait(upTo: .milliseconds(min(2_000, 50 << min(trouble, 6))), hearsWakeUps: false)
      }
    }
  }

  /// A step could not be done.
  mutating func failed(_ step: Step, _ failure: Failure, now: Instant) {
    stage = .recover
    switch step {
    case .hold: due.insert(.hold)
    case .readBlockers: due.insert(.blockers)
    case .audit:
      audit.failed(now: now)
      if failure == .otherSession { return stage = .poll }
    case .poll, .takePollAhead:
      takeBack(now)
      if failure == .otherSession {
        session = nil
        startOver(now)
        return stage = .rest(isBusy: true)
      }
    case .release, .wait, .end: break
    }
    recover(failure, now)
  }

  private mutating func takeBack(_ now: Instant) {
    if let taking {
      // The answer cannot be read.
      self.taking = nil
      if taking.isMoved { startOver(now) }
    } else if let asked {
      // Whether it was committed or not: settling again what is gone does nothing.
      let ours = asked.request.ended.filter {
        lease.holds($0.place.partition, since: asked.request.lease[$0.place.partition])
      }
      (self.asked, ended) = (nil, ours + ended)
    }
  }

  private mutating func recover(_ failure: Failure, _ now: Instant) {
    gate.failed(now: now)
    trouble += 1
    switch failure {
    case .fenced: due.insert(.hold)
    case .conflict(let cause):
      if trouble == 1 { effects.append(.say(.conflict(cause))) }
    case .database(let cause, let isOfNetwork):
      if isOfNetwork { lost = now }
      answeredAt = nil
      if trouble == 1 { effects.append(.say(.databaseAway(cause))) }
    case .otherSession: answeredAt = nil
    }
  }

  /// How long it waits for something to do, or for what ends and comes together with what there is already.
  private func pause(_ isBusy: Bool, _ now: Instant) -> Duration? {
    guard isBusy else { return nextLook(now) }
    guard asked == nil, ended.count < Self.settledAtOnce else { return nil }
    if gate.isAwake, !hasMore { return batchingDelay }
    guard running > 0 else { return nil }
    if gate.isAwake { return NotifyGate.awakePoll }
    // Writers notify, and what ends wakes it up: until then a poll would only take the processors from what runs.
    return gate.poll == nil && ended.isEmpty && !hasMore ? nextLook(now) : settlingPause
  }

  /// How long events wait for others under load: the more of them come, the longer.
  private var batchingDelay: Duration {
    min(Self.mostBatchingDelay, .milliseconds(5) + .microseconds(100) * lastCount)
  }

  /// How long ended events wait for more: while other events wait in memory, they hold nobody up.
  var settlingPause: Duration {
    queues.values.contains { $0.count > $0.running } ? Self.mostBatchingDelay : .milliseconds(3)
  }

  private func nextLook(_ now: Instant) -> Duration {
    let isPolled = !cursors.isEmpty || !ended.isEmpty || running > 0
    var next = isPolled ? gate.poll ?? Self.interval : Self.interval
    if !ended.isEmpty, !gate.isAwake { next = min(next, settlingPause) }
    if hasHoles { next = min(next, max(due.contains(.poll) ? .zero : holePause, nextHoleLook - now)) }
    if let nextRetry { next = min(next, .seconds(max(0.002, nextRetry))) }
    if due.contains(.hold) { next = .milliseconds(1) }
    return max(.milliseconds(1), min(next, lease.nextLook - now, audit.nextLook - now))
  }
}
