/// Reads JSON text once, checks it, and finds where values begin and end.
///
/// An event must keep the text of a value (`9007199254740993`, `1.50`), but FoundationEssentials' decoder cannot.
struct JSONScanner {
  private let text: ArraySlice<UInt8>
  private var position: Int
  /// Whether strings are refused that take long to compare.
  private let isFromOutside: Bool

  init(_ text: ArraySlice<UInt8>, isFromOutside: Bool = false) {
    (self.text, self.isFromOutside) = (text, isFromOutside)
    position = text.startIndex
  }

  /// The range of the one value that the text consists of.
  mutating func document() throws(RawJSON.Malformed) -> Range<Int> {
    skipByteOrderMark()
    skipSpace()
    let start = position
    try value(depth: 0)
    let range = start..<position
    skipSpace()
    if position < text.endIndex { throw malformed("something follows the document") }
    return range
  }

  /// The members of the one object that the text consists of.
  mutating func objectDocument() throws(RawJSON.Malformed) -> [RawJSON.Member] {
    skipByteOrderMark()
    skipSpace()
    guard position < text.endIndex, text[position] == UInt8(ascii: "{") else { throw malformed("expected an object") }
    let members = try members()
    skipSpace()
    if position < text.endIndex { throw malformed("something follows the document") }
    return members
  }

  /// The members of the object at the current position.
  mutating func members() throws(RawJSON.Malformed) -> [RawJSON.Member] {
    var members: [RawJSON.Member] = []
    try object(depth: 0) { name, value in
      members.append(.init(name: Self.unescaped(name), value: RawJSON(trusted: value)))
    }
    return members
  }

  /// The value of the first member of that name of the object at the current position.
  mutating func value(named wanted: String) throws(RawJSON.Malformed) -> RawJSON? {
    var found: ArraySlice<UInt8>?
    try object(depth: 0) { name, value in
      if found == nil, Self.isName(name, wanted) { found = value }
    }
    return found.map { RawJSON(trusted: $0) }
  }

  /// The elements of the array at the current position.
  mutating func elements() throws(RawJSON.Malformed) -> [RawJSON] {
    var elements: [RawJSON] = []
    try array(depth: 0) { elements.append(RawJSON(trusted: $0)) }
    return elements
  }

  private mutating func value(depth: Int) throws(RawJSON.Malformed) {
    guard depth <= RawJSON.maximumDepth else { throw malformed("nested too deeply") }
    guard position < text.endIndex else { throw malformed("the text ends too early") }
    switch text[position] {
    case UInt8(ascii: "{"): try object(depth: depth) { _, _ in }
    case UInt8(ascii: "["): try array(depth: depth) { _ in }
    case UInt8(ascii: "\""): _ = try string()
    case UInt8(ascii: "t"): try literal("true")
    case UInt8(ascii: "f"): try literal("false")
    case UInt8(ascii: "n"): try literal("null")
    default: try number()
    }
  }

  private mutating func object(
    depth: Int, each: (ArraySlice<UInt8>, ArraySlice<UInt8>) -> Void
  ) throws(RawJSON.Malformed) {
    position += 1
    skipSpace()
    if take(UInt8(ascii: "}")) { return }
    repeat {
      skipSpace()
      guard position < text.endIndex, text[position] == UInt8(ascii: "\"") else {
        throw malformed("expected a member name")
      }
      let name = try string()
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw malformed("expected a colon") }
      skipSpace()
      let start = position
      try value(depth: depth + 1)
      each(text[name], text[start..<position])
      skipSpace()
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else { throw malformed("expected a comma or a closing brace") }
  }

  private mutating func array(depth: Int, each: (ArraySlice<UInt8>) -> Void) throws(RawJSON.Malformed) {
    position += 1
    skipSpace()
    if take(UInt8(ascii: "]")) { return }
    repeat {
      skipSpace()
      let start = position
      try value(depth: depth + 1)
      each(text[start..<position])
      skipSpace()
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw malformed("expected a comma or a closing bracket") }
  }

  /// Consumes a string and returns the range between its quotes.
  private mutating func string() throws(RawJSON.Malformed) -> Range<Int> {
    position += 1
    let start = position
    var (ascii, hasEscapes) = (true, false)
    while true {
      ascii = skipPlain() && ascii
      guard position < text.endIndex else { throw malformed("a string does not end") }
      switch text[position] {
      case UInt8(ascii: "\""):
        let range = start..<position
        if !ascii, String(validating: text[range], as: UTF8.self) == nil { throw malformed("a string is not UTF-8") }
        if isFromOutside, !ascii || hasEscapes, !Self.isQuicklyCompared(text[range]) {
          throw malformed("a string has too many combining marks in a row")
        }
        position += 1
        return range
      case UInt8(ascii: "\\"):
        hasEscapes = true
        try escape()
      default: throw malformed("a control character inside a string")
      }
    }
  }

