import Glibc

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
