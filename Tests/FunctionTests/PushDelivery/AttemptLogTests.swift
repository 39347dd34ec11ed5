import DeliveryLive
import Foundation
import FunctionKit
import HTTP2
import Notifications
import Postgres
import TestSupport
import Testing

@testable import PushDelivery

/// The log of attempts is only added to.
///
/// No trigger guards that: foreign keys and pruning have to change it.
@Suite(.heavy)
struct AttemptLogTests {
  @Test func aLineIsNeverWrittenAgain() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueueOne(to: ["aa", "bb"])
    var lines: [String] = []
    let verdicts: [PushVerdict] = [.unknown, .retryLater(atLeast: nil), .holdDevice(atLeast: nil), .holdApp, .accepted]

    for (round, verdict) in verdicts.enumerated() {
      try await fixture.deliver(ScriptedClient(verdict, reason: "Reason").client, after: Double(round) * 4_000)
      let now = try await fixture.connection.query(
        "SELECT id || ' ' || xmin || ' ' || ctid AS line FROM push_notification_logs"
      ).decode("line", as: String.self)
      #expect(Set(now).isSuperset(of: lines) && now.count == 2 * (round + 1))
      lines = now
    }
    try await fixture.report(event: "acted", action: "REPLY")

    let after = try await fixture.connection.query(
      "SELECT id || ' ' || xmin || ' ' || ctid AS line FROM push_notification_logs")
    #expect(Set(try after.decode("line", as: String.self)) == Set(lines))
    #expect(try await fixture.log("aa").sorted() == ["deferred", "deferred", "failed", "sent", "unknown"])
  }

  @Test(arguments: [
    (503, "Shutdown", ["deferred", "sent"]), (400, "IdleTimeout", ["deferred", "sent"]),
    (0, "Refused", ["unknown", "sent"]),
  ])
  func whatIsSentAgainAtOnceIsALineForEachAttempt(status: Int, reason: String, log: [String]) async throws {
    let fixture = try await DeliveryFixture()
    let apns = try await APNsFake { push, responder in
      if push.number > 0 { return responder.answer(200) }
      if status > 0 { responder.answer(status, reason) } else { responder.reset(code: 7) }
    }
    try await fixture.enqueue(["aa"])

    try await fixture.deliver(try apns.client())

    #expect(try await fixture.log("aa") == log)
    let lines = try await fixture.connection.query("SELECT * FROM push_notification_logs ORDER BY created_at")
    #expect(lines.map { $0["reason"] } == [reason, nil])
    #expect(lines.map { $0["apns_id"] } == apns.pushes.map { $0.headers["apns-id"] })
    #expect(try await fixture.delivery("aa").attempts == 1)
  }

  @Test func anAttemptThatIsFollowedByNoneForNowIsALineToo() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    let client = ScriptedClient { _ in
      var report = PushReport.test(.notSent(pause: .seconds(1)), reason: "NotSent")
      report.earlier = [.test(.retryAtOnce(otherwise: .retryLater(atLeast: nil)), status: 503, reason: "Shutdown")]
      return report
    }

    // The second time another has taken the delivery meanwhile.
    try await fixture.deliver(client.client)
    let store = DeliveryStore.postgres(fixture.anotherConnection())
    let batch = try await store.claim(1, [.apns], fixture.now + 10)
    try await fixture.endLeases()
    _ = try await DeliveryStore.postgres(fixture.connection).claim(1, [.apns], fixture.now + 10)
    let reports = await client.client.send(batch.pushes, .now)
    try await store.settle(
      batch.lease, zip(batch.pushes, reports).map { DeliverySettlement($0, $1, now: fixture.now + 10, jitter: 0) },
      fixture.now + 10)

    #expect(try await fixture.log("aa") == ["deferred", "deferred"])
    #expect(try await fixture.delivery("aa").attempts == 0)
  }

  @Test func whatWasSentIsInTheLogWithItsBadge() async throws {
    let (fixture, apns) = (try await DeliveryFixture(), try await APNsFake())
    try await fixture.enqueue(["aa"])

    try await fixture.deliver(try apns.client())

    let sent = try #require(apns.pushes.first?.body)
    #expect(sent.contains(#""badge":"#))
    let log: SQL = "SELECT payload = \(sent)::jsonb AS is_sent FROM push_notification_logs"
    #expect(try await fixture.connection.query(log).decode("is_sent") == [true])
  }

  @Test(
    arguments: [
      (PayloadLog(redacted: ["type", "alert"]), #"{"aps": {"alert": null, "badge": 1}, "type": null}"#), (nil, nil),
    ] as [(PayloadLog?, String?)])
  func whatIsNotToBeKeptIsLeftOut(payloads: PayloadLog?, kept: String?) async throws {
    let fixture = try await DeliveryFixture()
    var function = fixture.function(ScriptedClient(.accepted, status: 200).client)
    function.payloads = payloads
    try await fixture.enqueue(["aa"])

    _ = try await function.handle(.wakeUp, .test(now: fixture.now))

    #expect(try await fixture.connection.query("SELECT payload FROM push_notification_logs").only()["payload"] == kept)
  }

  @Test func whatNoColumnCanHoldCostsOnlyThePayload() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    _ = try await fixture.connection.query(
      "UPDATE notifications SET payload = \(#"{"aps":{"alert":"Hi\u0000"}}"#)")

    try await fixture.deliver(ScriptedClient(.accepted, status: 200).client)

    #expect(try await fixture.log("aa") == ["sent"])
    #expect(try await fixture.states() == ["accepted": 1])
    let log: SQL = "SELECT payload IS NULL AS is_empty FROM push_notification_logs"
    #expect(try await fixture.connection.query(log).decode("is_empty") == [true])
  }

  @Test(arguments: [("false", false), ("true", true), ("", true)])
  func payloadsAreKeptUnlessSwitchedOff(value: String, isKept: Bool) throws {
    #expect(try (PayloadLog.configured(by: Environment(["PUSH_LOG_PAYLOADS": value])) != nil) == isKept)
  }

  @Test(arguments: ["no", "TRUE", "0", " true"]) func anotherValueIsRefused(value: String) throws {
    let error = #expect(throws: FunctionError.self) {
      try PayloadLog.configured(by: Environment(["PUSH_LOG_PAYLOADS": value]))
    }
    #expect(error?.code == .misconfigured && error?.message.contains("PUSH_LOG_PAYLOADS") == true)
  }
}
