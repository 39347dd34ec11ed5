import EventLoop
package import System

/// Places for processes of all functions together, handed out so that no function keeps another from running.
///
/// A pool takes a slot before it starts a process and gives it back when the process has ended. While none is free,
/// pools wait in a queue, those without any process before the others. For them, idle warm processes leave at once; when
/// there are none, the pool with the most processes gives one up after each interval, as soon as that has finished its
/// queue.
@RunnerLoop
package final class WorkerSlots {
  /// How long a pool may keep others from running at all.
  package static let interval = Duration.milliseconds(500)

  /// How many processes there may be.
  package var limit: Int {
    didSet { offer() }
  }

  package private(set) var taken = 0
  private var pools: [FunctionPool] = []
  private var waiting: [FunctionPool] = []
  private var offered: FunctionPool?
  private var timer: TimerID?

  package init(limit: Int) {
    self.limit = limit
  }

  /// A pool that may ask for slots from now on.
  package func join(_ pool: FunctionPool) { pools.append(pool) }

  /// A pool that has no process and asks for none any more.
  package func part(_ pool: FunctionPool) {
    pools.removeAll { $0 === pool }
    waiting.removeAll { $0 === pool }
  }

  /// Takes a slot; `false` when there is none, and the pool is called when there is.
  package func take(for pool: FunctionPool) -> Bool {
    guard taken < limit, waiting.isEmpty || offered === pool else {
      if !waiting.contains(where: { $0 === pool }) {
        waiting.append(pool)
        makeRoom()
      }
      return false
    }
    offered = nil
    taken += 1
    return true
  }

  /// The process for which a slot was taken has ended, or was not started after all.
  func giveBack() {
    taken -= 1
    offer()
  }

  /// A process has become idle: somebody else may need its slot.
  func makeRoomIfWanted() {
    if !waiting.isEmpty { makeRoom() }
  }

  private func offer() {
    while taken < limit, let pool = nextInLine() {
      offered = pool
      pool.pump()
      offered = nil
    }
  }

  private func nextInLine() -> FunctionPool? {
    forgetContent()
    guard let index = waiting.firstIndex(where: { $0.processes == 0 }) ?? waiting.indices.first else { return nil }
    return waiting.remove(at: index)
  }

  /// Functions whose events have found a process meanwhile leave the queue.
  private func forgetContent() {
    waiting.removeAll { !$0.wantsProcess }
  }

  /// Has as many idle processes leave as pools wait, those that have been idle longest first.
  private func makeRoom() {
    forgetContent()
    var leaving = leaving
    while leaving < waiting.count, let worker = pools.compactMap(\.longestIdle).min(by: { $0.idleSince < $1.idleSince })
    {
      worker.leave()
      leaving += 1
    }
    endTurnLater()
  }

  private func endTurnLater() {
    guard timer == nil, !waiting.isEmpty else { return }
    timer = RunnerLoop.loop.schedule(after: Self.interval) { [self] in
      timer = nil
      endTurn()
      makeRoom()
    }
  }

  /// For each pool that cannot run at all, the pool with the most processes gives one up.
  private func endTurn() {
    var leaving = leaving
    while leaving < waiting.count(where: { $0.processes == 0 && $0.wantsProcess }),
      let worker = pools.max(by: { $0.staying < $1.staying })?.leastBusy
    {
      worker.leave()
      leaving += 1
    }
  }

  /// How many processes will give their slots back soon.
  private var leaving: Int { pools.reduce(0) { $0 + $1.leaving } }
}
