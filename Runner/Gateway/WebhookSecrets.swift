import FoundationEssentials
import FunctionKit
import Signing

/// The secrets of a function's callers, and the check of their signatures.
///
/// Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
struct WebhookSecrets: Sendable {
  /// How much a caller's clock may be wrong, in seconds.
  static let tolerance = 300

  private let keys: Secret<[[UInt8]]>

  /// The secrets in a variable, separated by spaces: each is `whsec_` and the Base64 of 24 to 64 bytes.
  ///
  /// - Throws: ``FunctionError/Code/misconfigured`` that names the variable.
  init(_ variable: String, of environment: FunctionKit.Environment) throws(FunctionError) {
    var keys: [[UInt8]] = []
    for text in try environment.require(variable).split(separator: " ") {
      guard text.hasPrefix("whsec_"), let key = Data(base64Encoded: String(text.dropFirst(6))),
        (24...64).contains(key.count)
      else {
        throw FunctionError(
          .misconfigured, "\(variable) must hold secrets of the form whsec_…: Base64 of 24 to 64 bytes.")
      }
      keys.append(Array(key))
    }
    self.keys = Secret(keys)
  }

  /// What is wrong with the signature of a request; `nil` if it is valid.
  ///
  /// - Parameter now: real time, in seconds since 1970.
  func problem(of request: GatewayRequest, now: Int) -> Problem? {
    guard let id = request.headers["webhook-id"], !id.isEmpty, let time = request.headers["webhook-timestamp"],
      let seconds = Int(time), let signatures = request.headers["webhook-signature"]
    else { return .signature }
    guard (now - Self.tolerance...now + Self.tolerance).contains(seconds) else {
      return .timestamp
    }
    let signed = Array("\(id).\(time).".utf8) + request.body
    let given = signatures.split(separator: " ").compactMap(Self.code)
    let isSigned = keys.exposed.contains { key in
      let code = HMACSHA256.code(for: signed, key: key)
      return given.contains { constantTimeEqual($0, code) }
    }
    return isSigned ? nil : .signature
  }

  private static func code(_ signature: Substring) -> [UInt8]? {
    guard signature.hasPrefix("v1,") else { return nil }
    return Data(base64Encoded: String(signature.dropFirst(3))).map { Array($0) }
  }

  package enum Problem {
    case signature, timestamp
  }
}
