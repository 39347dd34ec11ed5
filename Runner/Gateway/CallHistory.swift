import EventLoop
package import FunctionKit
import Manifest
package import Postgres
package import System
import Workers

/// Records in batches how HTTP calls ended.
///
/// Calls do not wait for it, and after a crash the last may be missing.
@RunnerLoop
package final class CallHistory {
  /// The time between two batches.
  static let interval = Duration.milliseconds(100)
  /// The time from a batch that could not be written to the next try.
  static let pause = Duration.seconds(1)
  /// The most successes of one batch.
  ///
  /// Failures are kept even if there are more.
  static let mostSuccesses = 200
  /// The most failures that wait while the database does not answer.
  static let mostFailures = 5_000
  /// The most bytes of whole events in one batch.
  static let mostPayload = 8 << 20

  private let store: CallHistoryStore
  private let keepsPayloads: Bool
  private let log: Log
  private var records: [CallRecord] = []
  private var successes = 0
  private var payload = 0
  private var timer: TimerID?
  private var writing: Task<Void, Never>?
  /// Whether the last batch could not be written.
  private var isAway = false
  private var unreported = 0
  private var cause = "There were too many at once."
  private var reported = ContinuousClock.now
  /// How many calls were not recorded, because they were too many.
  package private(set) var leftOut = 0
  /// How many were.
  package private(set) var written = 0

  package init(database: Connection, keepsPayloads: Bool, log: Log) {
    store = CallHistoryStore(database: database)
    self.keepsPayloads = keepsPayloads
    self.log = log
  }

  /// Records a call that has ended.
  func add(_ event: CallEvent, of entry: FunctionEntry, _ outcome: WorkerOutcome, began: ContinuousClock.Instant) {
    let isSuccess = outcome.disposition == .done
    guard isSuccess ? successes < Self.mostSuccesses : records.count < Self.mostFailures + successes else {
      return leaveOut(1)
    }
    if isSuccess { successes += 1 }
    // Every request of a caller with a bearer token has the token.
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
    timer = RunnerLoop.loop.schedule(after: isAway ? Self.pause : Self.interval) { [self] in
      timer = nil
      writing = BackgroundTask.start("writing the history of calls") { [self] in
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
      written += batch.count
      isAway = false
    } catch {
      isAway = true
      let room = max(0, Self.mostFailures - (records.count - successes))
      let failures = batch.filter { $0.code != "OK" }.suffix(room).map(\.withoutPayload)
      cause = "\(error)"
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
    log.warning("Calls were left out of the history", ["calls": "\(unreported)", "error.cause": cause])
    (unreported, reported) = (0, .now)
  }
}
