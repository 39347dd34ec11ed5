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
          if let byte = rest.first, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
            // Nearly all escapes are these: a document inside a document has many.
            text[end] = byte
            end += 1
            rest = rest[(backslash + 2)...]
            continue
          }
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

  /// A string in quotes, written in one go: a document inside a document has an escape every few bytes.
  static func quoted(_ string: String) -> [UInt8] {
    var string = string
    return string.withUTF8 { text in
      var escapes = 0
      for byte in text { escapes &+= byte < 0x20 ? 5 : isSpecial(byte) ? 1 : 0 }
      return Array(unsafeUninitializedCapacity: text.count + escapes + 2) { bytes, count in
        var end = 0
        func append(_ byte: UInt8) {
          bytes[end] = byte
          end += 1
        }
        append(UInt8(ascii: "\""))
        for byte in text {
          guard isSpecial(byte) else {
            append(byte)
            continue
          }
          append(UInt8(ascii: "\\"))
          switch byte {
          case 0x0A: append(UInt8(ascii: "n"))
          case 0..<0x20:
            for digit in [UInt8(ascii: "u"), 0x30, 0x30, hexDigit(byte >> 4), hexDigit(byte)] { append(digit) }
          default: append(byte)
          }
        }
        append(UInt8(ascii: "\""))
        count = end
      }
    }
  }

  /// Appends a name, which has hardly ever anything to escape.
  static func appendQuoted(_ name: String, to bytes: inout [UInt8]) {
    var name = name
    let isPlain = name.withUTF8 { text in
      guard !text.contains(where: isSpecial) else { return false }
      bytes.append(UInt8(ascii: "\""))
      bytes.append(contentsOf: text)
      bytes.append(UInt8(ascii: "\""))
      return true
    }
    if !isPlain { bytes += quoted(name) }
  }

  /// Whether a byte ends a string, or is more than a plain character.
  static func isSpecial(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  static func hexDigits(_ byte: UInt8) -> [UInt8] { [hexDigit(byte >> 4), hexDigit(byte)] }

  /// The digit of the lower four bits.
  static func hexDigit(_ value: UInt8) -> UInt8 { value & 15 < 10 ? 0x30 + value & 15 : 0x57 + value & 15 }
}
