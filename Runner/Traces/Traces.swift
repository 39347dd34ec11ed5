import FoundationEssentials
package import FunctionKit
package import HTTPClient
package import Manifest
package import System
import Tracing
package import Workers

/// Follows events and calls through the runner, as traces of OpenTelemetry.
///
/// A trace begins with a caller's `traceparent`, or follows from the event's source and id, so that all attempts share it.
@RunnerLoop
package final class Traces {
  let tracer: Tracer
  private let exporter: SpanExporter
  private let name: String

  /// - Parameters:
  ///   - manifest: its bundle is the `service.name` of the runner unless a variable says another.
  ///   - client: on the runner's loop.
  /// - Returns: `nil` if the environment wants no traces.
  package init?(
    _ environment: FunctionKit.Environment, of manifest: Manifest, client: @autoclosure () -> LoopHTTPClient, log: Log
  ) {
    let settings = TraceSettings(
      { environment[$0] },
      problem: { log.warning("A variable of OpenTelemetry is not usable", ["problem": $0]) })
    guard let settings else { return nil }
    exporter = SpanExporter(settings, client: client(), log: log)
    name = manifest.bundle == Manifest.defaultBundle ? "push-functions" : manifest.bundle
    tracer = Tracer(settings.sampler)
  }

  func record(_ span: Span) { exporter.add(span.json, of: name, isFunction: false) }

  /// The variables that every process of a function needs in its environment.
  package nonisolated static let functionVariables = [SpanLines.variable: SpanLines.onStandardError]

  /// How many spans were lost.
  package var lost: Int { exporter.lost }

  /// Sends what waits, for at most two seconds.
  package func close() async { await exporter.close(within: .seconds(2)) }

  /// Follows the events of a pool, and takes the spans of its processes.
  package func follow(_ pool: FunctionPool) {
    let name = pool.entry.name
    pool.observer.onSubmit = { [self] job in if job.trigger != .http { begin(job, of: name) } }
    pool.observer.onSpan = { [exporter] span in
      // One that is no JSON would spoil the others.
      guard let span = try? RawJSON(validating: span), span.kind == .object else { return }
      exporter.add(span.bytes, of: name, isFunction: true)
    }
  }

  /// The line of an event whose trace begins with it and is not recorded; `nil` for any other.
  ///
  /// It reads two members of the line only: where few traces are recorded, nearly all events come this way.
  private func unrecorded(_ job: Job) -> [UInt8]? {
    let event = RawJSON(trusting: job.line)
    guard event["traceparent"] == nil, let source = event["source"]?.stringValue else { return nil }
    let origin = tracer.origin(traceparent: nil, state: nil, source: source, id: job.id)
    guard !origin.context.isSampled else { return nil }
    return Self.line(job.line, with: origin.context.traceparent)
  }

  /// Begins the span of an attempt, which the function's run belongs to.
  private func begin(_ job: Job, of function: String) {
    if let line = unrecorded(job) {
      job.line = line
      return
    }
    guard let event = TracedEvent(job.line) else { return }
    let origin = tracer.origin(
      traceparent: event["traceparent"], state: event["tracestate"], source: event["source"] ?? "", id: job.id)
    let context = origin.context.child()
    // A notification that there may be work is no event of its own.
    let isEvent = job.trigger != .notify
    guard let line = event.line(in: context) else { return }
    job.line = line
    guard context.isSampled else { return }
    let (start, attempt) = (Span.now(), event.attempt)
    let facts: [(name: String, value: Span.Value)] = [
      ("messaging.system", .text("push-functions")), ("messaging.destination.name", .text(function)),
      ("messaging.message.id", .text(job.id)), ("cloudevents.event_id", .text(job.id)),
      ("cloudevents.event_source", .text(event["source"] ?? "")),
      ("cloudevents.event_type", .text(event["type"] ?? "")),
    ]
    if isEvent, attempt == 0 {
      let sending: [(name: String, value: Span.Value)] = [
        ("messaging.operation.name", .text("send")), ("messaging.operation.type", .text("send")),
      ]
      record(
        Span(
          "send \(function)", .producer, origin.context, below: origin.caller,
          start: event.time.map { min($0, start) } ?? start, end: start, sending + facts))
    }
    let report = job.report
    job.report = { [self] job, outcome in
      report?(job, outcome)
      let processing: [(name: String, value: Span.Value)] = [
        ("messaging.operation.name", .text("process")), ("messaging.operation.type", .text("process")),
        ("faas.invoked_name", .text(function)), ("push.attempt", .number(attempt)),
      ]
      record(
        Span(
          "process \(function)", .consumer, context, below: isEvent ? origin.context : origin.caller, start: start,
          processing + facts, error: outcome.disposition == .done ? nil : outcome.code))
    }
  }
}

