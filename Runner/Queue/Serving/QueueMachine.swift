import Manifest
import Workers

/// The queue's cycle as a value: what it knows, and from that what is asked of the database next and what may start.
///
/// It asks nobody, starts nothing and reads no clock. ``EventEngine`` performs its steps and tells it what came of them.
/// The reading, the runs and the settling are values of their own, whose state is private.
struct QueueMachine {
  typealias Instant = ContinuousClock.Instant

  /// A database that has not answered for so long is away.
  static let silence = Duration.seconds(6)
  /// The number of ended attempts that are settled at once; fewer wait for those that end within a pause.
  static let settledAtOnce = 256
  /// Under load, polls are at most this far apart.
  static let mostBatchingDelay = Duration.milliseconds(15)

  private var lease: PartitionLease
  private var reading: Reading
  private var running: Running
  private var settling = Settling()
  private var exchange = Exchange.none
  private var stage = Stage.hold
  private var due: Due = [.blockers, .poll, .hold]
  private var effects: [Effect] = []
  private var isStopping = false
  /// How many failures there were in a row.
  private var trouble = 0
  /// When the database last answered; `nil` when it did not the last time.
  private var answeredAt: Instant?

  /// - Parameter holePrice: how long the next look waits for each hole where there are many.
  init(
    functions: [String: FunctionEntry], leaseSeconds: Int, holePrice: Duration = .microseconds(25), now: Instant
  ) {
    lease = PartitionLease(seconds: leaseSeconds, now: now)
    reading = Reading(holePrice: holePrice, now: now)
    running = Running(functions)
  }

  /// The things to do besides the next step, each once.
  mutating func takeEffects() -> [Effect] {
    defer { effects = [] }
    return effects
  }
}

// What others may know.
extension QueueMachine {
  /// The functions' events in memory.
  var queues: [String: FunctionQueue] { running.queues }

  /// How many events run.
  var runs: Int { running.count }

  /// The attempts that have ended and that no poll has been asked to settle.
  var ended: [EndedAttempt] { settling.ended }

  /// How many attempts have ended in all, and how many of them are written down.
  var finished: Int { settling.finished }
  var settled: Int { settling.settled }

  /// The partitions that are held, sorted.
  var partitions: [Int] { lease.held.keys.sorted() }

  /// How many events were found that a cursor had passed by.
  var overtaken: Int { reading.overtaken }

  /// How many events were taken after a newer one of their key, although they could be seen.
  var outOfOrder: Int { reading.outOfOrder }

  /// Events that may have been passed by; the next look tells.
  var suspects: [QueuedEvent.Place] { Array(reading.suspects) }

  /// Whether ids are missing that may still come.
  var hasHoles: Bool { reading.hasHoles }

  /// The poll that the database works on.
  var asked: AskedPoll? { exchange.asked }

  /// The most events of each function in memory, which only tests change; further ones stay in the database.
  var mostInMemory: Int {
    get { running.most }
    set { running.most = newValue }
  }

  /// Whether there is nothing to do for now: everything that could run has run and is settled.
  var isIdle: Bool { !due.contains(.poll) && !exchange.isAsked && ended.isEmpty && running.isIdle }

  /// Whether partitions are held and events flow.
  func isReady(at now: Instant) -> Bool { !lease.held.isEmpty && lease.isTrusted(at: now) && !isStopping }

  func isAway(at now: Instant) -> Bool { answeredAt.map { now - $0 > Self.silence } ?? true }

  /// Events that have ended and whose end is not in the tables yet.
  private var unsettled: [EndedAttempt] { ended + (asked?.request.ended ?? []) }
}

// What comes from outside.
extension QueueMachine {
  /// Takes note that there may be something to do.
  mutating func wakeUp() {
    due.insert(.poll)
    effects.append(.wakeUp(after: .zero))
  }

  /// Takes note that there are events; under load they are looked for soon in any case, many at once.
  mutating func heard() {
    due.insert(.poll)
    if !reading.isUnderLoad { effects.append(.wakeUp(after: .zero)) }
  }

