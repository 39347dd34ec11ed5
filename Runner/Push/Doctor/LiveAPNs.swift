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

  /// The sandbox's server is always asked, and production's only on demand, unless it is the same one.
  func findings(_ keys: APNsKeys, asksProduction: Bool) async -> [Finding] {
    let findings = await self.findings(.sandbox)
    guard probe.host(.production) != probe.host(.sandbox) else { return findings }
    if asksProduction { return await findings + self.findings(.production) }
    guard keys.serve(.production) else { return findings }
    return findings + [.ok("APNs live", "\(probe.host(.production)) was not asked: --production")]
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
