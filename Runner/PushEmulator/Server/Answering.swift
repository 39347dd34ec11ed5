import Formats
import FoundationEssentials
import HTTP2

extension Judgement {
  /// The answer of Apple or Google, with a field that marks it as the emulator's.
  func response(on connection: Connection) -> HTTP2Response {
    var response = providerResponse(on: connection)
    response.headers.append(HTTP2Header("x-push-emulator", "1"))
    return response
  }

  private func providerResponse(on connection: Connection) -> HTTP2Response {
    let answer = effect.answer
    let status = answer.status ?? 200
    guard service == .apns else { return .json(status, body ?? [], retryAfter: answer.retryAfter) }
    let isBroadcast = channel != nil
    var headers = [HTTP2Header(isBroadcast ? "apns-request-id" : "apns-id", id, indexing: .never)]
    if isBroadcast ? status == 200 : connection.face == .sandbox {
      headers.append(HTTP2Header("apns-unique-id", UUID().lowercased, indexing: .never))
    }
    if let seconds = answer.retryAfter { headers.append(HTTP2Header("retry-after", String(seconds))) }
    return HTTP2Response(status: status, headers: headers, body: answer.body)
  }
}

extension HTTP2Responder {
  /// Gives an answer to a request that still waits.
  func send(_ answer: Answer, _ response: HTTP2Response, on connection: Connection) {
    switch answer {
    case .accepted, .refused: respond(response)
    case .silence: break
    case .drop: dropConnection()
    case .reset(let code): reset(code: code)
    case .goAway(let goAway):
      if goAway.skip == 0 { respond(response) }
      connection.goAway(code: goAway.code, goAway.data, skipping: goAway.skip, after: streamID)
    }
  }
}
