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
  /// Adds the value to an array.
  func append(to array: inout PostgresArray)
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

  /// Whether it is an array type: arrays of it cannot be sent.
  var isArray: Bool { arrayOID == 0 }
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
    var array = PostgresArray(of: postgresType, count: elements.count)
    for element in elements { element.append(to: &array) }
    return array.value
  }

  /// Adds the value as it is sent alone.
  package func append(to array: inout PostgresArray) { array.append(postgresValue) }
}

extension PostgresValue {
  /// How many bytes of an array that is not empty stand before its elements.
  private static let arrayHeader = 20

  /// A one-dimensional array.
  static func array(_ elements: [PostgresValue], of type: PostgresType) -> PostgresValue {
    var array = PostgresArray(of: type, count: elements.count)
    for element in elements { array.append(element) }
    return array.value
  }

  /// The number of elements, if it is an array.
  var arrayCount: Int? {
    guard case .binary(let bytes) = self else { return nil }
    return bytes.count < Self.arrayHeader ? 0 : bytes[12..<16].reduce(0) { $0 << 8 | Int($1) }
  }

  /// The elements of several arrays of one type as one array, and where each of them ends in it.
  static func joined(_ arrays: [PostgresValue]) -> (array: PostgresValue, ends: [Int]) {
    var (joined, ends): ([UInt8], [Int]) = ([], [])
    for case .binary(let bytes) in arrays {
      if joined.isEmpty { joined = Array(bytes[..<12]) + [0, 0, 0, 0, 0, 0, 0, 1] }
      ends.append((ends.last ?? 0) + (PostgresValue.binary(bytes).arrayCount ?? 0))
      joined[7] |= bytes[7]
      joined += bytes.dropFirst(arrayHeader)
    }
    guard let count = ends.last, count > 0 else { return (arrays[0], ends) }
    joined[3] = 1
    joined.replaceSubrange(12..<16, with: withUnsafeBytes(of: Int32(truncatingIfNeeded: count).bigEndian, Array.init))
    return (.binary(joined), ends)
  }
}

extension [UInt8] {
  mutating func append(bigEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }
}
