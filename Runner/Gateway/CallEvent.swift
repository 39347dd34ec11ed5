import Formats
import FunctionKit
import HTTP1
import Manifest
import Traces
import Tracing

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

extension Envelope {
  /// The event of a request: a CloudEvent in structured or binary mode, a database webhook's body, or any JSON.
  ///
  /// A request without a body has an empty object.
  ///
  /// Source: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/http-protocol-binding.md
  /// - Parameters:
  ///   - source: the source of an event that has none.
  ///   - callID: becomes the `id` of an event that would get a random one.
  init(_ request: HTTP1Request, source: String, callID: String) throws(InvalidCall) {
    let mode = try CloudEventMode(request.headers)
    guard mode != .batch else { throw .mediaType(CloudEventMode.batchType) }
    var document = try Self.document(request.body)
    if mode == .binary { document = try CloudEventHeaders.document(request.headers, data: document) }
    guard mode != .structured || document?["specversion"] != nil else {
      throw .malformed("Not a CloudEvents 1.0 event: specversion is missing.")
    }
    do {
      try self.init(document ?? RawJSON(object: []), source: source, randomID: callID)
    } catch {
      throw .malformed(error.message)
    }
  }

  /// The event of a request to a function that takes requests: ``ProxyRequest`` is its data.
  init(
    proxying request: HTTP1Request, by route: ProxyRequest.Route? = nil, source: String, callID: String
  ) {
    self.init(id: callID, source: source, type: EventType.call, data: ProxyRequest.data(of: request, by: route))
  }

  /// The event with the trace of its request, unless it has one of its own.
  func traced(by request: HTTP1Request) -> Envelope {
    guard self["traceparent"] == nil, let trace = request.headers["traceparent"], TraceContext(trace) != nil else {
      return self
    }
    let state = request.headers.values(of: "tracestate").joined(separator: ",")
    return with(
      [("traceparent", RawJSON(trace))] + (1...512 ~= state.utf8.count ? [("tracestate", RawJSON(state))] : []))
  }

  fileprivate static func document(_ body: [UInt8]) throws(InvalidCall) -> RawJSON? {
    guard !body.isEmpty else { return nil }
    do {
      return try RawJSON(validating: body[...], isFromOutside: true)
    } catch {
      throw .malformed("The body is \(error).")
    }
  }
}

extension HTTP1Request {
  /// The requests with one CloudEvent each that this one stands for; `nil` if it is not in batched mode.
  ///
  /// They get only the header fields that tell of the caller: a signature is over the whole body.
  ///
  /// Source: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/http-protocol-binding.md#33-batched-content-mode
  func cloudEvents(atMost most: Int) throws(InvalidCall) -> [HTTP1Request]? {
    guard try CloudEventMode(headers) == .batch else { return nil }
    guard let events = try Envelope.document(body)?.elements else {
      throw .malformed("A batch of CloudEvents is a JSON array.")
    }
    guard events.count <= most else { throw .tooMany(most) }
    var common: HeaderFields = ["content-type": CloudEventMode.structuredType]
    for field in headers.list where ["authorization", "prefer", "traceparent", "tracestate"].contains(field.name) {
      common.append(field.name, field.value)
    }
    return events.map { event in
      var request = HTTP1Request(method: method, path: path, query: query, headers: common, body: Array(event.bytes))
      request.client = client
      return request
    }
  }
}

/// How a request carries its event.
private enum CloudEventMode {
  static let structuredType = "application/cloudevents+json"
  static let batchType = "application/cloudevents-batch+json"

  case structured, binary
  /// The body has several.
  case batch
  /// The head does not say that it is a CloudEvent.
  case bare

  init(_ headers: HeaderFields) throws(InvalidCall) {
    guard let field = headers["content-type"], Self.isCloudEvent(field) else {
      self = headers["ce-specversion"] == nil ? .bare : .binary
      return
    }
    let type = field.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
    switch type {
    case Self.structuredType: self = .structured
    case Self.batchType: self = .batch
    default: throw .mediaType(type)
    }
  }

  private static func isCloudEvent(_ type: String) -> Bool {
    let prefix = "application/cloudevents".utf8
    // Each letter of ASCII differs from its capital in this one bit, and no other character here does.
    return type.utf8.count >= prefix.count && zip(type.utf8, prefix).allSatisfy { $0 | 0x20 == $1 }
  }
}

/// The attributes of a CloudEvent in the header fields of a request: its binary mode.
///
/// Source: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/http-protocol-binding.md#313-metadata-headers
enum CloudEventHeaders {
  /// The body is the data, and its type is Content-Type.
  private static let ofBody: Set = ["data", "datacontenttype"]

  /// The event in structured JSON.
  static func document(_ headers: HeaderFields, data: RawJSON?) throws(InvalidCall) -> RawJSON {
    var members: [(String, RawJSON)] = []
    if let type = headers["content-type"] { members.append(("datacontenttype", RawJSON(type))) }
    var names: Set<String> = []
    for field in headers.list where field.name.hasPrefix("ce-") {
      let name = String(field.name.dropFirst(3))
      guard isAttribute(name), !Self.ofBody.contains(name), names.insert(name).inserted else { continue }
      members.append((name, RawJSON(try value(field.value, of: name))))
    }
    if let data { members.append(("data", data)) }
    return RawJSON(object: members)
  }

  private static func isAttribute(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      }
  }

  /// Resolves quotes, then percent-encoding, once each.
  private static func value(_ text: String, of name: String) throws(InvalidCall) -> String {
    let bytes = PercentEncoding.decoded(unquoted(text))
    // U+FFFD replaces bytes that were not UTF-8.
    guard let value = String(validating: bytes, as: UTF8.self), !text.contains("\u{FFFD}") else {
      throw .malformed("The header field ce-\(name) is not UTF-8.")
    }
    return value
  }

  private static func unquoted(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else { return bytes }
    var rest = bytes.dropFirst().dropLast()
    var inner: [UInt8] = []
    while let byte = rest.popFirst() {
      inner.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
    }
    return inner
  }
}

/// Why a request cannot become an event.
enum InvalidCall: Error {
  /// The call is malformed; a sentence says to the caller how.
  case malformed(String)
  case tooLarge
  /// More events than that.
  case tooMany(Int)
  case mediaType(String)

  /// The refusal.
  func answer(callID: String) -> HTTP1Answer {
    switch self {
    case .malformed(let problem): .failure(400, "INVALID_EVENT", problem, callID: callID)
    case .tooLarge:
      .failure(413, "TOO_LARGE", "The event is larger than \(Envelope.maximumSize) bytes.", callID: callID)
    case .tooMany(let most):
      .failure(413, "TOO_LARGE", "A batch has at most \(most) events.", callID: callID)
    case .mediaType(let type): .failure(415, "UNSUPPORTED_MEDIA_TYPE", "\(type) is not accepted.", callID: callID)
    }
  }
}
