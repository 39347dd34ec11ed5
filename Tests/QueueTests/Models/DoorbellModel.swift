@testable import Queue

/// Writers that ring or do not, and a runner that goes to sleep and is woken.
///
/// Time passes only where a step says so, and never so much that a limit of time ends the runner's looking.
struct DoorbellModel: SmallModel, Hashable {
  struct Scope: Hashable {
    /// The lane of each writer; the runner has lane 0, and now and then lane 1.
    var writers: [Int]
    /// How many turns may fail.
    var failures = 0
    /// How often lane 1 may come or go.
    var laneChanges = 0
    /// How often ``Doorbell/window`` passes; each event counts as a whole load.
    var windows = 0
    /// How many turns have a number without need, because they settle.
    var settlings = 0
    /// Whether the runner takes a snapshot's xmax for one past the highest transaction begun: wrong.
    var trustsSnapshots = false
  }

  /// A transaction that rings for one event as `runner.draw()` does, which has its number before.
  struct Writer: Hashable {
    enum Phase: Int { case idle, running, trying, sure, committed, ended }

    var lane: Int
    var phase = Phase.idle
    var number: Int64 = 0
    var rings = false

    var isRunning: Bool { phase != .idle && !isVisible }
    var isVisible: Bool { phase == .committed || phase == .ended }
  }

  struct Turn: Hashable {
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
  var bell = Doorbell(now: start)
  var lanes = [0]
  /// The locks that the runner's session holds, and the locks of a session that it has lost and the server has not.
  var locks: Set<Int> = []
  var lostLocks: Set<Int> = []
  var isNewSession = false
  /// The memory of `EventEngine.bell`.
  var isRung = false
  var read: Set<Int> = []
  var turn: Turn?
  var now = start

  init(_ scope: Scope) {
    self.scope = scope
    writers = scope.writers.map { Writer(lane: $0) }
  }

  var key: Self { self }

  var isOver: Bool { writers.allSatisfy { $0.phase == .ended } }

  var violation: String? {
    guard turn == nil, bell.poll == nil, !isRung else { return isOver && turn == nil ? sleepless : nil }
    let unheard = writers.indices.filter { index in
      let writer = writers[index]
      return writer.isVisible && !read.contains(index) && lanes.contains(writer.lane)
        && !(writer.rings && writer.phase == .committed)
    }
    return unheard.isEmpty ? nil : "The runner sleeps, and nobody tells it of the events of writers \(unheard)."
  }

  /// When nobody writes, the runner falls asleep with all its locks.
  private var sleepless: String? {
    guard lostLocks.isEmpty else { return nil }
    var model = self
    for _ in 0..<8 {
      model.now += Doorbell.window
      model.begin(settles: false)
      while let turn = model.turn {
        if turn.releases { model.release() } else if !turn.takes.isEmpty { model.take() } else { model.read(as: turn) }
      }
      if model.bell.poll == nil, !model.isRung {
        return model.locks.isSuperset(of: lanes) ? nil : "It sleeps unlocked."
      }
    }
    return "The runner never sleeps."
  }

  // MARK: - The runner's steps

  /// `EventEngine.nextOrder()` and the statements that come first.
  mutating func begin(settles: Bool) {
    isRung = false
    let order = bell.order(lanes: lanes, now: now)
    let hasNumber = order.needsNumber || settles
    turn = Turn(own: hasNumber ? nextNumber : nil, releases: order.releases, takes: order.takes)
    if hasNumber { nextNumber += 1 }
  }

  mutating func release() {
    locks = []
    turn?.releases = false
  }

  mutating func take() {
    let others = lostLocks.union(writers.filter { $0.phase == .trying }.map(\.lane))
    let taken = Set(turn?.takes ?? []).subtracting(others)
    turn?.taken = taken
    turn?.takes = []
    locks.formUnion(taken)
  }

  mutating func read(as turn: Turn) {
    let xmax = latestCompleted + 1
    let running = writers.filter(\.isRunning).map(\.number) + [turn.own].compactMap(\.self)
    let xmin = min(xmax, running.min() ?? xmax)
    let new = writers.indices.filter {
      writers[$0].isVisible && lanes.contains(writers[$0].lane) && !read.contains($0)
    }
    read.formUnion(new)
    bell.saw(
      events: new.count * Doorbell.load, taken: turn.taken, own: scope.trustsSnapshots ? xmax : turn.own, xmin: xmin,
      now: now)
    latestCompleted = max(latestCompleted, turn.own ?? 0)
    self.turn = nil
    guard isNewSession else { return }
    // `EventEngine.beginAnew()`.
    (isNewSession, isRung) = (false, true)
    bell.failed(now: now)
  }

  /// The turn's changes to locks stay.
  mutating func fail() {
    scope.failures -= 1
    latestCompleted = max(latestCompleted, turn?.own ?? 0)
    turn = nil
    bell.failed(now: now)
  }
}
