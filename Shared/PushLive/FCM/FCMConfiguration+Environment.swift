package import FunctionKit
import HTTP2

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
  static func isGoogle(_ host: String) -> Bool {
    let host = host.lowercased()
    return ["googleapis.com", "google.com"].contains {
      host == $0 || host.hasSuffix("." + $0) || host.hasSuffix($0 + ".")
    }
  }
}
