/// The span of a function's run while it runs.
package struct InvocationTrace: Sendable {
  /// The run's own span.
  package let context: TraceContext
  /// Records further spans.
  package let tracer: Tracer
  private let parent: TraceContext?
  private let start = Span.now()

  /// Begins the span.
  package init(traceparent: String?, state: String?, source: String, id: String, _ tracer: Tracer) {
    let origin = tracer.origin(traceparent: traceparent, state: state, source: source, id: id)
    (context, parent, self.tracer) = (origin.context.child(), origin.caller, tracer)
  }

  /// The `traceparent` for what the run leads to; `nil` if the trace is not recorded.
  package var traceparent: String? { context.isSampled ? context.traceparent : nil }

  /// The span at its end.
  ///
  /// Source: https://opentelemetry.io/docs/specs/semconv/faas/faas-spans/
  /// - Parameters:
  ///   - trigger: `http`, `timer`, `datasource`, `pubsub` or `other`.
  ///   - error: the code of a failure.
  package func span(
    of function: String, trigger: String, event: (id: String, source: String, type: String), attempt: Int,
    error: String?
  ) -> Span {
    Span(
      function, .server, context, below: parent, start: start,
      [
        ("faas.trigger", .text(trigger)), ("faas.invocation_id", .text(event.id)),
        ("cloudevents.event_id", .text(event.id)), ("cloudevents.event_source", .text(event.source)),
        ("cloudevents.event_type", .text(event.type)), ("push.attempt", .number(attempt)),
      ], error: error)
  }
}
