import FoundationEssentials
import FunctionKit

extension GatewayAnswer {
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
      let response = HTTPResponse(result)
    else { return nil }
    let headers = (response.headers ?? [:]).filter { !own.contains($0.key.lowercased()) }
    let body = response.body ?? ""
    return GatewayAnswer(
      status: status, headers: headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
      body: response.isBase64Encoded == true ? Array(Data(base64Encoded: body) ?? Data()) : Array(body.utf8))
  }

  /// What the connection is for, and not the function.
  private static let own: Set = [
    "connection", "content-length", "date", "keep-alive", "transfer-encoding", "upgrade", "x-call-id",
    "x-duration-seconds",
  ]

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
