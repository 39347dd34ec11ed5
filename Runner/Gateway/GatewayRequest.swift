/// A request as the gateway's routes see it.
struct GatewayRequest {
  var method: String
  /// The path as it was sent, without the query.
  var path: String
  /// The query as it was sent, without the question mark; `nil` if there is none.
  var query: String?
  var headers = HeaderFields()
  var body: [UInt8] = []
  var client = ClientAddress()
}

/// The header fields of a request, in their order.
struct HeaderFields {
  /// Names are in lower case.
  private(set) var list: [(name: String, value: String)] = []

  mutating func append(_ name: String, _ value: String) {
    list.append((name, value))
  }

  /// The value of the first field of that name, given in lower case.
  subscript(name: String) -> String? { list.first { $0.name == name }?.value }

  /// The values of all fields of that name.
  func values(of name: String) -> [String] { list.lazy.filter { $0.name == name }.map(\.value) }

  /// The words of all fields of that name, in lower case.
  ///
  /// Such a field is a list with commas.
  func words(of name: String) -> [String] { Self.words(values(of: name)) }

  static func words(_ values: [String]) -> [String] {
    values.flatMap { value in
      value.lowercased().filter { $0 != " " && $0 != "\t" }.split(separator: ",", omittingEmptySubsequences: false)
        .map(String.init)
    }
  }

  /// Replaces all fields of that name by one with this value.
  mutating func replace(_ name: String, _ value: String) {
    list.removeAll { $0.name == name }
    append(name, value)
  }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
  init(dictionaryLiteral elements: (String, String)...) {
    list = elements.map { ($0.0, $0.1) }
  }
}
