package import FoundationEssentials
import Glibc

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

/// A value on its way to the server.
struct PostgresParameter: Sendable {
  let type: PostgresType
  let value: PostgresValue

  /// The type to declare.
  ///
  /// With 0 the server infers it, so that text also fits `jsonb`, enums and dates.
  var oid: UInt32 { type == .text ? 0 : type.oid }
}

extension SQL {
  /// The protocol counts parameters in 16 bits.
  private static let maximumParameters = 65_535

  /// Why the statement cannot be sent.
  var problem: String? {
    if parameters.count > Self.maximumParameters { return "A statement has at most 65535 parameters." }
    if literals.containsNUL { return "SQL text cannot hold U+0000." }
    for parameter in parameters {
      if case .invalid(let reason) = parameter.value { return "\(reason)" }
    }
    return nil
  }
}

extension [PostgresParameter] {
  /// Lends the parameters as libpq takes them: their number, values, lengths and formats.
  func withArguments(
    _ body: (Int32, [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]) -> Int32
  ) -> Int32 {
    var bytes: [UInt8] = []
    var offsets: [Int?] = []
    var lengths: [Int32] = []
    var formats: [Int32] = []
    for parameter in self {
      var offset: Int? = bytes.count
      var format: Int32 = 0
      switch parameter.value {
      case .null, .invalid: offset = nil
      case .text(let text): bytes.append(contentsOf: text.utf8)
      case .binary(let value):
        format = 1
        bytes.append(contentsOf: value)
      }
      lengths.append(Int32(truncatingIfNeeded: bytes.count - (offset ?? bytes.count)))
      bytes.append(0)
      offsets.append(offset)
      formats.append(format)
    }
    return bytes.withUnsafeBytes { bytes in
      let buffer = bytes.assumingMemoryBound(to: CChar.self)
      let values = offsets.map { offset in offset.flatMap { offset in buffer.baseAddress.map { $0 + offset } } }
      return body(Int32(truncatingIfNeeded: count), values, lengths, formats)
    }
  }
}

extension String {
  /// Whether U+0000 is in it.
  var containsNUL: Bool {
    let answer = utf8.withContiguousStorageIfAvailable { text in
      text.baseAddress.map { memchr($0, 0, text.count) != nil } ?? false
    }
    return answer ?? utf8.contains(0)
  }
}

/// The binary form of a one-dimensional array while it is made, as `array_recv` reads it.
///
/// Large batches send dozens of arrays. Their elements are written in place, without a value for each.
package struct PostgresArray: ~Copyable {
  private var bytes: [UInt8] = []
  private var problem: StaticString?

  init(of type: PostgresType, count: Int) {
    if type.arrayOID == 0 { problem = "An array of arrays cannot be a parameter." }
    bytes.reserveCapacity(20 + count * 20)
    bytes.append(bigEndian: Int32(count == 0 ? 0 : 1))
    bytes.append(bigEndian: Int32(0))
    bytes.append(bigEndian: type.oid)
    guard count > 0 else { return }
    bytes.append(bigEndian: Int32(truncatingIfNeeded: count))
    bytes.append(bigEndian: Int32(1))
  }

  /// The array; `invalid` if an element is.
  var value: PostgresValue { problem.map { .invalid($0) } ?? .binary(bytes) }

  mutating func appendNull() {
    bytes[7] = 1
    bytes.append(bigEndian: Int32(-1))
  }

  mutating func append(text: String) {
    var text = text
    text.withUTF8 { append($0) }
  }

  mutating func append(bigEndian value: some FixedWidthInteger) {
    bytes.append(bigEndian: Int32(truncatingIfNeeded: value.bitWidth / 8))
    bytes.append(bigEndian: value)
  }

  mutating func append(_ element: some Collection<UInt8>) {
    bytes.append(bigEndian: Int32(truncatingIfNeeded: element.count))
    bytes.append(contentsOf: element)
  }

  mutating func append(_ element: PostgresValue) {
    switch element {
    case .null: appendNull()
    case .text(let text): append(text: text)
    case .binary(let binary): append(binary)
    case .invalid(let reason): problem = problem ?? reason
    }
  }
}
