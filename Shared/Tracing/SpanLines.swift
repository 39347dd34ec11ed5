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

  /// What is left of a line that has no end.
  package mutating func finish() -> [UInt8] {
    defer { (held, isWithinText) = ([], false) }
    return held
  }
}
