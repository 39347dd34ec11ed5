import FunctionKit
import Manifest
import Workers

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
