import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import PushLive
import Synchronization
import TestSupport
import Testing

@testable import PushDelivery

/// The function between a real database and FCM's side of an HTTP/2 server.
@Suite(.heavy)
struct FCMDeliveryTests {
  @Test func devicesGoThroughTheirOwnProvider() async throws {
    let (fixture, apns, fcm) = (try await DeliveryFixture(), try await APNsFake(), try await FCMFake())
    try await fixture.enqueue(["aa", "bb"])
    try await fixture.enqueue(["cc"], provider: "fcm")

    let summary = try await fixture.deliver(.routed(apns: try apns.client(), fcm: try fcm.client()))

    #expect(summary == DeliverySummary(claimed: 3, accepted: 3))
    #expect(Set(apns.pushes.map(\.token)) == ["aa", "bb"] && fcm.messages.map(\.token) == ["cc"])
    #expect(try await fixture.log("cc") == ["sent"])
    #expect(try await fixture.delivery("cc").hasApnsID)
    #expect(try await fixture.device("cc", "last_accepted_at") != nil)
    // Fields that mean something only to APNs stayed as they were.
    #expect(try await fixture.device("cc", "environment") == nil)
    #expect(try await fixture.device("cc", "bundle_id") == nil)
    #expect(try await fixture.device("aa", "bundle_id") == "com.example.app")
  }

  @Test(
    arguments: [
      (200, nil, nil, "accepted", "sent", "true"), (400, "INVALID_ARGUMENT", nil, "rejected", "failed", "true"),
      (400, nil, "message.data", "rejected", "failed", "true"),
      (400, nil, "message.token", "rejected", "failed", "true"),
      (400, "INVALID_ARGUMENT", "message.token", "rejected", "token_expired", "false"),
      (400, "INVALID_ARGUMENT", "message.data", "rejected", "failed", "true"),
      (404, "UNREGISTERED", nil, "rejected", "token_expired", "false"), (404, nil, nil, "queued", "failed", "true"),
      (403, "SENDER_ID_MISMATCH", nil, "queued", "failed", "true"),
      (403, nil, nil, "queued", "failed", "true"), (401, "THIRD_PARTY_AUTH_ERROR", nil, "queued", "failed", "true"),
      (401, nil, nil, "queued", "failed", "true"), (429, "QUOTA_EXCEEDED", nil, "queued", "deferred", "true"),
      (500, "INTERNAL", nil, "queued", "deferred", "true"), (503, "UNAVAILABLE", nil, "queued", "deferred", "true"),
      (500, "UNSPECIFIED_ERROR", nil, "queued", "deferred", "true"), (418, "NEW", nil, "rejected", "failed", "true"),
    ] as [(Int, String?, String?, String, String, String)])
  func tellsTheAnswersApart(
    status: Int, code: String?, blames: String?, state: String, log: String, isActive: String
  ) async throws {
    let fixture = try await DeliveryFixture()
    let fcm = try await FCMFake { message, responder in
      status == 200 ? responder.accept(message) : responder.refuse(status, code, blames: blames)
    }
    try await fixture.enqueue(["cc"], provider: "fcm")

    try await fixture.deliver(.routed(apns: nil, fcm: try fcm.client()))

    #expect(try await fixture.delivery("cc").state == state)
    // With a new access token it is tried once more.
    #expect(try await fixture.log("cc") == (status == 401 && code == nil ? ["deferred", log] : [log]))
    #expect(try await fixture.device("cc", "is_active") == isActive)
  }

  @Test func anotherProjectsAccountEndsNoDeviceAndAStrangersTokenOnlyItself() async throws {
    let fixture = try await DeliveryFixture()
    let fcm = try await FCMFake { message, responder in
      message.token.hasPrefix("strange") ? responder.refuse(403, "SENDER_ID_MISMATCH") : responder.accept(message)
    }
    let client = PushClient.routed(apns: nil, fcm: try fcm.client())
    try await fixture.enqueue((0..<20).map { "strange-\($0)" }, provider: "fcm", isOnePersons: false)

    // Nothing shows yet that the account is the app's.
    #expect(try await fixture.deliver(client) == DeliverySummary(claimed: 20, retried: 20, wakeAt: fixture.now + 300))
    #expect(try await fixture.connection.query("SELECT FROM device_tokens WHERE NOT is_active").isEmpty)
    try await fixture.enqueue(["good"], provider: "fcm")
    #expect(try await fixture.deliver(client).accepted == 1)

    #expect(try await fixture.deliver(client, after: 360).rejected == 20)
    #expect(try await fixture.connection.query("SELECT FROM device_tokens WHERE NOT is_active").count == 20)
  }

