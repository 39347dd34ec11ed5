import Foundation
import Glibc
import HTTP1
import Synchronization
import TestSupport

/// AWS Lambda's Runtime API and the Extensions API for one function, as their documents describe them.
///
/// It answers what comes out of order as Lambda does: 403. An id that is not of a present event gets 400, and a result
/// over 6 MiB and 100 bytes 413.
final class RuntimeAPIServer: Sendable {
  struct Event: Sendable {
    let id: String
    let body: String
    var deadline = Date.now.addingTimeInterval(300)
  }

  /// The answer of a function about an event, or about its start.
  struct Said: Sendable, Equatable {
    var path: String
    var body: String
    var errorType: String?
  }

  private struct State {
    var events: [Event] = []
    var present: Set<String> = []
    /// Who waits for the next event.
    var waiting: [ServedClient.Reply] = []
    /// How many events it gives out at the same time.
    var most = 1
    var extensionsWaiting: [ServedClient.Reply] = []
    var extensions = 0
    var asked = 0
    var said: [Said] = []
    var observers: [(count: Int, resume: @Sendable () -> Void)] = []
    /// Answers that are given instead of the next ones to `next`.
    var faults: [HTTP1Answer] = []
  }

  private let state = Mutex(State())
  let port: UInt16
  /// The server ends when this is closed.
  private let listener: Int32

  /// - Parameter most: how many events it gives out at the same time, as Lambda Managed Instances do.
  init(_ events: [Event] = [], faults: [HTTP1Answer] = [], atOnce most: Int = 1) throws {
    let (listener, port) = try Sockets.listen()
    (self.listener, self.port) = (listener, port)
    state.withLock { ($0.events, $0.faults, $0.most) = (events, faults, most) }
    let served = Served(self)
    Thread.detachNewThread {
      while let socket = Sockets.accept(listener) {
        let client = ServedClient(socket) { served.api?.take($0, $1) }
        Thread.detachNewThread { client.run() }
      }
      close(listener)
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  var environment: [String: String] { ["AWS_LAMBDA_RUNTIME_API": "127.0.0.1:\(port)"] }

  /// Starts `runner host` for a function of the bundle, which asks this server for events.
  func start(_ name: String, _ variables: [String: String] = [:]) throws -> RunningProgram {
    try RunningProgram(
      "runner", ["host", name, "--project", House.root.path], environment: environment.merging(variables) { $1 })
  }

  /// How many extensions are registered and wait for their event.
  var waitingExtensions: Int { state.withLock { $0.extensionsWaiting.count } }

  /// How many wait for an event.
  var waiting: Int { state.withLock { $0.waiting.count } }

  func add(_ event: Event) {
    let waiting = state.withLock { state in
      state.events.append(event)
      return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
    }
    if let waiting { next(waiting) }
  }

  /// The answers, as soon as there are that many.
  func said(_ count: Int) async -> [Said] {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let isThere = state.withLock { state in
        if state.said.count < count { state.observers.append((count, { continuation.resume() })) }
        return state.said.count >= count
      }
      if isThere { continuation.resume() }
    }
    return state.withLock { $0.said }
  }

  private func take(_ request: HTTP1Request, _ reply: @escaping ServedClient.Reply) {
    let parts = request.path.split(separator: "/").map(String.init)
    switch (request.method, parts.count > 2 ? Array(parts[1...]) : []) {
    case ("GET", ["runtime", "invocation", "next"]): next(reply)
    case ("POST", ["extension", "register"]):
      let number = state.withLock { state in
        state.extensions += 1
        return state.extensions
      }
      reply(HTTP1Answer(status: 200, headers: [("Lambda-Extension-Identifier", "extension-\(number)")]))
    case ("GET", ["extension", "event", "next"]): state.withLock { $0.extensionsWaiting.append(reply) }
    case ("POST", let path) where path.first == "runtime": reply(hear(path, request))
    default: reply(HTTP1Answer(status: 404))
    }
  }

  private func next(_ reply: @escaping ServedClient.Reply) {
    let answer: HTTP1Answer? = state.withLock { state in
      state.asked += 1
      if !state.faults.isEmpty { return state.faults.removeFirst() }
      guard state.present.count < state.most else { return Self.refusal(403, "InvalidStateTransition") }
      guard !state.events.isEmpty else {
        state.waiting.append(reply)
        return nil
      }
      let event = state.events.removeFirst()
      state.present.insert(event.id)
      return HTTP1Answer(
        status: 200,
        headers: [
          ("Lambda-Runtime-Aws-Request-Id", event.id), ("Content-Type", "application/json"),
          ("Lambda-Runtime-Deadline-Ms", "\(Int(event.deadline.timeIntervalSince1970 * 1_000))"),
          ("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:eu-west-1:012345678912:function:f"),
          // AWS' own client crashes without it.
          ("Lambda-Runtime-Trace-Id", "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=1"),
        ], body: Array(event.body.utf8))
    }
    if let answer { reply(answer) }
  }

  private func hear(_ path: [String], _ request: HTTP1Request) -> HTTP1Answer {
    let (answer, observers): (HTTP1Answer, [@Sendable () -> Void]) = state.withLock { state in
      if path.count == 4 {
        guard !state.present.isEmpty else { return (Self.refusal(403, "InvalidStateTransition"), []) }
        guard state.present.contains(path[2]) else { return (Self.refusal(400, "InvalidRequestID"), []) }
        if path[3] == "response", request.body.count > 6 << 20 + 100 {
          return (Self.refusal(413, "RequestEntityTooLarge"), [])
        }
        state.present.remove(path[2])
      }
      state.said.append(
        Said(
          path: path.dropFirst().joined(separator: "/"), body: String(decoding: request.body, as: UTF8.self),
          errorType: request.headers["lambda-runtime-function-error-type"]))
      let due = state.observers.filter { $0.count <= state.said.count }
      state.observers.removeAll { $0.count <= state.said.count }
      return (HTTP1Answer(status: 202), due.map(\.resume))
    }
    observers.forEach { $0() }
    return answer
  }

  private static func refusal(_ status: Int, _ type: String) -> HTTP1Answer {
    HTTP1Answer(status: status, body: Array(#"{"errorMessage":"","errorType":"\#(type)"}"#.utf8))
  }

  /// The server's threads hold this, so that a test that lets go of the API ends it.
  private final class Served: Sendable {
    weak let api: RuntimeAPIServer?

    init(_ api: RuntimeAPIServer) { self.api = api }
  }
}
