import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// Settings of APNs and FCM that cannot be used.
@Suite(.heavy)
struct FaultySettingsTests {
  /// `runner doctor` shows them, too.
  @Test func theSettingsAloneAreCheckedWithoutADatabase() async throws {
    let scene = try await DoctorScene()
    let nowhere = ["DATABASE_URL": "postgresql:///x?host=/nonexistent"]

    let right = try await scene.findings(["--settings"], nowhere)
    let wrong = try await scene.findings(["--settings"], nowhere.merging(["APNS_PRODUCTION": ""]) { $1 })

    #expect(right.allSatisfy { $0.hasPrefix("ok APNs") || $0.hasPrefix("ok FCM") } && !right.isEmpty)
    #expect(
      wrong.filter { !$0.hasPrefix("ok ") } == ["MISSING APNs: APNS_PRODUCTION is missing: it must be true or false"])
    #expect(try await scene.examine(["--settings", "--live"]).exit == 64)
  }

  /// Settings that make a provider's configuration unusable although its key or account is there.
  @Test(arguments: [
    (["APNS_PRODUCTION": ""], "APNs"), (["APNS_BUNDLE_ID": ""], "APNs"), (["APNS_TEAM_ID": ""], "APNs"),
    (["HTTPS_PROXY": "ftp://x"], "APNs"), (["FCM_MESSAGES_PER_MINUTE": "none"], "FCM"),
    (["FCM_SERVICE_ACCOUNT_PATH": "/no.json"], "FCM"), (["HTTPS_PROXY": "ftp://x"], "FCM"),
  ])
  func devicesOfAFaultyProviderAreNotToldToConfigureIt(_ changes: [String: String], _ provider: String) async throws {
    let scene = try await DoctorScene()
    try await scene.database.script(
      """
      INSERT INTO users (id, email, name) VALUES ('a0000000-0000-4000-8000-000000000001', 'a@example.com', 'Ada');
      INSERT INTO device_tokens (user_id, token, platform, app, provider)
      VALUES ('a0000000-0000-4000-8000-000000000001', '1', 'iOS', 'feedbackkit', '\(provider.lowercased())');
      """)

    // Only a server of another name needs a proxy.
    let findings = try await scene.findings([], try changes["HTTPS_PROXY"].map(scene.behind) ?? changes)

    #expect(findings.contains("warning devices: 1 of feedbackkit wait: \(provider) is configured wrongly, see above"))
    #expect(findings.contains { $0.hasPrefix("MISSING \(provider): ") })
    #expect(!findings.contains { $0.contains("not configured") })
  }
}
