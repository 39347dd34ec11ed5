/// The percent-encoding of header fields and queries.
package enum PercentEncoding {
  /// The bytes of an encoded text.
  ///
  /// A percent sign without two digits is a percent sign.
  package static func decoded(_ text: some Sequence<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Array(text)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let value = value(of: rest.prefix(2)) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }

  /// The text with everything encoded but the unreserved characters of RFC 3986.
  package static func encoded(_ text: String) -> String {
    text.utf8.reduce(into: "") { encoded, byte in
      if isUnreserved(byte) {
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
  }

  /// The same path with unreserved characters decoded, which makes no other path of it: an encoded slash stays one.
  ///
  /// Source: https://www.rfc-editor.org/rfc/rfc3986#section-6.2.2.2
  static func normalized(_ path: String) -> String {
    guard path.utf8.contains(UInt8(ascii: "%")) else { return path }
    var bytes: [UInt8] = []
    var rest = Array(path.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let value = value(of: rest.prefix(2)), isUnreserved(value) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    byte.isDigit || byte.isLetter || "-._~".utf8.contains(byte)
  }

  private static func value(of digits: ArraySlice<UInt8>) -> UInt8? {
    // `UInt8(_:radix:)` also accepts a sign.
    guard digits.count == 2, digits.first != UInt8(ascii: "+") else { return nil }
    return UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
