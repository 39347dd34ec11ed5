import HTTP2

extension StreamFailure {
  /// The reason for the log, if no server gave one.
  var word: String {
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
