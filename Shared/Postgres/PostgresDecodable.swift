import Formats
package import FoundationEssentials

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

extension String: PostgresDecodable {
  /// Any type's text form.
  package init?(postgresText: Span<UInt8>) {
    self = postgresText.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
  }
}

extension Bool: PostgresDecodable {
  /// `t` or `f`.
  package init?(postgresText: Span<UInt8>) {
    guard postgresText.count == 1 else { return nil }
    switch postgresText[0] {
    case UInt8(ascii: "t"): self = true
    case UInt8(ascii: "f"): self = false
    default: return nil
    }
  }
}

extension PostgresDecodable where Self: FixedWidthInteger {
  /// A decimal number without fraction that fits.
  package init?(postgresText: Span<UInt8>) {
    let isNegative = postgresText.count > 1 && postgresText[0] == UInt8(ascii: "-")
    guard postgresText.count > 0 else { return nil }
    var value: Self = 0
    for index in (isNegative ? 1 : 0)..<postgresText.count {
      let (digit, isBelow) = postgresText[index].subtractingReportingOverflow(UInt8(ascii: "0"))
      guard !isBelow, digit < 10 else { return nil }
      let (tenfold, overflowed) = value.multipliedReportingOverflow(by: 10)
      let (next, exceeded) =
        isNegative
        ? tenfold.subtractingReportingOverflow(Self(digit)) : tenfold.addingReportingOverflow(Self(digit))
      guard !overflowed, !exceeded else { return nil }
      value = next
    }
    self = value
  }
}

extension Int: PostgresDecodable {}
extension Int64: PostgresDecodable {}
extension Int32: PostgresDecodable {}
extension Int16: PostgresDecodable {}

extension UInt8: PostgresDecodable {
  /// A byte string in the `hex` form: `\x00ff`.
  package static func array(postgresText: Span<UInt8>) -> [UInt8]? {
    postgresText.withUnsafeBufferPointer { text in
      guard text.count >= 2, text.count.isMultiple(of: 2), text.starts(with: "\\x".utf8) else { return nil }
      var bytes: [UInt8] = []
      bytes.reserveCapacity(text.count / 2 - 1)
      for index in stride(from: 2, to: text.count, by: 2) {
        guard let high = Hex.value(text[index]), let low = Hex.value(text[index + 1]) else { return nil }
        bytes.append(high << 4 | low)
      }
      return bytes
    }
  }
}

extension Double: PostgresDecodable {
  /// A decimal number, `NaN`, `Infinity` or `-Infinity`.
  package init?(postgresText: Span<UInt8>) {
    guard let text = String(postgresText: postgresText) else { return nil }
    self.init(text)
  }
}

extension UUID: PostgresDecodable {
  /// The 36 characters with hyphens.
  package init?(postgresText text: Span<UInt8>) {
    guard let id = text.withUnsafeBufferPointer({ UUID(utf8: $0) }) else { return nil }
    self = id
  }
}

extension Date: PostgresDecodable {
  /// A `timestamptz`, a `timestamp` (taken as UTC) or a `date` (its midnight in UTC).
  ///
  /// A time outside of the years 1 to 9999, `infinity` and `-infinity` included, is the first or the last instant of
  /// them: RFC 3339 writes no other years.
  package init?(postgresText: Span<UInt8>) {
    guard let timestamp = Timestamp(iso: postgresText) else { return nil }
    self = min(max(timestamp.date, .firstOfYear1), .lastOfYear9999)
  }

  /// 0001-01-01 00:00:00 UTC.
  static let firstOfYear1 = Date(timeIntervalSince1970: -62_135_596_800)
  /// 9999-12-31 23:59:59 UTC.
  static let lastOfYear9999 = Date(timeIntervalSince1970: 253_402_300_799)
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
  /// The wrapped value.
  package init?(postgresText: Span<UInt8>) {
    guard let value = Wrapped(postgresText: postgresText) else { return nil }
    self = .some(value)
  }

  /// NULL is nil.
  package static var postgresNull: Wrapped?? { .some(nil) }
}

extension Array: PostgresDecodable where Element: PostgresDecodable {
  /// A one-dimensional array.
  package init?(postgresText: Span<UInt8>) {
    guard let elements = Element.array(postgresText: postgresText) else { return nil }
    self = elements
  }
}

extension PostgresDecodable where Self: RawRepresentable, RawValue: PostgresDecodable {
  /// A value whose raw value is in the column.
  package init?(postgresText: Span<UInt8>) {
    guard let rawValue = RawValue(postgresText: postgresText) else { return nil }
    self.init(rawValue: rawValue)
  }
}