/// An event on a line, as far as its trace needs.
struct TracedEvent {
  private let members: [RawJSON.Member]

  /// Reads a whole line; `nil` if it is no JSON object.
  init?(_ line: [UInt8]) {
    guard let members = try? RawJSON.members(validating: line.dropLast()) else { return nil }
    self.members = members
  }

  subscript(name: String) -> String? { members.first { $0.name == name }?.value.stringValue }

  var attempt: Int { members.first { $0.name == "attempt" }?.value.intValue ?? 0 }

  /// When it happened, in nanoseconds since 1970; `nil` if it does not say, or by a virtual clock.
  var time: UInt64? {
    guard self["now"] == nil, let date = self["time"].flatMap(RFC3339.date) else { return nil }
    return UInt64(max(0, date.timeIntervalSince1970 * 1e9))
  }

  /// The event with that place in its trace; `nil` if it would be larger than a function takes.
  func line(in context: TraceContext) -> [UInt8]? {
    let others = members.filter { $0.name != "traceparent" && $0.name != "data" }.map { ($0.name, $0.value) }
    let data = members.last { $0.name == "data" }.map { [("data", $0.value)] } ?? []
    let line = RawJSON(object: others + [("traceparent", RawJSON(context.traceparent))] + data).line
    return line.count > Envelope.maximumSize ? nil : line
  }
}

extension Traces {
  /// The line of an event that has no `traceparent`, with that one; `nil` if it would be larger than a function takes.
  package nonisolated static func line(_ line: [UInt8], with traceparent: String) -> [UInt8]? {
    let member = #"{"traceparent":"\#(traceparent)","#.utf8
    guard line.first == UInt8(ascii: "{"), line.count + member.count <= Envelope.maximumSize else { return nil }
    var traced: [UInt8] = []
    traced.reserveCapacity(line.count + member.count)
    traced += member
    traced += line.dropFirst()
    return traced
  }
}

/// An HTTP call on its way.
@RunnerLoop
package struct TracedCall {
  private let context: TraceContext
  private let parent: TraceContext?
  private let traces: Traces
  private let start = Span.now()
  private let method: String
  private let route: String
  private let function: String
  private let eventID: String

  fileprivate init(_ event: Envelope, _ method: String, route: String, to function: String, _ traces: Traces) {
    let origin = traces.tracer.origin(
      traceparent: event["traceparent"]?.stringValue, state: event["tracestate"]?.stringValue, source: event.source,
      id: event.id)
    (context, parent, self.traces) = (origin.context.child(), origin.caller, traces)
    (self.method, self.route, self.function, eventID) = (method, route, function, event.id)
  }

  /// The value of `traceparent` for what the call leads to.
  package var traceparent: String { context.traceparent }

  /// Records the call with the status of its answer.
  package func end(_ status: Int) {
    guard context.isSampled else { return }
    traces.record(
      Span(
        "\(method) \(route)", .server, context, below: parent, start: start,
        [
          ("http.request.method", .text(method)), ("http.route", .text(route)), ("url.scheme", .text("http")),
          ("faas.invoked_name", .text(function)), ("cloudevents.event_id", .text(eventID)),
          ("http.response.status_code", .number(status)),
        ], error: status >= 500 ? "\(status)" : nil))
  }
}

extension Traces {
  /// Begins the span of an HTTP call.
  ///
  /// - Parameter route: the path without the values of its parameters.
  package func begin(_ event: Envelope, _ method: String, route: String, to function: String) -> TracedCall {
    TracedCall(event, method, route: route, to: function, self)
  }
}
