import FunctionKit

/// Serves the description of the API, without a token.
@main
struct Openapi: Function {
  static let summary = "Serves the OpenAPI document of the API (HTTP)."
  static let routes = ["GET /openapi.json"]

  let document: RawJSON
  let tag: String

  static func live(_ environment: Environment) throws -> Self {
    let document = try OpenAPIDocument.merged(OpenAPIDocument.parts)
    return Self(document: document, tag: "\"\(SHA256.hex(document.bytes).prefix(16))\"")
  }

  func handle(_ event: Event<HTTPRequest>, _ context: Context) -> HTTPResponse {
    guard ["GET", "HEAD"].contains(event.data.requestContext.http.method) else {
      return HTTPResponse(
        statusCode: 405, headers: ["Allow": "GET, HEAD", "Content-Type": "application/json"],
        body: #"{"error":true,"reason":"Method Not Allowed"}"#)
    }
    var headers = ["Cache-Control": "public, max-age=300", "ETag": tag]
    let known = event.data.headers.first { $0.key.lowercased() == "if-none-match" }?.value
    if let known, known == "*" || known.contains(tag) { return HTTPResponse(statusCode: 304, headers: headers) }
    headers["Content-Type"] = "application/json; charset=utf-8"
    return HTTPResponse(statusCode: 200, headers: headers, body: String(decoding: document.bytes, as: UTF8.self))
  }
}
