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
  /// The class of the failure; `nil` if nothing has failed.
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

/// Separates the spans from what a function writes on stderr: lines that begin with `{"span":`.
package struct SpanLines: Sendable {
  /// The variable that asks a function for such lines.
  package static let variable = "PUSH_FUNCTION_SPANS"
  /// The value of ``variable`` that asks for them.
  package static let onStandardError = "stderr"

  private static let marker = Array(#"{"span":"#.utf8)
  /// A longer line is no span.
  private static let longest = 65_536

  /// The beginning of a line that is a span, or may turn out to be one.
  private var held: [UInt8] = []
  private var isWithinText = false

  package init() {}

  /// The line of a span.
  static func line(_ span: [UInt8]) -> [UInt8] { marker + span + Array("}\n".utf8) }

  /// - Returns: what else was written.
  package mutating func take(_ bytes: ArraySlice<UInt8>, span: (ArraySlice<UInt8>) -> Void) -> ArraySlice<UInt8> {
    // Most writers write whole lines, and most of what comes is either text or spans.
    var (rest, others) = (bytes, [UInt8]())
    while !rest.isEmpty {
      let end = rest.firstIndex(of: 0x0A)
      let part = rest[..<(end.map { $0 + 1 } ?? rest.endIndex)]
      rest = rest[part.endIndex...]
      if isWithinText {
        others += part
      } else {
        held += part
        guard held.prefix(Self.marker.count).elementsEqual(Self.marker.prefix(held.count)), held.count < Self.longest
        else {
          others += held
          held = []
          isWithinText = end == nil
          continue
        }
        if end != nil {
          span(held[Self.marker.count..<max(Self.marker.count, held.count - 2)])
          held = []
        }
      }
      if end != nil { isWithinText = false }
    }
    return others[...]
  }

  /// The rest of a line that has no end.
  package mutating func finish() -> [UInt8] {
    defer { (held, isWithinText) = ([], false) }
    return held
  }
}
