import EventLoop

/// All processes of one function, and the events that wait for one.
@RunnerLoop
final class FunctionPool {
  /// How many events are written ahead to one warm process.
  static let window = 16
  /// A warm process is replaced after so many events, so that a slow leak stays small.
  static let recycledAfter = 100_000
  /// A warm process without work ends after this.
  static let idleLimit = Duration.seconds(300)

  let entry: FunctionEntry
  private var launch: Launch
  private let log: @RunnerLoop (ArraySlice<UInt8>) -> Void
  /// Told of each event that somebody sent, when it has ended.
  var report: (@RunnerLoop (Job, WorkerOutcome) -> Void)?
  private var queue = JobQueue()
  private var workers: [WarmWorker] = []
  private var runs: [ObjectIdentifier: OneShotRun] = [:]
  private var sweep: TimerID?
  private var isClosed = false
  private var onEmpty: (@RunnerLoop () -> Void)?

  /// - Parameter log: gets each line that a process writes on stderr.
  init(_ entry: FunctionEntry, launch: Launch, log: @escaping @RunnerLoop (ArraySlice<UInt8>) -> Void) {
    self.entry = entry
    self.launch = launch
    self.log = log
  }

  /// Events that wait or run.
  var load: Int { queue.count + workers.reduce(0) { $0 + $1.load } + runs.count }

  /// Events that wait for a process.
  var waiting: Int { queue.count }

  /// How many processes there are.
  var processes: Int { workers.count + runs.count }

  /// How many events can be on their way at once without any waiting in the pool.
  var capacity: Int { entry.mode == .warm ? entry.concurrency * Self.window : entry.concurrency }

  /// Brings an event to a process; the job says what came of it.
  func submit(_ job: Job) {
    job.report = report
    queue.append(job)
    pump()
  }

  /// Starts processes in another way from now on; those that run finish their line first.
  func replaceLaunch(_ launch: Launch) {
    guard launch != self.launch else { return }
    self.launch = launch
    workers.forEach { $0.leave() }
    pump()
  }

  /// Takes nothing more, lets what runs finish, then calls back.
  ///
  /// What is late is ended after the grace.
  func close(grace: Duration, then done: @escaping @RunnerLoop () -> Void) {
    isClosed = true
    onEmpty = done
    if let sweep { RunnerLoop.loop.cancel(sweep) }
    workers.forEach { $0.leave() }
    RunnerLoop.loop.schedule(after: grace) { [self] in
      workers.forEach { $0.terminate() }
      runs.values.forEach { $0.terminate() }
    }
    reportEmpty()
  }

  private func pump() {
    while !queue.isEmpty, entry.mode == .warm ? pumpWarm() : pumpOneShot() {}
  }

  private func pumpWarm() -> Bool {
    guard let worker = worker() else { return false }
    if let job = queue.popFirst() { worker.take(job) }
    return true
  }

  /// An idle process, else a new one, else the one with the shortest line.
  private func worker() -> WarmWorker? {
    let shortest = workers.lazy.filter { !$0.isLeaving }.min { $0.load < $1.load }
    if let shortest, shortest.load == 0 { return shortest }
    if workers.count(where: { !$0.isLeaving }) < entry.concurrency, let started = start() { return started }
    return shortest.flatMap { $0.load < Self.window ? $0 : nil }
  }

  private func start() -> WarmWorker? {
    do {
      let worker = try WarmWorker(
        launch: launch, timeout: entry.timeout, relay: StderrRelay(emit: log),
        onAnswer: { [self] in
          recycle()
          pump()
        },
        onEnd: { [self] worker, left in
          workers.removeAll { $0 === worker }
          queue.prepend(left)
          pump()
          reportEmpty()
        })
      workers.append(worker)
      scheduleSweep()
      return worker
    } catch {
      failAll(error)
      return nil
    }
  }

  private func pumpOneShot() -> Bool {
    guard runs.count < entry.concurrency, let job = queue.popFirst() else { return false }
    do {
      let identity = ObjectIdentifier(job)
      runs[identity] = try OneShotRun(
        job, launch: launch, timeout: entry.timeout, relay: StderrRelay(emit: log),
        onEnd: { [self] in
          runs[identity] = nil
          pump()
          reportEmpty()
        })
    } catch {
      job.finish(WorkerOutcome(ending: .couldNotStart("\(launch.executable): \(error)")))
    }
    return true
  }

  private func failAll(_ error: SpawnError) {
    guard workers.allSatisfy(\.isLeaving) else { return }
    while let job = queue.popFirst() {
      job.finish(WorkerOutcome(ending: .couldNotStart("\(launch.executable): \(error)")))
    }
  }

  private func recycle() {
    for worker in workers where worker.answered >= Self.recycledAfter { worker.leave() }
  }

  private func scheduleSweep() {
    guard sweep == nil, !isClosed else { return }
    sweep = RunnerLoop.loop.schedule(after: Self.idleLimit) { [self] in
      sweep = nil
      for worker in workers where worker.load == 0 && .now - worker.idleSince >= Self.idleLimit { worker.leave() }
      if !workers.isEmpty { scheduleSweep() }
    }
  }

  private func reportEmpty() {
    guard isClosed, workers.isEmpty, runs.isEmpty, queue.isEmpty else { return }
    onEmpty?()
    onEmpty = nil
  }
}
