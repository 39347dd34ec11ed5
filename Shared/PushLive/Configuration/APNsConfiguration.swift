import EventLoop
package import FunctionKit
import HTTP2
package import Notifications

/// The keys, the apps and the servers for pushes.
package struct APNsConfiguration: Sendable {
  /// FeedbackKit's topic, for its devices that name no bundle id.
  package let bundleID: String
  /// The topics of apps, by their names in `device_tokens.app`.
  let topics: [String: String]
  /// The environment of devices that name no environment.
  package let environment: PushEnvironment
  /// The signing keys: first the key of the environment's variables, then those of the file of keys.
  package let keys: [APNsKey]
  let server: Server
  /// The proxies for connections, where there are any.
  let proxies: [PushEnvironment: Proxy]

  /// Where pushes go.
  enum Server: Sendable, Equatable {
    /// Apple's servers, one for each environment.
    case apple
    /// Another server for each environment; both may be the same.
    case other(production: Endpoint, sandbox: Endpoint, Trust)

    /// The server of an environment.
    ///
    /// Source: [Sending notification requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns).
    func endpoint(_ environment: PushEnvironment) -> Endpoint {
      switch (self, environment) {
      case (.other(let endpoint, _, _), .production), (.other(_, let endpoint, _), .sandbox): endpoint
      case (.apple, .production): Endpoint(host: "api.push.apple.com", port: 443)
      case (.apple, .sandbox): Endpoint(host: "api.sandbox.push.apple.com", port: 443)
      }
    }

    /// The server that manages the channels of an environment; another server than Apple's has both on one port.
    ///
    /// Source: [Sending channel management requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-channel-management-requests-to-apns).
    func channels(_ environment: PushEnvironment) -> Endpoint {
      guard endpoint(environment).isApple else { return endpoint(environment) }
      switch environment {
      case .production: return Endpoint(host: "api-manage-broadcast.push.apple.com", port: 2_196)
      case .sandbox: return Endpoint(host: "api-manage-broadcast.sandbox.push.apple.com", port: 2_195)
      }
    }
  }

  /// The key for an app: a key that names the topic comes before a key for all topics; among equals the first counts.
  func key(for app: APNsApp) -> APNsKey? {
    let usable = keys.filter { $0.environments.contains(app.environment) }
    return usable.first { $0.topics?.contains(app.topic) == true } ?? usable.first { $0.topics == nil }
  }

  /// The topic of an app's devices that name no bundle id; `nil` if none is configured.
  ///
  /// With another app's topic, APNs would call the devices bad, and they would be deactivated.
  package func topic(of app: String) -> String? { topics[app] ?? (app == App.default.rawValue ? bundleID : nil) }

  /// All topics for devices that name no bundle id.
  package var allTopics: Set<String> { Set(App.allCases.compactMap { topic(of: $0.rawValue) }) }

  /// The key that signs for a topic in an environment; `nil` if there is none.
  package func key(for topic: String, in environment: PushEnvironment) -> APNsKey? {
    key(for: APNsApp(environment: environment, topic: topic))
  }

  func endpoint(_ environment: PushEnvironment) -> Endpoint { server.endpoint(environment) }

  /// Whether pushes go to Apple's own servers.
  package var isForApple: Bool {
    switch server {
    case .apple: true
    case .other(let production, let sandbox, _): production.isApple || sandbox.isApple
    }
  }

  var trust: Trust {
    switch server {
    case .apple: .system
    case .other(_, _, let trust): trust
    }
  }
}

/// An app as APNs knows it.
struct APNsApp: Hashable, Sendable {
  var environment: PushEnvironment
  var topic: String

  /// The app with the topic that pushes of a type have.
  func with(_ pushType: String) -> APNsApp {
    PushType(rawValue: pushType).map { APNsApp(environment: environment, topic: $0.topic(topic)) } ?? self
  }
}

extension APNsConfiguration {
  /// The destination of a push.
  func app(of push: QueuedPush) -> APNsApp {
    var app = home(of: push)
    if let probe = push.probe { app.environment = probe }
    return app
  }

  /// The app and environment of a push's device.
  ///
  /// If no topic is known, nothing is sent.
  func home(of push: QueuedPush) -> APNsApp {
    APNsApp(
      environment: push.device.environment ?? environment,
      topic: push.device.topic ?? topic(of: push.device.app) ?? "")
  }

  /// Opens a connection to an environment's server, through the proxy if there is one.
  func connect(
    _ environment: PushEnvironment, within limit: Duration, on loop: EventLoop
  ) async throws(HTTP2Error) -> HTTP2Client {
    try await HTTP2Client.connect(
      to: endpoint(environment), trust: trust, proxy: proxies[environment], connectTimeout: limit, keepAlive: nil,
      loop: loop)
  }
}

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

  /// Whether the environment asks for pushes by APNs.
  package static func isWanted(by environment: Environment) -> Bool {
    hasOwnKey(environment) || hasListedKeys(environment)
  }

  private static func hasOwnKey(_ environment: Environment) -> Bool {
    ["APNS_KEY_ID", "APNS_TEAM_ID", "APNS_KEY", "APNS_KEY_PATH"].contains { environment[$0] != nil }
  }

  private static func hasListedKeys(_ environment: Environment) -> Bool {
    environment["APNS_KEYS"] != nil || environment["APNS_KEYS_PATH"] != nil
  }
}
