/// Begins spans, and passes on those that have ended.
package final class Tracer: Sendable {
  private let sampler: TraceSampler
  private let take: @Sendable ([Span]) -> Void

  private init(_ sampler: TraceSampler, take: @escaping @Sendable ([Span]) -> Void) {
    (self.sampler, self.take) = (sampler, take)
  }

  /// A tracer that only decides; its user sends the spans.
  package convenience init(_ sampler: TraceSampler) { self.init(sampler) { _ in } }

  /// What an event, or a request, is in its trace.
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
