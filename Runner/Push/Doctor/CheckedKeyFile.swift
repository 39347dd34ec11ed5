import CLI
import FoundationEssentials
import Glibc
import Signing

/// A file with a secret.
struct CheckedKeyFile: Hashable {
  let path: String
  /// The id that an Apple key is used under; `nil` for other secrets.
  var keyID: String?

  func findings(named check: String) -> [Finding] {
    guard let contents = FileManager.default.contents(atPath: path) else {
      return [.missing(check, "\(path) cannot be read by this user")]
    }
    var findings: [Finding] = []
    if keyID != nil, (try? SigningKey(pem: String(decoding: contents, as: UTF8.self))) == nil {
      findings.append(.missing(check, "\(path) holds no ES256 private key: download the .p8 file from Apple again"))
    }
    if let named = Self.keyID(inNameOf: path), let keyID, named != keyID {
      findings.append(.warning(check, "\(path) is named for the key \(named), but is used as \(keyID)"))
    }
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & (S_IRWXO | S_IRWXG) != 0 {
      let readers = status.st_mode & S_IROTH != 0 ? "everybody" : "others than its owner"
      findings.append(.warning(check, "\(path) is open to \(readers): chmod 600"))
    }
    return findings.isEmpty ? [.ok(check, "\(path) is readable, by its owner alone")] : findings
  }

  /// `…/AuthKey_ABC123DEFG.p8` → `ABC123DEFG`, as Apple names the files.
  static func keyID(inNameOf path: String) -> String? {
    guard let name = path.split(separator: "/").last, name.hasPrefix("AuthKey_"), name.hasSuffix(".p8") else {
      return nil
    }
    let id = name.dropFirst("AuthKey_".count).dropLast(".p8".count)
    return id.count == 10 ? String(id) : nil
  }
}
