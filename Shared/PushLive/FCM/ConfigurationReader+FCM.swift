import FunctionKit
import HTTP2

extension ConfigurationReader {
  /// The account of `FCM_SERVICE_ACCOUNT`, or of the file of `FCM_SERVICE_ACCOUNT_PATH`.
  mutating func fallbackAccount() -> ServiceAccount? {
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
  mutating func accounts() -> [String: ServiceAccount] {
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
