package import FoundationEssentials

extension String: PostgresBindable {
  /// `text` inside arrays; alone, the type that the server infers.
  package static var postgresType: PostgresType { .text }
  /// The text; U+0000 cannot be stored by PostgreSQL and is refused.
  package var postgresValue: PostgresValue {
    containsNUL ? .invalid("PostgreSQL text cannot hold U+0000.") : .text(self)
  }
  /// Adds the UTF-8 text.
  package func append(to array: inout PostgresArray) {
    if containsNUL { array.append(postgresValue) } else { array.append(text: self) }
  }
}

extension Bool: PostgresBindable {
  /// `boolean`.
  package static var postgresType: PostgresType { PostgresType(oid: 16, arrayOID: 1000) }
  /// One byte.
  package var postgresValue: PostgresValue { .binary([self ? 1 : 0]) }
  /// Adds the byte.
  package func append(to array: inout PostgresArray) { array.append(bigEndian: self ? 1 as UInt8 : 0) }
}

extension PostgresBindable where Self: FixedWidthInteger {
  /// The number in network byte order.
  package var postgresValue: PostgresValue {
    withUnsafeBytes(of: bigEndian) { .binary(Array($0)) }
  }
  /// Adds the number in network byte order.
  package func append(to array: inout PostgresArray) { array.append(bigEndian: self) }
}

extension Int: PostgresBindable {
  /// `bigint`.
  package static var postgresType: PostgresType { PostgresType(oid: 20, arrayOID: 1016) }
}

extension Int64: PostgresBindable {
  /// `bigint`.
  package static var postgresType: PostgresType { PostgresType(oid: 20, arrayOID: 1016) }
}

extension Int32: PostgresBindable {
  /// `integer`.
  package static var postgresType: PostgresType { PostgresType(oid: 23, arrayOID: 1007) }
}

extension Int16: PostgresBindable {
  /// `smallint`.
  package static var postgresType: PostgresType { PostgresType(oid: 21, arrayOID: 1005) }
}

extension UInt8: PostgresBindable {
  /// `smallint`, since PostgreSQL has no single byte.
  package static var postgresType: PostgresType { Int16.postgresType }
  /// `bytea`: an array of bytes is a byte string.
  package static var postgresArrayType: PostgresType { PostgresType(oid: 17, arrayOID: 1001) }
  /// The number as a `smallint`.
  package var postgresValue: PostgresValue { Int16(self).postgresValue }
  /// The bytes as they are.
  package static func postgresValue(of elements: [UInt8]) -> PostgresValue { .binary(elements) }
}

extension Double: PostgresBindable {
  /// `double precision`.
  package static var postgresType: PostgresType { PostgresType(oid: 701, arrayOID: 1022) }
  /// The IEEE 754 bits in network byte order.
  package var postgresValue: PostgresValue {
    withUnsafeBytes(of: bitPattern.bigEndian) { .binary(Array($0)) }
  }
}

extension UUID: PostgresBindable {
  /// `uuid`.
  package static var postgresType: PostgresType { PostgresType(oid: 2950, arrayOID: 2951) }
  /// The sixteen bytes.
  package var postgresValue: PostgresValue { withUnsafeBytes(of: uuid) { .binary(Array($0)) } }
  /// Adds the sixteen bytes.
  package func append(to array: inout PostgresArray) { withUnsafeBytes(of: uuid) { array.append($0) } }
}

extension Date: PostgresBindable {
  /// `timestamp with time zone`.
  package static var postgresType: PostgresType { PostgresType(oid: 1184, arrayOID: 1185) }
  /// Microseconds since 2000-01-01 00:00 UTC; a time finer than that is rounded, one that is no number is refused.
  package var postgresValue: PostgresValue {
    guard let microseconds = Timestamp(self)?.microseconds else {
      return .invalid("A date outside of the range of PostgreSQL cannot be a parameter.")
    }
    return microseconds.postgresValue
  }
  /// Adds the microseconds.
  package func append(to array: inout PostgresArray) {
    if let timestamp = Timestamp(self) {
      array.append(bigEndian: timestamp.microseconds)
    } else {
      array.append(postgresValue)
    }
  }
}

extension Optional: PostgresBindable where Wrapped: PostgresBindable {
  /// The wrapped value's type.
  package static var postgresType: PostgresType { Wrapped.postgresType }
  /// The wrapped value, or NULL.
  package var postgresValue: PostgresValue { self?.postgresValue ?? .null }
  /// Adds the wrapped value, or NULL.
  package func append(to array: inout PostgresArray) {
    if let self { self.append(to: &array) } else { array.appendNull() }
  }
}

extension Array: PostgresBindable where Element: PostgresBindable {
  /// The array type of the elements.
  package static var postgresType: PostgresType { Element.postgresArrayType }
  /// A one-dimensional array.
  package var postgresValue: PostgresValue { Element.postgresValue(of: self) }
}

extension PostgresBindable where Self: RawRepresentable, RawValue: PostgresBindable {
  /// The raw value's type.
  package static var postgresType: PostgresType { RawValue.postgresType }
  /// The raw value.
  package var postgresValue: PostgresValue { rawValue.postgresValue }
}
