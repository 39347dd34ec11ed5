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
    var headers = [HTTP2Header("apns-id", id, indexing: .never)]
    if connection.face == .sandbox {
      headers.append(HTTP2Header("apns-unique-id", UUID().lowercased, indexing: .never))
    }
    if let seconds = answer.retryAfter { headers.append(HTTP2Header("retry-after", String(seconds))) }
    return HTTP2Response(status: status, headers: headers, body: answer.body)
  }
}

extension Connection {
  /// Gives an answer to a request that still waits.
  func send(_ answer: Answer, _ response: HTTP2Response, to responder: HTTP2Responder) {
    switch answer {
    case .accepted, .refused: responder.respond(response)
    case .silence: break
    case .drop: responder.dropConnection()
    case .reset(let code): responder.reset(code: code)
    case .goAway(let goAway):
      if goAway.skip == 0 { responder.respond(response) }
      sendAway(goAway, newest: responder.streamID)
    }
  }

  /// Announces the connection's end.
  ///
  /// - Parameter newest: the stream from which skipped ones are counted. A client's streams have every second number.
  func sendAway(_ goAway: Answer.GoAway, newest: Int32) {
    let last = goAway.skip == 0 ? nil : max(0, newest - 2 * Int32(goAway.skip))
    lastStream = min(lastStream, last ?? newestStream)
    responder?.goAway(lastStreamID: last, code: goAway.code, debugData: goAway.data)
  }
}
