@testable import Queue

extension HandOverModel {
  private var polls: [Poll] { engines.compactMap(\.poll) + abandoned }

  /// Whether a transaction holds the lease's row `FOR SHARE`.
  var isLeaseLocked: Bool { !scope.fencesWeakly && polls.contains(where: \.locksLease) }

  /// Whether a poll has to wait for a row that another transaction has deleted and not committed.
  func mustWait(_ poll: Poll) -> Bool {
    poll.stage == .begun
      && polls.contains { $0.stage == .fenced && $0 != poll && !$0.deleted.intersection(poll.ended).isEmpty }
  }

  /// The next statement of a poll's transaction, as the server carries it out.
  ///
  /// The reading and the commit are one step: nobody can tell them apart.
  mutating func served(_ poll: Poll) -> Poll {
    var poll = poll
    let isOwner = lease.owner == poll.runner
    if poll.stage == .begun, !poll.ended.isEmpty {
      // runner.fence(), and the settlements.
      (poll.stage, poll.deleted) = (.fenced, rows.intersection(poll.ended))
      if !isOwner || lease.epoch != poll.epoch {
        poll.stage = .refused
        complete(poll)
      }
      return poll
    }
    if let cursor = poll.cursor {
      // It is joined with the leases by the owner alone.
      let snapshot = database.snapshot
      let left = isOwner ? snapshot.rows.subtracting(settled).subtracting(poll.deleted) : IDSet()
      for id in left.ids where id > cursor.last || cursor.holes.contains(where: { $0.ids.contains(id) }) {
        poll.found.insert(id)
      }
      poll.xmin = snapshot.xmin
    }
    if !poll.deleted.isEmpty, !isOwner || lease.epoch != poll.epoch {
      fault = "Runner \(poll.runner) settles \(poll.deleted.ids), and the partition is not its own."
    }
    if !poll.deleted.intersection(settled).isEmpty { fault = "\(poll.deleted.ids) are settled twice." }
    settled = settled.union(poll.deleted)
    poll.stage = .committed
    complete(poll)
    return poll
  }

  /// The end of the poll's own transaction.
  mutating func complete(_ poll: Poll) {
    guard let own = poll.own else { return }
    database.complete(own)
    database.readers.removeAll { $0 == own }
  }

  /// `runner.hold()`, and what `QueueMachine` makes of its answer.
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
      // QueueMachine.lose().
      (engine.waiting, engine.running, engine.ended, engine.cursor) = (IDSet(), IDSet(), IDSet(), nil)
    }
    if isNew { engine.cursor = PartitionCursor() }
    engine.isLeaving = engine.isLeaving && held != nil && !isNew
    (engine.epoch, engine.isTrusted, engine.mustHold) = (held, true, false)
    engines[runner] = engine
  }

  func mayRelease(_ runner: Int) -> Bool {
    let engine = engines[runner]
    return engine.isLeaving && engine.running.isEmpty && engine.ended.isEmpty && engine.poll == nil && !isLeaseLocked
  }

  mutating func release(_ runner: Int) {
    if lease.owner == runner { (lease.owner, lease.isExpired) = (nil, true) }
    (engines[runner].epoch, engines[runner].isLeaving) = (nil, false)
  }
}
