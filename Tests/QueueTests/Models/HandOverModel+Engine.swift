@testable import Queue

extension HandOverModel {
  /// `Reading.request`: nothing is read when the lease cannot be trusted, or of a partition that is leaving.
  mutating func begin(_ runner: Int) {
    var engine = engines[runner]
    guard let epoch = engine.epoch else { return }
    var poll = Poll(runner: runner, epoch: epoch, ended: engine.ended)
    if engine.isTrusted, !engine.isLeaving { poll.cursor = engine.cursor }
    guard poll.cursor != nil || !poll.ended.isEmpty else { return }
    if !poll.ended.isEmpty || poll.cursor?.needsNumber == true {
      let own = database.assignNumber()
      poll.own = own
      database.readers.append(own)
    }
    (engine.poll, engine.ended) = (poll, IDSet())
    engines[runner] = engine
  }

  /// `QueueMachine.polled(in:)` and `take(_:now:)`: the answer has come.
  mutating func answer(_ runner: Int) {
    var engine = engines[runner]
    guard let poll = engine.poll else { return }
    engine.poll = nil
    defer { engines[runner] = engine }
    guard poll.stage == .committed else {
      (engine.ended, engine.mustHold) = (engine.ended.union(poll.ended), true)
      return
    }
    guard poll.cursor != nil, engine.isTrusted else { return }
    if engine.hasNewSession {
      // QueueMachine.startOver().
      engine.hasNewSession = false
      engine.waiting = IDSet()
      if engine.epoch != nil, !engine.isLeaving { engine.cursor = PartitionCursor() }
      return
    }
    guard poll.epoch == engine.epoch, !engine.isLeaving else { return }
    engine.cursor?.saw(
      poll.found.ids, left: [], readsHoles: true, PartitionCursor.Horizon(own: poll.own, xmin: poll.xmin))
    let arrived = poll.found.subtracting(engine.running).subtracting(scope.overlooksEnded ? IDSet() : engine.ended)
    if !arrived.intersection(engine.ended).isEmpty { fault = "\(arrived.ids) have ended and are started again." }
    if !arrived.intersection(engine.waiting).isEmpty { fault = "\(arrived.ids) are read twice." }
    if scope.startsAtOnce {
      engine.running = engine.running.union(arrived)
    } else {
      engine.waiting = engine.waiting.union(arrived)
    }
  }

  /// The session is lost, and whether the poll took effect is not known.
  mutating func loseSession(_ runner: Int) {
    scope.sessionLosses -= 1
    if let poll = engines[runner].poll {
      if poll.stage == .begun || poll.stage == .fenced { abandoned.append(poll) }
      engines[runner].ended = engines[runner].ended.union(poll.ended)
      engines[runner].poll = nil
    }
    engines[runner].hasNewSession = true
  }

  mutating func start(_ id: Int64, _ runner: Int) {
    engines[runner].waiting = engines[runner].waiting.subtracting(IDSet(id...id))
    if engines[runner].running.contains(id) { fault = "\(id) is started beside itself." }
    engines[runner].running.insert(id)
  }

  /// `QueueMachine.finish(_:_:_:)` for a run that was started under the present lease; any other has no effect.
  mutating func end(_ id: Int64, _ runner: Int) {
    engines[runner].running = engines[runner].running.subtracting(IDSet(id...id))
    engines[runner].ended.insert(id)
  }

  /// Partitions beyond the runner's share: it begins nothing more of them.
  mutating func leave(_ runner: Int) {
    scope.releases -= 1
    (engines[runner].isLeaving, engines[runner].waiting, engines[runner].cursor) = (true, IDSet(), nil)
  }
}
