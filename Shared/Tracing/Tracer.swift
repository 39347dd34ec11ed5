/// Begins spans, and passes on those that have ended.
package final class Tracer: Sendable {
  private let sampler: TraceSampler
  private let take: @Sendable ([Span]) -> Void
  private let sender: SpanSender?

  init(
    _ sampler: TraceSampler = TraceSampler(), sender: SpanSender? = nil, take: @escaping @Sendable ([Span]) -> Void
  ) {
    (self.sampler, self.sender, self.take) = (sampler, sender, take)
  }

  /// A tracer that only decides; its user sends the spans.
  package convenience init(_ settings: TraceSettings) { self.init(settings.sampler) { _ in } }

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

  /// Sends what waits, before the process ends; gives up after the limit.
  package func flush(within limit: Duration) { sender?.flush(within: limit) }
}

extension Tracer {
  /// The tracer of a function's process; `nil` if no traces are wanted.
  ///
  /// A runner gets the spans on stderr, and sends them. Without one the process sends them itself.
  /// - Parameters:
  ///   - name: the function's name.
  ///   - variable: the value of an environment variable.
  ///   - write: writes on stderr.
  ///   - report: told what is wrong.
  package static func ofFunction(
    _ name: String, _ variable: (String) -> String?, write: @escaping @Sendable ([UInt8]) -> Void,
    report: @escaping @Sendable (String) -> Void
  ) -> Tracer? {
    if variable(SpanLines.variable) == SpanLines.onStandardError {
      return Tracer { spans in write(spans.flatMap { SpanLines.line($0.json) }) }
    }
    guard let settings = TraceSettings(variable, problem: report) else { return nil }
    guard let place = CollectorPlace(settings.url) else {
      report("A function that runs by itself sends traces to an http URL only: no traces are sent.")
      return nil
    }
    let sender = SpanSender(settings, to: place, of: name, report: report)
    return Tracer(settings.sampler, sender: sender) { sender.take($0) }
  }
}
