import FoundationEssentials
import FunctionKit
public import HTTP2

/// The service accounts and the server that messages go out with.
public struct FCMConfiguration: Sendable {
  /// The account of every app that has none of its own.
  public let fallback: ServiceAccount?
  /// The accounts of single apps, by the app's name in `device_tokens.app`.
  public let accounts: [String: ServiceAccount]
  /// How many messages a minute go out for one project at most.
  public let messagesPerMinute: Int
  /// Where messages are sent.
  public let endpoint: Endpoint
  /// The authority that vouches for the server.
  public let trust: Trust

  /// FCM itself.
  ///
  /// Source: [FCM HTTP v1, messages:send](https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages/send).
  public static let google = Endpoint(host: "fcm.googleapis.com", port: 443)
  /// What FCM grants every project.
  ///
  /// Source: [Quotas and limits](https://firebase.google.com/docs/cloud-messaging/throttling-and-quotas).
  public static let defaultMessagesPerMinute = 600_000

  /// Whether messages go to Google's own servers, or accounts ask them for access tokens.
  public var isForGoogle: Bool {
    Self.isGoogle(endpoint.host)
      || projects.contains { URLComponents(string: $0.tokenURI)?.host.map(Self.isGoogle) ?? true }
  }

  /// The account that serves an app, `nil` when none does.
  public func account(for app: String) -> ServiceAccount? { accounts[app] ?? fallback }

  /// One account for each project.
  public var projects: [ServiceAccount] {
    let all = accounts.sorted { $0.key < $1.key }.map(\.value) + (fallback.map { [$0] } ?? [])
    return all.reduce(into: []) { projects, account in
      if !projects.contains(where: { $0.projectID == account.projectID }) { projects.append(account) }
    }
  }
}
