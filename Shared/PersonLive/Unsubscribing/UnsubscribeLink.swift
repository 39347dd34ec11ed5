public import FunctionKit

/// Where links lead, and what signs them.
public enum UnsubscribeLink {
  /// The environment variable with the secrets: the first signs, all are good.
  public static let secret = "UNSUBSCRIBE_SECRET"

  /// What is said where that variable cannot be used.
  public static let unusableSecret = FunctionError(
    .misconfigured,
    "\(secret) must hold secrets of at least 32 characters, or whsec_ and Base64 of 24 to 64 bytes, apart by spaces.")

  /// The link with a signed token, on a server such as `https://push.example.com`.
  public static func url(_ token: String, on server: String) -> String {
    "\(server)/api/v1/unsubscribe?token=\(token)"
  }
}
