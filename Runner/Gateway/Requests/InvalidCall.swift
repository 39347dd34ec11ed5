import FunctionKit
import HTTP1

/// Why a request cannot become an event.
enum InvalidCall: Error {
  /// The call is malformed; a sentence says to the caller how.
  case malformed(String)
  case tooLarge
  /// More events than that.
  case tooMany(Int)
  case mediaType(String)

  /// The refusal.
  func answer(callID: String) -> HTTP1Answer {
    switch self {
    case .malformed(let problem): .failure(400, "INVALID_EVENT", problem, callID: callID)
    case .tooLarge:
      .failure(413, "TOO_LARGE", "The event is larger than \(Envelope.maximumSize) bytes.", callID: callID)
    case .tooMany(let most):
      .failure(413, "TOO_LARGE", "A batch has at most \(most) events.", callID: callID)
    case .mediaType(let type): .failure(415, "UNSUPPORTED_MEDIA_TYPE", "\(type) is not accepted.", callID: callID)
    }
  }
}
