import FoundationEssentials
import FunctionKit
import Notifications

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
