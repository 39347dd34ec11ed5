import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import PushLive
import TestSupport
import Testing

@testable import PushDelivery

/// Several deliveries on their way to a device whose row names the wrong environment.
@Suite(.heavy)
struct EnvironmentProbeTests {
  /// A device of the sandbox whose row says `production`, and one or more deliveries to it.
  private func fixture(deliveries: Int = 1) async throws -> (DeliveryFixture, DeliveryStore) {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"], environment: "production")
    for _ in 1..<deliveries { try await fixture.enqueueAgain(["aa"]) }
    return (fixture, .postgres(fixture.anotherConnection()))
  }

  private func claim(_ store: DeliveryStore, _ fixture: DeliveryFixture, _ limit: Int = 1) async throws -> DeliveryBatch
  {
    try await store.claim(limit, [.apns], fixture.now)
  }

  /// Writes down the same answer to every push, given where it goes.
  private func answer(
    _ batch: DeliveryBatch, _ verdict: PushVerdict, _ store: DeliveryStore, _ fixture: DeliveryFixture
  ) async throws {
    let settlements = batch.pushes.map { push in
      let place = push.probe ?? push.device.environment ?? .sandbox
      return DeliverySettlement(
        push, .test(verdict, reason: "BadDeviceToken", environment: place), now: fixture.now, jitter: 0)
    }
    try await store.settle(batch.lease, settlements, fixture.now)
  }

  private func isActive(_ fixture: DeliveryFixture) async throws -> Bool {
    try await fixture.device("aa", "is_active") == "true"
  }

  @Test func aDeliveryThatWasTakenBeforeTheCorrectionArrivesAndTheDeviceLives() async throws {
    let (fixture, store) = try await fixture(deliveries: 2)
    let production = try await APNsFake(400, "BadDeviceToken")
    let sandbox = try await APNsFake()
    let authorities = try ["ca.pem"].flatMap { name in
      try [production, sandbox].map { try String(contentsOfFile: "\($0.directory.path)/\(name)", encoding: .utf8) }
    }
    let both = try production.directory.write(authorities.joined(), to: "both.pem")
    let client = PushClient.apns(
      try production.sender([
        "APNS_SANDBOX_URL": sandbox.environment["APNS_URL"] ?? "", "APNS_CA_PATH": both, "APNS_PRODUCTION": "true",
      ]))
    let first = try await claim(store, fixture)
    let second = try await claim(store, fixture)
    let send = { (batch: DeliveryBatch) in
      let reports = await client.send(batch.pushes, .now + .seconds(30))
      let settlements = zip(batch.pushes, reports).map { DeliverySettlement($0, $1, now: fixture.now, jitter: 0) }
      try await store.settle(batch.lease, settlements, fixture.now)
    }

    try await send(first)
    try await send(try await claim(store, fixture))
    #expect(try await fixture.device("aa", "environment") == "sandbox")
    try await send(second)
    try await send(try await claim(store, fixture))

    #expect(try await fixture.states() == ["accepted": 2])
    #expect(try await isActive(fixture))
    #expect(production.pushes.count == 2 && sandbox.pushes.count == 2)
  }

  @Test func aProbeGoesWhereItWasToGoWhateverTheRowSaysByThen() async throws {
    let (fixture, store) = try await fixture()
    try await answer(try await claim(store, fixture), .deviceSuspect, store, fixture)
    _ = try await fixture.connection.query("UPDATE device_tokens SET environment = 'sandbox'")

    let probe = try await claim(store, fixture)

    #expect(probe.pushes.map(\.probe) == [.sandbox])
  }

  @Test func onceAPushWasAcceptedNothingIsAProbe() async throws {
    let (fixture, store) = try await fixture(deliveries: 2)
    try await answer(try await claim(store, fixture, 2), .deviceSuspect, store, fixture)
    try await answer(try await claim(store, fixture), .accepted, store, fixture)

    let other = try await claim(store, fixture)

    #expect(other.pushes.map(\.probe) == [nil] && other.pushes.map(\.device.environment) == [.sandbox])
  }

  @Test(arguments: [
    PushVerdict.unknown, .retryLater(atLeast: nil), .holdDevice(atLeast: nil), .holdSuspect(pause: .seconds(1)),
  ])
  func aProbeWithoutAVerdictIsMadeAgain(verdict: PushVerdict) async throws {
    let (fixture, store) = try await fixture()
    try await answer(try await claim(store, fixture), .deviceSuspect, store, fixture)
    try await answer(try await claim(store, fixture), verdict, store, fixture)

    let again = try await store.claim(1, [.apns], fixture.now + 4_000)

    #expect(again.pushes.map(\.probe) == [.sandbox])
  }

