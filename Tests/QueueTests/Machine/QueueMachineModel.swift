import FoundationEssentials

@testable import Manifest
@testable import Queue
@testable import Workers

/// The whole machine with a database, a network and functions that are chance.
struct QueueMachineModel {
  private var machine: QueueMachine
  private(set) var database: RandomDatabase
  private var now = ContinuousClock.now
  private var isReliable = false
  private var ahead: PollRequest?
  private var running: [QueueMachine.Started] = []
  private var started: Set<Int64> = []
  /// Sentences about what went wrong.
  private(set) var faults: [String] = []
  private(set) var pollsAhead = 0
  /// How often in a row it went on for nothing and without time passing.
  private var haste = 0
  private let together: Int
  /// Whether some events fail, and a failed one holds its key.
  private let blocks: Bool
  /// Events that have failed and hold their keys.
  private var failed: [String: Int64] = [:]
  /// Whether many ids are missing for long.
  private let missesMany: Bool
  /// Whether the function pauses now and then, and is resumed at once.
  private let pauses: Bool
  /// Whether there are transactions of more rows than a poll brings.
  private let imports: Bool

  init(seed: UInt64) {
    database = RandomDatabase(seed: seed)
    (together, missesMany) = (seed % 3 == 0 ? 4 : 1, seed % 4 == 3)
    (imports, blocks, pauses) = (seed % 5 == 2, seed % 3 == 1, seed % 5 == 3)
    var function = FunctionEntry.of("f", blocks: blocks, batch: together == 1 ? nil : together)
    function.attempts = 1_000
    machine = QueueMachine(
      functions: ["f": function], leaseSeconds: 15, holePrice: missesMany ? .milliseconds(2) : .microseconds(25),
      now: now)
    machine.mostInMemory = seed.isMultiple(of: 2) ? 40 : 10_000
  }

  var isIdle: Bool { machine.isIdle && running.isEmpty }

  /// Lets chance choose, then lets everything come to its end.
  mutating func run(steps: Int) {
    for _ in 0..<steps { step() }
    isReliable = true
    database.endTransactions(all: true)
    database.endImport()
    machine.wakeUp()
    for _ in 0..<2_000
    where !isIdle || !database.retries.isEmpty || machine.hasHoles {
      work(all: true)
      perform(machine.next(now: now))
    }
    if machine.outOfOrder > 0 { faults.append("an event was taken after a newer one of its key") }
  }

  private mutating func step() {
    if database.chance(of: 3) { database.write(upTo: 5) }
    if database.chance(of: 200) {
      database.write(upTo: 1_000)
      database.endTransactions(all: true)
    }
    if missesMany, database.chance(of: 50) { database.write(upTo: 400) }
    if imports, database.chance(of: 40) { database.beginImport(upTo: 900) }
    if imports, database.chance(of: 20) { database.endImport() }
    if database.chance(of: 2) { database.endTransactions() }
    if database.chance(of: 2) { machine.heard() }
    if database.chance(of: 60) { machine.startOver(now) }
    work(all: false)
    perform(machine.next(now: now))
  }

  private mutating func perform(_ step: QueueMachine.Step) {
    haste += 1
    switch step {
    case .hold: start(machine.take(.init(lease: [0: 1], share: 1), since: now))
    case .readBlockers(let request): start(machine.take(database.blockers, of: request))
    case .audit(let request):
      let rows = database.waiting.sorted()
      let found = request.ranges.map { range in
        rows.filter { $0 > range.after && $0 <= range.through }.prefix(EventAudit.page).map {
          EventAudit.Seen(place: QueuedEvent.of($0).place, function: "f", key: RandomDatabase.key($0))
        }
      }
      machine.take(found, of: request, now: now)
      if machine.overtaken > 0 { faults.append("an event was passed over") }
    case .poll(let request): poll(request, step)
    case .takePollAhead:
      guard let ahead else { return faults.append("there is no poll ahead") }
      self.ahead = nil
      poll(ahead, step)
    case .wait(let time, _):
      (now, haste) = (now + time, 0)
    case .release, .end: faults.append("it ends")
    }
    if haste == 100 { faults.append("it does not pause") }
  }

  private mutating func poll(_ request: PollRequest, _ step: QueueMachine.Step) {
    if let session = request.session, session != database.session {
      return machine.failed(step, .otherSession, now: now)
    }
    let fate = database.fate(isReliable: isReliable)
    if fate == .refused || fate == .otherSession {
      if fate == .otherSession { database.loseSession() }
      return machine.failed(step, fate == .refused ? .database("away", isOfNetwork: true) : .otherSession, now: now)
    }
    let answer = database.carryOut(request)
    let isForNothing =
      request.ended.isEmpty && answer.newEvents.isEmpty && answer.retries.isEmpty
      && answer.backlog.allSatisfy(\.events.isEmpty)
    if !isForNothing { haste = 0 }
    // Its end may come before the answer does.
    work(all: false)
    guard fate == .answered else { return machine.failed(step, .database("lost", isOfNetwork: true), now: now) }
    guard machine.polled(in: database.session) else { return }
    let ids = answer.newEvents.map(\.place.id)
    let glance = PollReply.Glance(ids: ids.isEmpty ? [:] : [0: ids], snapshot: answer.snapshot)
    if request.readsNew, let next = machine.pollAhead(after: glance, now: now) {
      (ahead, pollsAhead) = (next, pollsAhead + 1)
    }
    start(Array(machine.take(answer, now: now)))
  }

  private mutating func start(_ functions: [String]) {
    for function in functions {
      while let started = machine.start(function, limit: 50, now: now) {
        let place = started.event.place
        if running.contains(where: { $0.event.place == place }) { faults.append("\(place.id) runs beside itself") }
        if let key = started.event.key {
          let others = running.filter { $0.event.key == key }
          if others.count >= together { faults.append("more than \(together) events of \(key) run at once") }
          if others.contains(where: { $0.event.startNumber >= started.event.startNumber }) {
            faults.append("\(key) was overtaken")
          }
          if let holder = failed[key], holder != place.id {
            faults.append("\(place.id) runs before \(holder), which failed")
          }
        }
        for earlier in database.before(place.id) {
          faults.append("\(place.id) began after \(earlier) of its key was committed, and ran before it")
        }
        database.started(place.id)
        if place.table == .events, !self.started.insert(place.id).inserted { faults.append("\(place.id) runs twice") }
        running.append(started)
      }
    }
  }

  private mutating func pause(_ ended: QueueMachine.Started) {
    if ended.event.place.table == .events { started.remove(ended.event.place.id) }
    machine.end(
      ended.event, WorkerOutcome(ending: .exited(78, output: nil)), epoch: ended.epoch,
      at: .init(now: now, date: Date(timeIntervalSince1970: 0), random: 0))
    machine.resume("f")
    start(["f"])
  }

  private mutating func work(all: Bool) {
    while !running.isEmpty, all || database.chance(of: 2) {
      let index = database.pick(Array(running.indices)) ?? 0
      let ended = running.remove(at: index)
      if pauses, !isReliable, database.chance(of: 4) {
        pause(ended)
        continue
      }
      let fails = blocks && !isReliable && database.chance(of: 4)
      if let key = ended.event.key { failed[key] = fails ? ended.event.place.id : nil }
      machine.end(
        ended.event, WorkerOutcome(ending: .exited(fails ? 1 : 0, output: nil)), epoch: ended.epoch,
        at: .init(now: now, date: Date(timeIntervalSince1970: 0), random: 0))
      start(["f"])
    }
  }
}
