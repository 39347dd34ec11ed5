package import FunctionKit
package import System
import Tracing

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
