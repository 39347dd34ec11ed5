import FoundationEssentials
import FunctionKit
import Notifications

extension ConfigurationReader {
  /// The key of `APNS_KEY_ID`, `APNS_TEAM_ID` and `APNS_KEY_PATH`, for all topics that no other key names.
  mutating func ownKey() -> APNsKey? {
    let keyID = keyID(environment["APNS_KEY_ID"], "APNS_KEY_ID")
    let teamID = teamID(environment["APNS_TEAM_ID"], "APNS_TEAM_ID")
    let file = keyFile(environment["APNS_KEY_PATH"], "APNS_KEY_PATH")
    guard let keyID, let teamID, let file else { return nil }
    return APNsKey(
      keyID: keyID, teamID: teamID, environments: Set(PushEnvironment.allCases), topics: nil, file: file)
  }

  /// The keys of the file that `APNS_KEYS_PATH` names:
  /// `{"keys":[{"keyId","teamId","path","environments"?,"topics"?}]}`, paths relative to the file.
  mutating func listedKeys() -> [APNsKey] {
    guard let path = environment["APNS_KEYS_PATH"] else { return [] }
    guard let list = Self.list(path), !list.isEmpty else {
      problems.append(#"APNS_KEYS_PATH must name a readable JSON file {"keys":[{"keyId","teamId","path"}, …]}"#)
      return []
    }
    let directory = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    return list.enumerated().compactMap { number, entry in listedKey(entry, number, in: directory) }
  }

  private static func list(_ path: String) -> [RawJSON]? {
    guard let bytes = FileContents.read(path), let json = try? RawJSON(validating: bytes[...]) else { return nil }
    return json["keys"]?.elements
  }

  private mutating func listedKey(_ entry: RawJSON, _ number: Int, in directory: Substring) -> APNsKey? {
    let name = "APNS_KEYS_PATH: keys[\(number)]"
    let keyID = keyID(entry["keyId"]?.stringValue, "\(name).keyId")
    let teamID = teamID(entry["teamId"]?.stringValue, "\(name).teamId")
    let path = entry["path"]?.stringValue.map { $0.hasPrefix("/") || $0.isEmpty ? $0 : "\(directory)\($0)" }
    let file = keyFile(path, "\(name).path")
    let environments = values(entry["environments"], "\(name).environments", #"must list "sandbox" or "production""#) {
      PushEnvironment(rawValue: $0)
    }
    let topics = values(entry["topics"], "\(name).topics", "must list bundle ids such as com.example.app") {
      Self.bundleID($0)
    }
    guard let keyID, let teamID, let file, let environments, let topics else { return nil }
    return APNsKey(
      keyID: keyID, teamID: teamID, environments: environments.map { Set($0) } ?? Set(PushEnvironment.allCases),
      topics: topics.map { Set($0) }, file: file)
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
