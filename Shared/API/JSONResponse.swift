package import FunctionKit

extension HTTPResponse {
  /// An answer with a JSON document that no cache may store.
  package static func json(_ document: RawJSON, status: Int = 200, headers: [String: String] = [:]) -> HTTPResponse {
    let own = ["Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store"]
    return HTTPResponse(
      statusCode: status, headers: headers.merging(own) { given, _ in given },
      body: String(decoding: document.bytes, as: UTF8.self))
  }

  /// An answer with a value as JSON; times are in whole seconds.
  package static func json(_ value: some Encodable, status: Int = 200) throws -> HTTPResponse {
    json(try JSONCoding.encode(value, time: RFC3339.seconds), status: status)
  }

  /// 204.
  package static let noContent = HTTPResponse(statusCode: 204)
}
