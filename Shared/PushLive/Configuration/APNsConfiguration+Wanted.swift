package import FunctionKit

extension APNsConfiguration {
  /// Whether the environment asks for pushes by APNs.
  package static func isWanted(by environment: Environment) -> Bool {
    hasOwnKey(environment) || hasListedKeys(environment)
  }

  static func hasOwnKey(_ environment: Environment) -> Bool {
    ["APNS_KEY_ID", "APNS_TEAM_ID", "APNS_KEY", "APNS_KEY_PATH"].contains { environment[$0] != nil }
  }

  static func hasListedKeys(_ environment: Environment) -> Bool {
    environment["APNS_KEYS"] != nil || environment["APNS_KEYS_PATH"] != nil
  }
}
