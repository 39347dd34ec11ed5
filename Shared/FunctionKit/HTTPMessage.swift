/// An HTTP request in the Lambda proxy shape, payload format 2.0: the payload of an API function.
///
/// Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
public struct HTTPRequest: Sendable {
  /// The path as it was sent, without the query.
  public var rawPath: String
  /// The query's parameters; several of one name are joined by commas.
  public var queryStringParameters: [String: String]?
  /// The header fields with lower-case names.
  public var headers: [String: String]
  /// What surrounds the request.
  public var requestContext: RequestContext
  /// The body, Base64 where ``isBase64Encoded`` says so.
  public var body: String?
  /// Whether ``body`` is Base64.
  public var isBase64Encoded: Bool

  /// A request from its parts.
  public init(
    rawPath: String, queryStringParameters: [String: String]? = nil, headers: [String: String] = [:],
    requestContext: RequestContext, body: String? = nil, isBase64Encoded: Bool = false
  ) {
    (self.rawPath, self.queryStringParameters, self.headers) = (rawPath, queryStringParameters, headers)
    (self.requestContext, self.body, self.isBase64Encoded) = (requestContext, body, isBase64Encoded)
  }

  /// The part of the request context that functions use.
  public struct RequestContext: Sendable {
    /// The method and similar facts.
    public var http: HTTP

    /// A context with its request line.
    public init(http: HTTP) { self.http = http }

    /// The request line.
    public struct HTTP: Sendable {
      /// `GET`, `POST` and so on.
      public var method: String

      /// A request line by its method.
      public init(method: String) { self.method = method }
    }
  }
}

/// An HTTP answer in the Lambda proxy shape: the result of an API function.
public struct HTTPResponse: Sendable {
  /// The status code.
  public var statusCode: Int
  /// The header fields.
  public var headers: [String: String]?
  /// The body.
  public var body: String?
  /// Whether ``body`` is Base64.
  public var isBase64Encoded: Bool?

  /// An answer from its parts.
  public init(statusCode: Int, headers: [String: String]? = nil, body: String? = nil) {
    (self.statusCode, self.headers, self.body) = (statusCode, headers, body)
  }
}

extension RawJSON {
  /// The same object as a result, which over HTTP is an answer of this status with the object as its body.
  public func answering(_ statusCode: Int, headers: [(String, String)] = []) -> RawJSON {
    let headers = [("Content-Type", "application/json")] + headers
    let answer = [
      ("statusCode", RawJSON(statusCode)), ("headers", RawJSON(object: headers.map { ($0.0, RawJSON($0.1)) })),
      ("body", RawJSON(String(decoding: bytes, as: UTF8.self))),
    ]
    return RawJSON(object: members.map { ($0.name, $0.value) } + answer)
  }
}
