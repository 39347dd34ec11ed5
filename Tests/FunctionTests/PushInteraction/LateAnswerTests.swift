import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import TestSupport
import Testing

@testable import PushDelivery
@testable import PushInteraction

/// Reports that overtake the answer of APNs.
@Suite(.heavy)
struct LateAnswerTests {
  @Test(arguments: [PushVerdict.accepted, .unknown, .retryLater(atLeast: nil), .notSent(pause: nil)])
  func whatIsOpenedBeforeTheAnswerIsWrittenStaysOpened(verdict: PushVerdict) async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueueOne(to: ["aa"])
    let client = PushClient { pushes, _ in
      _ = try? await fixture.report(event: "opened")
      return pushes.map { _ in .test(verdict, status: verdict == .accepted ? 200 : nil, reason: "Reason") }
    }

    try await fixture.deliver(client)

    let delivery = try await fixture.delivery("aa")
    #expect(delivery.state == "opened" && !delivery.isLeased)
    #expect(delivery.attempts == (verdict == .notSent(pause: nil) ? 0 : 1))
    #expect(try await fixture.log("aa").count == delivery.attempts)
    #expect(try await fixture.device("aa", "last_used_at") != nil || verdict != .accepted)
    #expect(try await fixture.deliver(ScriptedClient(.accepted).client, after: 86_000).claimed == 0)
  }

  @Test func aPushWhoseAnswerWasLostIsNotSentAgainOnceItWasOpened() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueueOne(to: ["aa"])
    try await fixture.deliver(ScriptedClient(.unknown, reason: "ConnectionLost").client)

    try await fixture.report(event: "opened")
    let again = ScriptedClient(.accepted, status: 200)
    let summary = try await fixture.deliver(again.client, after: 60)

    #expect(summary.claimed == 0 && again.pushes.isEmpty && summary.wakeAt == nil)
    #expect(try await fixture.states() == ["opened": 1])
  }

  @Test(arguments: [Seed()])
  func reportsAndSettlementsAtOnceNeitherDeadlockNorLoseAnything(_ seed: Seed) async throws {
    var choices = seed.choices
    let fixture = try await DeliveryFixture()
    for person in 0..<20 { try await fixture.enqueueOne(to: (0..<5).map { "p\(person)-\($0)" }) }
    let store = DeliveryStore.postgres(fixture.connection)
    let batch = try await store.claim(500, [.apns], fixture.now)
    let notifications = try await fixture.connection.query("SELECT id FROM notifications").decode("id", as: UUID.self)

    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        let mixed = notifications.shuffled(using: &choices)
        group.addTask { for id in mixed { _ = try await fixture.report(id, event: "opened") } }
      }
      let parts = batch.pushes.shuffled(using: &choices).chunks(of: 10)
      group.addTask {
        for part in parts {
          try await store.settle(batch.lease, part.map { .accepted($0, fixture.now) }, fixture.now)
        }
      }
      try await group.waitForAll()
    }

    #expect(try await fixture.states() == ["opened": 100])
    #expect(try await fixture.number("SELECT count(*) FROM push_notification_logs WHERE status = 'sent'") == 100)
    #expect(try await fixture.number("SELECT count(*) FROM notification_interactions") == 20)
  }
}

extension Array {
  fileprivate func chunks(of size: Int) -> [ArraySlice<Element>] {
    stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
  }
}
