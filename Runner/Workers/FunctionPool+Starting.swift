import Manifest
import System

// How events get a process.
extension FunctionPool {
  /// Gives the next event to a process; `false` when nothing has changed.
  func feed() -> Bool {
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
      launch: launch, timeout: entry.timeout, batch: batch, relay: StderrRelay(spans: onSpan, emit: log),
      onRelease: { [self] in release($1, by: $0) }, onAnswer: { [self] in answered($0, exit: $1) },
      onTimeOut: { [self] in distrust(beside: $0) }, onEnd: { [self] in ended($0, left: $1, after: $2) })
    worker.onBatch = onBatch
    workers.append(worker)
    sweepLater()
    return worker
  }

  func startOneShot() -> Bool {
    let before = jobs.ready.count
    if jobs.first(where: { _ in false }) != nil, mayStart(), let job = jobs.popFirst() { _ = run(job) }
    return jobs.ready.count != before
  }

  func startAlone() -> Bool {
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
      job, program: program, timeout: entry.timeout, relay: StderrRelay(spans: onSpan, emit: log),
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
