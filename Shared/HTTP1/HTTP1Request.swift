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
