import FunctionKit
import HTTP2

extension Emulator {
  /// Answers the control API.
  func answer(to request: ControlRequest) async -> HTTP2Response {
    switch request {
    case .pushes(let query):
      let page = await pushes(query)
      let list = JSONText.array(page.records.map(\.json.bytes))
      return .json(200, JSONText.object(["pushes": list, "next": Array(String(page.next).utf8)]))
    case .devices(let query):
      return .json(200, JSONText.object(["devices": JSONText.array(screens(query).map(\.json))]))
    case .instruct(let token, let instruction):
      instruct(token, instruction)
      return HTTP2Response(status: 204)
    case .reset:
      do throws(EmulatorError) {
        try reset()
      } catch {
        return .json(500, JSONText.object(["error": Array(RawJSON(error.sentence).bytes)]))
      }
      return HTTP2Response(status: 204)
    }
  }
}

extension HTTP2Response {
  static func json(_ status: Int, _ body: [UInt8]) -> HTTP2Response {
    HTTP2Response(status: status, headers: [HTTP2Header("content-type", "application/json")], body: body)
  }
}
