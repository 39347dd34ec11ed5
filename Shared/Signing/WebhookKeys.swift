import FoundationEssentials

/// The secrets by which the two sides of a webhook know each other, as Standard Webhooks has them.
///
/// Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
package struct WebhookKeys: Sendable, CustomReflectable {
  /// The form of the secrets, for an error; `v1,` may stand in front of one, and `whsec_` may be missing.
  package static let form = "whsec_…: Base64 of 24 to 64 bytes"

  private let keys: [[UInt8]]

  /// One secret, or several during a rotation, separated by spaces; `nil` if one is not of the ``form``.
  package init?(_ text: String) {
    var keys: [[UInt8]] = []
    for secret in text.split(separator: " ") {
      // As Supabase's Auth Hooks show it; others show it bare.
      let words = secret.dropPrefix("v1,").dropPrefix("whsec_")
      guard let key = Data(base64Encoded: String(words)), (24...64).contains(key.count) else { return nil }
      keys.append(Array(key))
    }
    guard !keys.isEmpty else { return nil }
    self.keys = keys
  }

  /// Shows no key.
  package var customMirror: Mirror { Mirror(self, children: [:]) }

  /// The value of `webhook-signature`: a signature by each key.
  ///
  /// - Parameter time: the value of `webhook-timestamp`, in seconds since 1970.
  package func signatures(id: String, time: String, body: [UInt8]) -> String {
    let signed = Array("\(id).\(time).".utf8) + body
    return keys.map { "v1,\(Data(HMACSHA256.code(for: signed, key: $0)).base64EncodedString())" }
      .joined(separator: " ")
  }

  /// Whether one of the signatures of a `webhook-signature` is by one of the keys.
  package func isSigned(by signatures: String, id: String, time: String, body: [UInt8]) -> Bool {
    let signed = Array("\(id).\(time).".utf8) + body
    let given = signatures.split(separator: " ").compactMap(Self.code)
    return keys.contains { key in
      let code = HMACSHA256.code(for: signed, key: key)
      return given.contains { constantTimeEqual($0, code) }
    }
  }

  private static func code(_ signature: Substring) -> [UInt8]? {
    guard signature.hasPrefix("v1,") else { return nil }
    return Data(base64Encoded: String(signature.dropFirst(3))).map { Array($0) }
  }
}

extension Substring {
  fileprivate func dropPrefix(_ prefix: String) -> Substring { hasPrefix(prefix) ? dropFirst(prefix.count) : self }
}