  /// Reads nothing more; the end comes when what runs has ended and is settled.
  mutating func stop() {
    isStopping = true
    wakeUp()
  }

  /// Goes on with other functions, or the same ones in another way; what waits for one that is gone keeps waiting.
  mutating func use(_ functions: [String: FunctionEntry], now: Instant) {
    // What is not of its functions has been passed by.
    let isMore = functions.keys.contains { !running.knows($0) }
    due.insert(.hold)
    if isMore { startOver(now) }
    running.use(functions)
    unblock()
  }

  /// Says nothing of events of functions that are about to come.
  mutating func expect(_ functions: [String]) { running.expect(functions) }

  /// Lets a function's events wait until it is resumed; those that run end.
  mutating func hold(_ function: String) { running.pause(function, true) }

  /// Lets a function's waiting events start again after it was mended.
  mutating func resume(_ function: String) {
    running.pause(function, false)
    wakeUp()
  }

  /// Dead letters were retried or purged: keys may have come free.
  mutating func unblock() {
    due.insert(.blockers)
    wakeUp()
  }

  /// Another runner wants partitions, or has given some back.
  mutating func lookForPartitions() {
    due.insert(.hold)
    wakeUp()
  }

  /// Somebody wants to know whether an event was passed by.
  mutating func lookForOvertaken() { reading.lookSoon() }
}

// The cycle.
extension QueueMachine {
  /// The next thing to do.
  mutating func next(now: Instant) -> Step {
    while true {
      switch stage {
      case .hold:
        if isStopping, runs == 0, ended.isEmpty, !exchange.isAsked { return .end(leaves: true) }
        stage = .release
        if due.contains(.hold) || now >= lease.nextLook {
          due.remove(.hold)
          return .hold(running.names, asksOthers: !lease.isShort)
        }
      case .release:
        stage = .blockers
        if let partitions = releasable() { return .release(partitions) }
      case .blockers:
        stage = .audit
        if let request = blockerRequest() { return .readBlockers(request) }
      case .audit:
        stage = .poll
        if let request = auditRequest(now) { return .audit(request) }
      case .poll:
        stage = .rest(isBusy: false)
        if exchange.isAsked { return .takePollAhead }
        if let request = poll(now) { return .poll(request) }
      case .rest(let isBusy):
        stage = .hold
        (trouble, answeredAt) = (0, now)
        if let pause = pause(isBusy, now) { return .wait(upTo: pause, hearsWakeUps: true) }
      case .recover:
        stage = .hold
        if isStopping, trouble > 3 { return .end(leaves: false) }
        return .wait(upTo: .milliseconds(min(2_000, 50 << min(trouble, 6))), hearsWakeUps: false)
      }
    }
  }

  /// A step could not be done.
  mutating func failed(_ step: Step, _ failure: Failure, now: Instant) {
    stage = .recover
    switch step {
    case .hold: due.insert(.hold)
    case .readBlockers: due.insert(.blockers)
    case .audit:
      reading.auditFailed(now)
      if failure == .otherSession { return stage = .poll }
    case .poll, .takePollAhead:
      takeBack(now)
      if failure == .otherSession {
        reading.loseSession()
        startOver(now)
        return stage = .rest(isBusy: true)
      }
    case .release, .wait, .end: break
    }
    recover(failure, now)
  }

  private mutating func takeBack(_ now: Instant) {
    if let taking = exchange.endTaking() {
      // The answer cannot be read.
      if taking.isMoved { startOver(now) }
    } else if let asked {
      // Whether it was committed or not: settling again what is gone does nothing.
      let ours = asked.request.ended.filter {
        lease.holds($0.place.partition, since: asked.request.lease[$0.place.partition])
      }
      exchange = .none
      settling.takeBack(ours)
    }
  }

  private mutating func recover(_ failure: Failure, _ now: Instant) {
    reading.failed(now)
    trouble += 1
    switch failure {
    case .fenced: due.insert(.hold)
    case .conflict(let cause):
      if trouble == 1 { effects.append(.say(.conflict(cause))) }
    case .database(let cause, let isOfNetwork):
      if isOfNetwork { settling.loseDatabase(now) }
      answeredAt = nil
      if trouble == 1 { effects.append(.say(.databaseAway(cause))) }
    case .otherSession: answeredAt = nil
    }
  }