  @Test(arguments: [
    ("The registration token is not a valid FCM registration token", "token_expired", "false"),
    ("Android message is too big", "failed", "true"),
  ])
  func anInvalidArgumentIsTheDevicesFaultIfItsTextSaysSo(text: String, log: String, isActive: String) async throws {
    let fixture = try await DeliveryFixture()
    let fcm = try await FCMFake { $1.refuse(400, "INVALID_ARGUMENT", text: text) }
    try await fixture.enqueue(["cc"], provider: "fcm")

    try await fixture.deliver(.routed(apns: nil, fcm: try fcm.client()))

    #expect(try await fixture.delivery("cc").state == "rejected")
    #expect(try await fixture.log("cc") == [log])
    #expect(try await fixture.device("cc", "is_active") == isActive)
  }

  @Test(
    arguments: [
      (429, "QUOTA_EXCEEDED", nil, 60.0), (429, "QUOTA_EXCEEDED", 90, 90), (503, "UNAVAILABLE", nil, 10),
      (503, "UNAVAILABLE", 3, 10), (500, "INTERNAL", nil, 10),
    ] as [(Int, String, Int?, TimeInterval)])
  func waitsAsFCMAsks(status: Int, code: String, after: Int?, seconds: TimeInterval) async throws {
    let fixture = try await DeliveryFixture()
    let fcm = try await FCMFake { $1.refuse(status, code, after: after) }
    try await fixture.enqueue(["cc"], provider: "fcm")

    try await fixture.deliver(.routed(apns: nil, fcm: try fcm.client()))

    #expect(try await fixture.delivery("cc").notBefore == fixture.now + seconds)
  }

  @Test func aTokenThatWasRegisteredAnewMeanwhileStays() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["cc"], provider: "fcm")
    let fcm = try await FCMFake { $1.refuse(404, "UNREGISTERED") }
    let client = try fcm.client()
    let racing = PushClient { pushes, deadline in
      let reports = await client.send(pushes, deadline)
      _ = try? await fixture.connection.query("UPDATE device_tokens SET registered_at = now() + interval '1 hour'")
      return reports
    }

    try await fixture.deliver(.routed(apns: nil, fcm: racing))

    #expect(try await fixture.delivery("cc").state == "queued")
    #expect(try await fixture.device("cc", "is_active") == "true")
  }

  @Test func whatAnUnconfiguredProviderWouldCarryWaitsAndIsSaid() async throws {
    let fixture = try await DeliveryFixture()
    let accepting = ScriptedClient(.accepted, status: 200)
    try await fixture.enqueue(["aa"])
    try await fixture.enqueue(["cc", "dd"], provider: "fcm", expiresAt: fixture.now + 50)
    let lines = Mutex<[String]>([])
    var function = fixture.function(.routed(apns: accepting.client, fcm: nil))
    function.providers = [.apns]
    let log = Log(write: { line in lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) } })

    let first = try await function.handle(.wakeUp, .test(now: fixture.now, log: log))
    let later = try await function.handle(.wakeUp, .test(now: fixture.now + 50, log: log))

    #expect(first == DeliverySummary(claimed: 1, accepted: 1, wakeAt: fixture.now + 50))
    #expect(later == DeliverySummary(claimed: 2, expired: 2))
    #expect(accepting.pushes.map(\.device.token) == ["aa"])
    let warnings = lines.withLock { $0.filter { $0.contains("not configured") } }
    #expect(warnings.count == 1 && warnings.allSatisfy { $0.contains(#""push.count":"2""#) })
    #expect(try await fixture.delivery("cc").state == "expired")
  }

  @Test func eachProcessTakesTheDeliveriesOfItsProviders() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    try await fixture.enqueue(["cc"], provider: "fcm")
    let store = DeliveryStore.postgres(fixture.connection)

    let fcm = try await store.claim(10, [.fcm], fixture.now)
    let apns = try await store.claim(10, [.apns], fixture.now)

    #expect(fcm.pushes.map(\.device.token) == ["cc"] && fcm.pushes.map(\.device.provider) == [.fcm])
    #expect(fcm.pushes.map(\.device.app) == ["feedbackkit"])
    #expect(apns.pushes.map(\.device.token) == ["aa"])
  }

  @Test(arguments: [[true, false], [false, true], [true, true], [false, false]])
  func worksWithEitherProviderOrBothAndNeedsOne(configured: [Bool]) async throws {
    let (apns, fcm) = (try await APNsFake(), try await FCMFake())
    var variables = ["DATABASE_URL": "postgresql:///nowhere"]
    if configured[0] { variables.merge(apns.environment) { $1 } }
    if configured[1] { variables.merge(fcm.environment) { $1 } }
    let environment = Environment(variables)

    if configured == [false, false] {
      let error = await #expect(throws: FunctionError.self) { try await PushDelivery.live(environment) }
      #expect(error?.code == .misconfigured)
      #expect(error?.message.contains("APNS_KEY_ID") == true && error?.message.contains("FCM_SERVICE") == true)
    } else {
      let function = try await PushDelivery.live(environment)
      #expect(function.providers == (configured[0] ? [.apns] : []) + (configured[1] ? [.fcm] : []))
    }
  }
}
