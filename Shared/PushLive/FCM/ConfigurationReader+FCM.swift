import FunctionKit
import HTTP2

extension ConfigurationReader {
  /// The account of `FCM_SERVICE_ACCOUNT_PATH`.
  mutating func fallbackAccount() -> ServiceAccount? {
    guard let path = environment["FCM_SERVICE_ACCOUNT_PATH"] else { return nil }
    do {
      return try ServiceAccount(path: path)
    } catch {
      problems.append("FCM_SERVICE_ACCOUNT_PATH names a file that \(error)")
      return nil
    }
  }

  /// The accounts that the file of `FCM_SERVICE_ACCOUNTS_PATH` names, by their apps.
  mutating func accounts() -> [String: ServiceAccount] {
    guard let path = environment["FCM_SERVICE_ACCOUNTS_PATH"] else { return [:] }
    guard let entries = ServiceAccountList(path: path) else {
      problems.append(#"FCM_SERVICE_ACCOUNTS_PATH must name a file {"accounts":[{"app":"…","path":"…"}]}"#)
      return [:]
    }
    var accounts: [String: ServiceAccount] = [:]
    for entry in entries.accounts {
      do {
        if accounts.updateValue(try ServiceAccount(path: entry.path), forKey: entry.app) != nil {
          problems.append("FCM_SERVICE_ACCOUNTS_PATH names the app \(entry.app) twice")
        }
      } catch {
        problems.append("FCM_SERVICE_ACCOUNTS_PATH names for \(entry.app) a file that \(error)")
      }
    }
    return accounts
  }

  /// The quota of `FCM_MESSAGES_PER_MINUTE`, or every project's.
  mutating func messagesPerMinute() -> Int {
    guard let text = environment["FCM_MESSAGES_PER_MINUTE"] else { return FCMConfiguration.defaultMessagesPerMinute }
    return value(text, "FCM_MESSAGES_PER_MINUTE", "must be a whole number from 60") { text in
      Int(text).flatMap { (60...60_000_000).contains($0) ? $0 : nil }
    } ?? FCMConfiguration.defaultMessagesPerMinute
  }

  /// Google's server, or that of `FCM_URL`, and the authority that vouches for it.
  mutating func messageServer() -> (Endpoint, Trust) {
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

/// The file that names the accounts of several apps.
struct ServiceAccountList {
  /// The accounts.
  ///
  /// Their paths are relative to the working directory now.
  let accounts: [(app: String, path: String)]

  /// Reads the file; `nil` if it cannot be read or is malformed.
  init?(path: String) {
    guard let bytes = FileContents.read(path), let json = try? RawJSON(validating: bytes[...]),
      let entries = json["accounts"]?.elements, !entries.isEmpty
    else { return nil }
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    var accounts: [(app: String, path: String)] = []
    for entry in entries {
      guard let app = entry["app"]?.stringValue, let file = entry["path"]?.stringValue, !file.isEmpty else {
        return nil
      }
      accounts.append((app, file.hasPrefix("/") ? file : folder + file))
    }
    self.accounts = accounts
  }
}
