package import FunctionKit

/// The address and the secret of links.
package enum UnsubscribeLink {
  /// The environment variable with the secrets: the first one signs, all of them are valid.
  package static let secret = "UNSUBSCRIBE_SECRET"

  /// The error for an invalid value of that variable.
  package static let unusableSecret = FunctionError(
    .misconfigured,
    "\(secret) must hold secrets separated by spaces: at least 32 characters, or whsec_ and Base64 of 24 to 64 bytes.")

  /// A link with a signed token, on a server such as `https://push.example.com`.
  package static func url(_ token: String, on server: String) -> String {
    "\(server)/api/v1/unsubscribe?token=\(token)"
  }
}
