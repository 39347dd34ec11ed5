import FoundationEssentials

@testable import Manifest
@testable import Queue
@testable import Workers

/// A machine whose database, clock and functions are the test: time passes only while it waits.
struct MachineScene {
  var machine: QueueMachine
  private(set) var now = ContinuousClock.now
  /// The database's answer when it is asked for what holds keys.
  var holding = EventStore.Holding()
  var blockers: [EventStore.Blocker] = []
  /// Whether every transaction has ended whenever it is asked.
  var allHaveEnded = true
  private(set) var request: PollRequest?
  private(set) var waits: [Duration] = []
  private(set) var running: [Int64: QueueMachine.Started] = [:]
  private(set) var starts: [Int64] = []
  private var transaction: Int64 = 1_000

  /// - Parameter room: the most events of a function in memory.
  init(_ functions: [FunctionEntry] = [.of("f")], partitions: [Int] = [0], room: Int = FunctionQueue.most) {
    machine = QueueMachine(functions: .init(functions), leaseSeconds: 15, now: now)
    machine.mostInMemory = room
    holding.share = partitions.count
    for partition in partitions { holding.lease[partition] = 1 }
  }

  mutating func next() -> QueueMachine.Step { machine.next(now: now) }

  mutating func pass(_ time: Duration) { now += time }

  /// Goes on, with a database that answers everything else, until a poll is asked for; `nil` where none is.
  @discardableResult
  mutating func untilPoll(steps: Int = 50) -> PollRequest? {
    (request, waits) = (nil, [])
    for _ in 0..<steps {
      switch next() {
      case .poll(let asked):
        request = asked
        return asked
      case .takePollAhead, .end: return nil
      case .wait(let time, _):
        waits.append(time)
        now += time
      case let step: answer(step)
      }
    }
    return nil
  }

  private mutating func answer(_ step: QueueMachine.Step) {
    switch step {
    case .hold: start(machine.take(holding, since: now))
    case .release(let partitions):
      for partition in partitions { holding.lease[partition] = nil }
      machine.released(partitions)
    case .readBlockers(let request): start(machine.take(blockers, of: request))
    case .audit(let request): machine.take(request.ranges.map { _ in [] }, of: request, now: now)
    case .poll, .takePollAhead, .wait, .end: break
    }
  }

  /// The database's answer to the last poll.
  func seen(_ events: [NewEvent] = []) -> PollAnswer {
    var answer = PollAnswer(newEvents: events)
    answer.backlog = (request?.backlog ?? []).map { ReadBacklog(through: $0.backlog.through) }
    answer.snapshot.xmin = allHaveEnded ? transaction + 2 : 1
    if request?.needsNumber == true || request?.ended.isEmpty == false { answer.snapshot.own = transaction + 1 }
    if request?.asksForAllocators == true, allHaveEnded { answer.openAllocators = [:] }
    answer.locked = Set(request?.gate.takes ?? [])
    return answer
  }

  /// The answer to the last poll comes; what may start is started.
  mutating func answer(_ events: [NewEvent] = [], session: Int = 1) {
    answer(seen(events), session: session)
  }

  mutating func answer(_ answer: PollAnswer, session: Int = 1) {
    transaction += 2
    guard machine.polled(in: session) else { return }
    start(Array(machine.take(answer, now: now)))
  }

  /// Polls, and has these events come.
  mutating func poll(_ events: NewEvent...) {
    untilPoll()
    answer(events)
  }

  mutating func poll(contentsOf events: [NewEvent], limit: Int = 100) {
    untilPoll()
    let answer = seen(events)
    transaction += 2
    guard machine.polled(in: 1) else { return }
    start(Array(machine.take(answer, now: now)), limit: limit)
  }

  mutating func start(_ functions: [String], limit: Int = 100) {
    for function in functions {
      while let started = machine.start(function, limit: limit, now: now) {
        running[started.event.place.id] = started
        starts.append(started.event.place.id)
      }
    }
  }

  mutating func fail(_ failure: QueueMachine.Failure) {
    if let request { machine.failed(.poll(request), failure, now: now) }
  }

  /// A run ends, by default well.
  mutating func end(
    _ id: Int64, _ ending: WorkerOutcome.Ending = .exited(0, output: nil), after duration: Duration = .zero
  ) {
    guard let started = running.removeValue(forKey: id) else { return }
    machine.end(
      started.event, WorkerOutcome(ending: ending, duration: duration), epoch: started.epoch,
      at: .init(now: now, date: Date(timeIntervalSince1970: 0), random: 1))
    start([started.event.function])
  }

  /// Ids that the machine wants settled, in their order.
  var toSettle: [Int64] { machine.ended.map(\.place.id) }

  /// Has the machine poll until it sleeps.
  mutating func fallAsleep() {
    for _ in 0..<4 { poll() }
  }

  /// Goes on, with a database that answers everything else, to a step of that kind.
  @discardableResult
  mutating func untilStep(_ isMeant: (QueueMachine.Step) -> Bool) -> QueueMachine.Step {
    for _ in 0..<50 {
      let step = next()
      if isMeant(step) { return step }
      switch step {
      case .poll(let asked):
        request = asked
        answer()
      case .wait(let time, _): now += time
      default: answer(step)
      }
    }
    return next()
  }

  /// The notices of that kind that it had to give.
  mutating func effects(where isMeant: (QueueNotice) -> Bool) -> [QueueNotice] { effects().notices.filter(isMeant) }

  mutating func effects() -> (wakeUps: [Duration], notices: [QueueNotice], pauses: Int) {
    var found: (wakeUps: [Duration], notices: [QueueNotice], pauses: Int) = ([], [], 0)
    for effect in machine.takeEffects() {
      switch effect {
      case .wakeUp(let delay): found.wakeUps.append(delay)
      case .say(let notice): found.notices.append(notice)
      case .paused: found.pauses += 1
      }
    }
    return found
  }
}

extension NewEvent {
  static func new(
    _ id: Int64, _ function: String = "f", key: String? = nil, partition: Int = 0, isLate: Bool = false,
    writer: Int64 = 1_000_000, hasBody: Bool = true
  ) -> NewEvent {
    let event = QueuedEvent.of(id, function, key: key, partition: partition)
    return NewEvent(place: event.place, function: function, writer: isLate ? writer : nil, event: hasBody ? event : nil)
  }
}

extension QueuedEvent {
  static func of(_ id: Int64, _ function: String = "f", key: String? = nil, partition: Int = 0) -> QueuedEvent {
    QueuedEvent(
      place: .init(partition: partition, id: id, table: .events), function: function, key: key, eventID: "\(id)",
      line: [0x0A], session: 1)
  }

  /// One that has failed before.
  static func retry(_ id: Int64, key: String? = nil, attempt: Int = 1, crashes: Int = 0) -> QueuedEvent {
    var event = QueuedEvent.of(id, key: key)
    (event.place.table, event.attempt, event.crashes) = (.retries, attempt, crashes)
    return event
  }
}

extension FunctionEntry {
  static func of(_ name: String, blocks: Bool = false, batch: Int? = nil) -> FunctionEntry {
    var entry = FunctionEntry(name: name)
    entry.batch = batch
    if blocks { entry.onFailure = .block }
    return entry
  }
}

extension [String: FunctionEntry] {
  init(_ entries: [FunctionEntry]) {
    self.init(uniqueKeysWithValues: entries.map { ($0.name, $0) })
  }
}
