import FunctionKit
import HTTP1
import HTTPClient
import System

/// Where Lambda's Runtime API is.
package struct RuntimeAddress: Sendable, Equatable {
  /// The variable with host and port.
  package static let variable = "AWS_LAMBDA_RUNTIME_API"

  /// The address as the variable has it.
  let text: String

  init(_ environment: FunctionKit.Environment) throws(FunctionError) {
    text = try environment.require(Self.variable)
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == "localhost" || IPAddress(parts[0]) != nil, let port = UInt16(parts[1]), port > 0
    else {
      throw FunctionError(
        .misconfigured, "\(Self.variable) must be a numeric address and a port, such as 127.0.0.1:9001, not \(text).")
    }
  }
}

/// AWS Lambda's Runtime API, as a client that asks for one event after the other.
///
/// Each call has a connection of its own: one that is kept may be dead after a freeze.
///
/// Source: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
@RunnerLoop
final class RuntimeAPI {
  /// The largest result, in bytes; the largest event is smaller.
  nonisolated static let mostBytes = 6 << 20
  /// How long the API may take to accept a result.
  private static let patience = Duration.seconds(10)
  /// Longer than a process waits for an event; no call is without a limit.
  private static let ages = Duration.seconds(2_000_000)
  private static let runtime = "/2018-06-01/runtime"
  private static let `extension` = "/2020-01-01/extension"

  private let base: String
  private let client: LoopHTTPClient
  private var waiting: LoopHTTPClient.CallID?
  private var isStopped = false

  /// - Parameter client: one that uses no proxy.
  init(_ address: RuntimeAddress, _ client: LoopHTTPClient) {
    (base, self.client) = ("http://\(address.text)", client)
  }

  /// An event, which is to be answered by its id.
  struct Invocation: Sendable {
    let id: String
    /// When Lambda ends the process, in milliseconds since 1970; `nil` if it does not say.
    let deadline: Int64?
    let body: [UInt8]
    /// Whether the body was too large to be read.
    var isTooLarge = false
  }

  /// Why there is no event.
  enum Failure: Error {
    /// ``stop()`` was called.
    case ended
    /// The API answers with something else; `isFinal` if it says that the process must end.
    case refused(String, isFinal: Bool)
    case away(String)
  }

  /// Why something that was said was not accepted.
  struct Refusal: Error {
    /// `nil` if there was no answer.
    var status: Int?
    var reason: String
  }

  /// Waits for the next event.
  func next() async throws(Failure) -> Invocation {
    guard !isStopped else { throw .ended }
    let call = HTTPCall(.get, "\(base)\(Self.runtime)/invocation/next", headers: Self.alone)
    let limits = HTTPLimits(total: Self.ages, body: Self.mostBytes + 100)
    let result = await withCheckedContinuation { done in
      waiting = client.send(call, limits: limits) { done.resume(returning: $0) }
    }
    waiting = nil
    switch result {
    case .success(let answer): return try Self.invocation(answer)
    case .failure(let error):
      guard let answer = error.answer else {
        throw isStopped && error.code == .cancelled ? .ended : .away(error.debugDescription)
      }
      var invocation = try Self.invocation(answer)
      invocation.isTooLarge = true
      return invocation
    }
  }

  /// Waits for no event any more.
  func stop() {
    isStopped = true
    if let waiting { client.cancel(waiting) }
  }

  private static func invocation(_ answer: HTTPAnswer) throws(Failure) -> Invocation {
    guard answer.status == 200 else {
      throw .refused("It answers \(answer.status) instead of an event.", isFinal: answer.status >= 500)
    }
    guard let id = answer["lambda-runtime-aws-request-id"], !id.isEmpty,
      id.utf8.allSatisfy({ $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") })
    else { throw .refused("Its event has no usable request id.", isFinal: false) }
    return Invocation(
      id: id, deadline: answer["lambda-runtime-deadline-ms"].flatMap { Int64($0) }.map { max(0, $0) },
      body: answer.body)
  }

  /// Sends a result.
  ///
  /// - Returns: what is wrong; `nil` if it was accepted.
  func respond(to id: String, _ result: [UInt8]) async -> Refusal? {
    await post("\(Self.runtime)/invocation/\(id)/response", result)
  }

  /// Says that an event failed.
  func fail(_ id: String, _ failure: LambdaFailure) async -> Refusal? {
    await post("\(Self.runtime)/invocation/\(id)/error", failure.document, type: failure.type)
  }

  /// Says that the function cannot start.
  func failInitialization(_ failure: LambdaFailure) async -> Refusal? {
    await post("\(Self.runtime)/init/error", failure.document, type: failure.type)
  }

  private func post(_ path: String, _ body: [UInt8], type: String? = nil) async -> Refusal? {
    var headers = Self.alone + [("Content-Type", "application/json")]
    if let type { headers.append(("Lambda-Runtime-Function-Error-Type", type)) }
    switch await send(HTTPCall(.post, "\(base)\(path)", headers: headers, body: body)) {
    case .success(let answer): return answer.status == 202 ? nil : Refusal(answer)
    case .failure(let error): return Refusal(status: nil, reason: error.debugDescription)
    }
  }

  /// Registers an extension inside of this process, for no events: without one, Lambda sends no SIGTERM.
  ///
  /// - Returns: what is wrong; `nil` if it was accepted.
  func registerExtension(_ name: String) async -> Refusal? {
    let headers = Self.alone + [("Lambda-Extension-Name", name), ("Content-Type", "application/json")]
    let call = HTTPCall(
      .post, "\(base)\(Self.extension)/register", headers: headers, body: Array(#"{"events":[]}"#.utf8))
    switch await send(call) {
    case .success(let answer):
      guard answer.status == 200, let identifier = answer["lambda-extension-identifier"] else { return Refusal(answer) }
      // It never comes, but Lambda's initialization ends only when it is asked for.
      let next = HTTPCall(
        .get, "\(base)\(Self.extension)/event/next",
        headers: Self.alone + [("Lambda-Extension-Identifier", identifier)])
      client.send(next, limits: HTTPLimits(total: Self.ages, body: 65_536)) { _ in }
      return nil
    case .failure(let error): return Refusal(status: nil, reason: error.debugDescription)
    }
  }

  private func send(_ call: HTTPCall) async -> Result<HTTPAnswer, HTTPClientError> {
    let limits = HTTPLimits(total: Self.patience, body: 65_536)
    return await withCheckedContinuation { done in
      client.send(call, limits: limits) { done.resume(returning: $0) }
    }
  }

  private static let alone: [(name: String, value: String)] = [("Connection", "close")]
}

extension RuntimeAPI.Refusal {
  fileprivate init(_ answer: HTTPAnswer) {
    let text = String(decoding: answer.body.prefix(200), as: UTF8.self)
    self.init(status: answer.status, reason: "It answers \(answer.status): \(text)")
  }
}
