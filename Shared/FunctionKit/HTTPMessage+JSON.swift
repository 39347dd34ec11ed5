// This is written by hand, because API functions and the gateway need one of each for every call, and JSONDecoder and
// JSONEncoder take most of the time of a small answer.

extension HTTPRequest {
  /// Reads a request.
  ///
  /// - Throws: ``FunctionError/Code/invalidEvent`` that names the member.
  package init(_ document: RawJSON) throws(FunctionError) {
    guard document.kind == .object else { throw Self.invalid("The payload must be an object.") }
    var values: [String: RawJSON] = [:]
    for member in document.members { values[member.name] = member.value }
    func text(_ name: String) throws(FunctionError) -> String? {
      guard let value = values[name], value.kind != .null else { return nil }
      guard let text = value.stringValue else { throw Self.invalid("\(name) must be a string.") }
      return text
    }
    func texts(_ name: String) throws(FunctionError) -> [String: String]? {
      guard let value = values[name], value.kind != .null else { return nil }
      guard let texts = value.texts else { throw Self.invalid("\(name) must be an object of strings.") }
      return texts
    }
    guard let path = try text("rawPath") else { throw Self.invalid("rawPath is missing.") }
    guard let method = values["requestContext"]?["http"]?["method"]?.stringValue else {
      throw Self.invalid("requestContext.http.method is missing.")
    }
    self.init(
      rawPath: path, queryStringParameters: try texts("queryStringParameters"), headers: try texts("headers") ?? [:],
      requestContext: RequestContext(http: .init(method: method)), body: try text("body"),
      isBase64Encoded: values["isBase64Encoded"]?.boolValue ?? false)
    (routeKey, pathParameters) = (try text("routeKey"), try texts("pathParameters"))
  }

  private static func invalid(_ sentence: String) -> FunctionError { FunctionError(.invalidEvent, sentence) }
}

extension HTTPResponse {
  /// Reads an answer; `nil` for any other document.
  package init?(_ document: RawJSON) { self.init(document.members) }

  /// Reads an answer from the members of its document.
  package init?(_ members: [RawJSON.Member]) {
    guard let status = members.first(where: { $0.name == "statusCode" })?.value.intValue else { return nil }
    self.init(statusCode: status)
    for member in members where member.value.kind != .null {
      switch member.name {
      case "headers":
        guard let texts = member.value.texts else { return nil }
        headers = texts
      case "body":
        guard let text = member.value.stringValue else { return nil }
        body = text
      case "isBase64Encoded":
        guard let isEncoded = member.value.boolValue else { return nil }
        isBase64Encoded = isEncoded
      default: break
      }
    }
  }

  /// The answer as a document.
  package var json: RawJSON {
    var members: [(String, RawJSON)] = []
    if let body { members.append(("body", RawJSON(body))) }
    if let headers {
      members.append(
        ("headers", RawJSON(object: headers.sorted { $0.key < $1.key }.map { ($0.key, RawJSON($0.value)) })))
    }
    if let isBase64Encoded { members.append(("isBase64Encoded", RawJSON(isBase64Encoded))) }
    return RawJSON(object: members + [("statusCode", RawJSON(statusCode))])
  }
}

extension Function where Payload == HTTPRequest {
  /// Reads the request; an error names the wrong member.
  package static func payload(_ data: RawJSON) throws(FunctionError) -> HTTPRequest { try HTTPRequest(data) }
}

extension Function where Output == HTTPResponse {
  /// Writes the answer.
  package static func result(_ output: HTTPResponse) -> RawJSON { output.json }
}

extension RawJSON {
  /// The members of an object of strings, `nil` for anything else.
  fileprivate var texts: [String: String]? {
    guard kind == .object else { return nil }
    var texts: [String: String] = [:]
    for member in members {
      guard let text = member.value.stringValue else { return nil }
      texts[member.name] = text
    }
    return texts
  }

  /// `true` or `false`; `nil` for anything else.
  fileprivate var boolValue: Bool? { kind == .bool ? bytes.first == UInt8(ascii: "t") : nil }
}
