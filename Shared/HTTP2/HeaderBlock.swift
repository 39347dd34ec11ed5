import CNGHTTP2

/// The fields of one message in nghttp2's form.
///
/// The next message uses the same memory.
struct HeaderBlock {
  private struct Field {
    let nameLength: Int
    let valueLength: Int
    let flags: UInt8
  }

  private var bytes: [UInt8] = []
  private var fields: [Field] = []
  private var indexedNames: [String] = []

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    fields.removeAll(keepingCapacity: true)
  }

  mutating func add(_ name: String, _ value: String, indexing: HTTP2Header.Indexing = .default) {
    let start = bytes.count
    bytes.append(contentsOf: name.utf8)
    let middle = bytes.count
    bytes.append(contentsOf: value.utf8)
    let flags = isLiteral(name, indexing) ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE
    fields.append(
      Field(
        nameLength: middle - start, valueLength: bytes.count - middle, flags: UInt8(truncatingIfNeeded: flags.rawValue))
    )
  }

  private mutating func isLiteral(_ name: String, _ indexing: HTTP2Header.Indexing) -> Bool {
    switch indexing {
    case .default: return false
    case .never: return true
    case .nameOnly:
      if indexedNames.contains(name) { return true }
      indexedNames.append(name)
      return false
    }
  }

  mutating func add(_ headers: [HTTP2Header]) {
    for header in headers { add(header.name, header.value, indexing: header.indexing) }
  }

  /// Whether HTTP/2 allows every field (RFC 9113 §8.2.1).
  ///
  /// A pseudo-header begins with a colon.
  mutating func isValid() -> Bool {
    withFields { fields in
      fields.allSatisfy { field in
        let isPseudo = field.namelen > 1 && field.name[0] == UInt8(ascii: ":")
        return (isPseudo || nghttp2_check_header_name(field.name, field.namelen) == 1)
          && nghttp2_check_header_value_rfc9113(field.value, field.valuelen) == 1
      }
    }
  }

  mutating func withFields<Value>(_ body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> Value) -> Value {
    bytes.withUnsafeMutableBufferPointer { bytes in
      withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: fields.count) { list in
        var position = bytes.baseAddress
        for (index, field) in fields.enumerated() {
          let value = position?.advanced(by: field.nameLength)
          list.initializeElement(
            at: index,
            to: nghttp2_nv(
              name: position, value: value, namelen: field.nameLength, valuelen: field.valueLength, flags: field.flags))
          position = value?.advanced(by: field.valueLength)
        }
        return body(list)
      }
    }
  }
}
