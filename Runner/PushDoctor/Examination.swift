import FoundationEssentials
import FunctionKit
import PushLive

/// Everything that is looked at, in the order in which it is told.
struct Examination {
  private let environment: Environment
  private let options: Options

  init(_ environment: Environment, _ options: Options) {
    (self.environment, self.options) = (environment, options)
  }

  func findings() async -> [Finding] {
    var findings: [Finding] = []
    var apns: APNsKeys?
    var fcm: FCMConfiguration?
    do {
      apns = try APNsKeys(environment)
      findings += apns?.findings ?? [.ok("APNs", "not configured: devices with an APNs token wait")]
    } catch {
      findings += Self.problems("APNs", error)
    }
    do {
      fcm = try FCMConfiguration(environment)
      findings +=
        fcm.map { FCMAccounts($0, environment).findings }
        ?? [.ok("FCM", "not configured: devices with an FCM token wait")]
    } catch {
      findings += Self.problems("FCM", error)
    }
    if !APNsConfiguration.isWanted(by: environment), !FCMConfiguration.isWanted(by: environment) {
      findings.append(
        .missing("provider", "set APNS_KEY_ID and its kin for APNs, or FCM_SERVICE_ACCOUNT_PATH for FCM"))
    }
    if environment["PUSH_EMULATOR_URL"].map({ $0 == environment["APNS_URL"] }) ?? false, !environment.isDatabaseLocal {
      findings.append(
        .missing("emulator", "it answers in Apple's and Google's place, but the database is not local: deliveries wait")
      )
    }
    let clock = await DomainClock(environment)
    findings += await DatabaseCheck(environment).findings(apns, fcm, clock)
    guard options.isLive else { return findings }
    if let apns { findings += await LiveAPNs(apns.probe).findings(apns, asksProduction: options.asksProduction) }
    if let fcm { findings += await LiveFCM(fcm).findings(validating: options.validates, clock) }
    return findings
  }

  // A configuration names everything that is wrong with it in one sentence.
  private static func problems(_ check: String, _ error: FunctionError) -> [Finding] {
    let sentence = error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message
    return sentence.split(separator: "; ").map { .missing(check, String($0)) }
  }
}
