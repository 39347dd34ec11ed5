// JSON is read and written by hand, because API functions and the gateway need one of each for every call, and
// JSONDecoder and JSONEncoder take most of the time of a small answer.

/// An HTTP request in the Lambda proxy shape, payload format 2.0: the payload of an API function.
///
/// Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
package struct HTTPRequest: Sendable {
  /// The path as it was sent, without the query.
  package var rawPath: String
  /// The route that the gateway matched, such as `GET /api/v1/devices/{id}`.
  package var routeKey: String?
  /// The values of that route's parameters.
  package var pathParameters: [String: String]?
  /// The query's parameters; several of one name are joined by commas.
  package var queryStringParameters: [String: String]?
  /// The header fields with lower-case names.
  package var headers: [String: String]
  /// The facts about the request that are not in its header.
  package var requestContext: RequestContext
  /// The body, Base64 where ``isBase64Encoded`` says so.
  package var body: String?
  /// Whether ``body`` is Base64.
  package var isBase64Encoded: Bool

  /// A request from its parts.
  package init(
    rawPath: String, queryStringParameters: [String: String]? = nil, headers: [String: String] = [:],
    requestContext: RequestContext, body: String? = nil, isBase64Encoded: Bool = false
  ) {
    (self.rawPath, self.queryStringParameters, self.headers) = (rawPath, queryStringParameters, headers)
    (self.requestContext, self.body, self.isBase64Encoded) = (requestContext, body, isBase64Encoded)
  }

  /// The part of the request context that functions use.
  package struct RequestContext: Sendable {
    /// The method and similar facts.
    package var http: HTTP

    /// A context with its request line.
    package init(http: HTTP) { self.http = http }

    /// The request line.
    package struct HTTP: Sendable {
      /// `GET`, `POST` and so on.
      package var method: String

      /// A request line by its method.
      package init(method: String) { self.method = method }
    }
  }

  /// Reads a request.
  ///
  /// - Throws: ``FunctionError/Code/invalidEvent`` that names the member.
  package init(_ document: RawJSON) throws(FunctionError) {
    guard document.kind == .object else { throw Self.invalid("The payload must be an object.") }
    var (path, method): (String?, String?)
    self.init(rawPath: "", requestContext: RequestContext(http: .init(method: "")))
    for member in document.members where member.value.kind != .null {
      switch member.name {
      case "rawPath": path = try Self.text(member)
      case "requestContext": method = member.value["http"]?["method"]?.stringValue
      case "routeKey": routeKey = try Self.text(member)
      case "pathParameters": pathParameters = try Self.texts(member)
      case "queryStringParameters": queryStringParameters = try Self.texts(member)
      case "headers": headers = try Self.texts(member)
      case "body": body = try Self.text(member)
      case "isBase64Encoded": isBase64Encoded = member.value.boolValue ?? false
      default: break
      }
    }
    guard let path else { throw Self.invalid("rawPath is missing.") }
    guard let method else { throw Self.invalid("requestContext.http.method is missing.") }
    (rawPath, requestContext.http.method) = (path, method)
  }

  private static func text(_ member: RawJSON.Member) throws(FunctionError) -> String {
    guard let text = member.value.stringValue else { throw invalid("\(member.name) must be a string.") }
    return text
  }

  private static func texts(_ member: RawJSON.Member) throws(FunctionError) -> [String: String] {
    guard let texts = member.value.texts else { throw invalid("\(member.name) must be an object of strings.") }
    return texts
  }

  private static func invalid(_ sentence: String) -> FunctionError { FunctionError(.invalidEvent, sentence) }
}

/// An HTTP answer in the Lambda proxy shape: the result of an API function.
package struct HTTPResponse: Sendable {
  package var statusCode: Int
  package var headers: [String: String]?
  /// Text, or Base64 if ``isBase64Encoded`` says so.
  package var body: String?
  /// `nil` means `false`.
  package var isBase64Encoded: Bool?

  /// An answer from its parts.
  package init(statusCode: Int, headers: [String: String]? = nil, body: String? = nil) {
    (self.statusCode, self.headers, self.body) = (statusCode, headers, body)
  }
}

extension RawJSON {
  /// The object as a result.
  ///
  /// Over HTTP it is the body of an answer with this status.
  package func answering(_ statusCode: Int, headers: [(String, String)] = []) -> RawJSON {
    let headers = [("Content-Type", "application/json")] + headers
    let answer = [
      ("statusCode", RawJSON(statusCode)), ("headers", RawJSON(object: headers.map { ($0.0, RawJSON($0.1)) })),
      ("body", RawJSON(String(decoding: bytes, as: UTF8.self))),
    ]
    return RawJSON(object: members.map { ($0.name, $0.value) } + answer)
  }
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
