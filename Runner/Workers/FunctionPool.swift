import EventLoop
package import Manifest
package import System

/// All processes of one function, and the events that wait for one.
@RunnerLoop
package final class FunctionPool {
  /// A warm process is replaced after this many events, so that a slow leak stays small.
  static let recycledAfter = 100_000
  /// A warm process without work ends after this.
  static let idleLimit = Duration.seconds(300)
  /// How many events are discarded at once.
  static let mostDiscarded = 10_000

  package private(set) var entry: FunctionEntry
  private var launch: Launch {
    didSet { program = Program(launch) }
  }
  private var program: Program
  private let slots: WorkerSlots
  private let log: @RunnerLoop (ArraySlice<UInt8>) -> Void
  /// The observer of its work.
  package var observer = PoolObserver()
  private var jobs = WaitingJobs()
  private var workers: [WarmWorker] = []
  private var runs: [ObjectIdentifier: OneShotRun] = [:]
  /// Where the events go of a function that runs elsewhere.
  package private(set) var target: (any EventTarget)?
  /// The events that are on their way there, by the first of each request.
  private var away: [ObjectIdentifier: [Job]] = [:]
  private var backoff = RestartBackoff()
  private var retry: TimerID?
  private var sweep: TimerID?
  private var look: TimerID?
  private var willEndWaiting = false
  private var willHand = false
  /// Whether the only process of the function is for the others after one that ran alone.
  private var isOthersTurn = false
  /// Called when a pool that takes nothing more has nothing left.
  private var closing: (@RunnerLoop () -> Void)?
  /// Whether the runner stops and waits no longer.
  private var isBrokenOff = false

  /// - Parameters:
  ///   - slots: what it shares with the other pools; its own where there are none.
  ///   - log: gets each line that a process writes on stderr.
  package init(
    _ entry: FunctionEntry, launch: Launch, slots: WorkerSlots? = nil,
    log: @escaping @RunnerLoop (ArraySlice<UInt8>) -> Void
  ) {
    self.entry = entry
    self.launch = launch
    program = Program(launch)
    self.slots = slots ?? WorkerSlots(limit: entry.concurrency)
    self.log = log
    self.slots.join(self)
  }

  /// Brings an event to a process; the job says what came of it.
  package func submit(_ job: Job) {
    job.report = observer.report
    observer.onSubmit?(job)
    jobs.append(job)
    pump()
  }

  /// Follows another entry of `functions.json`, or another way of starting processes.
  ///
  /// Processes that run finish their queue first, and leave if they no longer fit. Also opens a closed pool again.
  package func use(_ entry: FunctionEntry, launch: Launch) {
    (closing, isBrokenOff) = (nil, false)
    let old = self.entry
    if launch != self.launch || (entry.mode, entry.timeout) != (old.mode, old.timeout) || entry.batch != old.batch {
      workers.forEach { $0.leave() }
      backoff = RestartBackoff()
    }
    (self.entry, self.launch) = (entry, launch)
    workers.filter { !$0.isLeaving }.dropFirst(entry.concurrency).forEach { $0.leave() }
    pump()
  }

  /// Starts processes in another way from now on; those that run finish their queue first.
  package func replaceLaunch(_ launch: Launch) {
    guard launch != self.launch, closing == nil else { return }
    use(entry, launch: launch)
  }

  /// Forgets that processes died: what was wrong may have been mended.
  package func forgive() {
    backoff = RestartBackoff()
    target?.forgive()
    pump()
  }

  /// Takes nothing more, lets what waits and runs finish, then calls back.
  ///
  /// - Parameter grace: what is late is broken off after it; without one, only each event's own time limit counts.
  package func close(grace: Duration?, then done: @escaping @RunnerLoop () -> Void) {
    closing = done
    if let grace {
      RunnerLoop.loop.schedule(after: grace) { [self] in
        if closing != nil { breakOff() }
      }
    }
    pump()
  }

  /// Ends what runs, and starts nothing more: what is not done then, or comes later, ends as stopped.
  ///
  /// An event of the queue keeps its place and loses no attempt.
  package func breakOff() {
    isBrokenOff = true
    workers.forEach { $0.terminate() }
    runs.values.forEach { $0.terminate() }
    target?.breakOff()
    pump()
  }

  /// Starts what can be started.
  func pump() {
    guard !isBrokenOff else { return endWaitingLater() }
    if let target {
      if entry.batch == nil { hand(to: target) } else { handLater() }
      return closeWhenEmpty()
    }
    guard entry.mode != .discard else { return endWaitingLater() }
    while startAlone() || (entry.mode == .warm ? feed() : startOneShot()) {}
    closeWhenEmpty()
  }
}

