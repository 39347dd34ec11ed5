@testable import Queue

extension HandOverModel {
  private var turns: [Turn] { engines.compactMap(\.turn) + abandoned }

  /// Whether a transaction holds the lease's row `FOR SHARE`.
  var isLeaseLocked: Bool { !scope.fencesWeakly && turns.contains(where: \.locksLease) }

  /// Whether a turn has to wait for a row that another transaction has deleted and not committed.
  func mustWait(_ turn: Turn) -> Bool {
    turn.stage == .begun
      && turns.contains { $0.stage == .fenced && $0 != turn && !$0.deleted.intersection(turn.ended).isEmpty }
  }

  /// The next statement of a turn's transaction, as the server carries it out.
  ///
  /// The reading and the commit are one step: nobody can tell them apart.
  mutating func served(_ turn: Turn) -> Turn {
    var turn = turn
    let isOwner = lease.owner == turn.runner
    if turn.stage == .begun, !turn.ended.isEmpty {
      // runner.fence(), and the settlements.
      (turn.stage, turn.deleted) = (.fenced, rows.intersection(turn.ended))
      if !isOwner || lease.epoch != turn.epoch {
        turn.stage = .refused
        complete(turn)
      }
      return turn
    }
    if let cursor = turn.cursor {
      // It is joined with the leases by the owner alone.
      let snapshot = database.snapshot
      let left = isOwner ? snapshot.rows.subtracting(settled).subtracting(turn.deleted) : IDSet()
      for id in left.ids where id > cursor.last || cursor.holes.contains(where: { $0.ids.contains(id) }) {
        turn.found.insert(id)
      }
      turn.xmin = snapshot.xmin
    }
    if !turn.deleted.isEmpty, !isOwner || lease.epoch != turn.epoch {
      fault = "Runner \(turn.runner) settles \(turn.deleted.ids), and the lane is not its own."
    }
    if !turn.deleted.intersection(settled).isEmpty { fault = "\(turn.deleted.ids) are settled twice." }
    settled = settled.union(turn.deleted)
    turn.stage = .committed
    complete(turn)
    return turn
  }

  /// The end of the turn's own transaction.
  mutating func complete(_ turn: Turn) {
    guard let own = turn.own else { return }
    database.complete(own)
    database.readers.removeAll { $0 == own }
  }

  /// `runner.hold()`, and what `LaneKeeper.keep()` and `EventEngine.keepLanes()` make of its answer.
  mutating func hold(_ runner: Int, isAnswered: Bool) {
    let isFree =
      lease.owner == nil || lease.isExpired
      || lease.owner.map { $0 != runner && !engines[$0].isListening } ?? false
    if lease.owner == runner { lease.isExpired = false }
    if isFree, lease.owner != runner, !isLeaseLocked {
      lease = Lease(owner: runner, epoch: lease.epoch + 1)
    }
    guard isAnswered else { return engines[runner].hasNewSession = true }
    let held = lease.owner == runner ? lease.epoch : nil
    var engine = engines[runner]
    let isNew = held != nil && held != engine.epoch
    if engine.epoch != nil, held != engine.epoch {
      // EventEngine.lose().
      (engine.waiting, engine.running, engine.ended, engine.cursor) = (IDSet(), IDSet(), IDSet(), nil)
    }
    if isNew { engine.cursor = LaneCursor() }
    engine.isLeaving = engine.isLeaving && held != nil && !isNew
    (engine.epoch, engine.isTrusted, engine.mustHold) = (held, true, false)
    engines[runner] = engine
  }

  func mayRelease(_ runner: Int) -> Bool {
    let engine = engines[runner]
    return engine.isLeaving && engine.running.isEmpty && engine.ended.isEmpty && engine.turn == nil && !isLeaseLocked
  }

  mutating func release(_ runner: Int) {
    if lease.owner == runner { (lease.owner, lease.isExpired) = (nil, true) }
    (engines[runner].epoch, engines[runner].isLeaving) = (nil, false)
  }
}
