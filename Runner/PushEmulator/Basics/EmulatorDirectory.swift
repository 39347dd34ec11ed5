import FunctionKit
import Glibc
import Signing

/// The directory of an emulator, for its owner only: it keeps an authority, the provider key,
/// the pushes and the channels.
struct EmulatorDirectory: Sendable {
  let path: String
  /// The public half of the key with which senders sign their provider tokens.
  let providerKey: VerificationKey

  /// The certificate that senders must trust.
  var authorityPath: String { "\(path)/ca.pem" }
  var certificatePath: String { "\(path)/server.pem" }
  var certificateKeyPath: String { "\(path)/server-key.pem" }
  var providerKeyPath: String { keyPath(Self.keyID) }
  var pushesPath: String { "\(path)/pushes.ndjson" }
  var channelsPath: String { "\(path)/channels.json" }

  func keyPath(_ keyID: String) -> String { "\(path)/AuthKey_\(keyID).p8" }
  func accountPath(_ projectID: String) -> String { "\(path)/service-account-\(projectID).json" }

  static let keyID = "LOCALKEY01"
  static let teamID = "LOCALTEAM1"
  static let bundleID = "com.swiftly-developed.feedbackkit.admin"
  /// The topics of other apps' devices that name no topic, in the form for a sender.
  static let topics =
    "lockitin=com.lockit.app,repairminder=com.mendmyi.repairminder,mugshot=com.example.mugshot,"
    + "messageai=com.example.messageai"

  /// Makes the directory and its missing files.
  ///
  /// Each start issues a new certificate for the server, so that it has the right host and does not expire.
  init(preparing path: String, host: String) throws(FunctionError) {
    try Files.makeDirectory(path)
    guard let absolute = realpath(path, nil) else { throw FunctionError.system("find", path, errno) }
    defer { free(absolute) }
    self.path = String(cString: absolute)
    do {
      providerKey = try Self.providerKey("\(self.path)/AuthKey_\(Self.keyID).p8")
      let authority = try Self.authority("\(self.path)/ca.pem", key: "\(self.path)/ca-key.pem")
      let names = ["localhost", "127.0.0.1", "::1"]
      let server = try authority.issue(for: names + (names.contains(host) ? [] : [host]))
      try PEMFile.write(server.certificatePEM, to: certificatePath, isSecret: true)
      try PEMFile.write(server.keyPEM, to: certificateKeyPath, isSecret: true)
    } catch let error as FunctionError {
      throw error
    } catch {
      throw FunctionError(.misconfigured, "The keys in \(path) cannot be used: \(error).")
    }
  }

  /// The environment variables with which a sender reaches the emulator.
  ///
  /// - Parameter urls: the URLs of the faces, in their order.
  func environment(_ urls: [String], accountPath: String) -> RawJSON {
    RawJSON(object: [
      ("APNS_URL", RawJSON(urls[0])), ("APNS_SANDBOX_URL", RawJSON(urls[1])), ("APNS_CA_PATH", RawJSON(authorityPath)),
      ("APNS_KEY_ID", RawJSON(Self.keyID)), ("APNS_TEAM_ID", RawJSON(Self.teamID)),
      ("APNS_KEY_PATH", RawJSON(providerKeyPath)), ("APNS_BUNDLE_ID", RawJSON(Self.bundleID)),
      ("APNS_TOPICS", RawJSON(Self.topics)),
      ("APNS_PRODUCTION", RawJSON("false")), ("FCM_URL", RawJSON(urls[2])), ("FCM_CA_PATH", RawJSON(authorityPath)),
      ("FCM_SERVICE_ACCOUNT_PATH", RawJSON(accountPath)), ("PUSH_EMULATOR_URL", RawJSON(urls[0])),
    ])
  }

  private static func providerKey(_ path: String) throws -> VerificationKey {
    if let pem = try Files.contentsIfThere(of: path) {
      return try SigningKey(pem: String(decoding: pem, as: UTF8.self)).verificationKey()
    }
    let key = try SigningKey.generate()
    try PEMFile.write(try key.privatePEM(), to: path, isSecret: true)
    return try key.verificationKey()
  }

  /// The key is written first.
  ///
  /// After a crash between the two files a new pair is made.
  private static func authority(_ path: String, key keyPath: String) throws -> CertificateAuthority {
    if let certificate = try Files.contentsIfThere(of: path), let key = try Files.contentsIfThere(of: keyPath) {
      return try CertificateAuthority(
        certificatePEM: String(decoding: certificate, as: UTF8.self), keyPEM: String(decoding: key, as: UTF8.self))
    }
    let authority = try CertificateAuthority.make(named: "Push emulator (development only)")
    try PEMFile.write(authority.keyPEM, to: keyPath, isSecret: true)
    try PEMFile.write(authority.certificatePEM, to: path, isSecret: true)
    return authority
  }
}
