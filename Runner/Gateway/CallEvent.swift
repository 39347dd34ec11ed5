import FunctionKit
import Manifest

/// The event of an HTTP call: a CloudEvent in structured or binary mode, a database webhook's body, or any JSON.
///
/// Source: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/http-protocol-binding.md
struct CallEvent {
  let envelope: Envelope
  /// The event for the function.
  let line: [UInt8]

  /// Makes the event of a call.
  ///
  /// The gateway sets the source, whatever the caller says: so no caller can take the source of a row or a schedule,
  /// and with it the effect of that event. A caller cannot set the time either. The `id` comes from a signed webhook,
  /// else from the event.
  /// - Parameters:
  ///   - match: the route that led to the function; `nil` if it was called by its name.
  ///   - callID: becomes the `id` of an event that would get a random one.
  ///   - now: the time of a virtual clock.
  init(
    _ request: GatewayRequest, to function: String, auth: HTTPTrigger.Auth, by match: RouteTable.Match? = nil,
    callID: String, now: String? = nil
  ) throws(InvalidCall) {
    let source = "/http/\(function)"
    let given = try Self.envelope(request, auth, match, source: source, callID: callID)
    var changes: [(String, RawJSON)] = []
    if given.source != source { changes.append(("source", RawJSON(source))) }
    if auth == .signature, let id = request.headers["webhook-id"] { changes.append(("id", RawJSON(id))) }
    if given["traceparent"] == nil, let trace = request.headers["traceparent"], TraceParent.isValid(trace) {
      changes.append(("traceparent", RawJSON(trace)))
    }
    if let now { changes.append(("now", RawJSON(now))) }
    envelope = changes.isEmpty && given["now"] == nil ? given : given.with(changes, without: ["now"])
    let document = envelope.document.bytes
    guard document.count <= Envelope.maximumSize else { throw .tooLarge }
    var line: [UInt8] = []
    line.reserveCapacity(document.count + 1)
    line += document
    line.append(0x0A)
    self.line = line
  }

  private static func envelope(
    _ request: GatewayRequest, _ auth: HTTPTrigger.Auth, _ match: RouteTable.Match?, source: String, callID: String
  ) throws(InvalidCall) -> Envelope {
    guard auth != .function else {
      return Envelope(id: callID, source: source, type: EventType.call, data: ProxyRequest.data(of: request, by: match))
    }
    let mode = try CloudEventMode(request.headers)
    var document = try document(request.body)
    if mode == .binary { document = try CloudEventHeaders.document(request.headers, data: document) }
    guard mode != .structured || document?["specversion"] != nil else {
      throw .malformed("Not a CloudEvents 1.0 event: specversion is missing.")
    }
    do {
      // A call without a payload has an empty object.
      return try Envelope(document ?? RawJSON(object: []), source: source, randomID: callID)
    } catch {
      throw .malformed(error.message)
    }
  }

  private static func document(_ body: [UInt8]) throws(InvalidCall) -> RawJSON? {
    guard !body.isEmpty else { return nil }
    do {
      return try RawJSON(validating: body[...])
    } catch {
      throw .malformed("The body is \(error).")
    }
  }
}

/// How a request carries its event.
enum CloudEventMode {
  case structured, binary
  /// The head does not say that it is a CloudEvent.
  case bare

  init(_ headers: HeaderFields) throws(InvalidCall) {
    guard let field = headers["content-type"], Self.isCloudEvent(field) else {
      self = headers["ce-specversion"] == nil ? .bare : .binary
      return
    }
    let type = field.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
    guard type == "application/cloudevents+json" else { throw .mediaType(type) }
    self = .structured
  }

  private static func isCloudEvent(_ type: String) -> Bool {
    let prefix = "application/cloudevents".utf8
    // Each letter of ASCII differs from its capital in this one bit, and no other character here does.
    return type.utf8.count >= prefix.count && zip(type.utf8, prefix).allSatisfy { $0 | 0x20 == $1 }
  }
}
