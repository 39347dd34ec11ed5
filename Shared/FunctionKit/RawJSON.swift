import Glibc
import Terminal

/// One JSON document as its text, so that numbers keep their digits and nothing is decoded twice.
///
/// The text is valid UTF-8 JSON (RFC 8259), nested at most ``maximumDepth`` deep. A byte order mark before it is ignored.
package struct RawJSON: Sendable, Equatable {
  /// How deep arrays and objects may be nested.
  ///
  /// Deeper documents are refused, because they could exhaust the stack.
  static let maximumDepth = 64

  /// The document's bytes, without white space around it.
  package let bytes: ArraySlice<UInt8>

  /// Checks the text and keeps it.
  ///
  /// - Parameter isFromOutside: whether anybody may have written it; then strings are refused that take long to compare.
  /// - Throws: ``Malformed`` with the position of the first mistake.
  package init(validating text: ArraySlice<UInt8>, isFromOutside: Bool = false) throws(Malformed) {
    var scanner = JSONScanner(text, isFromOutside: isFromOutside)
    let value = try scanner.document()
    self.init(trusted: text[value])
  }

  /// Takes text whose writer guarantees one valid document, such as PostgreSQL's `jsonb`.
  package init(trusting text: [UInt8]) {
    self.init(trusted: text[...])
  }

  /// Takes text that this module made or checked itself.
  init(trusted bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
  }

  /// The kind of a document, known by its first byte.
  package enum Kind: Sendable {
    case object, array, string, number, bool, null
  }

  /// The kind of this document.
  package var kind: Kind {
    switch bytes.first {
    case UInt8(ascii: "{"): .object
    case UInt8(ascii: "["): .array
    case UInt8(ascii: "\""): .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
    case UInt8(ascii: "n"): .null
    default: .number
    }
  }

  /// The members of an object in their order; empty for anything else.
  ///
  /// A repeated name is listed each time.
  package var members: [Member] {
    guard kind == .object else { return [] }
    var scanner = JSONScanner(bytes)
    return (try? scanner.members()) ?? []
  }

  /// The members of the object that a text consists of, checked and read in one pass.
  ///
  /// - Throws: ``Malformed``, also for another kind of document.
  package static func members(validating text: ArraySlice<UInt8>) throws(Malformed) -> [Member] {
    var scanner = JSONScanner(text)
    return try scanner.objectDocument()
  }

  /// The value of the first member of that name, `nil` when there is none.
  package subscript(name: String) -> RawJSON? {
    guard kind == .object else { return nil }
    var scanner = JSONScanner(bytes)
    return (try? scanner.value(named: name)) ?? nil
  }

  /// One member of an object.
  package struct Member: Sendable {
    /// The member's name with its escapes resolved.
    package let name: String
    /// The member's value.
    package let value: RawJSON
  }

  /// A text that is not one JSON document.
  package struct Malformed: Error, Equatable, CustomStringConvertible {
    /// The problem, as the end of a sentence.
    package let problem: String
    /// Where, as a zero-based byte offset.
    package let offset: Int

    /// One clear sentence.
    package var description: String { "not valid JSON: \(problem) at byte \(offset)" }
  }

  /// The document for a person's terminal or a log: it means the same, and commands nothing.
  package var printable: String { String(decoding: bytes, as: UTF8.self).escapedInJSON }

  /// The document on many lines, members in their order and numbers with all their digits.
  package var pretty: String { pretty(indentation: "") }

  private func pretty(indentation: String) -> String {
    let inner = indentation + "  "
    switch kind {
    case .object where !members.isEmpty:
      let lines = members.map { member in
        let name = RawJSON(member.name).printable
        return "\(inner)\(name): \(member.value.pretty(indentation: inner))"
      }
      return "{\n\(lines.joined(separator: ",\n"))\n\(indentation)}"
    case .array where elements?.isEmpty == false:
      let lines = (elements ?? []).map { inner + $0.pretty(indentation: inner) }
      return "[\n\(lines.joined(separator: ",\n"))\n\(indentation)]"
    default: return printable
    }
  }
}

extension RawJSON {
  /// The text of a string document with escapes resolved, `nil` for anything else.
  package var stringValue: String? {
    guard kind == .string else { return nil }
    return JSONScanner.unescaped(bytes.dropFirst().dropLast())
  }

  /// The value of a number document that is a whole number, `nil` for anything else.
  package var intValue: Int? {
    kind == .number ? Int(String(decoding: bytes, as: UTF8.self)) : nil
  }

  /// A string as a JSON document.
  package init(_ string: String) {
    self.init(trusted: JSONScanner.quoted(string)[...])
  }

  /// A whole number as a JSON document.
  package init(_ number: Int) {
    self.init(trusted: Array(String(number).utf8)[...])
  }

  /// `true` or `false` as a JSON document.
  package init(_ bool: Bool) {
    self.init(trusted: Array((bool ? "true" : "false").utf8)[...])
  }

  /// An array of the given elements, on one line.
  package init(array elements: [RawJSON]) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(elements.reduce(2) { $0 + $1.bytes.count + 1 })
    bytes.append(UInt8(ascii: "["))
    for element in elements {
      if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
      bytes.append(contentsOf: element.bytes)
    }
    bytes.append(UInt8(ascii: "]"))
    self.init(trusted: bytes[...])
  }

  /// An object of the given members in the given order, on one line.
  package init(object members: [(String, RawJSON)]) {
    self.init(object: members.lazy.map { Member(name: $0.0, value: $0.1) })
  }

  init(object members: some Sequence<Member>) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(members.reduce(3) { $0 + $1.name.utf8.count + $1.value.bytes.count + 4 })
    bytes.append(UInt8(ascii: "{"))
    for member in members {
      if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
      JSONScanner.appendQuoted(member.name, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      bytes.append(contentsOf: member.value.bytes)
    }
    bytes.append(UInt8(ascii: "}"))
    self.init(trusted: bytes[...])
  }

  /// The document with line ends between tokens turned into spaces, so that it fits one line of a stream.
  package var onOneLine: RawJSON {
    let lineEnds: [UInt8] = [0x0A, 0x0D]
    let hasSome = bytes.withUnsafeBytes { text in
      text.baseAddress.map { start in lineEnds.contains { memchr(start, Int32($0), text.count) != nil } } ?? false
    }
    guard hasSome else { return self }
    return RawJSON(trusted: bytes.map { lineEnds.contains($0) ? 0x20 : $0 }[...])
  }

  /// The document on one line, and the line's end.
  package var line: [UInt8] {
    let document = onOneLine.bytes
    var line: [UInt8] = []
    line.reserveCapacity(document.count + 1)
    line += document
    line.append(0x0A)
    return line
  }
}

extension RawJSON {
  /// The elements of an array in their order, `nil` for anything else.
  package var elements: [RawJSON]? {
    guard kind == .array else { return nil }
    var scanner = JSONScanner(bytes)
    return try? scanner.elements()
  }
}

extension ArraySlice<UInt8> {
  /// The place of the first line end.
  ///
  /// `firstIndex(of:)` looks at one byte after the other, and some lines are long.
  package var lineEnd: Index? {
    withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, let end = memchr(start, 0x0A, bytes.count) else { return nil }
      return startIndex + (UnsafeRawPointer(end) - start)
    }
  }
}

extension Collection<UInt8> {
  /// The bytes of a text without the byte order mark that some programs write before it.
  ///
  /// Source: https://www.rfc-editor.org/rfc/rfc8259#section-8.1
  package var withoutByteOrderMark: SubSequence { starts(with: "\u{FEFF}".utf8) ? dropFirst(3) : self[...] }
}
