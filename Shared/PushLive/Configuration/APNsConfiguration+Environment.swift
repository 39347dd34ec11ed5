package import FunctionKit
import Notifications

extension APNsConfiguration {
  /// Reads the keys, the app of devices that name no app, and the server.
  ///
  /// One key: `APNS_KEY_ID`, `APNS_TEAM_ID` and `APNS_KEY_PATH` (a `.p8` file), or `APNS_KEY` (its text). Several:
  /// `APNS_KEYS_PATH`, a JSON file, or `APNS_KEYS`, its text.
  /// `APNS_BUNDLE_ID` (FeedbackKit's), `APNS_TOPICS` (`app=bundle id,…`; the last of two for one app counts) and
  /// `APNS_PRODUCTION` (`true` or `false`) are for devices without their own. `APNS_URL` and `APNS_CA_PATH` are for
  /// another server than Apple's; `APNS_PROXY`, or `HTTPS_PROXY` and `NO_PROXY`, are for a proxy.
  ///
  /// - Throws: ``FunctionError/Code/misconfigured`` with one sentence that names everything that is missing or wrong.
  package init(_ environment: Environment) throws(FunctionError) {
    var reader = ConfigurationReader(environment: environment)
    let ownKey = Self.hasOwnKey(environment) || !Self.hasListedKeys(environment) ? reader.ownKey() : nil
    let bundleID = reader.bundleID(environment["APNS_BUNDLE_ID"], "APNS_BUNDLE_ID")
    let topics = reader.topics()
    let production = reader.value("APNS_PRODUCTION", "must be true or false") { Bool($0) }
    let keys = [ownKey].compactMap(\.self) + reader.listedKeys()
    let server = reader.server()
    let proxies = server.map { reader.proxies(to: $0) }
    guard let bundleID, let production, let server, let proxies, reader.problems.isEmpty else {
      throw reader.misconfiguration
    }
    self.init(
      bundleID: bundleID, topics: topics, environment: production ? .production : .sandbox, keys: keys, server: server,
      proxies: proxies)
    guard key(for: APNsApp(environment: self.environment, topic: bundleID)) == nil else { return }
    let list = environment["APNS_KEYS"] == nil ? "APNS_KEYS_PATH" : "APNS_KEYS"
    reader.problems.append("\(list) has no key for \(bundleID) in \(self.environment.rawValue)")
    throw reader.misconfiguration
  }
}
