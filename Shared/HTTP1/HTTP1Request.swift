import Formats

/// A request that has been received.
package struct HTTP1Request: Sendable {
  package var method: String
  /// The path without the query; only unreserved characters are decoded.
  package let path: String
  /// The query as it was sent, without the question mark; `nil` if there is none.
  package var query: String?
  package var headers = HeaderFields()
  package var body: [UInt8] = []
  package var client = ClientAddress()

  package init(
    method: String, path: String, query: String? = nil, headers: HeaderFields = HeaderFields(), body: [UInt8] = []
  ) {
    self.path = PercentEncoding.normalized(path)
    (self.method, self.query, self.headers, self.body) = (method, query, headers, body)
  }
}

/// The header fields of a request, in their order.
package struct HeaderFields: Sendable {
  /// Names are in lower case.
  package private(set) var list: [(name: String, value: String)] = []

  package init() {}

  package mutating func append(_ name: String, _ value: String) {
    list.append((name, value))
  }

  /// The value of the first field of that name, given in lower case.
  package subscript(name: String) -> String? { list.first { $0.name == name }?.value }

  /// The values of all fields of that name.
  package func values(of name: String) -> [String] { list.lazy.filter { $0.name == name }.map(\.value) }

  /// The words of all fields of that name, in lower case.
  ///
  /// Such a field is a list with commas.
  package func words(of name: String) -> [String] { Self.words(values(of: name)) }

  package static func words(_ values: [String]) -> [String] {
    values.flatMap { value in
      value.lowercased().filter { $0 != " " && $0 != "\t" }.split(separator: ",", omittingEmptySubsequences: false)
        .map(String.init)
    }
  }

  /// Replaces all fields of that name by one with this value.
  package mutating func replace(_ name: String, _ value: String) {
    list.removeAll { $0.name == name }
    append(name, value)
  }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, String)...) {
    list = elements.map { ($0.0, $0.1) }
  }
}

/// A host with or without a port, as in the field `Host` and in origins, and nothing else.
///
/// Source: https://www.rfc-editor.org/rfc/rfc3986#section-3.2
package struct Authority: Equatable {
  /// The host in lower case, an IPv6 address with its brackets; empty if only the syntax allows that.
  package let host: String
  /// `nil` where the scheme's own is meant.
  package let port: Int?

  /// Returns `nil` for other text: with a user's name, a path, a port that is not a number, or text after an address.
  package init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard let end = Self.hostEnd(bytes), Self.isPort(bytes[end...]) else { return nil }
    host = String(decoding: bytes[..<end], as: UTF8.self).lowercased()
    port = Int(String(decoding: bytes[end...].dropFirst(), as: UTF8.self))
  }

  private static func hostEnd(_ bytes: [UInt8]) -> Int? {
    guard bytes.first == UInt8(ascii: "[") else {
      let end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
      return bytes[..<end].allSatisfy(isNameCharacter) ? end : nil
    }
    guard let end = bytes.firstIndex(of: UInt8(ascii: "]")), end > 1, bytes[1..<end].allSatisfy(isAddressCharacter)
    else { return nil }
    return end + 1
  }

  private static func isPort(_ rest: ArraySlice<UInt8>) -> Bool {
    guard let first = rest.first else { return true }
    let digits = rest.dropFirst()
    return first == UInt8(ascii: ":") && digits.count <= 5 && digits.allSatisfy(\.isDigit)
      && digits.reduce(0) { $0 * 10 + Int($1 & 0x0F) } <= 65_535
  }

  private static func isNameCharacter(_ byte: UInt8) -> Bool {
    byte.isDigit || byte.isLetter || "-._~%!$&'()*+,;=".utf8.contains(byte)
  }

  private static func isAddressCharacter(_ byte: UInt8) -> Bool {
    Hex.value(byte) != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
  }
}

/// The token of `Authorization: Bearer TOKEN`.
package enum BearerToken {
  /// The token in a field's value; `nil` for another scheme, or without a token.
  ///
  /// Source: https://www.rfc-editor.org/rfc/rfc9110#section-11.4
  package static func shown(in field: String) -> Substring? {
    let (scheme, rest) = (field.prefix { $0 != " " }, field.drop { $0 != " " })
    let token = rest.drop { $0 == " " }
    return scheme.lowercased() == "bearer" && !token.isEmpty ? token : nil
  }
}
