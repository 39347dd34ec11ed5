/// A request as the gateway's routes see it.
struct GatewayRequest {
  var method: String
  /// As it was sent, without the query.
  var path: String
  /// As it was sent, without the question mark; `nil` where there is none.
  var query: String?
  var headers = HeaderFields()
  var body: [UInt8] = []
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
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
  init(dictionaryLiteral elements: (String, String)...) {
    list = elements.map { ($0.0, $0.1) }
  }
}
