import FunctionKit

/// Makes the event of an HTTP call: CloudEvents in structured or binary mode, a database webhook's body, or any JSON.
///
/// Source: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/http-protocol-binding.md
enum CallEvent {
  /// The event of a call, as the line that goes to the function.
  ///
  /// Whatever the caller says, the source is the gateway's: nobody can claim the source of a row or a schedule and so
  /// pre-empt its effect.
  /// - Parameters:
  ///   - callID: becomes the `id` of an event that would get a random one.
  ///   - now: the virtual clock's time, for an event that brings none.
  static func line(
    of request: GatewayRequest, function: String, callID: String, now: String? = nil
  ) throws(FunctionError) -> (id: String, line: [UInt8]) {
    let body = try document(request.body)
    let source = "/http/\(function)"
    let isBinary = request.headers["ce-specversion"] != nil
    var envelope = try Envelope(isBinary ? binary(request, body) : body, source: source, randomID: callID)
    if envelope.source != source { envelope = envelope.with([("source", RawJSON(source))]) }
    if let trace = request.headers["traceparent"], envelope["traceparent"] == nil {
      envelope = envelope.with([("traceparent", RawJSON(trace))])
    }
    if let now, envelope["now"] == nil { envelope = envelope.with([("now", RawJSON(now))]) }
    let line = envelope.document.line
    guard line.count <= Envelope.maximumSize + 1 else {
      throw FunctionError(.invalidEvent, "The event is larger than \(Envelope.maximumSize) bytes.")
    }
    return (envelope.id, line)
  }

  /// An empty body is an empty object: a call without a payload.
  private static func document(_ body: [UInt8]) throws(FunctionError) -> RawJSON {
    guard !body.isEmpty else { return RawJSON(object: []) }
    do {
      return try RawJSON(validating: body[...])
    } catch {
      throw FunctionError(.invalidEvent, "The body is \(error).")
    }
  }

  private static func binary(_ request: GatewayRequest, _ body: RawJSON) -> RawJSON {
    let attributes = request.headers.filter { $0.key.hasPrefix("ce-") }.sorted { $0.key < $1.key }
    return RawJSON(
      object: attributes.map { (String($0.key.dropFirst(3)), RawJSON(percentDecoded($0.value))) } + [("data", body)])
  }

  /// Attribute values are percent-encoded in header fields.
  private static func percentDecoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let value = UInt8(digits, radix: 16) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