// What processes tell of themselves.
extension FunctionPool {
  private func release(_ job: Job, by worker: WarmWorker) {
    jobs.release(job)
    if worker.load == 0 { isOthersTurn = false }
  }

  private func answered(_ worker: WarmWorker, exit: Int32) {
    if exit == 0 { backoff.succeeded() }
    if worker.answered >= Self.recycledAfter { worker.leave() }
    pump()
    if worker.load == 0 { slots.makeRoomIfWanted() }
  }

  /// Gives no other process another event: the cause that stopped this one, such as a silent connection, may stop them,
  /// too.
  private func distrust(beside late: WarmWorker) {
    guard !late.isAlone else { return }
    for worker in workers where worker !== late { worker.leave() }
  }

  /// - Parameter ending: how it ended, where nobody knows for which of the events.
  private func ended(_ worker: WarmWorker, left: [Job], after ending: WorkerOutcome.Ending?) {
    workers.removeAll { $0 === worker }
    if worker.death != nil { died(startedAt: worker.started) }
    if isBrokenOff {
      left.forEach { release($0, by: worker) }
      left.forEach { $0.finish(WorkerOutcome(ending: .stopped)) }
    } else {
      if let ending { suspect(left, ending) }
      jobs.takeBack(left)
    }
    isOthersTurn = worker.isAlone && entry.concurrency == 1
    slots.giveBack()
    pump()
  }

  private func suspect(_ left: [Job], _ ending: WorkerOutcome.Ending) {
    let suspicion = Suspicion(ending)
    for job in left { job.suspicion = suspicion }
    observer.onBrokenBatch?(left.count, WorkerOutcome(ending: ending))
  }

  private func ended(_ run: OneShotRun, as ending: WorkerOutcome.Ending) {
    runs[ObjectIdentifier(run)] = nil
    jobs.release(run.job)
    switch ending {
    case .exited(0, _): backoff.succeeded()
    case .crashed: died(startedAt: run.started)
    default: break
    }
    slots.giveBack()
    pump()
  }

  private func died(startedAt start: ContinuousClock.Instant) {
    if backoff.died(startedAt: start, at: .now) { observer.onBackoff?(backoff.delay) }
  }

  private func pumpLater(after pause: Duration) {
    guard retry == nil else { return }
    retry = RunnerLoop.loop.schedule(after: pause) { [self] in
      retry = nil
      pump()
    }
  }

  private func lookLater() {
    guard look == nil, runs.values.contains(where: \.isUnwatched) else { return }
    look = RunnerLoop.loop.schedule(after: OneShotRun.lookInterval) { [self] in
      look = nil
      runs.values.forEach { $0.look() }
      lookLater()
    }
  }

  private func sweepLater() {
    guard sweep == nil else { return }
    sweep = RunnerLoop.loop.schedule(after: Self.idleLimit) { [self] in
      sweep = nil
      for worker in workers where worker.load == 0 && .now - worker.idleSince >= Self.idleLimit { worker.leave() }
      if !workers.isEmpty { sweepLater() }
    }
  }

  /// All that came in one turn of the loop can share requests.
  private func handLater() {
    guard !willHand else { return }
    willHand = true
    RunnerLoop.loop.atEndOfTurn { [self] in
      willHand = false
      if let target { hand(to: target) } else { pump() }
    }
  }

  /// All that came in one turn of the loop ends at its end, discarded or stopped: never inside `submit`, and at hardly any
  /// cost.
  private func endWaitingLater() {
    guard !willEndWaiting else { return }
    willEndWaiting = true
    RunnerLoop.loop.atEndOfTurn { [self] in
      willEndWaiting = false
      guard isBrokenOff || target == nil && entry.mode == .discard else { return pump() }
      let ending = isBrokenOff ? WorkerOutcome.Ending.stopped : .exited(0, output: nil)
      for job in jobs.takeAll() { job.finish(WorkerOutcome(ending: ending)) }
      closeWhenEmpty()
    }
  }

  private func failAll(_ reason: String) {
    for job in jobs.takeAll() { job.finish(WorkerOutcome(ending: .couldNotStart(reason))) }
  }

  private func closeWhenEmpty() {
    guard let closing, waiting == 0 else { return }
    workers.forEach { $0.leave() }
    guard workers.isEmpty, runs.isEmpty, away.isEmpty else { return }
    self.closing = nil
    for timer in [retry, sweep, look].compactMap({ $0 }) { RunnerLoop.loop.cancel(timer) }
    (retry, sweep, look) = (nil, nil, nil)
    slots.part(self)
    closing()
  }
}

