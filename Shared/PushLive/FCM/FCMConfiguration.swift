import FunctionKit
package import HTTP2

/// The service accounts and the server for messages.
package struct FCMConfiguration: Sendable {
  /// The account of every app without its own account.
  package let fallback: ServiceAccount?
  /// The accounts of single apps, by the app's name in `device_tokens.app`.
  package let accounts: [String: ServiceAccount]
  /// The most messages per minute for one project.
  package let messagesPerMinute: Int
  /// The server for messages.
  package let endpoint: Endpoint
  /// The authority that vouches for the server.
  package let trust: Trust
  /// The proxy for messages.
  let proxy: Proxy?
  /// The proxies for access tokens, where there are any.
  let tokenProxies: [Endpoint: Proxy]

  /// FCM itself.
  ///
  /// Source: [FCM HTTP v1, messages:send](https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages/send).
  package static let google = Endpoint(host: "fcm.googleapis.com", port: 443)
  /// FCM's quota for every project.
  ///
  /// Source: [Quotas and limits](https://firebase.google.com/docs/cloud-messaging/throttling-and-quotas).
  package static let defaultMessagesPerMinute = 600_000

  /// Whether messages go to Google's own servers, or accounts ask them for access tokens.
  package var isForGoogle: Bool {
    Self.isGoogle(endpoint.host) || projects.contains { Self.isGoogle($0.tokenServer.host) }
  }

  /// The account that serves an app, `nil` when none does.
  package func account(for app: String) -> ServiceAccount? { accounts[app] ?? fallback }

  /// One account for each project.
  package var projects: [ServiceAccount] { Self.projects(accounts, fallback) }

  static func projects(_ accounts: [String: ServiceAccount], _ fallback: ServiceAccount?) -> [ServiceAccount] {
    let all = accounts.sorted { $0.key < $1.key }.map(\.value) + (fallback.map { [$0] } ?? [])
    return all.reduce(into: []) { projects, account in
      if !projects.contains(where: { $0.projectID == account.projectID }) { projects.append(account) }
    }
  }
}
