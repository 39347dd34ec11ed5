import FunctionKit

/// Brings HTTP calls to functions and their results back.
@RunnerLoop
final class Gateway {
  /// Calls that may wait for one function; one more is answered 429.
  static let mostWaiting = 512

  /// The functions that can be called, by name.
  var pools: [String: FunctionPool]
  private let isReady: @RunnerLoop () -> Bool

  /// - Parameter isReady: whether queued events and schedules are being worked on, too.
  init(pools: [String: FunctionPool], isReady: @escaping @RunnerLoop () -> Bool) {
    self.pools = pools
    self.isReady = isReady
  }

  /// Answers a request, now or when its function has.
  func route(_ request: GatewayRequest, tooLarge: Bool, _ answer: @escaping @RunnerLoop (GatewayAnswer) -> Void) {
    if let refusal = OriginCheck.refusal(of: request) { return answer(refusal) }
    switch request.path {
    case "/_/health": answer(.text(200, "OK"))
    case "/_/ready": answer(isReady() ? .text(200, "OK") : .text(503, "Not ready"))
    case let path where path.hasPrefix(Self.prefix):
      invoke(String(path.dropFirst(Self.prefix.count)), request, tooLarge: tooLarge, answer)
    default: answer(.failure(404, "NOT_FOUND", "There is nothing at \(request.path)."))
    }
  }

  /// Where every function can be called: Supabase's path, so that an app keeps its URL.
  private static let prefix = "/functions/v1/"

  private func invoke(
    _ name: String, _ request: GatewayRequest, tooLarge: Bool, _ answer: @escaping @RunnerLoop (GatewayAnswer) -> Void
  ) {
    guard let pool = pools[name] else {
      return answer(.failure(404, "NOT_FOUND", "There is no function \(name)."))
    }
    guard request.method == "POST" else {
      var refusal = GatewayAnswer.failure(405, "METHOD_NOT_ALLOWED", "Call a function with POST.")
      refusal.headers.append(("Allow", "POST"))
      return answer(refusal)
    }
    guard !tooLarge else {
      return answer(.failure(413, "TOO_LARGE", "The body is larger than \(HTTPServer.largestBody) bytes."))
    }
    guard pool.load < Self.mostWaiting + pool.capacity else {
      var refusal = GatewayAnswer.failure(429, "TOO_MANY_REQUESTS", "\(name) has too many calls waiting.")
      refusal.headers.append(("Retry-After", "1"))
      return answer(refusal)
    }
    let callID = RandomID.make()
    let event: (id: String, line: [UInt8])
    do {
      event = try CallEvent.line(of: request, function: name, callID: callID)
    } catch {
      return answer(.failure(400, error.code.rawValue, error.message, callID: callID))
    }
    pool.submit(Job(id: event.id, line: event.line) { answer(GatewayAnswer($0, callID: callID)) })
  }
}
