import DeliveryLive
import FoundationEssentials
import Notifications
import PersonLive
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import ProposalCreated
@testable import ProposalReminder

/// Deliveries that were decided when the sender, or its provider, was out of order.
@Suite(.heavy)
struct LateDeliveryTests {
  /// Noon in Berlin.
  private static let noon = Date(timeIntervalSince1970: 1_781_517_600)
  private static let evening = noon + 9 * 3_600
  private static let night = noon + 12 * 3_600
  private static let morning = noon + 20 * 3_600 + 60

  private func claim(_ scene: DeliveryPolicyScene, at time: Date) async throws -> DeliveryBatch {
    try await DeliveryStore.postgres(scene.demo.connection).claim(100, PushProvider.allCases, time)
  }

  @Test func whatIsSentLateDoesNotComeAtNight() async throws {
    let scene = try await DeliveryPolicyScene()
    try await scene.set("quiet_hours_enabled = true, timezone = 'Europe/Berlin'")
    try await scene.vote(1, at: Self.evening)

    let night = try await claim(scene, at: Self.night)
    let due = try await DeliveryStore.postgres(scene.demo.connection).nextDue(PushProvider.allCases, Self.night)
    let morning = try await claim(scene, at: Self.morning)

    #expect(night.pushes.isEmpty && night.held == 1)
    #expect(due.map { $0 > Self.night && $0 <= Self.morning } == true)
    #expect(morning.pushes.count == 1)
    #expect(
      try await scene.demo.number(
        "SELECT count(*) FROM notification_rechecks WHERE decision = 'hold' AND reason = 'quiet_hours'") == 1)
  }

  @Test func whatWaitedDoesNotComeAllAtOnce() async throws {
    let scene = try await DeliveryPolicyScene()
    try await scene.set("hourly_limit = 1")
    for number in 0..<2 {
      try await scene.vote(number, at: Self.noon + Double(number) * 7_200)
      // Each is about another feedback, and does not go on from the last one.
      try await scene.demo.connection.script("UPDATE notifications SET family_subject = id::text")
    }
    let now = Self.noon + 3 * 3_600

    let first = try await claim(scene, at: now)
    let fresh = try await scene.vote(3, at: now + 60)
    let second = try await claim(scene, at: now + 3_600)

    #expect(first.pushes.count == 1 && first.held == 1)
    #expect(fresh.result.counts == ["rate_limited": 1])
    #expect(second.pushes.count == 1)
  }

  @Test func whatWasReadMeanwhileIsNotSent() async throws {
    let scene = try await DeliveryPolicyScene()
    try await scene.vote(1, at: Self.noon)
    _ = try await scene.demo.connection.query("UPDATE notifications SET is_read = true")

    let late = try await claim(scene, at: Self.noon + 3_600)

    #expect(late.pushes.isEmpty)
    #expect(try await scene.demo.number("SELECT count(*) FROM deliveries WHERE state = 'expired'") == 1)
    #expect(try await scene.demo.number("SELECT count(*) FROM notifications WHERE is_archived") == 0)
  }

  @Test func whatIsSentInTimeIsNotAskedAboutAgain() async throws {
    let scene = try await DeliveryPolicyScene()
    try await scene.vote(1, at: Self.noon)
    try await scene.set("quiet_hours_enabled = true, quiet_hours_start = '00:00', quiet_hours_end = '23:59'")

    #expect(try await claim(scene, at: Self.noon + 59).pushes.count == 1)
  }

  /// The sender was out of order, and both have waited for it.
  @Test(arguments: ["SELECT", "UPDATE notifications SET is_archived = true WHERE type = 'proposal_created'"])
  func aReminderDoesNotGoOutWithTheRequest(change: String) async throws {
    let demo = try await Demo()
    let (begin, now) = (Demo.beforeDeadline, Demo.beforeDeadline + 3_000)
    _ = try await demo.run(ProposalCreated(store: demo.store()), on: RowEvent.proposal("INSERT"), at: begin)
    let tick = #"{"specversion":"1.0","id":"t1","source":"/schedules","type":"tick","data":{}}"#
    try await demo.connection.script("UPDATE deliveries SET state = 'accepted'")
    _ = try await demo.run(ProposalReminder(store: demo.store()), on: tick, at: begin + 1_801)
    try await demo.connection.script("UPDATE deliveries SET state = 'queued'; \(change)")

    let pushes = try await DeliveryStore.postgres(demo.connection).claim(100, PushProvider.allCases, now).pushes

    let eva = pushes.filter { $0.device.person.uuidString.lowercased() == Person.eva.id }.map(\.payload)
    #expect(eva.count == 1)
    #expect(eva.allSatisfy { $0.contains(change == "SELECT" ? "proposal_created" : "proposal_reminder") }, "\(eva)")
  }

  @Test func aClaimThatFailsKeepsNothing() async throws {
    let scene = try await DeliveryPolicyScene()
    try await scene.vote(1, at: Self.noon)
    try await scene.demo.connection.script("DROP TABLE notification_rechecks CASCADE")

    await #expect(throws: PostgresError.self) { try await claim(scene, at: Self.noon + 3_600) }

    #expect(try await scene.demo.number("SELECT count(*) FROM deliveries WHERE state = 'queued'") == 1)
    #expect(try await scene.demo.number("SELECT count(*) FROM deliveries WHERE lease_id IS NOT NULL") == 0)
  }
}
