@testable import Queue

/// Two runners and one lane: leases, turns whose answers are lost, and the settling of events.
///
/// A turn is a transaction of the server, which may go on when the runner has lost its session.
struct HandOverModel: SmallModel, Hashable {
  struct Scope: Hashable {
    /// Whether two events have overlapping transactions, the younger with the lower id; else there is one.
    var isOvertaking = false
    /// Whether there is room for all events to start as soon as they are read.
    var startsAtOnce = false
    /// How often a lease runs out, a runner's listening session is lost, its other session is lost, it gives its lane
    /// back.
    var expiries = 0
    var listenerLosses = 0
    var sessionLosses = 0
    var releases = 0
    /// Whether `runner.fence()` lets the lane change hands before its transaction has ended: wrong.
    var fencesWeakly = false
    /// Whether an event counts as unknown as soon as it has ended, before that is settled: wrong.
    var overlooksEnded = false
  }

  /// The lane's row in `runner.leases`.
  struct Lease: Hashable {
    var owner: Int?
    var epoch: Int64 = 0
    var isExpired = false
  }

  /// A transaction that settles and reads; see `EventStore.turn(_:)`.
  struct Turn: Hashable {
    enum Stage: Int { case begun, fenced, committed, refused }

    var runner: Int
    var epoch: Int64
    var ended: IDSet
    /// How far the lane has been read; `nil` where nothing is read.
    var cursor: LaneCursor?
    var own: Int64?
    var stage = Stage.begun
    /// The rows that it deletes.
    var deleted = IDSet()
    var found = IDSet()
    var xmin: Int64 = 0

    /// Whether it keeps the lane from changing hands.
    var locksLease: Bool { stage == .fenced }
  }

  /// The memory of an `EventEngine`.
  struct Engine: Hashable {
    var epoch: Int64?
    var isTrusted = false
    var isLeaving = false
    var cursor: LaneCursor?
    var waiting = IDSet()
    var running = IDSet()
    var ended = IDSet()
    var turn: Turn?
    /// Whether its listening session holds its number locked.
    var isListening = true
    /// Whether its other session has begun since the last reading.
    var hasNewSession = false
    /// Whether a turn was refused, so that the next thing it does is to hold its lanes.
    var mustHold = false
  }

  var scope: Scope
  var database: ModelDatabase
  var lease = Lease()
  var engines = [Engine(), Engine()]
  /// Turns that the server works on and that nobody waits for.
  var abandoned: [Turn] = []
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
      if let turn = engine.turn { known = known.union(turn.ended) }
      for hole in cursor.holes { known = known.union(IDSet(hole.ids)) }
      let living = database.writers.reduce(IDSet()) { $0.union($1.living) }.subtracting(settled)
      let lost = living.subtracting(known).ids.filter { $0 <= cursor.last }
      if !lost.isEmpty { return "Runner \(index) has passed over \(lost)." }
    }
    let isQuiet = engines.allSatisfy { $0.turn == nil && $0.waiting.isEmpty && $0.running.isEmpty }
    return database.isOver && abandoned.isEmpty && isQuiet ? unfinished : nil
  }

  /// When nothing happens any more, the runner that has or takes the lane settles everything once.
  private var unfinished: String? {
    var model = self
    if model.lease.owner.map({ !model.engines[$0].isListening }) ?? false { model.lease.isExpired = true }
    let runner = lease.owner ?? 0
    for _ in 0..<6 {
      model.hold(runner, isAnswered: true)
      if model.mayRelease(runner) { model.release(runner) }
      model.begin(runner)
      while model.engines[runner].turn != nil { model.serveOwnTurn(of: runner) }
      for id in model.engines[runner].waiting.ids { model.start(id, runner) }
      for id in model.engines[runner].running.ids { model.end(id, runner) }
      if let fault = model.fault { return fault }
    }
    let left = model.database.snapshot.rows.subtracting(model.settled)
    return left.isEmpty ? nil : "\(left.ids) are never settled."
  }

  private mutating func serveOwnTurn(of runner: Int) {
    guard let turn = engines[runner].turn else { return }
    switch turn.stage {
    case .committed, .refused: answer(runner)
    case .begun, .fenced: engines[runner].turn = served(turn)
    }
  }
}
