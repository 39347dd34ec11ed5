import Formats

/// A host with or without a port, as in the field `Host` and in origins, and nothing else.
///
/// Source: https://www.rfc-editor.org/rfc/rfc3986#section-3.2
package struct Authority: Equatable {
  /// The host in lower case, an IPv6 address with its brackets; empty if only the syntax allows that.
  package let host: String
  /// `nil` where the scheme's own is meant.
  package let port: Int?

  /// Returns `nil` for other text: with a user's name, a path, a port that is not a number, or text after an address.
  package init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard let end = Self.hostEnd(bytes), Self.isPort(bytes[end...]) else { return nil }
    host = String(decoding: bytes[..<end], as: UTF8.self).lowercased()
    port = Int(String(decoding: bytes[end...].dropFirst(), as: UTF8.self))
  }

  private static func hostEnd(_ bytes: [UInt8]) -> Int? {
    guard bytes.first == UInt8(ascii: "[") else {
      let end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
      return bytes[..<end].allSatisfy(isNameCharacter) ? end : nil
    }
    guard let end = bytes.firstIndex(of: UInt8(ascii: "]")), end > 1, bytes[1..<end].allSatisfy(isAddressCharacter)
    else { return nil }
    return end + 1
  }

  private static func isPort(_ rest: ArraySlice<UInt8>) -> Bool {
    guard let first = rest.first else { return true }
    let digits = rest.dropFirst()
    return first == UInt8(ascii: ":") && digits.count <= 5 && digits.allSatisfy(\.isDigit)
      && digits.reduce(0) { $0 * 10 + Int($1 & 0x0F) } <= 65_535
  }

  private static func isNameCharacter(_ byte: UInt8) -> Bool {
    byte.isDigit || byte.isLetter || "-._~%!$&'()*+,;=".utf8.contains(byte)
  }

  private static func isAddressCharacter(_ byte: UInt8) -> Bool {
    Hex.value(byte) != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
  }
}
