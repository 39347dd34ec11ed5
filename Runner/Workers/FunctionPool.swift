import EventLoop
import Glibc
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
  private(set) var launch: Launch {
    didSet { program = Program(launch) }
  }
  private(set) var program: Program
  let slots: WorkerSlots
  let log: @RunnerLoop (ArraySlice<UInt8>) -> Void
  /// Told of each event that somebody sent, when it has ended.
  package var report: (@RunnerLoop (Job, WorkerOutcome) -> Void)?
  /// Told of each event that somebody sent, before a process has it.
  package var onSubmit: (@RunnerLoop (Job) -> Void)?
  /// Gets the spans that processes write on stderr; without it they are lines of the log.
  package var onSpan: (@RunnerLoop (ArraySlice<UInt8>) -> Void)?
  /// Told of each batch that a process is handed, with the number of its events.
  package var onBatch: (@RunnerLoop (Int) -> Void)?
  /// Told when a process has ended with several unanswered events, with their number and how it ended.
  package var onBrokenBatch: (@RunnerLoop (Int, WorkerOutcome) -> Void)?
  /// Told when processes die again and again and the next one waits longer than before.
  package var onBackoff: (@RunnerLoop (Duration) -> Void)?
  var jobs = WaitingJobs()
  var workers: [WarmWorker] = []
  var runs: [ObjectIdentifier: OneShotRun] = [:]
  /// Where the events go of a function that runs elsewhere.
  package internal(set) var target: (any EventTarget)?
  /// The events that are on their way there, by the first of each request.
  var away: [ObjectIdentifier: [Job]] = [:]
  var backoff = RestartBackoff()
  private var retry: TimerID?
  private var sweep: TimerID?
  private var look: TimerID?
  private var willDiscard = false
  private var willHand = false
  /// Whether the only process of the function is for the others after one that ran alone.
  private(set) var isOthersTurn = false
  private var closing: Closing?

  /// What is known of the end of a pool that takes nothing more.
  private struct Closing {
    var isGraceOver = false
    let done: @RunnerLoop () -> Void
  }

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
    job.report = report
    onSubmit?(job)
    jobs.append(job)
    pump()
  }

  /// Follows another entry of `functions.json`, or another way of starting processes.
  ///
  /// Processes that run finish their queue first, and leave if they no longer fit. Also opens a closed pool again.
  package func use(_ entry: FunctionEntry, launch: Launch) {
    closing = nil
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
  /// - Parameter grace: what is late is ended after it; without one, only each event's own time limit counts.
  package func close(grace: Duration?, then done: @escaping @RunnerLoop () -> Void) {
    closing = Closing(done: done)
    if let grace { RunnerLoop.loop.schedule(after: grace) { [self] in giveUp() } }
    pump()
  }

  /// Starts what can be started.
  func pump() {
    if let target {
      if entry.batch == nil { hand(to: target) } else { handLater() }
      return closeWhenEmpty()
    }
    guard entry.mode != .discard else { return discardLater() }
    while startAlone() || (entry.mode == .warm ? feed() : startOneShot()) {}
    closeWhenEmpty()
  }
}

// What processes tell of themselves.
extension FunctionPool {
  func release(_ job: Job, by worker: WarmWorker) {
    jobs.release(job)
    if worker.load == 0 { isOthersTurn = false }
  }

  func answered(_ worker: WarmWorker, exit: Int32) {
    if exit == 0 { backoff.succeeded() }
    if worker.answered >= Self.recycledAfter { worker.leave() }
    pump()
    if worker.load == 0 { slots.makeRoomIfWanted() }
  }

  /// Gives no other process another event: the cause that stopped this one, such as a silent connection, may stop them,
  /// too.
  func distrust(beside late: WarmWorker) {
    guard !late.isAlone else { return }
    for worker in workers where worker !== late { worker.leave() }
  }

  /// - Parameter ending: how it ended, where nobody knows for which of the events.
  func ended(_ worker: WarmWorker, left: [Job], after ending: WorkerOutcome.Ending?) {
    workers.removeAll { $0 === worker }
    if worker.hasDied { died(startedAt: worker.started) }
    if closing?.isGraceOver == true {
      left.forEach { release($0, by: worker) }
      left.forEach { $0.finish(WorkerOutcome(ending: .crashed(signal: SIGTERM))) }
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
    onBrokenBatch?(left.count, WorkerOutcome(ending: ending))
  }

  func ended(_ run: OneShotRun, as ending: WorkerOutcome.Ending) {
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

  func died(startedAt start: ContinuousClock.Instant) {
    if backoff.died(startedAt: start, at: .now) { onBackoff?(backoff.delay) }
  }

  func pumpLater(after pause: Duration) {
    guard retry == nil else { return }
    retry = RunnerLoop.loop.schedule(after: pause) { [self] in
      retry = nil
      pump()
    }
  }

  func lookLater() {
    guard look == nil, runs.values.contains(where: \.isUnwatched) else { return }
    look = RunnerLoop.loop.schedule(after: OneShotRun.lookInterval) { [self] in
      look = nil
      runs.values.forEach { $0.look() }
      lookLater()
    }
  }

  func sweepLater() {
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

  /// All that came in one turn of the loop ends at its end: never inside `submit`, and at hardly any cost.
  private func discardLater() {
    guard !willDiscard else { return }
    willDiscard = true
    RunnerLoop.loop.atEndOfTurn { [self] in
      willDiscard = false
      for job in jobs.takeAll() { job.finish(WorkerOutcome(ending: .exited(0, output: nil))) }
      closeWhenEmpty()
    }
  }

  func failAll(_ reason: String) {
    for job in jobs.takeAll() { job.finish(WorkerOutcome(ending: .couldNotStart(reason))) }
  }

  private func giveUp() {
    guard closing != nil else { return }
    closing?.isGraceOver = true
    failAll("the runner is stopping")
    workers.forEach { $0.terminate() }
    runs.values.forEach { $0.terminate() }
    target?.breakOff()
    closeWhenEmpty()
  }

  private func closeWhenEmpty() {
    guard let closing, waiting == 0 else { return }
    workers.forEach { $0.leave() }
    guard workers.isEmpty, runs.isEmpty, away.isEmpty else { return }
    self.closing = nil
    for timer in [retry, sweep, look].compactMap({ $0 }) { RunnerLoop.loop.cancel(timer) }
    (retry, sweep, look) = (nil, nil, nil)
    slots.part(self)
    closing.done()
  }
}
