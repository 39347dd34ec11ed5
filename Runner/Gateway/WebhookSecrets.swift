import FunctionKit
import HTTP1
import Signing

/// The secrets of a function's callers, and the check of their signatures.
///
/// Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
struct WebhookSecrets: Sendable {
  /// How much a caller's clock may be wrong, in seconds.
  static let tolerance = 300

  private let keys: WebhookKeys

  /// The secrets in a variable, separated by spaces: each is the Base64 of 24 to 64 bytes, mostly behind
  /// `whsec_`.
  ///
  /// - Throws: ``FunctionError/Code/misconfigured`` that names the variable.
  init(_ variable: String, of environment: FunctionKit.Environment) throws(FunctionError) {
    guard let keys = WebhookKeys(try environment.require(variable)) else {
      throw FunctionError(.misconfigured, "\(variable) must hold secrets of the form \(WebhookKeys.form).")
    }
    self.keys = keys
  }

  /// The fault of the signature of a request; `nil` if it is valid.
  ///
  /// - Parameter now: real time, in seconds since 1970.
  func problem(of request: HTTP1Request, now: Int) -> Problem? {
    guard let id = request.headers["webhook-id"], !id.isEmpty, let time = request.headers["webhook-timestamp"],
      let seconds = Int(time), let signatures = request.headers["webhook-signature"]
    else { return .signature }
    guard (now - Self.tolerance...now + Self.tolerance).contains(seconds) else {
      return .timestamp
    }
    return keys.isSigned(by: signatures, id: id, time: time, body: request.body) ? nil : .signature
  }

  package enum Problem {
    case signature, timestamp
  }
}

extension WebhookSecrets.Problem {
  /// The refusal.
  var answer: HTTP1Answer {
    switch self {
    case .signature: .failure(401, "INVALID_SIGNATURE", "The webhook's signature is missing or wrong.")
    case .timestamp:
      .failure(
        401, "TIMESTAMP_OUT_OF_RANGE",
        "The webhook's timestamp is more than \(WebhookSecrets.tolerance) seconds away from this runner's time.")
    }
  }
}
