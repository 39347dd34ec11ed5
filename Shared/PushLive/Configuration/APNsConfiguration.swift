import HTTP2
public import Notifications

/// The keys, the apps and the servers that pushes go out with.
public struct APNsConfiguration: Sendable {
  /// FeedbackKit's topic, for devices that name no bundle id of their own.
  public let bundleID: String
  /// The topics of apps, by their names in `device_tokens.app`.
  let topics: [String: String]
  /// The environment of devices that name none.
  public let environment: PushEnvironment
  /// The signing keys; those of the file of keys after the one of the environment.
  public let keys: [APNsKey]
  let server: Server
  /// The proxy that connections are tunnelled through.
  let proxy: Proxy?

  /// Where pushes go.
  enum Server: Sendable, Equatable {
    /// Apple's servers, one for each environment.
    case apple
    /// Another one for each environment, which may be the same.
    case other(production: Endpoint, sandbox: Endpoint, Trust)
  }

  /// The key for an app: one that names the topic before one for all topics, and among equals the first.
  func key(for app: APNsApp) -> APNsKey? {
    let usable = keys.filter { $0.environments.contains(app.environment) }
    return usable.first { $0.topics?.contains(app.topic) == true } ?? usable.first { $0.topics == nil }
  }

  /// The topic of an app's devices that name no bundle id of their own; `nil` where none is configured.
  ///
  /// Another app's topic would end the devices.
  public func topic(of app: String) -> String? { topics[app] ?? (app == App.feedbackKit.rawValue ? bundleID : nil) }

  /// Every topic of devices that name none.
  public var allTopics: Set<String> { Set(App.allCases.compactMap { topic(of: $0.rawValue) }) }

  /// The key that signs for a topic in an environment; `nil` where none may.
  public func key(for topic: String, in environment: PushEnvironment) -> APNsKey? {
    key(for: APNsApp(environment: environment, topic: topic))
  }

  /// The server of an environment.
  ///
  /// Source: [Sending notification requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns).
  func endpoint(_ environment: PushEnvironment) -> Endpoint {
    switch (server, environment) {
    case (.other(let endpoint, _, _), .production), (.other(_, let endpoint, _), .sandbox): endpoint
    case (.apple, .production): Endpoint(host: "api.push.apple.com", port: 443)
    case (.apple, .sandbox): Endpoint(host: "api.sandbox.push.apple.com", port: 443)
    }
  }

  /// Whether pushes go to Apple's own servers.
  public var isForApple: Bool {
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
