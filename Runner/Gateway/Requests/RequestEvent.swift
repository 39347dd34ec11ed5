import FunctionKit
import HTTP1
import Tracing

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
