import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import TestSupport
import Testing

@testable import PushDelivery

/// Deliveries that could not be sent, because their provider or the way there is away.
@Suite(.heavy)
struct OutageTests {
  private static let refusal = "the proxy proxy.corp:3128 refused: HTTP/1.1 407 Proxy Authentication Required"

  private static func away(_ words: String?, pause: Duration = .seconds(30)) -> PushClient {
    ScriptedClient { _ in
      var report = PushReport.test(.notSent(pause: pause), reason: "away")
      report.outage = words
      return report
    }.client
  }

  private func outages(_ fixture: DeliveryFixture) async throws -> [String] {
    try await fixture.connection.query(
      """
      SELECT state || ' ' || coalesce(outage, '-') || ' '
        || coalesce(extract(epoch FROM outage_since - \(fixture.now))::int::text, '-') AS said
      FROM deliveries ORDER BY 1
      """
    ).decode("said")
  }

  private func lines(_ fixture: DeliveryFixture) async throws -> [String] {
    try await fixture.connection.query("SELECT line FROM push_outages").decode("line")
  }

  @Test func aDeliveryKeepsWhyAndSinceWhenUntilItIsSent() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa", "bb"])

    try await fixture.deliver(Self.away("unreachable"))
    #expect(try await outages(fixture) == ["queued unreachable 0", "queued unreachable 0"])
    // The time is that of the beginning, and the words those of the last try.
    try await fixture.deliver(Self.away(Self.refusal), after: 40)
    #expect(try await outages(fixture) == ["queued \(Self.refusal) 0", "queued \(Self.refusal) 0"])
    // What only has to wait its turn says nothing new.
    try await fixture.deliver(Self.away(nil), after: 80)
    #expect(try await outages(fixture) == ["queued \(Self.refusal) 0", "queued \(Self.refusal) 0"])
    #expect(try await fixture.delivery("aa").attempts == 0)
    let line = try #require(try await lines(fixture).first)
    #expect(line.hasPrefix("2 pushes wait for APNs since ") && line.hasSuffix("Z: \(Self.refusal)"), "\(line)")

    try await fixture.deliver(ScriptedClient(.accepted, status: 200).client, after: 120)
    #expect(try await outages(fixture) == ["accepted - -", "accepted - -"])
    #expect(try await lines(fixture).isEmpty)
  }

  @Test func anAnswerEndsItAlsoIfThePushHasToWait() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    try await fixture.deliver(Self.away(Self.refusal))

    try await fixture.deliver(
      ScriptedClient(.retryLater(atLeast: nil), status: 503, reason: "ServiceUnavailable").client, after: 40)

    #expect(try await outages(fixture) == ["queued - -"])
  }

  @Test func oneThatExpiresMeanwhileSaysWhyItWasNeverSent() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"], expiresAt: fixture.now + 60)
    try await fixture.deliver(Self.away(Self.refusal))

    try await fixture.deliver(ScriptedClient(.accepted, status: 200).client, after: 90)

    #expect(try await outages(fixture) == ["expired \(Self.refusal) 0"])
    #expect(try await lines(fixture).isEmpty)
  }

  @Test func oneWhoseDeviceIsOnHoldWaitsForThat() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    try await fixture.deliver(Self.away(Self.refusal))
    _ = try await fixture.connection.query("UPDATE device_tokens SET held_until = \(fixture.now + 600)")

    try await fixture.deliver(ScriptedClient(.accepted, status: 200).client, after: 40)

    #expect(try await outages(fixture) == ["queued - -"])
  }

  @Test(
    arguments: [
      (.noKey, "NoKeyForTopic", "no key is configured for com.example.app"),
      (.holdCredential, "InvalidProviderToken", "APNs refuses the key: InvalidProviderToken"),
      (.holdApp, "BadTopic", "APNs refuses the configuration of com.example.app: BadTopic"),
      (.holdTopic, nil, "APNs says that the devices are not those of com.example.app"),
      (.holdTeam, nil, "APNs takes no more tokens of the team for a while"),
      (.holdSuspect(pause: .seconds(60)), nil, "APNs calls too many device tokens of com.example.app bad at once"),
    ] as [(PushVerdict, String?, String)])
  func oneThatWaitsForSomethingElseSaysThat(verdict: PushVerdict, reason: String?, words: String) async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    try await fixture.deliver(Self.away(Self.refusal))

    try await fixture.deliver(ScriptedClient(verdict, reason: reason).client, after: 40)

    #expect(try await outages(fixture) == ["queued \(words) 0"])
  }

  @Test func whatWaitsForAProviderThatIsNotConfiguredSaysSoAndIsNotTouched() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa", "bb"])
    try await fixture.enqueue(["cc"], provider: "fcm")
    let client = ScriptedClient(.accepted, status: 200).client

    try await fixture.deliver(client, of: [.fcm])
    try await fixture.deliver(client, of: [.fcm], after: 40)
    try await fixture.enqueueAgain(["aa"])

    #expect(try await outages(fixture) == ["accepted - -", "queued - -", "queued - -", "queued - -"])
    let line = try #require(try await lines(fixture).first)
    #expect(line.hasPrefix("3 pushes wait for APNs since ") && line.hasSuffix(": APNs is not configured"), "\(line)")
    #expect(line.contains(RFC3339.string(fixture.now).prefix(19)), "\(line)")

    try await fixture.deliver(client, after: 80)
    #expect(try await lines(fixture).isEmpty)
    #expect(try await fixture.connection.query("SELECT FROM push_providers WHERE reason IS NOT NULL").isEmpty)
  }

  /// Without any provider, and with one whose key cannot be read, the function ends before it sends.
  @Test(
    arguments: [
      ([:], ["1 push waits for APNs", "APNs is not configured"], ["1 push waits for FCM", "FCM is not configured"]),
      (
        ["FCM_SERVICE_ACCOUNT_PATH": "/nowhere/account.json"],
        ["1 push waits for APNs", ": FCM_SERVICE_ACCOUNT_PATH names a file that"],
        ["1 push waits for FCM", ": FCM_SERVICE_ACCOUNT_PATH names a file that"]
      ),
    ] as [([String: String], [String], [String])])
  func aFunctionThatCannotStartSaysWhy(environment: [String: String], apns: [String], fcm: [String]) async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    try await fixture.enqueue(["cc"], provider: "fcm")
    func run(_ arguments: [String]) async throws -> Int32 {
      try await BuiltExecutables.run(
        "push-delivery", arguments, stdin: #"{"specversion":"1.0","id":"1","source":"/t","type":"t","data":{}}"#,
        environment: environment.merging(["DATABASE_URL": fixture.url]) { $1 }
      ).exit
    }

    #expect(try await run(["--dry-run"]) == 78)
    #expect(try await lines(fixture).isEmpty)
    #expect(try await run([]) == 78)

    let lines = try await lines(fixture).sorted()
    #expect(lines.count == 2)
    for (line, words) in zip(lines, [apns, fcm]) {
      #expect(words.allSatisfy(line.contains), "\(line)")
    }
  }
}
