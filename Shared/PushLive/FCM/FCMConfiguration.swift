import EventLoop
package import FunctionKit
package import HTTP2
import HTTPClient

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
  static let defaultMessagesPerMinute = 600_000

  /// Whether messages go to Google's own servers, or accounts ask them for access tokens.
  package var isForGoogle: Bool {
    Self.isGoogle(endpoint.host) || projects.contains { Self.isGoogle($0.tokenServer.host) }
  }

  /// The account that serves an app, `nil` when none does.
  package func account(for app: String) -> ServiceAccount? { accounts[app] ?? fallback }

  /// One account for each project.
  package var projects: [ServiceAccount] { Self.projects(accounts, fallback) }

  private static func projects(_ accounts: [String: ServiceAccount], _ fallback: ServiceAccount?) -> [ServiceAccount] {
    let all = accounts.sorted { $0.key < $1.key }.map(\.value) + (fallback.map { [$0] } ?? [])
    return all.reduce(into: []) { projects, account in
      if !projects.contains(where: { $0.projectID == account.projectID }) { projects.append(account) }
    }
  }
}

extension FCMConfiguration {
  /// Opens a connection to FCM, through the proxy if there is one.
  func connect(within limit: Duration, on loop: EventLoop) async throws(HTTP2Error) -> HTTP2Client {
    try await HTTP2Client.connect(to: endpoint, trust: trust, proxy: proxy, connectTimeout: limit, loop: loop)
  }

  /// Asks for an account's access tokens, through the proxy if there is one.
  func tokenClient(for account: ServiceAccount, within limit: Duration) -> HTTPClient {
    HTTPClient(
      trust: trust(for: account), proxy: HTTPProxy(tokenProxies[account.tokenServer]), limits: HTTPLimits(total: limit))
  }

  /// The authority that vouches for the server of an account's access tokens.
  func trust(for account: ServiceAccount) -> HTTPTrust {
    guard case .certificateAuthority(let path) = trust, !Self.isGoogle(account.tokenServer.host) else {
      return .system
    }
    return .certificateAuthority(path: path)
  }
}

extension HTTPProxy {
  fileprivate init(_ proxy: Proxy?) {
    self =
      proxy.map {
        .server(host: $0.endpoint.host, port: $0.endpoint.port, authorization: $0.authorization)
      } ?? .direct
  }
}

extension FCMConfiguration {
  /// Reads the accounts, the quota, the server and its proxy; `nil` when no account is set.
  ///
  /// `FCM_SERVICE_ACCOUNT_PATH` is a service account's JSON file, `FCM_SERVICE_ACCOUNTS_PATH` a JSON file
  /// `{"accounts":[{"app":"messageai","path":"…"}]}` with paths relative to it; `FCM_SERVICE_ACCOUNT` and
  /// `FCM_SERVICE_ACCOUNTS` are the texts of such files. `FCM_MESSAGES_PER_MINUTE` is the quota.
  /// `FCM_URL` and `FCM_CA_PATH` are for another server than Google's. Messages and access tokens go through the proxy
  /// of `HTTPS_PROXY`, except to what `NO_PROXY` names.
  ///
  /// - Throws: ``FunctionError/Code/misconfigured`` with one sentence that names everything that is missing or wrong.
  package init?(_ environment: Environment) throws(FunctionError) {
    guard Self.isWanted(by: environment) else { return nil }
    var reader = ConfigurationReader(environment: environment)
    let (fallback, accounts) = (reader.fallbackAccount(), reader.accounts())
    let messagesPerMinute = reader.messagesPerMinute()
    let (endpoint, trust) = reader.messageServer()
    (self.fallback, self.accounts, self.messagesPerMinute) = (fallback, accounts, messagesPerMinute)
    (self.endpoint, self.trust, proxy) = (endpoint, trust, reader.proxy(to: endpoint))
    tokenProxies = Self.projects(accounts, fallback).reduce(into: [:]) { proxies, account in
      proxies[account.tokenServer] = reader.proxy(to: account.tokenServer)
    }
    guard reader.problems.isEmpty else { throw reader.misconfiguration }
  }

  /// Whether the environment asks for messages by FCM.
  package static func isWanted(by environment: Environment) -> Bool {
    ["FCM_SERVICE_ACCOUNT", "FCM_SERVICE_ACCOUNT_PATH", "FCM_SERVICE_ACCOUNTS", "FCM_SERVICE_ACCOUNTS_PATH"].contains {
      environment[$0] != nil
    }
  }

