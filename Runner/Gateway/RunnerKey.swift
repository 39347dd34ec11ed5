import FunctionKit
import HTTP1
import Manifest
import Signing

/// The key of the gateway.
///
/// A caller with the key may call functions and read figures.
struct RunnerKey: Sendable {
  /// In bytes.
  static let shortest = 16

  private let key: Secret<[UInt8]>

  /// The key in an environment; `nil` if there is none.
  ///
  /// - Throws: ``FunctionError/Code/misconfigured`` for a key that is too short.
  init?(_ environment: FunctionKit.Environment) throws(FunctionError) {
    guard let text = environment[Settings.keyVariable] else { return nil }
    guard text.utf8.count >= Self.shortest else {
      throw FunctionError(.misconfigured, "\(Settings.keyVariable) must have at least \(Self.shortest) characters.")
    }
    key = Secret(Array(text.utf8))
  }

  /// What a request has where the key belongs: `Authorization: Bearer KEY`, or Supabase's `apikey: KEY`.
  static func shown(by request: HTTP1Request) -> [String] {
    let token = request.headers["authorization"].flatMap { BearerToken.shown(in: $0) }
    return [request.headers["apikey"], token.map { String($0) }].compactMap(\.self)
  }

  /// Whether a text is the key.
  func isEqual(to text: String) -> Bool { constantTimeEqual(Array(text.utf8), key.exposed) }

  /// A secret for one purpose, which does not give away the key.
  func derived(for purpose: String) -> [UInt8] { HMACSHA256.code(for: Array(purpose.utf8), key: key.exposed) }
}
