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
  private var launch: Launch {
    didSet { program = Program(launch) }
  }
  private var program: Program
  private let slots: WorkerSlots
  private let log: @RunnerLoop (ArraySlice<UInt8>) -> Void
  /// Told of each event that somebody sent, when it has ended.
  package var report: (@RunnerLoop (Job, WorkerOutcome) -> Void)?
  /// Told when processes die again and again and the next one waits longer than before.
  package var onBackoff: (@RunnerLoop (Duration) -> Void)?
  private(set) var queue = JobQueue()
  private(set) var alone = JobQueue()
  private(set) var workers: [WarmWorker] = []
  private(set) var runs: [ObjectIdentifier: OneShotRun] = [:]
  private var backoff = RestartBackoff()
  private var retry: TimerID?
  private var sweep: TimerID?
  private var look: TimerID?
  private var willDiscard = false
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
    if job.isAlone { alone.append(job) } else { queue.append(job) }
    pump()
  }

  /// Follows another entry of `functions.json`, or another way of starting processes.
  ///
  /// Those that run finish their queue first, and leave where they no longer fit. Also opens a closed pool again.
  package func use(_ entry: FunctionEntry, launch: Launch) {
    closing = nil
    if launch != self.launch || entry.mode != self.entry.mode || entry.timeout != self.entry.timeout {
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
    guard entry.mode != .discard else { return discardLater() }
    while startAlone() {}
    while !queue.isEmpty, entry.mode == .warm ? feed() : startOneShot() {}
    closeWhenEmpty()
  }
}

extension FunctionPool {
  /// An idle process, else a new one, else the one with the shortest queue.
  private func feed() -> Bool {
    let shortest = workers.lazy.filter(\.hasRoom).min { $0.load < $1.load }
    let worker = shortest?.load == 0 ? shortest : startWorker() ?? shortest
    guard let worker, let job = queue.popFirst() else { return false }
    worker.take(job)
    return true
  }

  private func startWorker() -> WarmWorker? {
    guard mayStart() else { return nil }
    do {
      let worker = try WarmWorker(
        launch: launch, timeout: entry.timeout, relay: StderrRelay(emit: log),
        onAnswer: { [self] in answered($0, exit: $1) }, onTimeOut: { [self] in distrust(beside: $0) },
        onEnd: { [self] in ended($0, left: $1) })
      workers.append(worker)
      sweepLater()
      return worker
    } catch {
      if !couldNotStart(error), staying == 0 { failAll("\(launch.executable): \(error)") }
      return nil
    }
  }

  private func startOneShot() -> Bool {
    guard mayStart(), let job = queue.popFirst() else { return false }
    return run(job)
  }

  private func startAlone() -> Bool {
    guard !alone.isEmpty else { return false }
    // Where warm processes take all the function's places, one of them has to go.
    if processes >= entry.concurrency, runs.isEmpty, leaving == 0 { leastBusy?.leave() }
    guard mayStart(), let job = alone.popFirst() else { return false }
    return run(job)
  }

  /// Starts a process for a job; `false` when it has to be tried again.
  private func run(_ job: Job) -> Bool {
    do {
      let run = try OneShotRun(
        job, program: program, timeout: entry.timeout, relay: StderrRelay(emit: log),
        onEnd: { [self] in ended($0, as: $1) })
      runs[ObjectIdentifier(run)] = run
      lookLater()
      return true
    } catch {
      guard couldNotStart(error) else {
        job.finish(WorkerOutcome(ending: .couldNotStart("\(launch.executable): \(error)")))
        return true
      }
      if job.isAlone { alone.prepend([job]) } else { queue.prepend([job]) }
      return false
    }
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

  private func answered(_ worker: WarmWorker, exit: Int32) {
    if exit == 0 { backoff.succeeded() }
    if worker.answered >= Self.recycledAfter { worker.leave() }
    pump()
    if worker.load == 0 { slots.makeRoomIfWanted() }
  }

  /// What has stopped one process, such as a connection that fell silent, may stop the others: none gets another event.
  private func distrust(beside late: WarmWorker) {
    for worker in workers where worker !== late { worker.leave() }
  }

  private func ended(_ worker: WarmWorker, left: [Job]) {
    workers.removeAll { $0 === worker }
    if worker.hasDied { died(startedAt: worker.started) }
    if closing?.isGraceOver == true {
      left.forEach { $0.finish(WorkerOutcome(ending: .crashed(signal: SIGTERM))) }
    } else {
      queue.prepend(left)
    }
    slots.giveBack()
    pump()
  }

  private func ended(_ run: OneShotRun, as ending: WorkerOutcome.Ending) {
    runs[ObjectIdentifier(run)] = nil
    switch ending {
    case .exited(0, _): backoff.succeeded()
    case .crashed: died(startedAt: run.started)
    default: break
    }
    slots.giveBack()
    pump()
  }

  private func died(startedAt start: ContinuousClock.Instant) {
    if backoff.died(startedAt: start, at: .now) { onBackoff?(backoff.delay) }
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

  /// All that came in one turn of the loop ends at its end: never inside `submit`, and at hardly any cost.
  private func discardLater() {
    guard !willDiscard else { return }
    willDiscard = true
    RunnerLoop.loop.atEndOfTurn { [self] in
      willDiscard = false
      for job in alone.takeAll() + queue.takeAll() { job.finish(WorkerOutcome(ending: .exited(0, output: nil))) }
      closeWhenEmpty()
    }
  }

  private func failAll(_ reason: String) {
    for job in alone.takeAll() + queue.takeAll() { job.finish(WorkerOutcome(ending: .couldNotStart(reason))) }
  }

  private func giveUp() {
    guard closing != nil else { return }
    closing?.isGraceOver = true
    failAll("the runner is stopping")
    workers.forEach { $0.terminate() }
    runs.values.forEach { $0.terminate() }
    closeWhenEmpty()
  }

  private func closeWhenEmpty() {
    guard let closing, waiting == 0 else { return }
    workers.forEach { $0.leave() }
    guard workers.isEmpty, runs.isEmpty else { return }
    self.closing = nil
    for timer in [retry, sweep, look].compactMap({ $0 }) { RunnerLoop.loop.cancel(timer) }
    (retry, sweep, look) = (nil, nil, nil)
    slots.part(self)
    closing.done()
  }
}