  /// How long it waits for something to do, or for what ends and comes together with what there is already.
  private func pause(_ isBusy: Bool, _ now: Instant) -> Duration? {
    guard isBusy else { return nextLook(now) }
    guard !exchange.isAsked, ended.count < Self.settledAtOnce else { return nil }
    if reading.isUnderLoad, !reading.hasMore { return batchingDelay }
    guard runs > 0 else { return nil }
    if reading.isUnderLoad { return NotifyGate.awakePoll }
    // Writers notify, and what ends wakes it up: until then a poll would only take the processors from what runs.
    return reading.isAsleep && ended.isEmpty && !reading.hasMore ? nextLook(now) : settlingPause
  }

  /// How long events wait for others under load: the more of them come, the longer.
  private var batchingDelay: Duration {
    min(Self.mostBatchingDelay, .milliseconds(5) + .microseconds(100) * reading.lastCount)
  }

  /// How long ended events wait for more: while other events wait in memory, they hold nobody up.
  private var settlingPause: Duration { running.hasWaiting ? Self.mostBatchingDelay : .milliseconds(3) }

  private func nextLook(_ now: Instant) -> Duration {
    var next = reading.pause(
      isActive: !ended.isEmpty || runs > 0, isWanted: due.contains(.poll), now: now)
    if !ended.isEmpty, !reading.isUnderLoad { next = min(next, settlingPause) }
    if due.contains(.hold) { next = min(next, .milliseconds(1)) }
    return max(.milliseconds(1), min(next, lease.nextLook - now))
  }
}

// Partitions, and the keys that failed events hold.
extension QueueMachine {
  /// Begins with partitions that are new, gives up those that are lost.
  ///
  /// - Parameter start: when the database was asked.
  /// - Returns: the functions with events that may start again, because it is certain again that they are this runner's.
  @discardableResult
  mutating func take(_ holding: EventStore.Holding, since start: Instant) -> [String] {
    let wasTrusted = lease.isTrusted(at: start)
    let (new, lost) = lease.take(holding, since: start)
    if !new.isEmpty { effects.append(.say(.taken(new.count, held: lease.held.count))) }
    lose(lost)
    reading.begin(new)
    if !new.isEmpty { due.insert(.blockers) }
    return wasTrusted ? [] : running.names
  }

  /// Another runner has the partitions now and reads everything again: what still runs of them here settles nothing.
  private mutating func lose(_ lost: Set<Int>) {
    guard !lost.isEmpty else { return }
    effects.append(.say(.lost(lost.count)))
    reading.forget(lost)
    running.lose(lost)
    settling.lose(lost)
  }

  /// Reads everything again, except what runs: the session was lost, and maybe the server has crashed.
  ///
  /// A crash takes back what was settled and not yet on disk, and lets ids be drawn again that had been seen.
  mutating func startOver(_ now: Instant) {
    forget(Set(lease.held.keys))
    reading.begin(lease.readable)
    exchange.void()
    reading.failed(now)
    due.insert(.blockers)
    // Nothing is read before it is known which failed events hold keys.
    if [.audit, .poll].contains(stage) { stage = .blockers }
    wakeUp()
  }

  private mutating func forget(_ gone: Set<Int>) {
    reading.forget(gone)
    running.forget(gone)
  }

  /// Partitions beyond this runner's share, where nothing runs or waits to be settled.
  mutating func releasable() -> Set<Int>? {
    guard !lease.leaving.isEmpty else { return nil }
    forget(lease.leaving)
    let unsettled = Set(self.unsettled.map(\.place.partition))
    let free = lease.leaving.filter { !running.isBusy($0) && !unsettled.contains($0) }
    return free.isEmpty ? nil : free
  }

  mutating func released(_ partitions: Set<Int>) {
    lease.released(partitions)
    effects.append(.say(.released(partitions.count, held: lease.held.count)))
  }

