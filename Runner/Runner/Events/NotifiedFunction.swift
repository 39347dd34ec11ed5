import EventLoop
import FoundationEssentials
import FunctionKit

/// A function that is run when there may be work for it: by a signal from the database, or when it asked to be.
///
/// Signals are volatile and become one: at most one run and one that waits. Nothing is lost with them, because such a
/// function looks itself for all there is to do, and runs whenever the runner starts or hears the database again.
@RunnerLoop
final class NotifiedFunction {
  private let pool: FunctionPool
  private let log: Log
  private var isRunning = false
  private var isWanted = false
  private var isStopped = false
  private var failures = 0
  private var wakeUp: TimerID?

  init(_ pool: FunctionPool, log: Log) {
    self.pool = pool
    self.log = log
  }

  /// There may be work.
  ///
  /// After a failure the next try waits for its time, whatever is signalled meanwhile.
  func notify() {
    isWanted = true
    if failures == 0 || wakeUp == nil { start() }
  }

  /// Starts no more.
  func stop() {
    isStopped = true
    if let wakeUp { RunnerLoop.loop.cancel(wakeUp) }
  }

  private func start() {
    guard isWanted, !isRunning, !isStopped else { return }
    (isWanted, isRunning) = (false, true)
    if let wakeUp { RunnerLoop.loop.cancel(wakeUp) }
    wakeUp = nil
    let id = UUID().uuidString.lowercased()
    let envelope = Envelope(
      id: id, source: "/notify/\(pool.entry.name)", type: EventType.notify, data: RawJSON(object: []))
    pool.submit(
      Job(id: id, line: Array(envelope.document.bytes) + [0x0A], trigger: .notify) { [self] outcome in ended(outcome) })
  }

  private func ended(_ outcome: WorkerOutcome) {
    isRunning = false
    if case .exited(0, let output) = outcome.ending {
      failures = 0
      let wakeAt = output?["wakeAt"]?.stringValue.flatMap(RFC3339.date)
      if let wakeAt { notify(after: max(0, wakeAt.timeIntervalSinceNow)) }
    } else {
      failures += 1
      log.warning(
        "A notified function failed and will be tried again",
        ["function": pool.entry.name, "error.code": outcome.code, "error.message": outcome.message])
      notify(after: min(60, Double(1 << min(failures, 7)) / 2))
    }
    if failures == 0 { start() }
  }

  private func notify(after seconds: Double) {
    guard !isStopped else { return }
    if let wakeUp { RunnerLoop.loop.cancel(wakeUp) }
    wakeUp = RunnerLoop.loop.schedule(after: .seconds(seconds)) { [self] in
      wakeUp = nil
      notify()
    }
  }
}
