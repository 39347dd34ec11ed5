import FunctionKit
import HTTP2
public import Notifications
import Signing

/// The key, the app and the servers that pushes go out with.
public struct APNsConfiguration: Sendable {
  /// The key's id, ten characters.
  public let keyID: String
  /// The team's id, ten characters.
  public let teamID: String
  /// The topic of devices that name no bundle id of their own.
  public let bundleID: String
  /// The environment of devices that name none.
  public let environment: PushEnvironment
  let key: Secret<SigningKey>
  let server: Server

  /// Where pushes go.
  enum Server: Sendable, Equatable {
    /// Apple's servers, one for each environment.
    case apple
    /// One server for both environments.
    case other(Endpoint, Trust)
  }

  /// The server of an environment.
  ///
  /// Source: [Sending notification requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns).
  func endpoint(_ environment: PushEnvironment) -> Endpoint {
    switch (server, environment) {
    case (.other(let endpoint, _), _): endpoint
    case (.apple, .production): Endpoint(host: "api.push.apple.com", port: 443)
    case (.apple, .sandbox): Endpoint(host: "api.sandbox.push.apple.com", port: 443)
    }
  }

  /// A provider token that is dated so, in seconds since 1970.
  func token(issuedAt: Int) throws -> String {
    try JWT.signed(with: key.exposed, keyID: keyID, issuer: teamID, issuedAt: issuedAt)
  }

  var trust: Trust {
    switch server {
    case .apple: .system
    case .other(_, let trust): trust
    }
  }
}
