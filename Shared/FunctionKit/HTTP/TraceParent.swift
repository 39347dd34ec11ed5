/// The field `traceparent` of a request.
///
/// Source: https://www.w3.org/TR/trace-context/#traceparent-header
package enum TraceParent {
  /// Whether a value is valid and may be passed on.
  package static func isValid(_ value: String) -> Bool {
    let bytes = Array(value.utf8)
    guard bytes.count >= 55, [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }) else { return false }
    let fields = [bytes[0..<2], bytes[3..<35], bytes[36..<52], bytes[53..<55]]
    guard fields.allSatisfy({ $0.allSatisfy(isHexDigit) }), !isOnly("f", fields[0]) else { return false }
    guard !isOnly("0", fields[1]), !isOnly("0", fields[2]) else { return false }
    // A later version may append further fields.
    return bytes.count == 55 || !isOnly("0", fields[0]) && bytes[55] == UInt8(ascii: "-")
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  private static func isOnly(_ digit: Unicode.Scalar, _ field: ArraySlice<UInt8>) -> Bool {
    field.allSatisfy { $0 == UInt8(ascii: digit) }
  }
}