// How events get a process.
extension FunctionPool {
  /// Gives the next event to a process; `false` when nothing has changed.
  private func feed() -> Bool {
    let before = jobs.ready.count
    let next = jobs.first { holder in workers.contains { ObjectIdentifier($0) == holder && $0.hasRoom } }
    if let next, let worker = worker(beside: next.holder), let job = jobs.popFirst() {
      jobs.give(job, to: worker)
      worker.take(job)
    }
    return jobs.ready.count != before
  }

  /// The process that has others of the event's chain, else an idle one, else a new one, else the one with the shortest queue.
  ///
  /// Batches are filled one after the other, and only those of processes that have nothing else to do.
  private func worker(beside holder: ObjectIdentifier?) -> WarmWorker? {
    if let holder { return workers.first { ObjectIdentifier($0) == holder } }
    let open = workers.lazy.filter(\.hasRoom)
    if entry.batch != nil { return open.max { $0.load < $1.load } ?? startWorker() }
    let shortest = open.min { $0.load < $1.load }
    return shortest?.load == 0 ? shortest : startWorker() ?? shortest
  }

  private func startWorker() -> WarmWorker? {
    guard mayStart() else { return nil }
    do {
      return try makeWorker(batch: entry.batch)
    } catch {
      if !couldNotStart(error), staying == 0 { failAll("\(launch.executable): \(error)") }
      return nil
    }
  }

  private func makeWorker(batch: Int?) throws(SpawnError) -> WarmWorker {
    let worker = try WarmWorker(
      launch: launch, timeout: entry.timeout, batch: batch, relay: StderrRelay(spans: observer.onSpan, emit: log),
      onRelease: { [self] in release($1, by: $0) }, onAnswer: { [self] in answered($0, exit: $1) },
      onTimeOut: { [self] in distrust(beside: $0) }, onEnd: { [self] in ended($0, left: $1, after: $2) })
    worker.onBatch = observer.onBatch
    workers.append(worker)
    sweepLater()
    return worker
  }

  private func startOneShot() -> Bool {
    let before = jobs.ready.count
    if jobs.first(where: { _ in false }) != nil, mayStart(), let job = jobs.popFirst() { _ = run(job) }
    return jobs.ready.count != before
  }

  private func startAlone() -> Bool {
    guard jobs.firstAlone() != nil, mayRunAlone else { return false }
    // Where warm processes take all the function's places, one of them has to go.
    if processes >= entry.concurrency, alone == 0, leaving == 0 { leastBusy?.leave() }
    guard mayStart(), let job = jobs.popFirstAlone() else { return false }
    return run(job)
  }

  /// Whether an event may run alone now: of a function with batches the others go on beside it, or in turn with it.
  private var mayRunAlone: Bool {
    entry.batch == nil || alone < max(1, entry.concurrency - 1) && !(isOthersTurn && !jobs.ready.isEmpty)
  }

  /// Starts a process for a job; `false` when it has to be tried again.
  private func run(_ job: Job) -> Bool {
    do throws(SpawnError) {
      // An event that runs alone is answered as it is among others.
      if entry.mode == .warm { try runAlone(job) } else { try runOnce(job) }
      return true
    } catch {
      guard couldNotStart(error) else {
        jobs.release(job)
        job.finish(WorkerOutcome(ending: .couldNotStart("\(launch.executable): \(error)")))
        return true
      }
      jobs.putBack(job)
      return false
    }
  }

  private func runAlone(_ job: Job) throws(SpawnError) {
    let worker = try makeWorker(batch: nil)
    jobs.give(job, to: worker)
    worker.takeAlone(job)
  }

  private func runOnce(_ job: Job) throws(SpawnError) {
    let run = try OneShotRun(
      job, program: program, timeout: entry.timeout, relay: StderrRelay(spans: observer.onSpan, emit: log),
      onEnd: { [self] in ended($0, as: $1) })
    runs[ObjectIdentifier(run)] = run
    jobs.give(job, to: run)
    lookLater()
  }

  /// Whether the function's own limit, its back-off and the slots allow a process now; a slot is then taken.
  private func mayStart() -> Bool {
    guard processes < entry.concurrency else { return false }
    if let pause = backoff.wait(at: .now) {
      pumpLater(after: pause)
      return false
    }
    guard slots.take(for: self) else { return false }
    backoff.started(at: .now)
    return true
  }

  /// Whether another try may help.
  private func couldNotStart(_ error: SpawnError) -> Bool {
    slots.giveBack()
    died(startedAt: .now)
    if error.isPassing { pumpLater(after: max(backoff.delay, RestartBackoff.first)) }
    return error.isPassing
  }
}

// Functions that run elsewhere.
extension FunctionPool {
  /// The bytes of events that a request has at most; one event alone may be larger.
  private static let mostBytes = 1 << 20

