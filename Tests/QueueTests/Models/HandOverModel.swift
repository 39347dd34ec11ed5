@testable import Queue

/// Two runners and one partition: leases, polls whose answers are lost, and the settling of events.
///
/// A poll is a transaction of the server, which may go on when the runner has lost its session.
struct HandOverModel: SmallModel, Hashable {
  struct Scope: Hashable {
    /// Whether two events have overlapping transactions, the younger with the lower id; else there is one.
    var isOvertaking = false
    /// Whether there is room for all events to start as soon as they are read.
    var startsAtOnce = false
    /// How often a lease runs out, a runner's listening session is lost, its other session is lost, it gives its partition
    /// back.
    var expiries = 0
    var listenerLosses = 0
    var sessionLosses = 0
    var releases = 0
    /// Whether `runner.fence()` lets the partition change hands before its transaction has ended: wrong.
    var fencesWeakly = false
    /// Whether an event counts as unknown as soon as it has ended, before that is settled: wrong.
    var overlooksEnded = false
  }

  /// The partition's row in `runner.leases`.
  struct Lease: Hashable {
    var owner: Int?
    var epoch: Int64 = 0
    var isExpired = false
  }

  /// A transaction that settles and reads; see `EventStore.poll(_:)`.
  struct Poll: Hashable {
    enum Stage: Int { case begun, fenced, committed, refused }

    var runner: Int
    var epoch: Int64
    var ended: IDSet
    /// How far the partition has been read; `nil` where nothing is read.
    var cursor: PartitionCursor?
    var own: Int64?
    var stage = Stage.begun
    /// The rows that it deletes.
    var deleted = IDSet()
    var found = IDSet()
    var xmin: Int64 = 0

    /// Whether it keeps the partition from changing hands.
    var locksLease: Bool { stage == .fenced }
  }

  /// The memory of a `QueueMachine`.
  struct Engine: Hashable {
    var epoch: Int64?
    var isTrusted = false
    var isLeaving = false
    var cursor: PartitionCursor?
    var waiting = IDSet()
    var running = IDSet()
    var ended = IDSet()
    var poll: Poll?
    /// Whether its listening session holds its number locked.
    var isListening = true
    /// Whether its other session has begun since the last reading.
    var hasNewSession = false
    /// Whether a poll was refused, so that the next thing it does is to hold its partitions.
    var mustHold = false
  }

  var scope: Scope
  var database: ModelDatabase
  var lease = Lease()
  var engines = [Engine(), Engine()]
  /// Polls that the server works on and that nobody waits for.
  var abandoned: [Poll] = []
  var settled = IDSet()
  var fault: String?

  init(_ scope: Scope) {
    self.scope = scope
    database = ModelDatabase(WriterScope(draws: scope.isOvertaking ? [1, 1] : [1], rollsBack: false))
    hold(0, isAnswered: true)
    guard scope.isOvertaking else { return }
    for (step, writer) in [
      (ModelDatabase.Step.begin, 0), (.begin, 1), (.draw, 1), (.draw, 0), (.commit, 0), (.unlock, 0),
    ] {
      database.take(step, of: writer)
    }
  }

  /// The committed rows of `runner.events`.
  var rows: IDSet { database.snapshot.rows.subtracting(settled) }

  var violation: String? {
    if let fault { return fault }
    for (index, engine) in engines.enumerated() {
      guard lease.owner == index, engine.epoch == lease.epoch, let cursor = engine.cursor, !engine.hasNewSession else {
        continue
      }
      var known = engine.waiting.union(engine.running).union(engine.ended)
      if let poll = engine.poll { known = known.union(poll.ended) }
      for hole in cursor.holes { known = known.union(IDSet(hole.ids)) }
      let living = database.writers.reduce(IDSet()) { $0.union($1.living) }.subtracting(settled)
      let lost = living.subtracting(known).ids.filter { $0 <= cursor.last }
      if !lost.isEmpty { return "Runner \(index) has passed over \(lost)." }
    }
    let isQuiet = engines.allSatisfy { $0.poll == nil && $0.waiting.isEmpty && $0.running.isEmpty }
    return database.isOver && abandoned.isEmpty && isQuiet ? unfinished : nil
  }

  /// When nothing happens any more, the runner that has or takes the partition settles everything once.
  private var unfinished: String? {
    var model = self
    if model.lease.owner.map({ !model.engines[$0].isListening }) ?? false { model.lease.isExpired = true }
    let runner = lease.owner ?? 0
    for _ in 0..<6 {
      model.hold(runner, isAnswered: true)
      if model.mayRelease(runner) { model.release(runner) }
      model.begin(runner)
      while model.engines[runner].poll != nil { model.serveOwnPoll(of: runner) }
      for id in model.engines[runner].waiting.ids { model.start(id, runner) }
      for id in model.engines[runner].running.ids { model.end(id, runner) }
      if let fault = model.fault { return fault }
    }
    let left = model.database.snapshot.rows.subtracting(model.settled)
    return left.isEmpty ? nil : "\(left.ids) are never settled."
  }

  private mutating func serveOwnPoll(of runner: Int) {
    guard let poll = engines[runner].poll else { return }
    switch poll.stage {
    case .committed, .refused: answer(runner)
    case .begun, .fenced: engines[runner].poll = served(poll)
    }
  }
}