  /// Asks which keys are held by failed events: at the start, before anything is read of a partition, and when dead
  /// letters were retried or purged.
  private mutating func blockerRequest() -> BlockerRequest? {
    guard due.contains(.blockers), !lease.held.isEmpty else { return nil }
    due.remove(.blockers)
    let blocking = running.blocking
    return blocking.isEmpty ? nil : BlockerRequest(functions: blocking, partitions: partitions)
  }

  /// Learns which keys are held: by failed events in the tables, and by those whose failure is not there yet.
  ///
  /// - Returns: the functions with events that may start.
  mutating func take(_ found: [EventStore.Blocker], of request: BlockerRequest) -> [String] {
    let unsettled = self.unsettled
    var released: [Int: Set<Int64>] = [:]
    for attempt in unsettled where attempt.isDone {
      released[attempt.place.partition, default: []].insert(attempt.place.id)
    }
    var holding = found.filter { released[$0.partition]?.contains($0.id) != true }
    for attempt in unsettled where !attempt.isDone {
      guard let key = attempt.key else { continue }
      let place = attempt.place
      holding.append(.init(function: attempt.function, key: key, partition: place.partition, id: place.id))
    }
    running.hold(holding, of: request.functions, partitions: Set(request.partitions))
    return request.functions
  }
}

// Polls and looks.
extension QueueMachine {
  /// The next poll, where there is anything to settle or to read.
  mutating func poll(_ now: Instant) -> PollRequest? {
    var request = reading.request(for: running, lease, isAhead: false, isStopping: isStopping, now: now)
    guard !request.cursors.isEmpty || !ended.isEmpty else {
      if lease.held.isEmpty { due.remove(.poll) } else { due.insert(.poll) }
      return nil
    }
    due.remove(.poll)
    // There may be something in what it does not read.
    if !request.withheld.isEmpty { due.insert(.poll) }
    request.ended = settling.handOver()
    exchange = .asked(AskedPoll(request: request, isAhead: false))
    return request
  }

  /// The next poll, to be asked for while the answer of this one is taken: that is a large one, with room for both.
  mutating func pollAhead(after glance: PollReply.Glance, now: Instant) -> PollRequest? {
    guard case .taking(let taking, _) = exchange, reading.mayAskAhead(of: taking, glance, running) else { return nil }
    exchange = .taking(taking, isMoved: true)
    reading.move(over: glance.ids, glance.snapshot, to: taking, lease)
    var request = reading.request(for: running, lease, isAhead: true, isStopping: isStopping, now: now)
    guard !request.cursors.isEmpty else { return nil }
    // Retries are for polls that take everything in before the next one.
    request.retried = []
    request.ended = settling.handOver()
    exchange = .both(taking: taking, asked: AskedPoll(request: request, isAhead: true))
    return request
  }

  /// A poll was carried out, and what it settled is settled; `false` where nothing of its answer is to be taken.
  mutating func polled(in session: Int) -> Bool {
    guard case .asked(let asked) = exchange else { return false }
    exchange = .none
    reading.polled(in: session, isAhead: asked.isAhead)
    settling.wereSettled(asked.request.ended.count)
    for attempt in asked.request.ended {
      if attempt.place.table == .retries { running.settled(attempt.place) }
      // A server that came back from an older state may not have the event: then its failure holds no key.
      if !attempt.isDone, attempt.session != asked.request.session { due.insert(.blockers) }
    }
    stage = .rest(isBusy: true)
    guard !asked.isVoid, !asked.request.cursors.isEmpty else { return false }
    exchange = .taking(asked.request, isMoved: false)
    return true
  }

  /// The look that is due, if any.
  mutating func auditRequest(_ now: Instant) -> EventAudit.Request? {
    guard !isStopping, !exchange.isAsked else { return nil }
    return reading.auditRequest(lease, now: now)
  }

