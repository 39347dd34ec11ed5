package import FunctionKit
import HTTP2

extension FCMConfiguration {
  /// Reads `FCM_SERVICE_ACCOUNT_PATH` (a service account's JSON file), `FCM_SERVICE_ACCOUNTS_PATH` (a JSON file
  /// `{"accounts":[{"app":"messageai","path":"…"}]}` with paths relative to it), `FCM_MESSAGES_PER_MINUTE`, and for
  /// another server than Google's `FCM_URL` and `FCM_CA_PATH`; `nil` when neither of the first two is set.
  ///
  /// - Throws: ``FunctionError/Code/misconfigured`` with one sentence that names everything that is missing or wrong.
  package init?(_ environment: Environment) throws(FunctionError) {
    guard Self.isWanted(by: environment) else { return nil }
    var problems: [String] = []
    fallback = Self.fallback(environment, &problems)
    accounts = Self.accounts(environment, &problems)
    messagesPerMinute = Self.messagesPerMinute(environment, &problems)
    (endpoint, trust) = Self.server(environment, &problems)
    guard problems.isEmpty else { throw FunctionError(.misconfigured, problems.joined(separator: "; ") + ".") }
  }

  /// Whether the environment asks for messages by FCM.
  package static func isWanted(by environment: Environment) -> Bool {
    environment["FCM_SERVICE_ACCOUNT_PATH"] != nil || environment["FCM_SERVICE_ACCOUNTS_PATH"] != nil
  }

  private static func fallback(_ environment: Environment, _ problems: inout [String]) -> ServiceAccount? {
    guard let path = environment["FCM_SERVICE_ACCOUNT_PATH"] else { return nil }
    do {
      return try ServiceAccount(path: path)
    } catch {
      problems.append("FCM_SERVICE_ACCOUNT_PATH names a file that \(error)")
      return nil
    }
  }

  private static func accounts(_ environment: Environment, _ problems: inout [String]) -> [String: ServiceAccount] {
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

  private static func messagesPerMinute(_ environment: Environment, _ problems: inout [String]) -> Int {
    guard let text = environment["FCM_MESSAGES_PER_MINUTE"] else { return defaultMessagesPerMinute }
    guard let number = Int(text), (60...60_000_000).contains(number) else {
      problems.append("FCM_MESSAGES_PER_MINUTE must be a whole number from 60")
      return defaultMessagesPerMinute
    }
    return number
  }

  private static func server(_ environment: Environment, _ problems: inout [String]) -> (Endpoint, Trust) {
    let authority = environment["FCM_CA_PATH"]
    guard let url = environment["FCM_URL"] else {
      if authority != nil { problems.append("FCM_CA_PATH is only for a server named by FCM_URL") }
      return (google, .system)
    }
    guard let endpoint = Endpoint(url: url) else {
      problems.append("FCM_URL must be https://host or https://host:port")
      return (google, .system)
    }
    guard let authority else { return (endpoint, .system) }
    if isGoogle(endpoint.host) { problems.append("FCM_CA_PATH is refused for Google's servers") }
    if FileContents.read(authority) == nil { problems.append("FCM_CA_PATH must name a readable file") }
    return (endpoint, .certificateAuthority(path: authority))
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
