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
