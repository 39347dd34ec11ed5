/// A value that can be the parameter of a statement.
///
/// An enum with a bindable raw value needs only the conformance: `extension Kind: PostgresBindable {}`.
package protocol PostgresBindable {
  /// The type under which the server takes the value.
  static var postgresType: PostgresType { get }
  /// The type under which the server takes an array of such values.
  static var postgresArrayType: PostgresType { get }
  /// The value as it is sent.
  var postgresValue: PostgresValue { get }
  /// An array of such values as it is sent.
  static func postgresValue(of elements: [Self]) -> PostgresValue
}

/// A data type of the server: its object identifier and that of its arrays, from `pg_type.dat`.
package struct PostgresType: Hashable, Sendable {
  let oid: UInt32
  let arrayOID: UInt32

  /// Creates a type from the two identifiers; an array identifier of 0 means that arrays of it cannot be sent.
  package init(oid: UInt32, arrayOID: UInt32) {
    self.oid = oid
    self.arrayOID = arrayOID
  }

  static let text = PostgresType(oid: 25, arrayOID: 1009)
}

/// A parameter's value in one of the forms in which it can be sent.
package enum PostgresValue: Sendable {
  /// NULL.
  case null
  /// Text of a type that the server infers from the statement. So it also works for `jsonb`, enums and dates.
  case text(String)
  /// The type's binary form.
  case binary([UInt8])
  /// A value that PostgreSQL cannot hold, and why. The statement throws ``PostgresError/Code/usage``.
  case invalid(StaticString)
}

extension PostgresBindable {
  /// The array type that belongs to the element's type.
  package static var postgresArrayType: PostgresType {
    PostgresType(oid: postgresType.arrayOID, arrayOID: 0)
  }

  /// The binary form of a one-dimensional array, as `array_recv` reads it.
  package static func postgresValue(of elements: [Self]) -> PostgresValue {
    guard postgresType.arrayOID != 0 else { return .invalid("An array of arrays cannot be a parameter.") }

    var bytes: [UInt8] = []
    var hasNull = false
    bytes.append(bigEndian: Int32(elements.isEmpty ? 0 : 1))
    bytes.append(bigEndian: Int32(0))
    bytes.append(bigEndian: postgresType.oid)
    if !elements.isEmpty {
      bytes.append(bigEndian: Int32(truncatingIfNeeded: elements.count))
      bytes.append(bigEndian: Int32(1))
    }
    for element in elements {
      switch element.postgresValue {
      case .null:
        hasNull = true
        bytes.append(bigEndian: Int32(-1))
      case .text(let text): bytes.append(element: text.utf8)
      case .binary(let binary): bytes.append(element: binary)
      case .invalid(let reason): return .invalid(reason)
      }
    }
    if hasNull { bytes[7] = 1 }
    return .binary(bytes)
  }
}

extension [UInt8] {
  mutating func append(bigEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }

  fileprivate mutating func append(element: some Collection<UInt8>) {
    append(bigEndian: Int32(truncatingIfNeeded: element.count))
    append(contentsOf: element)
  }
}