  /// Sends what waits to the function's target, as long as there is room.
  private func hand(to target: any EventTarget) {
    while away.count < entry.concurrency, let first = nextToSend() {
      let request = ObjectIdentifier(first)
      away[request] = gather(behind: first)
      let sent = away[request] ?? []
      if entry.batch != nil { observer.onBatch?(sent.count) }
      target.send(sent) { [self] job, outcome in
        away[request]?.removeAll { $0 === job }
        if away[request]?.isEmpty == true { away[request] = nil }
        jobs.release(job)
        job.finish(outcome)
        pump()
      }
    }
  }

  private func nextToSend() -> Job? {
    if jobs.firstAlone() != nil { return jobs.popFirstAlone() }
    return jobs.first { _ in false } == nil ? nil : jobs.popFirst()
  }

  /// An event with those that share its request: none that has failed before, and none for whose answer somebody waits.
  private func gather(behind first: Job) -> [Job] {
    var (gathered, bytes) = ([first], first.line.count)
    jobs.give(first, to: first)
    guard let most = entry.batch, first.mayShare else { return gathered }
    while gathered.count < most, let next = jobs.first(where: { _ in false })?.job, next.mayShare,
      bytes + next.line.count <= Self.mostBytes
    {
      _ = jobs.popFirst()
      jobs.give(next, to: first)
      gathered.append(next)
      bytes += next.line.count
    }
    return gathered
  }

  /// Sends the function's events elsewhere from now on, or, with `nil`, to processes of its own.
  ///
  /// The events on their way end as they will.
  package func use(_ target: (any EventTarget)?) {
    self.target = target
    if target != nil { workers.forEach { $0.leave() } }
    pump()
  }
}

// How much there is to do.
extension FunctionPool {
  /// Events that no process has got yet.
  package var waiting: Int { jobs.count }

  /// Events that wait or run.
  package var load: Int {
    waiting + workers.reduce(0) { $0 + $1.load } + runs.count + away.values.reduce(0) { $0 + $1.count }
  }

  /// Processes, those that are about to end included.
  package var processes: Int { workers.count + runs.count }

  /// The ids of these processes.
  package var processIDs: [ProcessID] { workers.map(\.processID) + runs.values.map(\.processID) }

  /// How many events there can be at once so that none waits in the pool for a process.
  package var capacity: Int {
    if let target { return target.outage == nil ? entry.concurrency * (entry.batch ?? 1) : 1 }
    return switch entry.mode {
    case .warm: entry.concurrency * (entry.batch ?? WarmWorker.window) + jobs.countAside
    case .oneshot: entry.concurrency
    case .discard: Self.mostDiscarded
    }
  }

  /// The ids of the events that processes work on now, or that are on their way elsewhere.
  package var handled: [String] {
    workers.flatMap(\.handled) + runs.values.map(\.id) + away.values.joined().map(\.id)
  }

  /// The ids of events that were in a batch whose process ended, and that wait to run alone.
  package var interrupted: [String] { jobs.suspects.map(\.id) }
}

// What the slots that are shared ask.
extension FunctionPool {
  /// Whether events wait for a process that may be started.
  var wantsProcess: Bool { waiting > jobs.countAside && processes < entry.concurrency }

  /// The process that has had nothing to do for the longest time.
  var longestIdle: WarmWorker? {
    workers.lazy.filter { !$0.isLeaving && $0.load == 0 }.min { $0.idleSince < $1.idleSince }
  }

  /// The warm process that will be done first.
  var leastBusy: WarmWorker? { workers.lazy.filter { !$0.isLeaving }.min { $0.load < $1.load } }

  /// Warm processes that go on, those that end when their queue is done, and those that have one event only.
  var staying: Int { workers.count { !$0.isLeaving } }
  var leaving: Int { workers.count { $0.isLeaving && !$0.isAlone } }
  private var alone: Int { workers.count { $0.isAlone } }
}

/// The listeners to a pool's work.
package struct PoolObserver {
  /// Told of each event that somebody sent, before a process has it.
  package var onSubmit: (@RunnerLoop (Job) -> Void)?
  /// Told of each event that somebody sent, when it has ended.
  package var report: (@RunnerLoop (Job, WorkerOutcome) -> Void)?
  /// Gets the spans that processes write on stderr; without it they are lines of the log.
  package var onSpan: (@RunnerLoop (ArraySlice<UInt8>) -> Void)?
  /// Told of each batch that a process is handed, with the number of its events.
  package var onBatch: (@RunnerLoop (Int) -> Void)?
  /// Told when a process has ended with several unanswered events, with their number and how it ended.
  package var onBrokenBatch: (@RunnerLoop (Int, WorkerOutcome) -> Void)?
  /// Told when processes die again and again and the next one waits longer than before.
  package var onBackoff: (@RunnerLoop (Duration) -> Void)?
}
