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

/// An HTTP call that has ended, for the history.
struct CallRecord: Sendable {
  let function: String
  let eventID: String
  let source: String
  let type: String
  let traceparent: String?
  let began: ContinuousClock.Instant
  let ended = ContinuousClock.now
  let code: String
  let exitStatus: Int?
  let duration: Duration
  let error: String?
  /// The event's payload without what is redacted; `nil` if it is not kept.
  var payload: RawJSON?

  init(
    _ event: CallEvent, of entry: FunctionEntry, _ outcome: WorkerOutcome, began: ContinuousClock.Instant,
    keepsPayload: Bool
  ) {
    function = entry.name
    (eventID, source, type) = (event.envelope.id, event.envelope.source, event.envelope.type)
    traceparent = event.envelope["traceparent"]?.stringValue
    self.began = began
    code = outcome.code
    exitStatus = if case .exited(let status, _) = outcome.ending { Int(status) } else { nil }
    duration = outcome.duration
    error = outcome.disposition == .done ? nil : outcome.report
    payload = keepsPayload ? Redaction(entry).applied(to: event.envelope.data) : nil
  }

  var withoutPayload: CallRecord {
    var record = self
    record.payload = nil
    return record
  }
}

/// Removes from a payload what may not be kept.
struct Redaction {
  private let names: Set<String>
  private let isProxied: Bool

  init(_ entry: FunctionEntry) {
    names = Set(entry.redact)
    isProxied = entry.http.auth == .function
  }

  /// The payload with `null` for its redacted members and those of a row's two records.
  ///
  /// It also lacks what proves a caller's identity.
  func applied(to data: RawJSON) -> RawJSON {
    guard !names.isEmpty || isProxied, data.kind == .object else { return data }
    return RawJSON(
      object: data.members.map { member in
        if names.contains(member.name) { return (member.name, .null) }
        switch member.name {
        case "record", "old_record": return (member.name, withoutNames(member.value))
        case "headers" where isProxied: return (member.name, withoutCredentials(member.value))
        default: return (member.name, member.value)
        }
      })
  }

  private func withoutNames(_ record: RawJSON) -> RawJSON {
    guard record.kind == .object else { return record }
    return RawJSON(object: record.members.map { ($0.name, names.contains($0.name) ? .null : $0.value) })
  }

  private func withoutCredentials(_ headers: RawJSON) -> RawJSON {
    let secret: Set = ["authorization", "apikey", "cookie", "proxy-authorization"]
    return RawJSON(object: headers.members.filter { !secret.contains($0.name) }.map { ($0.name, $0.value) })
  }
}

/// The statements that record HTTP calls.
struct CallHistoryStore: Sendable {
  let database: Connection

  /// - Throws: if nothing was written. Whole events that could not be written are left out.
  func write(_ records: [CallRecord]) async throws(PostgresError) {
    _ = try await database.query(Self.history(records))
    try? await writePayloads(records.filter { $0.payload != nil })
  }

  /// A payload that jsonb cannot hold, with U+0000 or too large a number, must not stop the others.
  private func writePayloads(_ records: [CallRecord]) async throws(PostgresError) {
    guard !records.isEmpty else { return }
    do {
      _ = try await database.query(Self.payloads(records))
    } catch {
      guard error.isOfData else { throw error }
      guard records.count > 1 else { return }
      let half = records.count / 2
      try await writePayloads(Array(records[..<half]))
      try await writePayloads(Array(records[half...]))
    }
  }

  /// The database's time, the same for all columns of a statement.
  ///
  /// Without OFFSET the planner puts the function in place of each `t.now`, and a call could begin after its end.
  private static let instant: SQL = "(SELECT runner.now() AS now OFFSET 0) AS t"

  // Calls end by the runner's clock, but rows have the database's time. So the statement says how long ago it was.
  private static func history(_ records: [CallRecord]) -> SQL {
    let now = ContinuousClock.now
    let calls: SQL = .rows(
      "c",
      [
        "began": "\(records.map { $0.began.duration(to: now) / .seconds(1) })::float8[]",
        "ended": "\(records.map { $0.ended.duration(to: now) / .seconds(1) })::float8[]",
        "event_id": "\(records.map { storable($0.eventID) })::text[]", "function": "\(records.map(\.function))::text[]",
        "code": "\(records.map(\.code))::text[]", "exit_status": "\(records.map(\.exitStatus))::smallint[]",
        "duration_us": "\(records.map { Int($0.duration / .microseconds(1)) })::bigint[]",
        "error": "\(records.map(\.error))::text[]",
      ])
    let insertion: SQL = .insert(
      into: "runner.history",
      [
        "ended_at": "t.now - c.ended * interval '1 second'", "event_id": "c.event_id", "function": "c.function",
        "kind": "'http'", "at": "t.now - c.began * interval '1 second'", "attempt": "0", "code": "c.code",
        "exit_status": "c.exit_status", "duration_us": "c.duration_us", "error": "c.error",
      ])
    return "\(insertion) FROM \(instant), \(calls)"
  }

  private static func payloads(_ records: [CallRecord]) -> SQL {
    let now = ContinuousClock.now
    let calls: SQL = .rows(
      "c",
      [
        "began": "\(records.map { $0.began.duration(to: now) / .seconds(1) })::float8[]",
        "event_id": "\(records.map { storable($0.eventID) })::text[]", "function": "\(records.map(\.function))::text[]",
        "source": "\(records.map(\.source))::text[]", "type": "\(records.map { storable($0.type) })::text[]",
        "data": "\(records.map { $0.payload.map { String(decoding: $0.bytes, as: UTF8.self) } })::text[]",
        "traceparent": "\(records.map { $0.traceparent.map(storable) })::text[]",
      ])
    let insertion: SQL = .insert(
      into: "runner.payloads",
      [
        "event_id": "c.event_id", "function": "c.function", "at": "t.now - c.began * interval '1 second'",
        "source": "c.source", "type": "c.type", "data": "c.data::jsonb", "traceparent": "c.traceparent",
      ])
    return "\(insertion) FROM \(instant), \(calls)"
  }

  /// PostgreSQL's text has no U+0000.
  private static func storable(_ text: String) -> String {
    text.utf8.contains(0) ? String(text.unicodeScalars.filter { $0.value != 0 }) : text
  }
}
