import FoundationEssentials
import Glibc
import HTTP1

/// Answers one HTTP request as a watchdog of OpenFaaS passes it on: in the manner of CGI.
///
/// Those are the classic watchdog, and of-watchdog's modes `serializing` and `streaming`. They take the status from the
/// exit status alone, and the body from stdout.
enum WatchdogHost<F: Function> {
  static func run(_ dryRun: Bool, _ environment: Environment) async -> Never {
    let log = Log(["function": F.name])
    guard let body = StandardStreams.readAll(STDIN_FILENO, limit: Envelope.maximumSize) else {
      end(.tooLarge(Envelope.maximumSize), log)
    }
    let request = WatchdogRequest.read(environment, body: body)
    if let refusal = FunctionRequest<F>.refusal(of: request) { end(refusal, log) }
    let callID = request.headers["x-call-id"].flatMap { $0.isEmpty ? nil : $0 } ?? RandomID.make()
    let envelope: Envelope
    do { envelope = try FunctionRequest<F>.event(of: request, callID: callID) } catch {
      end(error.answer(callID: callID), log)
    }
    if F.endsEarly { TerminationSignal.install() }
    let invocation = Invocation<F>(dryRun: dryRun, environment: environment)
    let result = await invocation.outcome(of: envelope).result
    await invocation.end()
    if case .failure(let error) = result { _exit(error.code.exitStatus) }
    end(HTTP1Answer(result), log)
  }

  /// Writes what the engine sends: the body of an answer, if it is none of a failure.
  ///
  /// The engine would send the body of a refusal with status 200.
  private static func end(_ answer: HTTP1Answer, _ log: Log) -> Never {
    guard answer.status >= 400 else { Harness<F>.write(answer.body, exit: 0) }
    let message = answer.problem ?? String(decoding: answer.body, as: UTF8.self)
    log.error("The request was refused", ["http.status": "\(answer.status)", "error.message": message])
    let code: FunctionError.Code =
      switch answer.status {
      case 429, 503: .unavailable
      case 400..<500: .invalidEvent
      default: .failed
      }
    _exit(code.exitStatus)
  }
}

/// The variables in which a watchdog passes a request on.
///
/// Source: https://github.com/openfaas/of-watchdog#1-streaming-fork-modestreaming---default
enum WatchdogRequest {
  /// The variable that a watchdog sets for every request.
  static let method = "Http_Method"
  /// The variable of of-watchdog's mode `http` with the address of the function, which inherits it.
  static let upstream = "upstream_url"

  static func read(_ environment: Environment, body: [UInt8]) -> HTTP1Request {
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
