import FoundationEssentials
import FunctionKit
import HTTP2
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

  private mutating func keyID(_ text: String?, _ name: String) -> String? {
    part(text, name, "must be the 10 letters and digits of the key's id", Self.identifier)
  }

  private mutating func teamID(_ text: String?, _ name: String) -> String? {
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
  private mutating func key(_ text: String?, _ path: String?, _ names: (text: String, path: String)) -> KeySource? {
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

  private static func bundleID(_ text: String) -> String? {
    let isValid = text.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
    return isValid && text.utf8.count <= 255 ? text : nil
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    let scalar = Unicode.Scalar(byte)
    return ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
  }
}

extension ConfigurationReader {
  /// The key of `APNS_KEY_ID`, `APNS_TEAM_ID` and `APNS_KEY` or `APNS_KEY_PATH`, for all topics that no other key
  /// names.
  mutating func ownKey() -> APNsKey? {
    let keyID = keyID(environment["APNS_KEY_ID"], "APNS_KEY_ID")
    let teamID = teamID(environment["APNS_TEAM_ID"], "APNS_TEAM_ID")
    let source = key(environment["APNS_KEY"], environment["APNS_KEY_PATH"], ("APNS_KEY", "APNS_KEY_PATH"))
    guard let keyID, let teamID, let source else { return nil }
    return APNsKey(
      keyID: keyID, teamID: teamID, environments: Set(PushEnvironment.allCases), topics: nil, source: source)
  }

  /// The keys of `APNS_KEYS`, or of the file that `APNS_KEYS_PATH` names:
  /// `{"keys":[{"keyId","teamId","path" or "key","environments"?,"topics"?}]}`, paths relative to the file.
  mutating func listedKeys() -> [APNsKey] {
    guard let list = list("APNS_KEYS", "keys", #"{"keys":[{"keyId","teamId","path" or "key"}, …]}"#) else { return [] }
    return list.entries.enumerated().compactMap { number, entry in
      listedKey(entry, "\(list.name): keys[\(number)]", in: list.directory)
    }
  }

  private mutating func listedKey(_ entry: RawJSON, _ name: String, in directory: String) -> APNsKey? {
    let keyID = keyID(entry["keyId"]?.stringValue, "\(name).keyId")
    let teamID = teamID(entry["teamId"]?.stringValue, "\(name).teamId")
    let path = entry["path"]?.nonEmptyText.map { $0.hasPrefix("/") ? $0 : "\(directory)\($0)" }
    let source = key(entry["key"]?.nonEmptyText, path, ("\(name).key", "\(name).path"))
    let environments = values(entry["environments"], "\(name).environments", #"must list "sandbox" or "production""#) {
      PushEnvironment(rawValue: $0)
    }
    let topics = values(entry["topics"], "\(name).topics", "must list bundle ids such as com.example.app") {
      Self.bundleID($0)
    }
    guard let keyID, let teamID, let source, let environments, let topics else { return nil }
    return APNsKey(
      keyID: keyID, teamID: teamID, environments: environments.map { Set($0) } ?? Set(PushEnvironment.allCases),
      topics: topics.map { Set($0) }, source: source)
  }

  /// A list of at least one value: `.some(nil)` if there is no list, `nil` if it is wrong.
  private mutating func values<Value>(
    _ json: RawJSON?, _ name: String, _ rule: String, _ read: (String) -> Value?
  ) -> [Value]?? {
    guard let json, json.kind != .null else { return .some(nil) }
    let values = json.elements?.map { $0.stringValue.flatMap(read) }
    guard let values, !values.isEmpty, !values.contains(where: { $0 == nil }) else {
      problems.append("\(name) \(rule)")
      return nil
    }
    return .some(values.compactMap(\.self))
  }
}

extension ConfigurationReader {
  /// Apple's servers, or that of `APNS_URL`, with another for the sandbox where `APNS_SANDBOX_URL` names one.
  mutating func server() -> APNsConfiguration.Server? {
    let authority = environment["APNS_CA_PATH"]
    guard environment["APNS_URL"] != nil else {
      for name in ["APNS_CA_PATH", "APNS_SANDBOX_URL"] where environment[name] != nil {
        problems.append("\(name) is only for a server named by APNS_URL")
      }
      return .apple
    }
    guard let production = endpoint("APNS_URL"),
      let sandbox = environment["APNS_SANDBOX_URL"] == nil ? production : endpoint("APNS_SANDBOX_URL")
    else { return nil }
    guard authority != nil else { return .other(production: production, sandbox: sandbox, .system) }
    if production.isApple || sandbox.isApple { problems.append("APNS_CA_PATH is refused for Apple's servers") }
    return value("APNS_CA_PATH", "must name a readable file") { FileContents.read($0).map { _ in authority ?? "" } }
      .map { .other(production: production, sandbox: sandbox, .certificateAuthority(path: $0)) }
  }

  /// The proxy of `APNS_PROXY` for both environments, else the usual one for each.
  mutating func proxies(to server: APNsConfiguration.Server) -> [PushEnvironment: Proxy] {
    var proxies: [PushEnvironment: Proxy] = [:]
    if environment["APNS_PROXY"] != nil {
      let proxy = value("APNS_PROXY", Proxy.form, Proxy.init(url:))
      for environment in PushEnvironment.allCases { proxies[environment] = proxy }
    } else {
      for environment in PushEnvironment.allCases { proxies[environment] = proxy(to: server.endpoint(environment)) }
    }
    return proxies
  }

  /// The proxy of `HTTPS_PROXY`, unless `NO_PROXY` exempts the server: the rule for every provider's servers.
  mutating func proxy(to server: Endpoint) -> Proxy? {
    do throws(HTTP2Error) {
      return try Proxy.environment(for: server) { [environment] in environment[$0] }
    } catch {
      if !problems.contains("\(error)") { problems.append("\(error)") }
      return nil
    }
  }

  mutating func endpoint(_ name: String) -> Endpoint? {
    value(name, "must be https://host or https://host:port", Endpoint.init(url:))
  }
}

extension ConfigurationReader {
  /// The list that a variable holds as JSON, or that the file holds which another variable names.
  struct List {
    let entries: [RawJSON]
    /// The variable.
    let name: String
    /// The folder with which paths in it begin.
    let directory: String
  }

  /// Reads the list of `NAME`, or of the file of `NAME_PATH`; `nil` if neither is set or the list is malformed.
  ///
  /// - Parameter shape: of the document, which has the list in the member `member`.
  mutating func list(_ name: String, _ member: String, _ shape: String) -> List? {
    let file = "\(name)_PATH"
    let (text, path) = (environment[name], environment[file])
    guard text != nil || path != nil, areOneAtMost(text, path, (name, file)) else { return nil }
    let bytes = text.map { Array(KeyText.plain($0).utf8) } ?? path.flatMap(FileContents.read)
    guard let bytes, let json = try? RawJSON(validating: bytes[...]), let entries = json[member]?.elements,
      !entries.isEmpty
    else {
      problems.append(text == nil ? "\(file) must name a readable JSON file \(shape)" : "\(name) must be JSON \(shape)")
      return nil
    }
    let directory = path.flatMap { path in path.lastIndex(of: "/").map { String(path[...$0]) } } ?? ""
    return List(entries: entries, name: text == nil ? file : name, directory: directory)
  }
}

extension RawJSON {
  /// A text that is not empty.
  var nonEmptyText: String? { stringValue.flatMap { $0.isEmpty ? nil : $0 } }
}
