import FunctionKit
import HTTP1
import Manifest
import Traces

/// The event of an HTTP call.
struct CallEvent {
  let envelope: Envelope
  /// The event for the function.
  let line: [UInt8]

  /// Makes the event of a call.
  ///
  /// The gateway sets the source, whatever the caller says: so no caller can take the source of a row or a schedule,
  /// and with it the effect of that event. Behind an engine the event keeps its source. A caller cannot set the time.
  /// The `id` comes from a signed webhook, else from the event.
  /// - Parameters:
  ///   - match: the route that led to the function; `nil` if it was called by its name.
  ///   - callID: becomes the `id` of an event that would get a random one.
  ///   - now: the time of a virtual clock.
  ///   - keepsSource: whether the event keeps the source that it has.
  init(
    _ request: HTTP1Request, to function: String, auth: HTTPTrigger.Auth, by match: RouteTable.Match? = nil,
    callID: String, now: String? = nil, keepsSource: Bool = false
  ) throws(InvalidCall) {
    let source = "/http/\(function)"
    let given =
      auth == .function
      ? Envelope(
        proxying: request, by: match.map { ($0.pattern, $0.parameters) }, source: source, callID: callID)
      : try Envelope(request, source: source, callID: callID)
    let traced = given.traced(by: request)
    var changes: [(String, RawJSON)] = []
    if traced.source != source, !keepsSource { changes.append(("source", RawJSON(source))) }
    if auth == .signature, let id = request.headers["webhook-id"] { changes.append(("id", RawJSON(id))) }
    if let now { changes.append(("now", RawJSON(now))) }
    envelope = changes.isEmpty && traced["now"] == nil ? traced : traced.with(changes, without: ["now"])
    guard let line = Self.line(of: envelope) else { throw .tooLarge }
    self.line = line
  }

  private init(envelope: Envelope, line: [UInt8]) { (self.envelope, self.line) = (envelope, line) }

  /// The event with another trace; the same if it would be too large.
  func traced(as traceparent: String) -> CallEvent {
    guard envelope["traceparent"] == nil else {
      let traced = envelope.with([("traceparent", RawJSON(traceparent))])
      return Self.line(of: traced).map { CallEvent(envelope: traced, line: $0) } ?? self
    }
    guard let line = Traces.line(line, with: traceparent) else { return self }
    return CallEvent(envelope: envelope.adding("traceparent", RawJSON(traceparent)), line: line)
  }

  /// `nil` if it is larger than a function takes.
  private static func line(of envelope: Envelope) -> [UInt8]? {
    let document = envelope.document.bytes
    guard document.count <= Envelope.maximumSize else { return nil }
    var line: [UInt8] = []
    line.reserveCapacity(document.count + 1)
    line += document
    line.append(0x0A)
    return line
  }
}
