import FunctionKit
import HTTP2
import Signing

/// Keys of APNs' providers and accounts of FCM's.
extension Emulator {
  func answer(toKeys request: ControlRequest) throws(BadRequest) -> HTTP2Response {
    switch request {
    case .addKey(let json): return try addKey(json)
    case .removeKey(let keyID):
      guard apns.tokens.keys.remove(keyID) else { throw BadRequest(status: 404, "There is no key \(keyID).") }
      return HTTP2Response(status: 204)
    case .addAccount(let projectID):
      let path = try addAccount(projectID)
      return .json(201, Array(RawJSON(object: [("projectId", RawJSON(projectID)), ("path", RawJSON(path))]).bytes))
    default: return .json(200, JSONText.object(["keys": try keyList()]))
    }
  }

  func keyList() throws(BadRequest) -> [UInt8] {
    let keys = apns.tokens.keys.keys.values.sorted { $0.keyID < $1.keyID }
    guard let list = try? keys.map({ try $0.json().bytes }) else {
      throw BadRequest(status: 500, "A key cannot be written.")
    }
    return JSONText.array(list)
  }

  /// Makes an account for a project, or takes the one in the directory; returns the file's path.
  func addAccount(_ projectID: String) throws(BadRequest) -> String {
    let path = directory.accountPath(projectID)
    guard let account = try? ServiceAccount.prepare(projectID, path: path, tokenURL: tokenURL) else {
      throw BadRequest(status: 500, "The account could not be written to \(path).")
    }
    fcm.oauth.add(account)
    return path
  }

  /// Registers a key.
  ///
  /// Without a key in the request a new one is made, and the answer names its `.p8` file.
  private func addKey(_ json: RawJSON) throws(BadRequest) -> HTTP2Response {
    guard json["publicKey"] == nil, json["privateKey"] == nil, json["path"] == nil else {
      apns.tokens.keys.add(try ProviderKey(json))
      return HTTP2Response(status: 204)
    }
    guard let new = try? SigningKey.generate(), let pem = try? new.privatePEM() else {
      throw BadRequest(status: 500, "No key could be made.")
    }
    let key = try ProviderKey(
      RawJSON(object: json.members.map { ($0.name, $0.value) } + [("privateKey", RawJSON(pem))]))
    let path = directory.keyPath(key.keyID)
    do throws(SigningError) {
      try PEMFile.write(pem, to: path, isSecret: true)
    } catch {
      throw BadRequest(status: 500, "\(error).")
    }
    apns.tokens.keys.add(key)
    return .json(201, Array(RawJSON(object: [("keyId", RawJSON(key.keyID)), ("path", RawJSON(path))]).bytes))
  }
}
