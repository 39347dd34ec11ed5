import CLI
import FoundationEssentials
import FunctionKit
import Locales
import PushLive

/// All checks, in the order of the report.
struct Examination {
  /// The extent of the checks.
  struct Scope {
    /// Whether only the settings of the providers are.
    let isOfSettings: Bool
    let isLive: Bool
    /// Whether Apple's production servers may be asked.
    let asksProduction: Bool
    /// Whether FCM is asked if it would accept a message.
    let validates: Bool
  }

  private let environment: Environment
  private let scope: Scope

  init(_ environment: Environment, _ scope: Scope) {
    (self.environment, self.scope) = (environment, scope)
  }

  func findings() async -> [Finding] {
    var findings: [Finding] = []
    var faults: [String] = []
    var apns: APNsKeys?
    var fcm: FCMConfiguration?
    do {
      apns = try APNsKeys(environment)
      findings += apns?.findings ?? [.ok("APNs", "not configured: devices with an APNs token wait")]
    } catch {
      faults.append(Self.sentence(error))
      findings += Self.problems("APNs", error)
    }
    do {
      fcm = try FCMConfiguration(environment)
      findings +=
        fcm.map { FCMAccounts($0, environment).findings }
        ?? [.ok("FCM", "not configured: devices with an FCM token wait")]
    } catch {
      faults.append(Self.sentence(error))
      findings += Self.problems("FCM", error)
    }
    guard !scope.isOfSettings else { return findings }
    if !APNsConfiguration.isWanted(by: environment), !FCMConfiguration.isWanted(by: environment) {
      findings.append(
        .missing("provider", "set APNS_KEY_ID, APNS_TEAM_ID and APNS_KEY_PATH, or FCM_SERVICE_ACCOUNT_PATH"))
    }
    if environment["PUSH_EMULATOR_URL"].map({ $0 == environment["APNS_URL"] }) ?? false, !environment.isDatabaseLocal {
      findings.append(
        .missing("emulator", "it answers in Apple's and Google's place, but the database is not local: deliveries wait")
      )
    }
    if LocaleFormats.version == nil {
      findings.append(
        .warning(
          "ICU",
          "missing (apt-get install libicu72, or the one of your system; in an image, Runner/DEPLOYING.md says how): times, "
            + "numbers and plurals are as in English in every language"))
    }
    findings += OwnTextsCheck(environment).findings + UnreadRulesCheck(environment).findings
    let clock = await DomainClock(environment)
    findings += await DatabaseCheck(environment).findings(apns, fcm, besides: faults, clock)
    guard scope.isLive else { return findings }
    if let apns { findings += await LiveAPNs(apns.probe).findings(apns, asksProduction: scope.asksProduction) }
    if let fcm { findings += await LiveFCM(fcm).findings(validating: scope.validates, clock) }
    return findings
  }

  // A configuration's error names all its problems in one sentence.
  private static func problems(_ check: String, _ error: FunctionError) -> [Finding] {
    sentence(error).split(separator: "; ").map { .missing(check, String($0)) }
  }

  private static func sentence(_ error: FunctionError) -> String {
    error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message
  }
}
