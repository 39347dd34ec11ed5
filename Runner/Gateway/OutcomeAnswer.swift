import FunctionKit
import HTTP1
import Workers

extension HTTP1Answer {
  /// The HTTP answer for the way a function ended.
  init(_ outcome: WorkerOutcome, callID: String) {
    let answer: HTTP1Answer =
      switch outcome.ending {
      case _ where outcome.answer != nil: HTTP1Answer(result: outcome.answer)
      case .exited(0, let output): HTTP1Answer(result: output)
      case .exited(let status, let output):
        .failure(exit: status, outcome.message, retryAfter: output?["retryAfter"])
      case .crashed: .failure(500, outcome.code, outcome.message)
      case .invalidOutput: .failure(502, outcome.code, outcome.message)
      case .couldNotStart: .failure(503, outcome.code, outcome.message)
      case .timedOut: .failure(504, outcome.code, outcome.message)
      case .elsewhere(let end): .failure(elsewhere: end, outcome)
      }
    self = answer.ofCall(callID, after: outcome.duration)
  }

  private static func failure(elsewhere end: WorkerOutcome.Elsewhere, _ outcome: WorkerOutcome) -> HTTP1Answer {
    let status = [.away, .busy].contains(end.code) ? 503 : end.code == .timedOut ? 504 : 502
    let answer = failure(status, outcome.code, outcome.message)
    return end.retryAfter.map { answer.with("Retry-After", "\($0)") } ?? answer
  }
}
