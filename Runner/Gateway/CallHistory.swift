import EventLoop
package import FunctionKit
import Manifest
package import Postgres
package import System
import Workers

/// Writes down what became of calls over HTTP, in batches: calls do not wait for it, and after a crash the last may be
/// missing.
@RunnerLoop
package final class CallHistory {
  /// Between two batches.
  static let interval = Duration.milliseconds(250)
  /// Successes of one batch; failures are kept beyond.
  static let mostSuccesses = 500
  /// Failures that wait for a database that is away.
  static let mostFailures = 5_000
  /// Bytes of whole events in one batch.
  static let mostPayload = 8 << 20

  private let store: CallHistoryStore
  private let keepsPayloads: Bool
  private let log: Log
  private var records: [CallRecord] = []
  private var successes = 0
  private var payload = 0
  private var timer: TimerID?
  private var writing: Task<Void, Never>?
  private var unreported = 0
  private var reported = ContinuousClock.now
  /// Calls that were not written down, because they were too many.
  package private(set) var leftOut = 0

  package init(database: Connection, keepsPayloads: Bool, log: Log) {
    store = CallHistoryStore(database: database)
    self.keepsPayloads = keepsPayloads
    self.log = log
  }

  /// Takes note of a call that has ended.
  func add(_ event: CallEvent, of entry: FunctionEntry, _ outcome: WorkerOutcome, began: ContinuousClock.Instant) {
    let isSuccess = outcome.disposition == .done
    guard isSuccess ? successes < Self.mostSuccesses : records.count < Self.mostFailures + successes else {
      return leaveOut(1)
    }
    if isSuccess { successes += 1 }
    // Who signs in with a bearer token shows it in every request.
    let keepsPayload =
      keepsPayloads && entry.http.auth != .function && payload + event.line.count <= Self.mostPayload
    if keepsPayload { payload += event.line.count }
    records.append(CallRecord(event, of: entry, outcome, began: began, keepsPayload: keepsPayload))
    schedule()
  }

  /// Writes what is left.
  package func close() async {
    await writing?.value
    if let timer { RunnerLoop.loop.cancel(timer) }
    timer = nil
    if !records.isEmpty { await write() }
  }

  private func schedule() {
    guard timer == nil, writing == nil else { return }
    timer = RunnerLoop.loop.schedule(after: Self.interval) { [self] in
      timer = nil
      writing = Task {
        await write()
        writing = nil
        if !records.isEmpty { schedule() }
      }
    }
  }

  private func write() async {
    let batch = records
    (records, successes, payload) = ([], 0, 0)
    do {
      try await store.write(batch)
    } catch {
      let room = max(0, Self.mostFailures - (records.count - successes))
      let failures = batch.filter { $0.code != "OK" }.suffix(room).map(\.withoutPayload)
      leaveOut(batch.count - failures.count)
      records = failures + records
    }
    report()
  }

  private func leaveOut(_ count: Int) {
    leftOut += count
    unreported += count
  }

  private func report() {
    guard unreported > 0, .now - reported >= .seconds(60) else { return }
    log.warning("Calls were left out of the history", ["calls": "\(unreported)"])
    (unreported, reported) = (0, .now)
  }
}
