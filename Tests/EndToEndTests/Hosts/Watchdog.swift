import FoundationEssentials
import FunctionKit
import TestSupport

/// A watchdog of OpenFaaS that starts `runner host` for each request, written from the two contracts.
///
/// Sources: https://github.com/openfaas/classic-watchdog#readme and
/// https://github.com/openfaas/of-watchdog#2-serializing-fork-modeserializing
enum Watchdog: CaseIterable {
  case classic, serializing

  /// The answer that the client gets, and the lines in the watchdog's log.
  struct Answer {
    let status: Int
    let body: String
    let exit: Int32
    let log: String
  }

  /// Passes a request on.
  func answer(
    _ request: HostedRequest, by function: String, _ arguments: [String], _ environment: [String: String]
  ) async throws -> Answer {
    let outcome = try await BuiltExecutables.run(
      "runner", ["host", function, "--project", House.root.path] + arguments, stdin: request.body,
      environment: environment.merging(variables(of: request)) { $1 })
    let failure = self == .classic ? "exit status \(outcome.exit)\n\(outcome.stdout)" : "exit status \(outcome.exit)"
    return Answer(
      status: outcome.exit == 0 ? 200 : 500, body: outcome.exit == 0 ? outcome.stdout : failure, exit: outcome.exit,
      log: outcome.stderr)
  }

  private func variables(of request: HostedRequest) -> [String: String] {
    let (path, query) = (request.path, request.query)
    var variables = ["Http_Method": request.method, "Http_Path": path]
    if let query { variables["Http_Query"] = query }
    var fields = request.headers + [("content-length", "\(request.body.utf8.count)"), ("user-agent", "Go-http-client")]
    if self == .classic {
      fields.append(("host", "gateway:8080"))
      variables["Http_ContentLength"] = "\(request.body.utf8.count)"
    }
    for (name, value) in fields.reversed() {
      variables[
        "Http_"
          + name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }
          .joined(separator: "_")] = value
    }
    return variables
  }
}

/// The request in which an engine brings an event to a function.
struct HostedRequest {
  var method = "POST"
  var path = "/"
  var query: String?
  var headers: [(name: String, value: String)] = []
  var body = ""

  /// A CloudEvent whose attributes are header fields.
  static func binary(_ event: RawJSON) -> HostedRequest {
    let attributes = event.members.filter { $0.name != "data" && $0.name != "datacontenttype" }
    return HostedRequest(
      headers: [("content-type", "application/json")]
        + attributes.map { ("ce-\($0.name)", $0.value.stringValue ?? "") },
      body: event["data"]?.text ?? "")
  }

  /// A CloudEvent that is the body.
  static func structured(_ event: RawJSON) -> HostedRequest {
    HostedRequest(headers: [("content-type", "application/cloudevents+json")], body: event.text)
  }

  /// The request that a sample event of an API function is about.
  static func proxied(_ sample: RawJSON) -> HostedRequest {
    HostedRequest(
      method: sample["requestContext"]?["http"]?["method"]?.stringValue ?? "",
      path: sample["rawPath"]?.stringValue ?? "",
      query: sample["rawQueryString"]?.stringValue,
      headers: (sample["headers"]?.members ?? []).map { ($0.name, $0.value.stringValue ?? "") },
      body: sample["body"]?.stringValue ?? "")
  }
}

extension RawJSON {
  var text: String { String(decoding: bytes, as: UTF8.self) }
}
