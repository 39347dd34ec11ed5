import Formats
package import FoundationEssentials

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
