import CLI
import FunctionKit
import PushLive

/// The service accounts of FCM's configuration.
struct FCMAccounts {
  private let configuration: FCMConfiguration
  private let environment: Environment

  init(_ configuration: FCMConfiguration, _ environment: Environment) {
    (self.configuration, self.environment) = (configuration, environment)
  }

  var findings: [Finding] {
    var findings = configuration.accounts.sorted { $0.key < $1.key }.map { app, account in
      Finding.ok("FCM", "project \(account.projectID) for \(app), as \(account.clientEmail)")
    }
    if let account = configuration.fallback {
      let others = configuration.accounts.isEmpty ? "all apps" : "all other apps"
      findings.append(.ok("FCM", "project \(account.projectID) for \(others), as \(account.clientEmail)"))
    }
    let accounts = Array(configuration.accounts.values) + [configuration.fallback].compactMap(\.self)
    let paths = Set(accounts.compactMap(\.path))
    return findings + paths.sorted().flatMap { CheckedKeyFile(path: $0).findings(named: "FCM account") }
  }
}