  /// Takes what a look found: events that were passed by are read again, and people are told.
  mutating func take(_ found: [[EventAudit.Seen]], of request: EventAudit.Request, now: Instant) {
    let unsettled = Set(ended.map(\.place))
    let inMemory = running.places
    let passedBy = reading.take(found, of: request, lease, now: now) { event in
      !running.knows(event.function) || running.isInHand(event.place, or: unsettled) || inMemory.contains(event.place)
        || running.leaves(event.place, of: event.function, key: event.key)
    }
    for event in passedBy { effects.append(.say(.overtaken(event))) }
    if !passedBy.isEmpty { wakeUp() }
  }

  /// Takes what a poll has read into the functions' queues.
  ///
  /// - Returns: the functions with events that may start.
  mutating func take(_ answer: PollAnswer, now: Instant) -> Set<String> {
    guard let (request, isMoved) = exchange.endTaking() else { return [] }
    reading.note(answer, to: request, now: now)
    guard lease.isTrusted(at: now) else {
      // The process has been asleep. What the cursors have passed by already must not be forgotten with the answer.
      if isMoved { startOver(now) }
      stage = .rest(isBusy: !request.ended.isEmpty)
      return []
    }
    var intake = Intake(request, lease, unsettled: Set(unsettled.map(\.place)))
    intake.take(answer, isMoved: isMoved, &reading, &running)
    if intake.isVoid { exchange.void() }
    if intake.isCut { due.insert(.poll) }
    for (event, newer) in intake.outOfOrder { effects.append(.say(.outOfOrder(event, newer: newer))) }
    for function in intake.unknown where !lease.elsewhere.contains(function) && running.misses(function) {
      effects.append(.say(.unknownFunction(function)))
    }
    stage = .rest(isBusy: !intake.functions.isEmpty || !intake.unknown.isEmpty || !request.ended.isEmpty)
    return intake.functions
  }
}

// Events that start and end.
extension QueueMachine {
  /// The next event of a function that may start while fewer than `limit` run.
  ///
  /// A runner that was stopped for longer than its lease starts nothing that it has in memory before it has asked for its
  /// partitions again: another runner may be at work on the same keys.
  mutating func start(_ function: String, limit: Int, now: Instant) -> Started? {
    guard !isStopping, lease.isTrusted(at: now) else { return nil }
    while let event = running.next(function, limit: limit) {
      let epoch = lease.held[event.place.partition]
      guard event.isTooLarge else { return Started(event: event, epoch: epoch) }
      finish(event, EndedAttempt(tooLarge: event), epoch)
    }
    return nil
  }

  /// An attempt has ended; the next event may start.
  mutating func end(
    _ event: QueuedEvent, _ outcome: WorkerOutcome, epoch: Int64?, at moment: @autoclosure () -> Settling.Moment
  ) {
    if outcome.disposition == .pause, lease.holds(event.place.partition, since: epoch) {
      return putBack(event, outcome)
    }
    guard outcome.disposition != .done else { return finish(event, EndedAttempt(done: event, outcome), epoch) }
    let attempt = settling.failure(of: event, outcome, running.entry(event.function), moment())
    if case .deadLetter = attempt.settlement { effects.append(.say(.deadLetter(event, code: outcome.code))) }
    finish(event, attempt, epoch)
  }

  private mutating func putBack(_ event: QueuedEvent, _ outcome: WorkerOutcome) {
    let isReadAgain = event.place.table == .events && reading.brings(event.place) == true
    guard running.putBack(event, isReadAgain: isReadAgain) else { return }
    effects += [.say(.paused(event.function, outcome)), .paused]
  }

  /// Takes note of the end of an attempt; of one whose partition is another runner's by now nothing is settled.
  private mutating func finish(_ event: QueuedEvent, _ attempt: EndedAttempt, _ epoch: Int64?) {
    let isOurs = lease.holds(event.place.partition, since: epoch)
    running.end(event, holds: !attempt.isDone, isForeign: !isOurs)
    settling.add(isOurs ? attempt : nil, of: event)
    guard isOurs else { return }
    if ended.count == Self.settledAtOnce {
      effects.append(.wakeUp(after: .zero))
    } else if ended.count == 1, !reading.isUnderLoad {
      effects.append(.wakeUp(after: settlingPause))
    }
  }
}
