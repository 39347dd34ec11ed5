import FunctionKit
import Notifications

/// Reads variables and collects what is wrong with them.
struct ConfigurationReader {
  let environment: Environment
  var problems: [String] = []

  /// One sentence with everything that is wrong.
  var misconfiguration: FunctionError {
    FunctionError(.misconfigured, problems.joined(separator: "; ") + ".")
  }

  mutating func value<Value>(_ name: String, _ rule: String, _ read: (String) -> Value?) -> Value? {
    guard let text = environment[name] else {
      problems.append("\(name) is missing: it \(rule)")
      return nil
    }
    return value(text, name, rule, read)
  }

  /// The value of a part; `name` is its path.
  mutating func value<Value>(_ text: String, _ name: String, _ rule: String, _ read: (String) -> Value?) -> Value? {
    guard let value = read(text) else {
      problems.append("\(name) \(rule)")
      return nil
    }
    return value
  }

  mutating func keyID(_ text: String?, _ name: String) -> String? {
    part(text, name, "must be the 10 letters and digits of the key's id", Self.identifier)
  }

  mutating func teamID(_ text: String?, _ name: String) -> String? {
    part(text, name, "must be the 10 letters and digits of the team's id", Self.identifier)
  }

  mutating func bundleID(_ text: String?, _ name: String) -> String? {
    part(text, name, "must be a bundle id such as com.example.app", Self.bundleID)
  }

  /// The topics of apps that `APNS_TOPICS` names.
  mutating func topics() -> [String: String] {
    var topics: [String: String] = [:]
    for entry in (environment["APNS_TOPICS"] ?? "").split(separator: ",") {
      let words = entry.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
      guard words.count == 2, let app = App(rawValue: words[0]) else {
        problems.append(
          "APNS_TOPICS names \(entry), which is no known app and its bundle id, such as mugshot=com.example.app")
        continue
      }
      topics[app.rawValue] = bundleID(words[1], "APNS_TOPICS: \(app.rawValue)")
    }
    return topics
  }

  /// A key by its text or by its file; `names` are those of the two.
  mutating func key(_ text: String?, _ path: String?, _ names: (text: String, path: String)) -> KeySource? {
    guard areOneAtMost(text, path, names) else { return nil }
    do throws(UnusableFile) {
      if let text { return try KeySource(text: text) }
      if let path { return try KeySource(path: path) }
      problems.append("\(names.text) or \(names.path) is missing")
    } catch {
      problems.append(
        text == nil
          ? "\(names.path) must name a .p8 file for ES256, and names a file that \(error)"
          : "\(names.text) must be a .p8 file's text for ES256, and \(error)")
    }
    return nil
  }

  /// Whether a value is given in one way only.
  mutating func areOneAtMost(_ text: String?, _ path: String?, _ names: (text: String, path: String)) -> Bool {
    guard text != nil, path != nil else { return true }
    problems.append("\(names.text) and \(names.path) are both set, and only one may be")
    return false
  }

  private mutating func part<Value>(
    _ text: String?, _ name: String, _ rule: String, _ read: (String) -> Value?
  ) -> Value? {
    guard let text, !text.isEmpty else {
      problems.append("\(name) is missing")
      return nil
    }
    return value(text, name, rule, read)
  }

  private static func identifier(_ text: String) -> String? {
    text.utf8.count == 10 && text.utf8.allSatisfy(isLetterOrDigit) ? text : nil
  }

  static func bundleID(_ text: String) -> String? {
    let isValid = text.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
    return isValid && text.utf8.count <= 255 ? text : nil
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    let scalar = Unicode.Scalar(byte)
    return ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
  }
}
