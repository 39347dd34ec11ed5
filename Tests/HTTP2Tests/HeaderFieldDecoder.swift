import CNGHTTP2

/// How a field went over the wire (RFC 7541 §6).
struct SentField: Equatable {
  enum Form { case indexed, incremental, withoutIndexing, neverIndexed }

  var name: String
  var form: Form
}

/// Reads header blocks of one connection, in their order.
final class HeaderFieldDecoder {
  private var handle: OpaquePointer?

  init() {
    nghttp2_hd_inflate_new(&handle)
  }

  deinit {
    nghttp2_hd_inflate_del(handle)
  }

  /// The fields of a block; empty when it is broken.
  func fields(of block: [UInt8]) -> [SentField] {
    var fields: [SentField] = []
    var rest = block[...]
    while let first = rest.first {
      var (field, flags) = (nghttp2_nv(), Int32(0))
      let count = rest.withUnsafeBufferPointer {
        nghttp2_hd_inflate_hd2(handle, &field, &flags, $0.baseAddress, $0.count, 1)
      }
      guard count > 0 else { return [] }
      rest = rest.dropFirst(count)
      guard flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 else { continue }
      let name = UnsafeBufferPointer(start: field.name, count: field.namelen)
      fields.append(SentField(name: String(decoding: name, as: UTF8.self), form: Self.form(first)))
    }
    nghttp2_hd_inflate_end_headers(handle)
    return fields
  }

  private static func form(_ first: UInt8) -> SentField.Form {
    switch first {
    case 0x80...: .indexed
    case 0x40..<0x80: .incremental
    case 0x10..<0x20: .neverIndexed
    default: .withoutIndexing
    }
  }
}
