import Formats
import FoundationEssentials
import FunctionKit
import HTTP1

/// A request in the Lambda proxy shape, payload format 2.0, for a function that checks its callers itself.
///
/// Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
enum ProxyRequest {
  /// The route that a request came by, and the values of its parameters.
  typealias Route = (pattern: RoutePattern, parameters: [(name: String, value: String)])

  /// The payload.
  static func data(of request: HTTP1Request, by route: Route? = nil) -> RawJSON {
    let text = String(validating: request.body, as: UTF8.self)
    let http = RawJSON(object: [("method", RawJSON(request.method)), ("path", RawJSON(request.path))])
    var members = [
      ("version", RawJSON("2.0")), ("routeKey", RawJSON(route?.pattern.description ?? "$default")),
      ("rawPath", RawJSON(request.path)), ("rawQueryString", RawJSON(request.query ?? "")),
      ("headers", joined(request.headers.list)), ("requestContext", RawJSON(object: [("http", http)])),
      ("isBase64Encoded", RawJSON(text == nil)),
    ]
    if let query = request.query, !query.isEmpty {
      members.append(("queryStringParameters", joined(QueryString.parameters(query))))
    }
    if let route, !route.parameters.isEmpty { members.append(("pathParameters", joined(route.parameters))) }
    if !request.body.isEmpty {
      members.append(("body", RawJSON(text ?? Data(request.body).base64EncodedString())))
    }
    return RawJSON(object: members)
  }

  /// An object with the values of a repeated name joined by commas.
  private static func joined(_ list: [(name: String, value: String)]) -> RawJSON {
    var names: [String] = []
    let values = list.reduce(into: [String: String]()) { values, item in
      if values.keys.contains(item.name) {
        values[item.name]?.append(",\(item.value)")
      } else {
        names.append(item.name)
        values[item.name] = item.value
      }
    }
    return RawJSON(object: names.map { ($0, RawJSON(values[$0] ?? "")) })
  }
}

/// Reads the query of a URL as a form sends it.
enum QueryString {
  static func parameters(_ query: String) -> [(name: String, value: String)] {
    query.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
    }
  }

  /// Text that is not percent-encoded UTF-8 stays as it was sent.
  private static func decoded(_ text: Substring) -> String {
    let bytes = PercentEncoding.decoded(text.utf8.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 })
    return String(validating: bytes, as: UTF8.self) ?? String(text)
  }
}
