import FoundationEssentials
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
}
