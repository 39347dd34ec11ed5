@testable import Queue

/// Writers that notify or do not, and a runner that goes to sleep and is woken.
///
/// Time passes only where a step says so, and never so much that a limit of time ends the runner's looking.
struct NotifyGateModel: SmallModel, Hashable {
  struct Scope: Hashable {
    /// The partition of each writer; the runner has partition 0, and now and then partition 1.
    var writers: [Int]
    /// How many polls may fail.
    var failures = 0
    /// How often partition 1 may come or go.
    var partitionChanges = 0
    /// How often ``NotifyGate/window`` passes; each event counts as a whole load.
    var windows = 0
    /// How many polls have a number without need, because they settle.
    var settlings = 0
    /// Whether the runner takes a snapshot's xmax for one past the highest transaction begun: wrong.
    var trustsSnapshots = false
  }

  /// A transaction that notifies for one event as `runner.draw()` does, which has its number before.
  struct Writer: Hashable {
    enum Phase: Int { case idle, running, trying, sure, committed, ended }

    var partition: Int
    var phase = Phase.idle
    var number: Int64 = 0
    var notifies = false

    var isRunning: Bool { phase != .idle && !isVisible }
    var isVisible: Bool { phase == .committed || phase == .ended }
  }

  struct Poll: Hashable {
    var own: Int64?
    var releases: Bool
    var takes: [Int]
    var taken: Set<Int> = []
  }

  static let start = ContinuousClock.now

  var scope: Scope
  var writers: [Writer]
  var latestCompleted: Int64 = 0
  var nextNumber: Int64 = 1
  var gate = NotifyGate(now: start)
  var partitions = [0]
  /// The locks that the runner's session holds, and the locks of a session that it has lost and the server has not.
  var locks: Set<Int> = []
  var lostLocks: Set<Int> = []
  var isNewSession = false
  /// The memory of `EventEngine.wakeUp`.
  var isNotified = false
  var read: Set<Int> = []
  var poll: Poll?
  var now = start

  init(_ scope: Scope) {
    self.scope = scope
    writers = scope.writers.map { Writer(partition: $0) }
  }

  var key: Self { self }

  var isOver: Bool { writers.allSatisfy { $0.phase == .ended } }

  var violation: String? {
    guard poll == nil, gate.poll == nil, !isNotified else { return isOver && poll == nil ? sleepless : nil }
    let unheard = writers.indices.filter { index in
      let writer = writers[index]
      return writer.isVisible && !read.contains(index) && partitions.contains(writer.partition)
        && !(writer.notifies && writer.phase == .committed)
    }
    return unheard.isEmpty ? nil : "The runner sleeps, and nobody tells it of the events of writers \(unheard)."
  }

  /// When nobody writes, the runner falls asleep with all its locks.
  private var sleepless: String? {
    guard lostLocks.isEmpty else { return nil }
    var model = self
    for _ in 0..<8 {
      model.now += NotifyGate.window
      model.begin(settles: false)
      while let poll = model.poll {
        if poll.releases { model.release() } else if !poll.takes.isEmpty { model.take() } else { model.read(as: poll) }
      }
      if model.gate.poll == nil, !model.isNotified {
        return model.locks.isSuperset(of: partitions) ? nil : "It sleeps unlocked."
      }
    }
    return "The runner never sleeps."
  }

  // MARK: - The runner's steps

  /// `Reading.request` and the statements that come first.
  mutating func begin(settles: Bool) {
    isNotified = false
    let request = gate.request(partitions: partitions, now: now)
    let hasNumber = request.needsNumber || settles
    poll = Poll(own: hasNumber ? nextNumber : nil, releases: request.releases, takes: request.takes)
    if hasNumber { nextNumber += 1 }
  }

  mutating func release() {
    locks = []
    poll?.releases = false
  }

  mutating func take() {
    let others = lostLocks.union(writers.filter { $0.phase == .trying }.map(\.partition))
    let taken = Set(poll?.takes ?? []).subtracting(others)
    poll?.taken = taken
    poll?.takes = []
    locks.formUnion(taken)
  }

  mutating func read(as poll: Poll) {
    let xmax = latestCompleted + 1
    let running = writers.filter(\.isRunning).map(\.number) + [poll.own].compactMap(\.self)
    let xmin = min(xmax, running.min() ?? xmax)
    let new = writers.indices.filter {
      writers[$0].isVisible && partitions.contains(writers[$0].partition) && !read.contains($0)
    }
    read.formUnion(new)
    gate.saw(
      events: new.count * NotifyGate.load, taken: poll.taken, own: scope.trustsSnapshots ? xmax : poll.own, xmin: xmin,
      now: now)
    latestCompleted = max(latestCompleted, poll.own ?? 0)
    self.poll = nil
    guard isNewSession else { return }
    // `QueueMachine.startOver()`.
    (isNewSession, isNotified) = (false, true)
    gate.failed(now: now)
  }

  /// The poll's changes to locks stay.
  mutating func fail() {
    scope.failures -= 1
    latestCompleted = max(latestCompleted, poll?.own ?? 0)
    poll = nil
    gate.failed(now: now)
  }
}
