extension JSONScanner {
  /// The text between a string's quotes with its escapes resolved.
  ///
  /// A lone surrogate becomes U+FFFD.
  static func unescaped(_ inner: ArraySlice<UInt8>) -> String {
    guard inner.contains(UInt8(ascii: "\\")) else { return String(decoding: inner, as: UTF8.self) }
    // No escape is shorter than its character. Eight bytes are written at a time, and the next ones overwrite those that
    // are too many.
    return String(unsafeUninitializedCapacity: inner.count + 8) { text in
      inner.withUnsafeBufferPointer { bytes in
        var (index, end) = (0, 0)
        while index < bytes.count {
          let (plain, length) = plain(in: bytes, at: index)
          UnsafeMutableRawBufferPointer(text).storeBytes(of: plain.littleEndian, toByteOffset: end, as: UInt64.self)
          index += length
          end += length
          guard length < 8, index < bytes.count else { continue }
          if bytes[index] != UInt8(ascii: "\\") {
            text[end] = bytes[index]
            index += 1
            end += 1
          } else if index + 1 < bytes.count, isEscapedAsItIs(bytes[index + 1]) {
            text[end] = bytes[index + 1]
            index += 2
            end += 1
          } else {
            var rest = bytes[(index + 1)...]
            for byte in UTF8.encode(scalar(after: &rest)) ?? UTF8.encodedReplacementCharacter {
              text[end] = byte
              end += 1
            }
            index = rest.startIndex
          }
        }
        return end
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
      // Most texts have none, and to find that out takes less time than to count.
      var hasControls: UInt8 = 0
      for byte in text { hasControls |= byte < 0x20 ? 1 : 0 }
      let controls = hasControls == 0 ? 0 : text.count { $0 < 0x20 }
      // An escape has two bytes, that of a control character up to six. Eight bytes are written at a time, and the next
      // ones overwrite those that are too many.
      return Array(unsafeUninitializedCapacity: 2 * text.count + 4 * controls + 10) { bytes, count in
        bytes[0] = UInt8(ascii: "\"")
        var (index, end) = (0, 1)
        while index < text.count {
          let (plain, length) = plain(in: text, at: index)
          UnsafeMutableRawBufferPointer(bytes).storeBytes(of: plain.littleEndian, toByteOffset: end, as: UInt64.self)
          index += length
          end += length
          guard length < 8, index < text.count else { continue }
          bytes[end] = UInt8(ascii: "\\")
          end += 1
          if text[index] >= 0x20 {
            bytes[end] = text[index]
            end += 1
          } else {
            end = bytes[end...].update(fromContentsOf: control(text[index]))
          }
          index += 1
        }
        bytes[end] = UInt8(ascii: "\"")
        count = end + 1
      }
    }
  }

  /// The plain bytes of a string at a place, at most eight: the first is the lowest byte of the word.
  @inline(__always)
  static func plain(in text: UnsafeBufferPointer<UInt8>, at index: Int) -> (word: UInt64, count: Int) {
    var word: UInt64 = 0
    if index + 8 <= text.count {
      word = UInt64(littleEndian: UnsafeRawBufferPointer(text).loadUnaligned(fromByteOffset: index, as: UInt64.self))
    } else {
      // Behind the end are zeros, which are not plain.
      for place in index..<text.count { word |= UInt64(text[place]) << (8 * (place - index)) }
    }
    let special =
      below(0x20, word) | below(1, word ^ each(UInt8(ascii: "\""))) | below(1, word ^ each(UInt8(ascii: "\\")))
    guard special != 0 else { return (word, 8) }
    let count = special.trailingZeroBitCount / 8
    return (word & (1 << (8 * count) - 1), count)
  }

  /// A word whose lowest marked byte is the first that is below a limit of at most 128.
  ///
  /// Source: https://graphics.stanford.edu/~seander/bithacks.html#HasLessInWord
  @inline(__always)
  private static func below(_ limit: UInt8, _ word: UInt64) -> UInt64 { (word &- each(limit)) & ~word & each(0x80) }

  /// Eight times the same byte.
  @inline(__always)
  private static func each(_ byte: UInt8) -> UInt64 { UInt64(byte) * 0x0101_0101_0101_0101 }

  /// What follows the backslash for a control character.
  private static func control(_ byte: UInt8) -> [UInt8] {
    byte == 0x0A ? [UInt8(ascii: "n")] : [UInt8(ascii: "u"), 0x30, 0x30] + hexDigits(byte)
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
  static func isSpecial(_ byte: UInt8) -> Bool { byte < 0x20 || isEscapedAsItIs(byte) }

  /// Whether a byte stands for itself after a backslash, and has to be written so.
  private static func isEscapedAsItIs(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  /// Whether a byte makes an escape of two characters.
  static func isEscapable(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      true
    default: false
    }
  }

  static func hexDigits(_ byte: UInt8) -> [UInt8] { [hexDigit(byte >> 4), hexDigit(byte)] }

  /// The digit of the lower four bits.
  static func hexDigit(_ value: UInt8) -> UInt8 { value & 15 < 10 ? 0x30 + value & 15 : 0x57 + value & 15 }
}
