import FunctionKit

extension GatewayAnswer {
  /// A short text.
  static func text(_ status: Int, _ text: String) -> GatewayAnswer {
    GatewayAnswer(status: status, headers: [("Content-Type", "text/plain")], body: Array("\(text)\n".utf8))
  }

  /// `{"code","message","callId"}`.
  static func failure(_ status: Int, _ code: String, _ message: String, callID: String? = nil) -> GatewayAnswer {
    var members = [("code", RawJSON(code)), ("message", RawJSON(message))]
    if let callID { members.append(("callId", RawJSON(callID))) }
    var headers = [("Content-Type", "application/json")]
    if let callID { headers.append(("X-Call-Id", callID)) }
    return GatewayAnswer(status: status, headers: headers, body: RawJSON(object: members).line)
  }

  /// What a function's ending means in HTTP.
  init(_ outcome: WorkerOutcome, callID: String) {
    if case .exited(0, let output) = outcome.ending {
      self.init(result: output)
    } else {
      self = .failure(Self.status(outcome), outcome.code, outcome.message)
      if case .exited(75, let output) = outcome.ending {
        headers.append(("Retry-After", "\(output?["retryAfter"]?.intValue ?? 1)"))
      }
    }
    headers.append(("X-Call-Id", callID))
    headers.append(("X-Duration-Seconds", Self.seconds(outcome.duration)))
  }

  private init(result: RawJSON?) {
    guard let result else {
      self.init(status: 204)
      return
    }
    if let proxied = Self.proxied(result) {
      self = proxied
    } else {
      self.init(status: 200, headers: [("Content-Type", "application/json")], body: result.line)
    }
  }

  /// A result in the Lambda proxy shape sets status, header fields and body itself.
  private static func proxied(_ result: RawJSON) -> GatewayAnswer? {
    guard let status = result["statusCode"]?.intValue, (200...599).contains(status),
      let response = try? JSONCoding.decode(HTTPResponse.self, from: result)
    else { return nil }
    let headers = (response.headers ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    return GatewayAnswer(status: status, headers: headers, body: Array((response.body ?? "").utf8))
  }

  private static func status(_ outcome: WorkerOutcome) -> Int {
    switch outcome.ending {
    case .exited(64...66, _): 400
    case .exited(75, _), .couldNotStart: 503
    case .invalidOutput: 502
    case .timedOut: 504
    case .exited, .crashed: 500
    }
  }

  private static func seconds(_ duration: Duration) -> String {
    let (whole, attoseconds) = duration.components
    let microseconds = Int(whole) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
    let fraction = String(microseconds % 1_000_000)
    return "\(microseconds / 1_000_000).\(String(repeating: "0", count: 6 - fraction.count))\(fraction)"
  }
}
