/// A value that can be read from a column.
///
/// An enum with a decodable raw value needs only the conformance: `extension Kind: PostgresDecodable {}`.
package protocol PostgresDecodable {
  /// Reads the server's text form, in UTF-8; nil when it is not one of this type.
  init?(postgresText: Span<UInt8>)
  /// The value of NULL; nil if NULL is an error, as for all types but optionals.
  static var postgresNull: Self? { get }
  /// Reads the server's text form of an array of such values.
  static func array(postgresText: Span<UInt8>) -> [Self]?
}

extension PostgresDecodable {
  /// NULL is an error.
  package static var postgresNull: Self? { nil }

  /// Reads a one-dimensional array literal: `{1,2,NULL}`.
  package static func array(postgresText: Span<UInt8>) -> [Self]? {
    postgresText.withUnsafeBufferPointer { text in
      guard var literal = ArrayLiteral(text) else { return nil }
      var elements: [Self] = []
      while !literal.isAtEnd {
        guard let element = literal.next() else { return nil }
        let value = element.isNull ? postgresNull : Self(postgresText: element.bytes.span)
        guard let value else { return nil }
        elements.append(value)
      }
      return elements
    }
  }
}

/// The elements of `{1,"a \"b\"",NULL}`, one after the other.
///
/// It is valid only while the buffer is, so it never leaves the call that made it.
private struct ArrayLiteral {
  struct Element {
    var bytes: [UInt8] = []
    var isNull = false
  }

  private let text: Slice<UnsafeBufferPointer<UInt8>>
  private var position: Int

  init?(_ buffer: UnsafeBufferPointer<UInt8>) {
    guard buffer.count >= 2, buffer.first == UInt8(ascii: "{"), buffer.last == UInt8(ascii: "}") else { return nil }
    text = buffer[1..<(buffer.count - 1)]
    position = 1
  }

  var isAtEnd: Bool { position >= text.endIndex }

  /// The next element; nil when the text is not that of a one-dimensional array.
  mutating func next() -> Element? {
    var element = Element()
    var isQuoted = false
    if text[position] == UInt8(ascii: "\"") {
      isQuoted = true
      position += 1
    }
    while position < text.endIndex {
      let byte = text[position]
      if byte == UInt8(ascii: "\\") {
        position += 1
        guard position < text.endIndex else { return nil }
        element.bytes.append(text[position])
      } else if isQuoted, byte == UInt8(ascii: "\"") {
        position += 1
        break
      } else if !isQuoted, byte == UInt8(ascii: ",") {
        break
      } else if !isQuoted, byte == UInt8(ascii: "{") {
        return nil
      } else {
        element.bytes.append(byte)
      }
      position += 1
    }
    if position < text.endIndex, text[position] != UInt8(ascii: ",") { return nil }
    position += 1
    element.isNull = !isQuoted && element.bytes.elementsEqual("NULL".utf8)
    return element
  }
}
