/// The answer of a server, whatever its status is.
package struct HTTPAnswer: Sendable, Equatable {
  /// The final status, 200 to 599; interim answers are skipped.
  package let status: Int
  /// The lines of the last head: most answers are never asked for a field.
  private let head: [UInt8]
  /// The body, at most the call's ``HTTPLimits/body`` long; its beginning where ``HTTPLimits/kept`` says so.
  package let body: [UInt8]

  init(status: Int, head: [UInt8], body: [UInt8]) {
    (self.status, self.head, self.body) = (status, head, body)
  }

  /// Header fields in the order received, names in lower case.
  package var headers: [(name: String, value: String)] {
    head.split(separator: UInt8(ascii: "\n")).dropFirst().compactMap { line in
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
      let value = String(decoding: line[(colon + 1)...], as: UTF8.self)
      return (String(decoding: line[..<colon], as: UTF8.self).lowercased(), value[...].trimmed)
    }
  }

  /// The first value of a header field, its name compared without case.
  package subscript(name: String) -> String? {
    let name = name.lowercased().utf8
    let found = head.split(separator: UInt8(ascii: "\n")).first { line in
      line.dropFirst(name.count).first == UInt8(ascii: ":")
        && line.prefix(name.count).elementsEqual(name) { $0 == $1 || $0 | 0x20 == $1 && $0 >= 0x41 && $0 <= 0x5A }
    }
    return found.map { String(decoding: $0[($0.startIndex + name.count + 1)...], as: UTF8.self)[...].trimmed }
  }

  /// The body as text, malformed UTF-8 replaced.
  package var text: String { String(decoding: body, as: UTF8.self) }
}

extension Substring {
  fileprivate var trimmed: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
