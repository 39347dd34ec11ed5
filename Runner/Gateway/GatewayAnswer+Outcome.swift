import FunctionKit
import Workers

extension GatewayAnswer {
  /// The HTTP answer for the way a function ended.
  init(_ outcome: WorkerOutcome, callID: String) {
    switch outcome.ending {
    case _ where outcome.answer != nil: self.init(result: outcome.answer)
    case .exited(0, let output): self.init(result: output)
    case .exited(75, let output): self = .laterOrUnusable(outcome, output?["retryAfter"])
    case .elsewhere(let end):
      self = .failure(Self.status(outcome), outcome.code, outcome.message)
      if let seconds = end.retryAfter { self = with("Retry-After", "\(seconds)") }
    default: self = .failure(Self.status(outcome), outcome.code, outcome.message)
    }
    headers.append(("X-Call-Id", callID))
    headers.append(("X-Duration-Seconds", Self.seconds(outcome.duration)))
  }

  private init(result: RawJSON?) {
    guard let result else {
      self.init(status: 204)
      return
    }
    if let proxied = ProxyAnswer.answer(of: result) {
      self = proxied
    } else {
      self.init(status: 200, headers: [("Content-Type", "application/json")], body: result.line)
    }
  }

  private static func laterOrUnusable(_ outcome: WorkerOutcome, _ time: RawJSON?) -> GatewayAnswer {
    let seconds = time.map { $0.kind == .null ? 1 : $0.intValue ?? -1 } ?? 1
    guard seconds >= 0 else { return .unusable("The function's retryAfter is not a number of seconds.") }
    return failure(status(outcome), outcome.code, outcome.message).with("Retry-After", "\(seconds)")
  }

  private static func status(_ outcome: WorkerOutcome) -> Int {
    switch outcome.ending {
    case .exited(64...66, _): 400
    case .exited(75, _), .couldNotStart: 503
    case .invalidOutput: 502
    case .timedOut: 504
    case .exited, .crashed: 500
    case .elsewhere(let end): end.code == .away ? 503 : end.code == .timedOut ? 504 : 502
    }
  }

  private static func seconds(_ duration: Duration) -> String {
    let (whole, attoseconds) = duration.components
    let microseconds = Int(whole) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
    let fraction = String(microseconds % 1_000_000)
    return "\(microseconds / 1_000_000).\(String(repeating: "0", count: 6 - fraction.count))\(fraction)"
  }
}
