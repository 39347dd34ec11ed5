import DeliveryLive
import FoundationEssentials
import Notifications
import Postgres
import TestSupport
import Testing

@testable import PushDelivery

/// The notes of several processes about the providers that they serve, and do not serve.
@Suite(.heavy)
struct ProviderNotesTests {
  private let client = ScriptedClient(.accepted, status: 200).client

  private func lines(_ fixture: DeliveryFixture) async throws -> [String] {
    try await fixture.connection.query("SELECT line FROM push_outages ORDER BY 1").decode("line")
  }

  private func process(_ fixture: DeliveryFixture, of providers: [PushProvider]) -> PushDelivery {
    var function = fixture.function(client)
    function.providers = providers
    return function
  }

  private func run(_ function: PushDelivery, _ fixture: DeliveryFixture, after delay: TimeInterval = 0) async throws {
    _ = try await function.handle(.wakeUp, .test(now: fixture.now + delay))
  }

  /// Lets the minute pass for which a provider counts as served.
  private func forgetServing(_ fixture: DeliveryFixture) async throws {
    try await fixture.connection.script("UPDATE push_providers SET served_until = now()")
  }

  @Test func twoProcessesWithDifferentProvidersServeBoth() async throws {
    let fixture = try await DeliveryFixture()
    let (apple, google) = (process(fixture, of: [.apns]), process(fixture, of: [.fcm]))
    try await fixture.enqueue(["aa"])
    try await fixture.enqueue(["cc"], provider: "fcm")

    try await run(google, fixture)
    let before = try await lines(fixture)
    try await run(apple, fixture)
    try await fixture.enqueueAgain(["aa", "cc"])
    try await run(google, fixture, after: 1)
    #expect(before.count == 1 && before.first?.hasPrefix("1 push waits for APNs since ") == true, "\(before)")
    #expect(try await lines(fixture).isEmpty)

    try await run(apple, fixture, after: 2)
    try await fixture.enqueueAgain(["aa", "cc"])
    // Whichever of them has said something last.
    for function in [process(fixture, of: [.fcm]), process(fixture, of: [.apns])] {
      try await run(function, fixture, after: 3)
      #expect(try await lines(fixture).isEmpty)
    }
  }

  @Test func aProviderWhoseProcessHasEndedIsServedNoMoreAfterAMinute() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    try await run(process(fixture, of: [.apns]), fixture)
    try await fixture.enqueueAgain(["aa"])
    try await run(process(fixture, of: [.fcm]), fixture, after: 1)
    #expect(try await lines(fixture).isEmpty)

    try await forgetServing(fixture)
    let lines = try await lines(fixture)
    #expect(lines.count == 1 && lines.first?.hasSuffix(": APNs is not configured") == true, "\(lines)")

    // What is not due yet waits for its time.
    try await fixture.connection.script("UPDATE deliveries SET not_before = now() + interval '1 hour'")
    #expect(try await self.lines(fixture).isEmpty)
  }

  @Test func aHostWithoutKeysSaysNothingOfWhatAnotherOneServes() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    let sender = process(fixture, of: PushProvider.allCases)
    try await run(sender, fixture)
    try await fixture.enqueueAgain(["aa"])

    let outcome = try await BuiltExecutables.run(
      "push-delivery", [], stdin: #"{"specversion":"1.0","id":"1","source":"/t","type":"t","data":{}}"#,
      environment: ["DATABASE_URL": fixture.url])
    #expect(outcome.exit == 78)
    #expect(try await lines(fixture).isEmpty)
    try await forgetServing(fixture)
    #expect(try await lines(fixture).count == 1)

    try await run(process(fixture, of: PushProvider.allCases), fixture, after: 1)
    try await fixture.enqueueAgain(["aa"])
    try await forgetServing(fixture)
    #expect(try await lines(fixture).isEmpty, "who serves a provider takes away what others have said")
  }

  @Test func aProcessDoesNotWriteAtEachClaim() async throws {
    let fixture = try await DeliveryFixture()
    let function = process(fixture, of: PushProvider.allCases)
    func written() async throws -> [String] {
      try await fixture.connection.query("SELECT xmin::text AS v FROM push_providers ORDER BY provider").decode("v")
    }

    try await run(function, fixture)
    let idle = try await written()
    try await fixture.enqueue(["aa"])
    try await run(function, fixture, after: 1)
    let first = try await written()
    try await fixture.enqueueAgain(["aa"])
    try await run(function, fixture, after: 2)

    #expect(idle.isEmpty && first.count == 2)
    #expect(try await written() == first)
    #expect(try await fixture.states() == ["accepted": 2])
  }

  /// A database of an earlier state has no such table, and a role that was let in by hand may lack the right.
  @Test(arguments: ["ALTER TABLE push_providers RENAME TO others", "REVOKE ALL ON push_providers FROM $R"])
  func whatCannotBeNotedKeepsNothingFromBeingSent(change: String) async throws {
    let fixture = try await DeliveryFixture()
    let log = LogLines()
    let role = "r\(UUID().uuidString.lowercased().prefix(8))"
    try await fixture.connection.script(
      """
      CREATE ROLE \(role) BYPASSRLS;
      GRANT ALL ON ALL TABLES IN SCHEMA public TO \(role);
      GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO \(role);
      GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO \(role);
      \(change.replacing("$R", with: role));
      """)
    let separator = fixture.url.contains("?") ? "&" : "?"
    let connection = Connection(
      url: "\(fixture.url)\(separator)options=-crole%3D\(role)", applicationName: "push-delivery")
    let function = PushDelivery(
      store: .postgres(connection, log: log.log), client: client, providers: [.apns], jitter: { 0 })
    try await fixture.enqueue(["aa"])

    try await run(function, fixture)
    try await fixture.enqueueAgain(["aa"])
    try await run(function, fixture, after: 1)

    #expect(try await fixture.states() == ["accepted": 2])
    #expect(log.count("cannot be noted") == 1 && log.all.count == 1, "\(log.all)")
    await connection.close()
    try await fixture.connection.script("DROP OWNED BY \(role); DROP ROLE \(role)")
  }

  @Test func noMoreThanTenThousandAreCounted() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue((0...10_000).map { "token-\($0)" })
    try await run(process(fixture, of: [.fcm]), fixture)
    let unserved = try await lines(fixture)
    try await fixture.connection.script(
      """
      UPDATE push_providers SET reason = NULL, since = NULL;
      UPDATE deliveries SET outage = 'unreachable', outage_since = created_at
      """)

    let away = try await lines(fixture)
    for lines in [unserved, away] {
      #expect(lines.count == 1)
      #expect(lines.first?.hasPrefix("more than 10,000 pushes wait for APNs since ") == true, "\(lines)")
    }
  }
}
