@testable import Queue

extension HandOverModel {
  /// `EventEngine.nextOrder()`: nothing is read when the lease cannot be trusted, or of a lane that is leaving.
  mutating func begin(_ runner: Int) {
    var engine = engines[runner]
    guard let epoch = engine.epoch else { return }
    var turn = Turn(runner: runner, epoch: epoch, ended: engine.ended)
    if engine.isTrusted, !engine.isLeaving { turn.cursor = engine.cursor }
    guard turn.cursor != nil || !turn.ended.isEmpty else { return }
    if !turn.ended.isEmpty || turn.cursor?.needsNumber == true {
      let own = database.assignNumber()
      turn.own = own
      database.readers.append(own)
    }
    (engine.turn, engine.ended) = (turn, IDSet())
    engines[runner] = engine
  }

  /// `EventEngine.turn()` and `take(_:_:isMoved:)`: the answer has come.
  mutating func answer(_ runner: Int) {
    var engine = engines[runner]
    guard let turn = engine.turn else { return }
    engine.turn = nil
    defer { engines[runner] = engine }
    guard turn.stage == .committed else {
      (engine.ended, engine.mustHold) = (engine.ended.union(turn.ended), true)
      return
    }
    guard turn.cursor != nil, engine.isTrusted else { return }
    if engine.hasNewSession {
      // EventEngine.beginAnew().
      engine.hasNewSession = false
      engine.waiting = IDSet()
      if engine.epoch != nil, !engine.isLeaving { engine.cursor = LaneCursor() }
      return
    }
    guard turn.epoch == engine.epoch, !engine.isLeaving else { return }
    engine.cursor?.saw(
      turn.found.ids, left: [], readsHoles: true, LaneCursor.Horizon(own: turn.own, xmin: turn.xmin))
    let arrived = turn.found.subtracting(engine.running).subtracting(scope.overlooksEnded ? IDSet() : engine.ended)
    if !arrived.intersection(engine.ended).isEmpty { fault = "\(arrived.ids) have ended and are started again." }
    if !arrived.intersection(engine.waiting).isEmpty { fault = "\(arrived.ids) are read twice." }
    if scope.startsAtOnce {
      engine.running = engine.running.union(arrived)
    } else {
      engine.waiting = engine.waiting.union(arrived)
    }
  }

  /// The session is lost, and whether the turn took effect is not known.
  mutating func loseSession(_ runner: Int) {
    scope.sessionLosses -= 1
    if let turn = engines[runner].turn {
      if turn.stage == .begun || turn.stage == .fenced { abandoned.append(turn) }
      engines[runner].ended = engines[runner].ended.union(turn.ended)
      engines[runner].turn = nil
    }
    engines[runner].hasNewSession = true
  }

  mutating func start(_ id: Int64, _ runner: Int) {
    engines[runner].waiting = engines[runner].waiting.subtracting(IDSet(id...id))
    if engines[runner].running.contains(id) { fault = "\(id) is started beside itself." }
    engines[runner].running.insert(id)
  }

  /// `EventEngine.finish(_:_:epoch:)` for a run that was started under the present lease; any other has no effect.
  mutating func end(_ id: Int64, _ runner: Int) {
    engines[runner].running = engines[runner].running.subtracting(IDSet(id...id))
    engines[runner].ended.insert(id)
  }

  /// Lanes beyond the runner's share: it begins nothing more of them.
  mutating func leave(_ runner: Int) {
    scope.releases -= 1
    (engines[runner].isLeaving, engines[runner].waiting, engines[runner].cursor) = (true, IDSet(), nil)
  }
}
