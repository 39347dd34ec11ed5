import Formats
import FoundationEssentials
import FunctionKit
import Notifications
import Tracing

extension InvocationTrace {
  /// Records each attempt to send a push with its provider's status.
  ///
  /// A push belongs to the run that has decided it, in the trace of the event; without one, to this run.
  func record(_ pushes: [QueuedPush], _ reports: [PushReport]) {
    let (now, instant) = (Span.now(), ContinuousClock.now)
    tracer.record(
      zip(pushes, reports).flatMap { push, report in
        (report.earlier + [report]).compactMap { attempt in
          guard let answered = attempt.answered, !attempt.verdict.wasNeverSent else { return nil }
          return span(of: push, attempt, end: now - UInt64(max(0, (instant - answered) / .nanoseconds(1))))
        }
      })
  }

  private func span(of push: QueuedPush, _ report: PushReport, end: UInt64) -> Span {
    let decision = push.traceparent.flatMap { TraceContext($0) }
    let parent = decision ?? context
    let path = report.provider == .apns ? "/3/device/{token}" : "/v1/projects/{project}/messages:send"
    var span = Span(
      "POST \(path)", .client, parent.child(), below: parent,
      start: end - min(end, UInt64(max(0, report.duration / .nanoseconds(1)))), end: end,
      [
        ("http.request.method", .text("POST")), ("url.template", .text(path)),
        ("push.provider", .text(report.provider.rawValue)), ("push.environment", .text(report.environment.rawValue)),
        ("push.topic", .text(report.topic)), ("push.delivery.id", .text(push.id.lowercased)),
        ("push.attempt", .number(push.attempts)),
      ])
    if let status = report.status { span.attributes.append(("http.response.status_code", .number(status))) }
    if let reason = report.reason { span.attributes.append(("push.reason", .text(reason))) }
    if report.verdict.final != .accepted { span.error = report.status.map(String.init) ?? report.reason ?? "unknown" }
    if decision != nil { span.links = [context] }
    return span
  }
}
