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
