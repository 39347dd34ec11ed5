import CMicroHTTPD

/// One request on its way through libmicrohttpd: gathered, answered, and forgotten when the library says so.
@RunnerLoop
final class Exchange {
  let connection: OpaquePointer
  var request: GatewayRequest
  /// Whether the body is longer than the gateway takes; the rest of it is not kept.
  var isTooLarge = false
  /// Called when the library is done with it.
  var forget: (@RunnerLoop () -> Void)?
  private(set) var isSuspended = false
  private var answer: GatewayAnswer?

  init(connection: OpaquePointer, request: GatewayRequest) {
    self.connection = connection
    self.request = request
  }

  /// Takes a piece of the body.
  func take(_ piece: UnsafeRawBufferPointer) {
    isTooLarge = isTooLarge || request.body.count + piece.count > HTTPServer.largestBody
    if isTooLarge { request.body = [] } else { request.body += piece }
  }

  /// Lets the connection rest until ``finish(_:)``.
  func suspend() {
    isSuspended = true
    MHD_suspend_connection(connection)
  }

  /// Answers.
  ///
  /// From inside the library's callback it is queued at once, later the connection is woken for it.
  ///
  /// - Returns: whether the daemon must be run for it.
  func finish(_ answer: GatewayAnswer) -> Bool {
    guard self.answer == nil else { return false }
    self.answer = answer
    guard isSuspended else { return false }
    isSuspended = false
    MHD_resume_connection(connection)
    return true
  }

  /// Hands a finished answer to the library; `nil` while there is none.
  func queueAnswer() -> MHD_Result? {
    guard let answer else { return nil }
    let response = answer.body.withUnsafeBytes { body in
      MHD_create_response_from_buffer(
        body.count, UnsafeMutableRawPointer(mutating: body.baseAddress), .RESPMEM_MUST_COPY)
    }
    guard let response else { return MHD_Result.NO }
    defer { MHD_destroy_response(response) }
    for (name, value) in answer.headers { MHD_add_response_header(response, name, value) }
    return MHD_queue_response(connection, UInt32(answer.status), response)
  }
}
