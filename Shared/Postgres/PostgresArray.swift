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
