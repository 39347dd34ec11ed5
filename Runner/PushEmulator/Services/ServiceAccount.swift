import FunctionKit
import Signing

/// A Google service account that may send for one project.
struct ServiceAccount: Sendable {
  let projectID: String
  let key: RSASigningKey

  static let defaultProject = "push-emulator"

  var email: String { "sender@\(projectID).iam.gserviceaccount.com" }

  /// The file as Firebase's console makes it.
  ///
  /// - Parameter url: the token endpoint.
  func file(tokenURL url: String) throws(SigningError) -> String {
    let members = [
      ("type", "service_account"), ("project_id", projectID), ("private_key_id", "local"),
      ("private_key", try key.privatePEM()), ("client_email", email), ("client_id", "1"),
      ("auth_uri", "https://accounts.google.com/o/oauth2/auth"), ("token_uri", url),
      ("universe_domain", "googleapis.com"),
    ]
    return members.map { "  \(text($0)): \(text($1))" }.joined(separator: ",\n").framed
  }

  /// A new account, or the one with a file; writes the file for this emulator's address.
  static func prepare(_ projectID: String, path: String, tokenURL url: String) throws -> ServiceAccount {
    let old = try Files.contentsIfThere(of: path).flatMap {
      try? RawJSON(validating: $0[...])["private_key"]?.stringValue
    }
    let key = try old.flatMap { try? RSASigningKey(pem: $0) } ?? RSASigningKey.generate()
    let account = ServiceAccount(projectID: projectID, key: key)
    try PEMFile.write(try account.file(tokenURL: url), to: path, isSecret: true)
    return account
  }

  private func text(_ string: String) -> String { String(decoding: RawJSON(string).bytes, as: UTF8.self) }
}

extension String {
  fileprivate var framed: String { "{\n\(self)\n}\n" }
}
