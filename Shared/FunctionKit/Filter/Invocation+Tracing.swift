import Tracing

extension InvocationTrace {
  /// Begins the span of a run.
  init(_ envelope: Envelope, _ tracer: Tracer) {
    self.init(
      traceparent: envelope["traceparent"]?.stringValue, state: envelope["tracestate"]?.stringValue,
      source: envelope.source, id: envelope.id, tracer)
  }

  /// The span of the run at its end.
  func span<Payload>(of event: Event<Payload>, by function: String, _ outcome: Outcome) -> Span {
    let trigger =
      switch event.type {
      case EventType.row: "datasource"
      case EventType.schedule: "timer"
      case EventType.call: "http"
      case EventType.notify: "pubsub"
      default: "other"
      }
    let error: String? = if case .failure(let error) = outcome.result { error.code.rawValue } else { nil }
    return span(
      of: function, trigger: trigger, event: (event.id, event.source, event.type), attempt: event.attempt, error: error)
  }
}
