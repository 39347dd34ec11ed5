extension JSONScanner {
  /// The text between a string's quotes with its escapes resolved.
  ///
  /// A lone surrogate becomes U+FFFD.
  static func unescaped(_ inner: ArraySlice<UInt8>) -> String {
    guard inner.contains(UInt8(ascii: "\\")) else { return String(decoding: inner, as: UTF8.self) }
    // No escape is shorter than its character.
    return String(unsafeUninitializedCapacity: inner.count) { text in
      inner.withUnsafeBufferPointer { bytes in
        var rest = bytes[...]
        var end = 0
        while let backslash = rest.firstIndex(of: UInt8(ascii: "\\")) {
          end = text[end...].update(fromContentsOf: rest[..<backslash])
          rest = rest[(backslash + 1)...]
          for byte in UTF8.encode(scalar(after: &rest)) ?? UTF8.encodedReplacementCharacter {
            text[end] = byte
            end += 1
          }
        }
        return text[end...].update(fromContentsOf: rest)
      }
    }
  }

  /// Whether the text between a name's quotes means that name.
  static func isName(_ inner: ArraySlice<UInt8>, _ name: String) -> Bool {
    inner.contains(UInt8(ascii: "\\")) ? unescaped(inner) == name : inner.elementsEqual(name.utf8)
  }

  /// The character of the escape after its backslash.
  private static func scalar(after rest: inout Slice<UnsafeBufferPointer<UInt8>>) -> Unicode.Scalar {
    switch rest.popFirst() {
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "u"):
      let unit = codeUnit(&rest)
      guard UTF16.isLeadSurrogate(unit), rest.starts(with: "\\u".utf8) else {
        return Unicode.Scalar(unit) ?? "\u{FFFD}"
      }
      var next = rest.dropFirst(2)
      let trail = codeUnit(&next)
      guard UTF16.isTrailSurrogate(trail) else { return "\u{FFFD}" }
      rest = next
      return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
    case let byte?: return Unicode.Scalar(byte)
    case nil: return "\u{FFFD}"
    }
  }

  private static func codeUnit(_ rest: inout Slice<UnsafeBufferPointer<UInt8>>) -> UInt16 {
    let value = rest.prefix(4).reduce(UInt16(0)) { $0 << 4 | UInt16(hexValue($1) ?? 0) }
    rest = rest.dropFirst(4)
    return value
  }

  static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }

  static func appendQuoted(_ string: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    var string = string
    string.withUTF8 { text in
      var rest = text[...]
      while let special = rest.firstIndex(where: isSpecial) {
        bytes.append(contentsOf: rest[..<special])
        appendEscaped(rest[special], to: &bytes)
        rest = rest[(special + 1)...]
      }
      bytes.append(contentsOf: rest)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Whether a byte ends a string, or is more than a plain character.
  static func isSpecial(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private static func appendEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
    switch byte {
    case 0x0A: bytes.append(contentsOf: "\\n".utf8)
    case 0..<0x20:
      bytes.append(contentsOf: "\\u00".utf8)
      bytes.append(contentsOf: hexDigits(byte))
    default: bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
    }
  }

  static func hexDigits(_ byte: UInt8) -> [UInt8] { [hexDigit(byte >> 4), hexDigit(byte)] }

  /// The digit of the lower four bits.
  static func hexDigit(_ value: UInt8) -> UInt8 { value & 15 < 10 ? 0x30 + value & 15 : 0x57 + value & 15 }
}