  @Test func anOlderRefusalOfAnotherSenderEndsNothingAndItsDeliveryGoesOn() async throws {
    let (fixture, store) = try await fixture(deliveries: 2)
    let other = DeliveryStore.postgres(fixture.anotherConnection())
    try await answer(try await claim(store, fixture, 2), .deviceSuspect, store, fixture)
    let late = try await claim(other, fixture)

    try await answer(try await claim(store, fixture), .accepted, store, fixture)
    try await answer(late, .deviceSuspect, other, fixture)

    #expect(try await isActive(fixture))
    #expect(try await fixture.states() == ["accepted": 1, "queued": 1])
    #expect(try await fixture.log("aa").suffix(2).sorted() == ["deferred", "sent"])
    let again = try await store.claim(1, [.apns], fixture.now + 60)
    #expect(again.pushes.map(\.probe) == [nil] && again.pushes.map(\.device.environment) == [.sandbox])
  }

  @Test func whatIsAcceptedInABatchOutweighsWhatIsRefusedInIt() async throws {
    let (fixture, store) = try await fixture(deliveries: 2)
    let batch = try await claim(store, fixture, 2)
    let settlements = zip(batch.pushes, [PushVerdict.accepted, .deviceGone(at: fixture.now)]).map {
      DeliverySettlement($0, .test($1, environment: .production), now: fixture.now, jitter: 0)
    }

    try await store.settle(batch.lease, settlements, fixture.now)

    #expect(try await isActive(fixture))
    #expect(try await fixture.states() == ["accepted": 1, "queued": 1])
  }

  @Test func whatIsAcceptedRevivesADeviceThatAnotherAnswerHasEndedMeanwhile() async throws {
    let (fixture, store) = try await fixture(deliveries: 2)
    let accepted = try await claim(store, fixture)
    try await answer(try await claim(store, fixture), .deviceGone(at: fixture.now), store, fixture)
    #expect(try await !isActive(fixture))

    try await answer(accepted, .accepted, store, fixture)

    #expect(try await isActive(fixture))
    #expect(try await fixture.device("aa", "deactivated_reason") == nil)
  }

  @Test func whatIsAcceptedRevivesNoDeviceThatItsPersonHasGivenUp() async throws {
    let (fixture, store) = try await fixture()
    let accepted = try await claim(store, fixture)
    _ = try await fixture.connection.query(
      "UPDATE device_tokens SET is_active = false, deactivated_reason = 'unregistered'")

    try await answer(accepted, .accepted, store, fixture)

    #expect(try await !isActive(fixture))
  }

  @Test func anAcceptanceThatComesAfterItsLeaseStillSpeaksForTheDevice() async throws {
    let (fixture, store) = try await fixture(deliveries: 2)
    let accepted = try await claim(store, fixture)
    let refused = try await claim(store, fixture)
    _ = try await fixture.connection.query(
      "UPDATE deliveries SET lease_id = NULL WHERE lease_id = \(accepted.lease)")

    try await answer(accepted, .accepted, store, fixture)
    try await answer(refused, .deviceGone(at: fixture.now), store, fixture)

    #expect(try await isActive(fixture))
  }

  @Test func aRefusalFromBeforeARegistrationCountsForNothing() async throws {
    let (fixture, store) = try await fixture()
    try await answer(try await claim(store, fixture), .deviceSuspect, store, fixture)
    _ = try await fixture.connection.query(
      "UPDATE device_tokens SET registered_at = registered_at + interval '1 minute'")

    let again = try await claim(store, fixture)
    try await answer(again, .deviceSuspect, store, fixture)

    #expect(again.pushes.map(\.probe) == [nil])
    #expect(try await isActive(fixture))
    #expect(try await claim(store, fixture).pushes.map(\.probe) == [.sandbox])
  }

  @Test func anAcceptanceFromBeforeARegistrationLeavesTheNewEnvironmentAlone() async throws {
    let (fixture, store) = try await fixture()
    let old = try await claim(store, fixture)
    _ = try await fixture.connection.query(
      "UPDATE device_tokens SET registered_at = registered_at + interval '1 minute', environment = 'sandbox'")

    try await answer(old, .accepted, store, fixture)

    #expect(try await fixture.device("aa", "environment") == "sandbox")
  }

  @Test func aTokenThatBothEnvironmentsRefuseIsEndedOnce() async throws {
    let (fixture, store) = try await fixture(deliveries: 3)

    try await answer(try await claim(store, fixture, 3), .deviceSuspect, store, fixture)
    try await answer(try await claim(store, fixture, 3), .deviceSuspect, store, fixture)

    #expect(try await !isActive(fixture))
    #expect(try await fixture.states() == ["rejected": 3])
  }
}
