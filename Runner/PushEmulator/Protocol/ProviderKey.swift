import FunctionKit
import Signing

/// A key whose provider tokens are accepted, and its scope.
struct ProviderKey: Sendable {
  let keyID: String
  let teamID: String
  let key: VerificationKey
  /// The environments in which it may be used.
  ///
  /// Source: https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns
  var environments = Set(APNsEnvironment.allCases)
  /// The bundle ids that it may push to; empty for a key of the whole team.
  var topics: Set<String> = []
}

/// The keys that are registered, by their ids.
struct ProviderKeys: Sendable {
  private var keys: [String: ProviderKey] = [:]
  /// It changes with every change of the keys.
  ///
  /// Then older results are no longer valid.
  private(set) var generation = 0

  init(_ keys: [ProviderKey], generation: Int = 0) {
    self.generation = generation
    for key in keys { self.keys[key.keyID] = key }
  }

  subscript(keyID: String) -> ProviderKey? { keys[keyID] }

  /// Adds a key, and replaces one with the same id.
  mutating func add(_ key: ProviderKey) {
    keys[key.keyID] = key
    generation += 1
  }

  /// Revokes a key; returns whether there was one.
  mutating func remove(_ keyID: String) -> Bool {
    generation += 1
    return keys.removeValue(forKey: keyID) != nil
  }
}

extension ProviderKey {
  /// Reads a key of `POST /keys`, of a snapshot, or of a `--keys` file.
  ///
  /// - Parameter file: reads the file that `path` names, if that is allowed.
  /// - Throws: a sentence that names the field.
  init(_ json: RawJSON, file: (String) throws(BadRequest) -> String = ProviderKey.noFile) throws(BadRequest) {
    try json.checkMembers(["keyId", "teamId", "publicKey", "privateKey", "path", "environments", "topics"])
    guard let keyID = try json.text("keyId") else { throw BadRequest("keyId is missing.") }
    guard let teamID = try json.text("teamId") else { throw BadRequest("teamId is missing.") }
    guard keyID.utf8.allSatisfy(Self.isLetterOrDigit), keyID.utf8.count <= 64 else {
      throw BadRequest("keyId must be letters and digits.")
    }
    self.init(keyID: keyID, teamID: teamID, key: try Self.key(json, file))
    topics = Set(try json.texts("topics") ?? [])
    guard let names = try json.texts("environments"), !names.isEmpty else { return }
    environments = []
    for name in names {
      guard let environment = APNsEnvironment(rawValue: name) else {
        throw BadRequest("environments may have sandbox and production, not \(name).")
      }
      environments.insert(environment)
    }
  }

  /// The form that is read again, with the public half only.
  func json() throws(SigningError) -> RawJSON {
    RawJSON(object: [
      ("keyId", RawJSON(keyID)), ("teamId", RawJSON(teamID)), ("publicKey", RawJSON(try key.pem())),
      ("environments", RawJSON(array: environments.map(\.rawValue).sorted().map { RawJSON($0) })),
      ("topics", RawJSON(array: topics.sorted().map { RawJSON($0) })),
    ])
  }

  static func noFile(_ path: String) throws(BadRequest) -> String {
    throw BadRequest("path is for --keys files only: give publicKey or privateKey, as PEM.")
  }

  private static func key(
    _ json: RawJSON, _ file: (String) throws(BadRequest) -> String
  ) throws(BadRequest) -> VerificationKey {
    do throws(SigningError) {
      if let pem = try? json.text("publicKey") { return try VerificationKey(pem: pem) }
      if let pem = try? json.text("privateKey") { return try SigningKey(pem: pem).verificationKey() }
    } catch {
      throw BadRequest("The key is not usable: \(error).")
    }
    guard let path = try json.text("path") else { throw BadRequest("publicKey, privateKey or path is missing.") }
    let pem = try file(path)
    do throws(SigningError) {
      return try SigningKey(pem: pem).verificationKey()
    } catch {
      throw BadRequest("\(path) is no key: \(error).")
    }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    let scalar = Unicode.Scalar(byte)
    return ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
  }
}

extension ProviderKeys {
  /// All keys, for `GET /keys` and `GET /snapshot`.
  func list() throws(BadRequest) -> [UInt8] {
    let sorted = keys.values.sorted { $0.keyID < $1.keyID }
    guard let list = try? sorted.map({ try $0.json().bytes }) else {
      throw BadRequest(status: 500, "A key cannot be written.")
    }
    return JSONText.array(list)
  }
}
