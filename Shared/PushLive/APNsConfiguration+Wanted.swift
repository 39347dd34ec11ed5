package import FunctionKit

extension APNsConfiguration {
  /// Whether the environment asks for pushes by APNs.
  package static func isWanted(by environment: Environment) -> Bool {
    ["APNS_KEY_ID", "APNS_TEAM_ID", "APNS_KEY_PATH", "APNS_KEYS_PATH"].contains { environment[$0] != nil }
  }
}
