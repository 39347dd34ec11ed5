import FunctionKit
import HTTP2

extension HTTP2Response {
  static func json(_ status: Int, _ body: [UInt8], retryAfter: Int? = nil) -> HTTP2Response {
    let wait = retryAfter.map { [HTTP2Header("retry-after", String($0))] } ?? []
    return HTTP2Response(
      status: status, headers: [HTTP2Header("content-type", "application/json")] + wait, body: body)
  }

  /// The control API's answer to a wrong request.
  static func refusal(_ error: BadRequest) -> HTTP2Response {
    .json(error.status, JSONText.object(["error": Array(RawJSON(error.sentence).bytes)]))
  }
}
