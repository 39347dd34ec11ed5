import HTTP2
import Notifications

extension PushReport {
  /// Takes what came of an attempt.
  ///
  /// - Parameter judge: what an answer means; one that was too large to be read has its status only.
  mutating func take(
    _ result: Result<HTTP2Response, StreamFailure>,
    judge: (HTTP2Response) -> (verdict: PushVerdict, reason: String?)
  ) {
    switch result {
    case .success(let response):
      (verdict, reason) = judge(response)
      (status, isEmulated) = (response.status, response.isEmulated)
    case .failure(.responseTooLarge(let status)) where status > 0:
      take(.success(HTTP2Response(status: status)), judge: judge)
    case .failure(.invalidRequest): (verdict, reason) = (.rejected, "InvalidRequest")
    case .failure(let failure): (verdict, reason) = (PushVerdict(PushSilence(failure)), failure.word)
    }
  }
}

extension PushSilence {
  /// The answer for a request that failed.
  init(_ failure: StreamFailure) {
    self = failure.mayHaveBeenProcessed ? .unknown : failure == .refused ? .refused : .unsent
  }
}

extension StreamFailure {
  /// The reason for the log, if no server gave one.
  fileprivate var word: String {
    switch self {
    case .timedOut: "TimedOut"
    case .refused: "Refused"
    case .reset: "Reset"
    case .connectionLost: "ConnectionLost"
    case .timedOutWaiting, .notSent: "NotSent"
    case .responseTooLarge: "ResponseTooLarge"
    case .invalidRequest: "InvalidRequest"
    }
  }
}

extension HTTP2Response {
  /// Whether the response has the field of a push emulator.
  var isEmulated: Bool { headers["x-push-emulator"] != nil }
}
