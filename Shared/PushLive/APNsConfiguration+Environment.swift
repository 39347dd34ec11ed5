public import FunctionKit
import HTTP2
import Notifications
import Signing

extension APNsConfiguration {
  /// Reads `APNS_KEY_ID`, `APNS_TEAM_ID`, `APNS_BUNDLE_ID`, `APNS_KEY_PATH` (a `.p8` file), `APNS_PRODUCTION` (`true` or
  /// `false`), and for another server than Apple's `APNS_URL` and `APNS_CA_PATH`.
  ///
  /// - Throws: ``FunctionError/Code/misconfigured`` with one sentence that names everything missing or wrong.
  public init(_ environment: Environment) throws(FunctionError) {
    var reader = Reader(environment: environment)
    let keyID = reader.value("APNS_KEY_ID", "must be the 10 letters and digits of the key's id", Self.isIdentifier)
    let teamID = reader.value("APNS_TEAM_ID", "must be the 10 letters and digits of the team's id", Self.isIdentifier)
    let bundleID = reader.value("APNS_BUNDLE_ID", "must be a bundle id such as com.example.app", Self.isBundleID)
    let production = reader.value("APNS_PRODUCTION", "must be true or false") { Bool($0) }
    let key = reader.value("APNS_KEY_PATH", "must name a readable .p8 file with an ES256 private key") { path in
      FileContents.read(path).flatMap { try? SigningKey(pem: String(decoding: $0, as: UTF8.self)) }
    }
    let server = reader.server()
    guard let keyID, let teamID, let bundleID, let production, let key, let server, reader.problems.isEmpty else {
      throw FunctionError(.misconfigured, reader.problems.joined(separator: "; ") + ".")
    }
    self.init(
      keyID: keyID, teamID: teamID, bundleID: bundleID, environment: production ? .production : .sandbox,
      key: Secret(key), server: server)
  }

  private static func isIdentifier(_ text: String) -> String? {
    text.utf8.count == 10 && text.utf8.allSatisfy(isLetterOrDigit) ? text : nil
  }

  private static func isBundleID(_ text: String) -> String? {
    let isValid = text.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
    return isValid && text.utf8.count <= 255 ? text : nil
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    let scalar = Unicode.Scalar(byte)
    return ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
  }
}

/// Reads variables and gathers what is wrong with them.
private struct Reader {
  let environment: Environment
  var problems: [String] = []

  mutating func value<Value>(_ name: String, _ rule: String, _ read: (String) -> Value?) -> Value? {
    guard let text = environment[name] else {
      problems.append("\(name) is missing")
      return nil
    }
    guard let value = read(text) else {
      problems.append("\(name) \(rule)")
      return nil
    }
    return value
  }

  mutating func server() -> APNsConfiguration.Server? {
    let authority = environment["APNS_CA_PATH"]
    guard environment["APNS_URL"] != nil else {
      if authority != nil { problems.append("APNS_CA_PATH is only for a server named by APNS_URL") }
      return .apple
    }
    guard let endpoint = value("APNS_URL", "must be https://host or https://host:port", Endpoint.init(url:)) else {
      return nil
    }
    guard authority != nil else { return .other(endpoint, .system) }
    if endpoint.isApple { problems.append("APNS_CA_PATH is refused for Apple's servers") }
    return value("APNS_CA_PATH", "must name a readable file") { FileContents.read($0).map { _ in authority ?? "" } }
      .map { .other(endpoint, .certificateAuthority(path: $0)) }
  }
}
