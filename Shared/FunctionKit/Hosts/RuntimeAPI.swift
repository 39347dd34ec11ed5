import HTTP1

/// AWS Lambda's Runtime API, as a client.
///
/// Each call has a connection of its own: one that is kept may be dead after a freeze.
///
/// Source: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
struct RuntimeAPI: Sendable {
  /// The largest result, in bytes; the largest event is smaller.
  static let mostBytes = 6 << 20
  /// How long the API may take to accept a result.
  private static let patience = Duration.seconds(10)
  private static let runtime = "/2018-06-01/runtime"
  private static let `extension` = "/2020-01-01/extension"

  let address: RuntimeAddress

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
    /// The process was told to end.
    case ended
    /// The API answers with something else; `isFinal` if it says that the process must end.
    case refused(String, isFinal: Bool)
    case away(String)
  }

  /// Waits for the next event, without a limit of time.
  ///
  /// - Parameter termination: a descriptor; when it becomes readable, there is no event.
  func next(termination: Int32) throws(Failure) -> Invocation {
    let call = HTTP1Call("GET", "\(Self.runtime)/invocation/next")
    do {
      let answer = try call.send(
        to: address.address, host: address.text, most: Self.mostBytes + 100, interruption: termination)
      return try Self.invocation(answer)
    } catch let failure as Failure {
      throw failure
    } catch HTTP1Call.Failure.interrupted {
      throw .ended
    } catch HTTP1Call.Failure.tooLarge(let answer) {
      var invocation = try Self.invocation(answer)
      invocation.isTooLarge = true
      return invocation
    } catch {
      throw .away("\(error)")
    }
  }

  private static func invocation(_ answer: HTTP1Answer) throws(Failure) -> Invocation {
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
  func respond(to id: String, _ result: [UInt8]) -> Refusal? {
    post("\(Self.runtime)/invocation/\(id)/response", result)
  }

  /// Says that an event failed.
  func fail(_ id: String, _ error: FunctionError) -> Refusal? {
    post("\(Self.runtime)/invocation/\(id)/error", error.lambdaDocument, type: error.lambdaType)
  }

  /// Says that the function cannot start.
  func failInitialization(_ error: FunctionError) -> Refusal? {
    post("\(Self.runtime)/init/error", error.lambdaDocument, type: error.lambdaType)
  }

  /// Why something that was sent was not accepted.
  struct Refusal: Error {
    /// `nil` if there was no answer.
    var status: Int?
    var reason: String
  }

  private func post(_ path: String, _ body: [UInt8], type: String? = nil) -> Refusal? {
    var headers = [("Content-Type", "application/json")]
    if let type { headers.append(("Lambda-Runtime-Function-Error-Type", type)) }
    do {
      let answer = try HTTP1Call("POST", path, headers: headers, body: body)
        .send(to: address.address, host: address.text, most: 65_536, limit: Self.patience)
      guard answer.status != 202 else { return nil }
      return Refusal(status: answer.status, reason: "It answers \(answer.status): \(answer.shortText)")
    } catch {
      return Refusal(status: nil, reason: "\(error)")
    }
  }

  /// Registers an extension inside of this process, for no events: without one, Lambda sends no SIGTERM.
  ///
  /// - Returns: its identifier, with which ``awaitExtensionEvent(_:)`` must be called.
  func registerExtension(_ name: String) -> Result<String, Refusal> {
    let call = HTTP1Call(
      "POST", "\(Self.extension)/register",
      headers: [("Lambda-Extension-Name", name), ("Content-Type", "application/json")],
      body: Array(#"{"events":[]}"#.utf8))
    do {
      let answer = try call.send(to: address.address, host: address.text, most: 65_536, limit: Self.patience)
      guard answer.status == 200, let identifier = answer["lambda-extension-identifier"] else {
        return .failure(Refusal(status: answer.status, reason: "It answers \(answer.status): \(answer.shortText)"))
      }
      return .success(identifier)
    } catch {
      return .failure(Refusal(status: nil, reason: "\(error)"))
    }
  }

  /// Waits for an event of the extension, which never comes; Lambda's initialization ends only when it is asked for.
  func awaitExtensionEvent(_ identifier: String) {
    _ = try? HTTP1Call(
      "GET", "\(Self.extension)/event/next", headers: [("Lambda-Extension-Identifier", identifier)]
    ).send(to: address.address, host: address.text, most: 65_536)
  }
}

extension FunctionError {
  /// `{"errorMessage","errorType"}`.
  var lambdaDocument: [UInt8] {
    RawJSON(object: [("errorMessage", RawJSON(message)), ("errorType", RawJSON(code.rawValue))]).line
  }

  /// Lambda's form of a type: `Function.InvalidEvent`.
  fileprivate var lambdaType: String {
    "Function." + code.rawValue.split(separator: "_").map { $0.prefix(1) + $0.dropFirst().lowercased() }.joined()
  }
}

extension HTTP1Answer {
  /// The beginning of the body, for a log.
  fileprivate var shortText: String { String(decoding: body.prefix(200), as: UTF8.self) }
}
