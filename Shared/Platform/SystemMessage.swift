import Glibc

/// The system's sentence for an `errno`.
package func systemMessage(_ code: Int32) -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  _ = strerror_r(code, &buffer, buffer.count)
  return String(terminated: buffer)
}

extension String {
  /// The characters before the terminating zero.
  package init(terminated characters: [CChar]) {
    self.init(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
