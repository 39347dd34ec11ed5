import CLI
import FoundationEssentials
import Notifications
import PushLive

/// Asks APNs' servers without a credential.
struct LiveAPNs {
  private let probe: APNsProbe

  init(_ probe: APNsProbe) {
    self.probe = probe
  }

  /// Production's servers are asked only on demand, unless they are the configured ones of another address.
  func findings(_ keys: APNsKeys, asksProduction: Bool) async -> [Finding] {
    let asked = Self.environments(
      isApple: !probe.isElsewhere, configured: keys.environment, asksProduction: asksProduction)
    var findings: [Finding] = []
    for environment in asked { findings += await self.findings(environment) }
    if !asked.contains(.production), keys.serve(.production) {
      findings.append(.ok("APNs live", "\(probe.host(.production)) was not asked: --production"))
    }
    return findings
  }

  /// The environments whose servers are asked: only Apple's sandbox, or at another address those of the configured one,
  /// unless production is wanted, too.
  static func environments(
    isApple: Bool, configured: PushEnvironment, asksProduction: Bool
  ) -> [PushEnvironment] {
    let usual = isApple ? .sandbox : configured
    return asksProduction && usual != .production ? [usual, .production] : [usual]
  }

  private func findings(_ environment: PushEnvironment) async -> [Finding] {
    let host = probe.host(environment)
    let before = Date.now
    do {
      let answer = try await probe.ask(environment)
      let after = Date.now
      var findings = [finding(answer, host)]
      // The field has whole seconds, so it may be almost a second old.
      if let date = answer.date {
        let skew = ClockSkew(theirs: date, before: before.addingTimeInterval(-1), after: after)
        findings.append(skew.finding(host))
      }
      return findings
    } catch {
      let advice = error.cause.advice(
        authority: "APNS_CA_PATH", proxies: "HTTPS_PROXY and APNS_PROXY", ports: "443 (or 2197)")
      return [.missing("APNs live", "\(host): \(error); \(advice)")]
    }
  }

  private func finding(_ answer: APNsProbe.Answer, _ host: String) -> Finding {
    guard answer.status == 403, answer.reason == APNsReason.missingProviderToken.rawValue else {
      let got = "\(answer.status) \(answer.reason ?? "without a reason")"
      return .missing("APNs live", "\(host) answers \(got) in place of 403 MissingProviderToken: it is not APNs")
    }
    return .ok("APNs live", "\(host) answers as APNs does")
  }
}
