import Formats
import FoundationEssentials
import FunctionKit
import HTTP2
import Signing

/// A Google service account: the identity that asks FCM, and the key that proves it.
///
/// Source: [Authorize send requests](https://firebase.google.com/docs/cloud-messaging/auth-server).
package struct ServiceAccount: Sendable {
  /// The Firebase project, which is also a part of the address that messages are sent to.
  package let projectID: String
  /// The account's name, an e-mail address.
  package let clientEmail: String
  /// Names the key.
  package let privateKeyID: String?
  /// Where access tokens come from.
  package let tokenURI: String
  /// The server of ``tokenURI``.
  let tokenServer: Endpoint
  /// The file it was read from; `nil` for an account that a variable holds.
  package let path: String?
  let key: Secret<RSASigningKey>

  /// The right to send messages, and no other right.
  static let scope = "https://www.googleapis.com/auth/firebase.messaging"
  /// How long an assertion is valid: the longest time that Google accepts.
  static let assertionLife = 3_600

  /// Reads a JSON file as Google gives it.
  ///
  /// - Throws: what is wrong with it.
  package init(path: String) throws(UnusableFile) {
    try self.init(try FileContents.contents(of: path), path)
  }

  /// Reads the text of such a file as a variable holds it.
  ///
  /// - Throws: what is wrong with it.
  init(text: String) throws(UnusableFile) {
    try self.init(Array(KeyText.plain(text).utf8), nil)
  }

  private init(_ bytes: [UInt8], _ path: String?) throws(UnusableFile) {
    let json: RawJSON
    do { json = try RawJSON(validating: bytes[...]) } catch { throw UnusableFile("is \(error)") }
    guard json["type"]?.stringValue == "service_account" else {
      throw UnusableFile("is not the JSON file of a service account: its \"type\" must be \"service_account\"")
    }
    func text(_ name: String) throws(UnusableFile) -> String {
      guard let text = json[name]?.stringValue, !text.isEmpty else { throw UnusableFile("has no \(name)") }
      return text
    }
    projectID = try text("project_id")
    guard projectID.utf8.allSatisfy(Self.isProjectByte) else { throw UnusableFile("has an invalid project_id") }
    clientEmail = try text("client_email")
    privateKeyID = json["private_key_id"]?.stringValue
    tokenURI = try text("token_uri")
    guard tokenURI.hasPrefix("https://"), let server = Endpoint(serverOf: tokenURI) else {
      throw UnusableFile("has a token_uri that is no https:// address")
    }
    tokenServer = server
    let written = try text("private_key")
    let pem = path == nil ? KeyText.pem(written) : written
    do { key = Secret(try RSASigningKey(pem: pem)) } catch {
      throw UnusableFile("has a private_key that \(PrivateKeyFault.found(in: pem, for: "RS256"))")
    }
    self.path = path
  }

  /// The signed statement that is exchanged for an access token (RFC 7523).
  ///
  /// - Parameter issuedAt: seconds since 1970.
  func assertion(issuedAt: Int) throws(SigningError) -> String {
    var header = [("alg", RawJSON("RS256")), ("typ", RawJSON("JWT"))]
    if let privateKeyID { header.append(("kid", RawJSON(privateKeyID))) }
    let claims = RawJSON(object: [
      ("iss", RawJSON(clientEmail)), ("scope", RawJSON(Self.scope)), ("aud", RawJSON(tokenURI)),
      ("iat", RawJSON(issuedAt)), ("exp", RawJSON(issuedAt + Self.assertionLife)),
    ])
    let signed = [RawJSON(object: header), claims].map { Base64URL.encode(Array($0.bytes)) }.joined(separator: ".")
    return "\(signed).\(Base64URL.encode(try key.exposed.sign(Array(signed.utf8))))"
  }

  // Lower-case letters, digits and hyphens; before them there may be an organisation's domain and a colon.
  private static func isProjectByte(_ byte: UInt8) -> Bool {
    let scalar = Unicode.Scalar(byte)
    return ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar) || "-.:".utf8.contains(byte)
  }
}
