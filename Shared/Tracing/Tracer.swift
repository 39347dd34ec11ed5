/// Begins spans, and passes on those that have ended.
package final class Tracer: Sendable {
  private let sampler: TraceSampler
  private let take: @Sendable ([Span]) -> Void

  private init(_ sampler: TraceSampler, take: @escaping @Sendable ([Span]) -> Void) {
    (self.sampler, self.take) = (sampler, take)
  }

  /// A tracer that only decides; its user sends the spans.
  package convenience init(_ sampler: TraceSampler) { self.init(sampler) { _ in } }

  /// The place of an event, or a request, in its trace.
  package struct Origin: Sendable {
    /// The event's own span; without a caller's context it follows from the event's source and id.
    package let context: TraceContext
    /// The caller's span; `nil` if the trace begins with the event.
    package let caller: TraceContext?
  }

  /// Continues the caller's trace, or begins one.
  package func origin(traceparent: String?, state: String?, source: String, id: String) -> Origin {
    let own = TraceContext(source: source, id: id)
    guard let text = traceparent, let caller = TraceContext(text, state: state) else {
      return Origin(context: own.with(isSampled: sampler.samples(own, isRoot: true)), caller: nil)
    }
    let isSampled = sampler.samples(caller, isRoot: false)
    return Origin(context: caller.with(span: own.span).with(isSampled: isSampled), caller: caller)
  }

  /// Takes spans that have ended; those of traces that are not recorded are left out.
  package func record(_ spans: [Span]) {
    let recorded = spans.filter(\.context.isSampled)
    if !recorded.isEmpty { take(recorded) }
  }
}

extension Tracer {
  /// The tracer of a function's process, whose spans its host takes on stderr and sends; `nil` if none asks for them.
  ///
  /// - Parameters:
  ///   - variable: the value of an environment variable.
  ///   - write: writes on stderr.
  package static func ofFunction(
    _ variable: (String) -> String?, write: @escaping @Sendable ([UInt8]) -> Void
  ) -> Tracer? {
    guard variable(SpanLines.variable) == SpanLines.onStandardError else { return nil }
    return Tracer(TraceSampler()) { spans in write(spans.flatMap { SpanLines.line($0.json) }) }
  }
}

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

/// The choice of the traces that are recorded: `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG`.
///
/// Source: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#general-sdk-configuration
package struct TraceSampler: Sendable, Equatable {
  /// The share of the traces that begin here, from 0 to 1.
  private var share = 1.0
  /// Whether a caller's decision counts for its trace.
  private var isParentBased = true

  init() {}

  /// Reads the variables.
  ///
  /// - Parameters:
  ///   - variable: the value of an environment variable.
  ///   - problem: told what is wrong; then everything is recorded.
  package init(_ variable: (String) -> String?, problem: (String) -> Void) {
    let name = variable("OTEL_TRACES_SAMPLER")?.lowercased() ?? "parentbased_always_on"
    isParentBased = name.hasPrefix("parentbased_")
    switch isParentBased ? name.dropFirst(12) : name[...] {
    case "always_on": break
    case "always_off": share = 0
    case "traceidratio":
      guard let text = variable("OTEL_TRACES_SAMPLER_ARG") else { break }
      guard let ratio = Double(text), 0...1 ~= ratio else {
        problem("OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.")
        break
      }
      share = ratio
    default:
      isParentBased = true
      problem(
        "OTEL_TRACES_SAMPLER must be always_on, always_off, traceidratio, or one of them behind parentbased_.")
    }
  }

  /// Whether a trace that begins here is recorded: the same for all who ask.
  private func samples(_ root: TraceContext) -> Bool {
    share >= 1 || Double(root.low >> 11) < share * 9_007_199_254_740_992
  }

  func samples(_ context: TraceContext, isRoot: Bool) -> Bool {
    isParentBased && !isRoot ? context.isSampled : samples(context)
  }
}
