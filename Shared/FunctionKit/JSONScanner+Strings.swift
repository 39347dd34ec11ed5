extension JSONScanner {
  /// The text between a string's quotes with its escapes resolved.
  ///
  /// A lone surrogate becomes U+FFFD.
  static func unescaped(_ inner: ArraySlice<UInt8>) -> String {
    guard inner.contains(UInt8(ascii: "\\")) else { return String(decoding: inner, as: UTF8.self) }
    var units: [UInt16] = []
    var rest = inner
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        let plain = rest.prefix { $0 != UInt8(ascii: "\\") }
        units.append(contentsOf: String(decoding: [byte] + plain, as: UTF8.self).utf16)
        rest = rest.dropFirst(plain.count)
        continue
      }
      units.append(unit(after: &rest))
    }
    return String(decoding: units, as: UTF16.self)
  }

  /// Whether the text between a name's quotes means that name.
  static func isName(_ inner: ArraySlice<UInt8>, _ name: String) -> Bool {
    inner.contains(UInt8(ascii: "\\")) ? unescaped(inner) == name : inner.elementsEqual(name.utf8)
  }

  private static func unit(after rest: inout ArraySlice<UInt8>) -> UInt16 {
    switch rest.popFirst() {
    case UInt8(ascii: "n"): return 0x0A
    case UInt8(ascii: "t"): return 0x09
    case UInt8(ascii: "r"): return 0x0D
    case UInt8(ascii: "b"): return 0x08
    case UInt8(ascii: "f"): return 0x0C
    case UInt8(ascii: "u"):
      let value = rest.prefix(4).reduce(UInt16(0)) { $0 << 4 | UInt16(hexValue($1) ?? 0) }
      rest = rest.dropFirst(4)
      return value
    case let byte?: return UInt16(byte)
    case nil: return 0xFFFD
    }
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

  /// Whether a byte of a string is its end or cannot stand for itself.
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
