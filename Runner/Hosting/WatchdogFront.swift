import FunctionKit
import Gateway
import Glibc
import HTTP1
import Manifest
import System

/// Answers one HTTP request as a watchdog of OpenFaaS passes it on: in the manner of CGI.
///
/// The classic watchdog does so, and of-watchdog in its modes `serializing` and `streaming`. They take the status from the
/// exit status alone, and the body from stdout.
@RunnerLoop
struct WatchdogFront {
  private let host: FunctionHost

  init(_ host: FunctionHost) { self.host = host }

  /// Answers the request, and ends the host.
  ///
  /// - Parameter request: `nil` for one whose body is too large.
  func run(_ request: HTTP1Request?) async throws {
    let gateway = try host.makeGateway()
    guard let request, let name = host.functions.first?.name else { return end(.tooLarge(Envelope.maximumSize)) }
    // Nobody waits for the answer then.
    host.onEnd = { [host] in host.endProcesses() }
    let id = request.headers["x-call-id"].flatMap { $0.isEmpty ? nil : $0 } ?? RandomID.make()
    let answer = await gateway.call(name, with: request, id: id)
    host.onEnd = nil
    end(answer)
  }

  /// Writes what the engine sends: the body of an answer, if it is none of a failure.
  ///
  /// The engine would send the body of a refusal with status 200.
  private func end(_ answer: HTTP1Answer) {
    guard answer.status >= 400 else {
      let isWritten = StandardStreams.write(answer.body, to: STDOUT_FILENO)
      return host.end(isWritten ? 0 : FunctionError.Code.outputClosed.exitStatus)
    }
    let message = answer.problem ?? String(decoding: answer.body, as: UTF8.self)
    host.log.error("The request was refused", ["http.status": "\(answer.status)", "error.message": message])
    let code: FunctionError.Code =
      switch answer.status {
      case 429, 503: .unavailable
      case 400..<500: .invalidEvent
      default: .failed
      }
    host.end(code.exitStatus)
  }
}

/// The variables in which a watchdog passes a request on.
///
/// Source: https://github.com/openfaas/of-watchdog#1-streaming-fork-modestreaming---default
enum WatchdogRequest {
  /// The variable that a watchdog sets for every request.
  static let method = "Http_Method"

  /// The request of this process, whose body is on stdin; `nil` if its body is too large.
  static func read() -> HTTP1Request? {
    StandardStreams.readAll(STDIN_FILENO, limit: Envelope.maximumSize).map { read(.current(), body: $0) }
  }

  static func read(_ environment: FunctionKit.Environment, body: [UInt8]) -> HTTP1Request {
    var headers = HeaderFields()
    for (name, value) in environment.all.sorted(by: { $0.key < $1.key }) where name.hasPrefix("Http_") {
      let field = name.dropFirst(5).lowercased().map { $0 == "_" ? "-" : $0 }
      // These are no header fields, or tell of a body that has come already.
      if ["method", "path", "query", "contentlength", "content-length", "transfer-encoding"].contains(String(field)) {
        continue
      }
      headers.append(String(field), value)
    }
    return HTTP1Request(
      method: environment[method] ?? "POST", path: environment["Http_Path"] ?? "/", query: environment["Http_Query"],
      headers: headers, body: body)
  }
}
