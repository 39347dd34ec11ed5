import HTTP1

/// How a function takes an HTTP request, whatever engine brings it.
struct FunctionRequest<F: Function> {
  /// Whether the function's payload is the request itself.
  static var isProxied: Bool { F.Payload.self == HTTPRequest.self }

  /// The refusal of a request by its method or its body's coding; `nil` for those that the function takes.
  static func refusal(of head: HTTP1Request) -> HTTP1Answer? {
    isProxied || head.method == "POST" ? ContentCoding.refusal(of: head) : .methods("POST, OPTIONS", for: head.method)
  }

  /// The event of a request.
  ///
  /// It keeps the source that its sender has given it: the engine answers for the sender, and two events of different
  /// sources may have the same id.
  static func event(of request: HTTP1Request, callID: String) throws(InvalidCall) -> Envelope {
    let source = "/http/\(F.name)"
    let envelope =
      isProxied
      ? Envelope(proxying: request, source: source, callID: callID)
      : try Envelope(request, source: source, callID: callID)
    let traced = envelope.traced(by: request)
    guard traced.document.bytes.count <= Envelope.maximumSize else { throw .tooLarge }
    return traced
  }
}

extension HTTP1Answer {
  /// The answer for the way an event ended.
  init(_ result: Result<RawJSON, FunctionError>) {
    switch result {
    case .success(let output): self.init(result: output)
    case .failure(let error):
      self = .failure(
        exit: error.code.exitStatus, error.message, retryAfter: error.retryAfter.map { RawJSON($0) })
    }
  }
}
