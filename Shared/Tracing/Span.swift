import Formats
import Glibc

/// A span that has ended, as OTLP knows it.
///
/// Never put the content of events, tokens or bodies into it.
package struct Span: Sendable {
  /// The numbers are those of the protocol.
  package enum Kind: Int, Sendable {
    case server = 2
    case client, producer, consumer
  }

  package enum Value: Sendable, Equatable {
    case text(String)
    case number(Int)
  }

  package var name: String
  package var kind: Kind
  package var context: TraceContext
  /// The span that it belongs to; `nil` for the first of a trace.
  package var parent: TraceContext?
  /// In nanoseconds since 1970.
  package var start: UInt64
  /// In nanoseconds since 1970.
  package var end: UInt64
  package var attributes: [(name: String, value: Value)]
  /// Spans of other traces that it has to do with.
  package var links: [TraceContext] = []
  /// What has failed, as a class of failures; `nil` if nothing has.
  package var error: String?

  package init(
    _ name: String, _ kind: Kind, _ context: TraceContext, below parent: TraceContext?, start: UInt64,
    end: UInt64 = Span.now(), _ attributes: [(name: String, value: Value)], error: String? = nil
  ) {
    (self.name, self.kind, self.context, self.parent) = (name, kind, context, parent)
    (self.start, self.end, self.attributes, self.error) = (start, max(start, end), attributes, error)
  }

  /// The present time, in nanoseconds since 1970.
  package static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// The span in OTLP's JSON, on one line.
  ///
  /// Source: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
  package var json: [UInt8] {
    var text = JSONText()
    text.bytes.reserveCapacity(512)
    text.add(#"{"traceId":""#)
    text.bytes += context.traceID
    text.add(#"","spanId":""#)
    text.bytes += Hex.digits(context.span)
    if let parent {
      text.add(#"","parentSpanId":""#)
      text.bytes += Hex.digits(parent.span)
    }
    text.add(#"""#)
    if let state = context.state {
      text.add(#","traceState":"#)
      text.quote(state)
    }
    text.add(#","name":"#)
    text.quote(name)
    text.add(#","kind":\#(kind.rawValue),"startTimeUnixNano":"\#(start)","endTimeUnixNano":"\#(end)","attributes":"#)
    text.add(attributes + (error.map { [("error.type", .text($0))] } ?? []))
    if !links.isEmpty {
      text.add(#","links":["#)
      for (index, link) in links.enumerated() {
        text.add(index == 0 ? #"{"traceId":""# : #",{"traceId":""#)
        text.bytes += link.traceID
        text.add(#"","spanId":""#)
        text.bytes += Hex.digits(link.span)
        text.add(#""}"#)
      }
      text.add("]")
    }
    text.add(error == nil ? "}" : #","status":{"code":2}}"#)
    return text.bytes
  }

  /// Attributes in OTLP's JSON, as an array.
  package static func json(of attributes: [(name: String, value: Value)]) -> [UInt8] {
    var text = JSONText()
    text.add(attributes)
    return text.bytes
  }
}

/// JSON as it is put together.
private struct JSONText {
  var bytes: [UInt8] = []

  mutating func add(_ text: String) { bytes += text.utf8 }

  mutating func quote(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case ..<0x20: bytes += Array("\\u00".utf8) + Hex.digits(UInt64(byte)).suffix(2)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// An array of OTLP's attributes.
  mutating func add(_ attributes: [(name: String, value: Span.Value)]) {
    add("[")
    for (index, attribute) in attributes.enumerated() {
      add(index == 0 ? #"{"key":"# : #",{"key":"#)
      quote(attribute.name)
      switch attribute.value {
      case .text(let text):
        add(#","value":{"stringValue":"#)
        quote(text)
        add("}}")
      // A number of 64 bits is a string in the JSON of protocol buffers.
      case .number(let number): add(#","value":{"intValue":"\#(number)"}}"#)
      }
    }
    add("]")
  }
}
