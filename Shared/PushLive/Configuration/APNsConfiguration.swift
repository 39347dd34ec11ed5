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
}