  /// Skips the plain bytes of a string and its escapes of two characters.
  ///
  /// A document inside a document has an escape every few bytes.
  ///
  /// - Returns: whether all of them were ASCII.
  private mutating func skipPlain() -> Bool {
    let start = position - text.startIndex
    let (end, union) = text.withUnsafeBufferPointer { bytes in
      var (index, union) = (start, UInt64(0))
      while index < bytes.count {
        let (plain, count) = Self.plain(in: bytes, at: index)
        union |= plain
        index += count
        if count == 8 { continue }
        guard index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"), Self.isEscapable(bytes[index + 1]) else {
          break
        }
        index += 2
      }
      return (index, union)
    }
    position = text.startIndex + end
    return union & 0x8080_8080_8080_8080 == 0
  }

  /// Consumes an escape of another length.
  private mutating func escape() throws(RawJSON.Malformed) {
    position += 1
    guard position < text.endIndex else { throw malformed("a string does not end") }
    guard text[position] == UInt8(ascii: "u") else { throw malformed("an unknown escape") }
    let digits = text.dropFirst(position + 1 - text.startIndex).prefix(4)
    guard digits.count == 4, digits.allSatisfy({ Self.hexValue($0) != nil }) else {
      throw malformed("a \\u escape without four digits")
    }
    position += 5
  }

  private mutating func literal(_ word: StaticString) throws(RawJSON.Malformed) {
    let matches = word.withUTF8Buffer { text.dropFirst(position - text.startIndex).starts(with: $0) }
    guard matches else { throw malformed("an unknown word") }
    position += word.utf8CodeUnitCount
  }

  private mutating func number() throws(RawJSON.Malformed) {
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try digits() }
    if take(UInt8(ascii: ".")) { try digits() }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try digits()
    }
  }

  private mutating func digits() throws(RawJSON.Malformed) {
    let start = position
    while position < text.endIndex, (0x30...0x39).contains(text[position]) { position += 1 }
    if position == start { throw malformed("expected a value") }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard position < text.endIndex, text[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipByteOrderMark() { position = text.withoutByteOrderMark.startIndex }

  private mutating func skipSpace() {
    while position < text.endIndex, text[position].isJSONSpace { position += 1 }
  }

  private func malformed(_ problem: String) -> RawJSON.Malformed {
    .init(problem: problem, offset: position - text.startIndex)
  }
}

extension UInt8 {
  /// Whether it is white space between the tokens of JSON.
  var isJSONSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}

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

  /// The characters that follow the backslash for a control character.
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

extension JSONScanner {
  /// The most combining marks in a row that need not be in Unicode's canonical order.
  ///
  /// To compare or hash a text, Swift puts such a row in order, in a time that grows by the square: a minute for 1 MiB.
  /// More than anybody writes.
  private static let mostDisordered = 1_000

  /// Whether a text can be compared and hashed in a time that grows with its length.
  static func isQuicklyCompared(_ inner: ArraySlice<UInt8>) -> Bool {
    // A mark has two bytes or more.
    guard inner.count > 2 * mostDisordered else { return true }
    var (count, last, isOrdered) = (0, UInt8(0), true)
    for scalar in unescaped(inner).unicodeScalars {
      let order = scalar.markOrder
      guard order > 0 else {
        (count, last, isOrdered) = (0, 0, true)
        continue
      }
      // Two marks in one are not in order with another one like them.
      (count, isOrdered) = (count + 1, isOrdered && order >= last && !scalar.isTwoMarks)
      if !isOrdered, count > mostDisordered { return false }
      last = order
    }
    return true
  }
}

extension Unicode.Scalar {
  /// The place of a combining mark in the canonical order; 0 for any other character.
  fileprivate var markOrder: UInt8 {
    // The first mark is U+0300.
    value < 0x300 ? 0 : isTwoMarks ? 129 : properties.canonicalCombiningClass.rawValue
  }

  /// Whether it is one of Tibetan's vowel signs that stand for two marks.
  fileprivate var isTwoMarks: Bool { value == 0xF73 || value == 0xF75 || value == 0xF81 }
}
