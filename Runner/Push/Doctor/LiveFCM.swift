import CLI
import FoundationEssentials
import PushLive

/// Asks Google for access tokens, and FCM whether it would accept a message.
struct LiveFCM {
  private let configuration: FCMConfiguration

  init(_ configuration: FCMConfiguration) {
    self.configuration = configuration
  }

  /// - Parameter clock: the clock that dates assertions, unless they are for Google.
  func findings(validating: Bool, _ clock: DomainClock) async -> [Finding] {
    var findings: [Finding] = []
    for account in configuration.projects {
      let before = Date.now
      let outcome = await FCMProbe(configuration, account).ask(
        validating: validating, now: configuration.isForGoogle ? .now : clock.now)
      let advice =
        outcome.cause.map {
          "; " + $0.advice(authority: "FCM_CA_PATH", proxies: "HTTPS_PROXY", ports: "443")
        } ?? ""
      findings.append(
        outcome.problem.map { .missing("FCM live", "\(account.projectID): \($0)\(advice)") }
          ?? .ok(
            "FCM live", "\(account.projectID): \(validating ? "a message would be taken" : "access token granted")"))
      if let date = outcome.date {
        let skew = ClockSkew(theirs: date, before: before.addingTimeInterval(-1), after: .now)
        findings.append(skew.finding(account.tokenURI))
      }
    }
    return findings
  }
}
