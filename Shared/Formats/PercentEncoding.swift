/// The percent-encoding of URLs, header fields and forms.
///
/// Source: https://www.rfc-editor.org/rfc/rfc3986#section-2.1
package enum PercentEncoding {
  private static let percent = UInt8(ascii: "%")

  /// Whether the byte stands for itself everywhere: letters and digits of ASCII, and `-._~`.
  package static func isUnreserved(_ byte: UInt8) -> Bool {
    switch Unicode.Scalar(byte) {
    case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": true
    default: false
    }
  }

  /// The text with every byte encoded that is not kept; the digits are in upper case.
  package static func encoded(_ text: String, keeping isKept: (UInt8) -> Bool = Self.isUnreserved) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if isKept(byte) { bytes.append(byte) } else { bytes += [percent, digit(byte >> 4), digit(byte & 15)] }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The bytes of an encoded text.
  ///
  /// A percent sign without two digits is a percent sign.
  package static func decoded(_ text: [UInt8]) -> [UInt8] { decode(text) ?? text }

  /// The bytes of an encoded text; `nil` if a percent sign has no two digits.
  package static func strictlyDecoded(_ text: [UInt8]) -> [UInt8]? { decode(text, isStrict: true) }

  /// The text that an encoded one stands for; `nil` if a percent sign has no two digits, or what comes is not UTF-8.
  package static func text(_ encoded: Substring) -> String? {
    guard let bytes = strictlyDecoded(Array(encoded.utf8)) else { return nil }
    // What was replaced has other bytes; older systems of Apple's have no `init(validating:as:)`.
    let text = String(decoding: bytes, as: UTF8.self)
    return text.utf8.elementsEqual(bytes) ? text : nil
  }

  /// The text that a name or value of a form stands for, in which a plus sign is a space.
  ///
  /// `nil` if a percent sign has no two digits; what is not UTF-8 is replaced.
  package static func formText(_ text: Substring) -> String? {
    let bytes = strictlyDecoded(text.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 })
    return bytes.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The same path with unreserved characters decoded, which makes no other path of it: an encoded slash stays one.
  ///
  /// Source: https://www.rfc-editor.org/rfc/rfc3986#section-6.2.2.2
  package static func normalized(_ path: String) -> String {
    guard path.utf8.contains(percent) else { return path }
    return decode(Array(path.utf8), isDecoded: isUnreserved).map { String(decoding: $0, as: UTF8.self) } ?? path
  }

  /// - Parameters:
  ///   - isStrict: whether there is nothing to return if a percent sign has no two digits.
  ///   - isDecoded: which of the encoded bytes are decoded.
  private static func decode(
    _ text: [UInt8], isStrict: Bool = false, isDecoded: (UInt8) -> Bool = { _ in true }
  ) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var place = 0
    while place < text.count {
      let value = text[place] == percent ? value(of: text[(place + 1)...].prefix(2)) : nil
      if isStrict, value == nil, text[place] == percent { return nil }
      let isTaken = value.map(isDecoded) ?? false
      bytes.append(isTaken ? value ?? percent : text[place])
      place += isTaken ? 3 : 1
    }
    return bytes
  }

  private static func value(of digits: ArraySlice<UInt8>) -> UInt8? {
    guard digits.count == 2, let high = digits.first.flatMap(Hex.value), let low = digits.last.flatMap(Hex.value) else {
      return nil
    }
    return high << 4 | low
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : 0x37 + value }
}