  /// Whether it is one of Google's servers.
  ///
  /// A private authority may not vouch for their certificates.
  fileprivate static func isGoogle(_ host: String) -> Bool {
    let host = host.lowercased()
    return ["googleapis.com", "google.com"].contains {
      host == $0 || host.hasSuffix("." + $0) || host.hasSuffix($0 + ".")
    }
  }
}

extension ConfigurationReader {
  /// The account of `FCM_SERVICE_ACCOUNT`, or of the file of `FCM_SERVICE_ACCOUNT_PATH`.
  fileprivate mutating func fallbackAccount() -> ServiceAccount? {
    let (text, path) = (environment["FCM_SERVICE_ACCOUNT"], environment["FCM_SERVICE_ACCOUNT_PATH"])
    guard areOneAtMost(text, path, ("FCM_SERVICE_ACCOUNT", "FCM_SERVICE_ACCOUNT_PATH")) else { return nil }
    do throws(UnusableFile) {
      if let text { return try ServiceAccount(text: text) }
      return try path.map { path throws(UnusableFile) in try ServiceAccount(path: path) }
    } catch {
      problems.append(
        text == nil ? "FCM_SERVICE_ACCOUNT_PATH names a file that \(error)" : "FCM_SERVICE_ACCOUNT \(error)")
      return nil
    }
  }

  /// The accounts of `FCM_SERVICE_ACCOUNTS`, or of the file of `FCM_SERVICE_ACCOUNTS_PATH`, by their apps.
  fileprivate mutating func accounts() -> [String: ServiceAccount] {
    let shape = #"{"accounts":[{"app":"…","path":"…" or "account":{…}}]}"#
    guard let list = list("FCM_SERVICE_ACCOUNTS", "accounts", shape) else { return [:] }
    var accounts: [String: ServiceAccount] = [:]
    for (number, entry) in list.entries.enumerated() {
      let name = "\(list.name): accounts[\(number)]"
      guard let app = entry["app"]?.nonEmptyText else {
        problems.append("\(name).app is missing")
        continue
      }
      guard let account = account(entry, app, name, in: list) else { continue }
      if accounts.updateValue(account, forKey: app) != nil {
        problems.append("\(list.name) names the app \(app) twice")
      }
    }
    return accounts
  }

  private mutating func account(_ entry: RawJSON, _ app: String, _ name: String, in list: List) -> ServiceAccount? {
    // As a JSON object, or as text.
    let text = entry["account"].flatMap { json -> String? in
      json.kind == .object ? String(decoding: json.bytes, as: UTF8.self) : json.nonEmptyText
    }
    let path = entry["path"]?.nonEmptyText.map { $0.hasPrefix("/") ? $0 : list.directory + $0 }
    guard areOneAtMost(text, path, ("\(name).account", "\(name).path")) else { return nil }
    do throws(UnusableFile) {
      if let text { return try ServiceAccount(text: text) }
      if let path { return try ServiceAccount(path: path) }
      problems.append("\(name).path or \(name).account is missing")
    } catch {
      problems.append("\(list.name) names for \(app) \(text == nil ? "a file" : "an account") that \(error)")
    }
    return nil
  }

  /// The quota of `FCM_MESSAGES_PER_MINUTE`, or every project's.
  fileprivate mutating func messagesPerMinute() -> Int {
    guard let text = environment["FCM_MESSAGES_PER_MINUTE"] else { return FCMConfiguration.defaultMessagesPerMinute }
    return value(text, "FCM_MESSAGES_PER_MINUTE", "must be a whole number from 60") { text in
      Int(text).flatMap { (60...60_000_000).contains($0) ? $0 : nil }
    } ?? FCMConfiguration.defaultMessagesPerMinute
  }

  /// Google's server, or that of `FCM_URL`, and the authority that vouches for it.
  fileprivate mutating func messageServer() -> (Endpoint, Trust) {
    let authority = environment["FCM_CA_PATH"]
    guard environment["FCM_URL"] != nil else {
      if authority != nil { problems.append("FCM_CA_PATH is only for a server named by FCM_URL") }
      return (FCMConfiguration.google, .system)
    }
    guard let endpoint = endpoint("FCM_URL") else { return (FCMConfiguration.google, .system) }
    guard let authority else { return (endpoint, .system) }
    if FCMConfiguration.isGoogle(endpoint.host) { problems.append("FCM_CA_PATH is refused for Google's servers") }
    if FileContents.read(authority) == nil { problems.append("FCM_CA_PATH must name a readable file") }
    return (endpoint, .certificateAuthority(path: authority))
  }
}
