import CMicroHTTPD
import Glibc

/// A client's connection: one request after the other, each gathered, answered and forgotten.
@RunnerLoop
final class ClientConnection {
  /// Who has to do something.
  enum Phase {
    /// The client, of whose next request nothing has come.
    case idle
    /// The client, of whose request the rest has to come.
    case receiving
    /// The function.
    case working
    /// The client, who has to read its answer.
    case answering
  }

  private let pointer: OpaquePointer
  private let descriptor: Int32
  private(set) var phase = Phase.idle
  private(set) var request = GatewayRequest(method: "", path: "")
  /// What the head asks for; `nil` until it has come.
  private(set) var route: Route?
  private var answer: GatewayAnswer?
  private var received = 0
  private var age = 0

  /// The status of its answer, when there is one.
  var status: Int? { answer?.status }

  init(_ pointer: OpaquePointer) {
    self.pointer = pointer
    descriptor = shim_connection_descriptor(pointer)
  }

  /// A request has begun: its first line has come.
  func begin(target: String) {
    enter(.receiving)
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    request = GatewayRequest(
      method: "", path: String(parts[0]), query: parts.count > 1 ? String(parts[1]) : nil)
    (route, answer, received) = (nil, nil, 0)
  }

  /// The head has come.
  ///
  /// - Returns: whether the client may be answered at once, because it waits to be asked for the body.
  func take(method: String, _ headers: HeaderFields, route decide: (GatewayRequest) -> Route) -> Bool {
    (request.method, request.headers) = (method, headers)
    let route = decide(request)
    self.route = route
    guard case .answered(let answer) = route, headers["expect"] != nil else { return false }
    self.answer = answer
    return true
  }

  /// Takes a piece of the body; `false` when the client sends far more than anybody would take.
  func take(_ piece: UnsafeRawBufferPointer) -> Bool {
    received += piece.count
    if received > HTTPServer.largestBody { refuseBody() }
    if case .answered = route { request.body = [] } else { request.body += piece }
    return received <= 16 * HTTPServer.largestBody
  }

  /// An answer that the head has led to stays.
  private func refuseBody() {
    switch route {
    case .answered: break
    case .call(let call): route = .answered(call.shaped(.tooLarge))
    case .state, .metrics, nil: route = .answered(.tooLarge)
    }
  }

  /// Lets the connection rest until ``finish(_:)``.
  func suspend() {
    enter(.working)
    MHD_suspend_connection(pointer)
  }

  /// Answers; `true` when the connection was woken for it, so that the library must be run.
  func finish(_ answer: GatewayAnswer) -> Bool {
    guard self.answer == nil, phase != .idle else { return false }
    self.answer = answer
    guard phase == .working else { return false }
    MHD_resume_connection(pointer)
    return true
  }

  /// Hands a finished answer to the library; `nil` while there is none.
  func queueAnswer(closing: Bool) -> MHD_Result? {
    guard let answer else { return nil }
    enter(.answering)
    let response = answer.body.withUnsafeBytes { body in
      MHD_create_response_from_buffer(
        body.count, UnsafeMutableRawPointer(mutating: body.baseAddress), .RESPMEM_MUST_COPY)
    }
    guard let response else { return MHD_Result.NO }
    defer { MHD_destroy_response(response) }
    for (name, value) in answer.headers { MHD_add_response_header(response, name, value) }
    if closing { MHD_add_response_header(response, "Connection", "close") }
    return MHD_queue_response(pointer, UInt32(answer.status), response)
  }

  /// The request is over.
  func end() {
    enter(.idle)
    (request.body, request.headers, route, answer) = ([], HeaderFields(), nil, nil)
  }

  /// Counts the time that the client takes for what it has to do; called at equal intervals.
  func tick(limit: Int) {
    guard phase != .working else { return }
    age += 1
    if age > limit { cut() }
  }

  /// Ends the connection: the library finds it closed.
  func cut() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  private func enter(_ phase: Phase) {
    (self.phase, age) = (phase, 0)
  }
}
