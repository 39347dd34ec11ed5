import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import TestSupport
import Testing

@testable import PushDelivery
@testable import PushInteraction

/// The app's reports, and what they leave in the database.
@Suite(.heavy)
struct PushInteractionTests {
  private let accepting = ScriptedClient(.accepted, status: 200)

  /// A person with deliveries to some devices, which were accepted.
  private func told(_ tokens: [String] = ["aa"]) async throws -> DeliveryFixture {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueueOne(to: tokens)
    try await fixture.deliver(accepting.client)
    return fixture
  }

  @Test func anOpenedNotificationIsReadAndItsDeliveryOpened() async throws {
    let fixture = try await told()

    let answer = try await fixture.report(event: "opened", at: fixture.now - 30)

    #expect(answer["found"] == RawJSON(true) && answer["statusCode"] == nil)
    #expect(try await fixture.states() == ["opened": 1])
    #expect(try await fixture.interactions() == ["opened  nil"])
    #expect(try await fixture.number("SELECT count(*) FROM notifications WHERE is_read") == 1)
    #expect(try await fixture.number("SELECT push_badge(user_id, app, \(fixture.now)) FROM notifications") == 0)
  }

  @Test func anActedOneIsOpenedTooAndNamesTheAction() async throws {
    let fixture = try await told()

    try await fixture.report(event: "acted", action: "MARK_READ")

    #expect(try await fixture.states() == ["acted": 1])
    #expect(try await fixture.interactions() == ["acted MARK_READ nil", "opened  nil"])
    #expect(try await fixture.number("SELECT count(*) FROM notifications WHERE is_read") == 1)
  }

  @Test func aRepeatedReportChangesNothingAndGetsTheSameAnswer() async throws {
    let fixture = try await told()
    let first = try await fixture.report(event: "acted", action: "REPLY")
    let before = try await fixture.rowVersions()

    let second = try await fixture.report(event: "acted", action: "REPLY")
    let earlier = try await fixture.report(event: "opened")

    #expect(first == second && earlier["found"] == RawJSON(true))
    #expect(try await fixture.rowVersions() == before)
    #expect(try await fixture.states() == ["acted": 1])
  }

  @Test func anotherActionIsAnotherRow() async throws {
    let fixture = try await told()

    try await fixture.report(event: "acted", action: "REPLY")
    try await fixture.report(event: "acted", action: "HELPFUL")

    #expect(try await fixture.interactions() == ["acted HELPFUL nil", "acted REPLY nil", "opened  nil"])
  }

  @Test func aNamedDeviceMovesItsOwnDeliveryOnly() async throws {
    let fixture = try await told(["aa", "bb"])
    let device = try #require(try await fixture.device("aa", "id"))

    try await fixture.report(event: "opened", device: device)

    #expect(try await fixture.delivery("aa").state == "opened")
    #expect(try await fixture.delivery("bb").state == "accepted")
    #expect(try await fixture.interactions() == ["opened  \(device)"])
  }

  @Test func withoutADeviceAllThatMayHaveBeenShownMove() async throws {
    let fixture = try await told(["aa", "bb", "cc", "dd", "ee"])
    for (token, state) in [("bb", "unknown"), ("cc", "rejected"), ("dd", "expired"), ("ee", "queued")] {
      _ = try await fixture.connection.query(
        """
        UPDATE deliveries d SET state = \(state), attempts = 0 FROM device_tokens t
        WHERE t.id = d.device_token_id AND t.token = \(token)
        """)
    }

    try await fixture.report(event: "opened")

    var states: [String] = []
    for token in ["aa", "bb", "cc", "dd", "ee"] { states.append(try await fixture.delivery(token).state) }
    #expect(states == ["opened", "opened", "rejected", "expired", "queued"])
  }

  @Test(arguments: [
    ("opened", "opened", "accepted"), ("acted", "acted", "accepted"), ("acted", "opened", "opened"),
  ])
  func statesOnlyMoveForward(first: String, second: String, earlier: String) async throws {
    let fixture = try await told()
    try await fixture.report(event: first)
    try await fixture.report(event: second)

    #expect(try await fixture.states() == [first: 1])
  }

  @Test(arguments: [(3_600.0, 0.0), (-86_400, -60), (-30, -30)])
  func aTimeOutsideOfTheNotificationsLifeIsBroughtIntoIt(given: Double, expected: Double) async throws {
    let fixture = try await told()
    _ = try await fixture.connection.query("UPDATE notifications SET created_at = \(fixture.now - 60)")

    try await fixture.report(event: "opened", at: fixture.now + given)

    let time = try await fixture.connection.query("SELECT occurred_at FROM notification_interactions").only()
    #expect(try time.decode("occurred_at", as: Date.self) == fixture.now + expected)
  }

  @Test func unknownAndForeignIDsAreAnsweredAlike() async throws {
    let fixture = try await told()
    let owner = try await fixture.notification()
    try await fixture.enqueue(["foreign"])
    let foreign = try #require(try await fixture.device("foreign", "id"))
    let before = try await fixture.rowVersions()

    let answers = [
      try await fixture.report(UUID(), event: "opened"),
      try await fixture.report(owner, event: "opened", device: UUID().uuidString),
      try await fixture.report(owner, event: "opened", device: foreign),
    ]

    for answer in answers {
      #expect(answer["found"] == RawJSON(false) && answer["statusCode"]?.intValue == 404)
      #expect(answer["body"]?.stringValue?.contains(#""found":false"#) == true)
    }
    #expect(try await fixture.rowVersions() == before)
    #expect(try await fixture.interactions().isEmpty)
  }

  @Test func aDeviceThatHasChangedHandsStillAnswersForWhatItGot() async throws {
    let fixture = try await told()
    let (owner, device) = (try await fixture.notification(), try #require(try await fixture.device("aa", "id")))
    try await fixture.enqueue(["bb"])
    _ = try await fixture.connection.query(
      "UPDATE device_tokens SET user_id = (SELECT user_id FROM device_tokens WHERE token = 'bb') WHERE token = 'aa'")

    let answer = try await fixture.report(owner, event: "opened", device: device)

    #expect(answer["found"] == RawJSON(true))
    #expect(try await fixture.delivery("aa").state == "opened")
  }

  @Test func aRehearsalWritesNothing() async throws {
    let fixture = try await told()
    let before = try await fixture.rowVersions()

    let answer = try await fixture.report(event: "opened", dryRun: true)

    #expect(answer["found"] == RawJSON(true))
    #expect(try await fixture.rowVersions() == before)
  }

  @Test(arguments: [
    (#"{}"#, "notificationId"), (#"{"notificationId":"x","event":"opened"}"#, "notificationId"),
    (#"{"notificationId":"ID"}"#, "event"), (#"{"notificationId":"ID","event":"dismissed"}"#, "event"),
    (#"{"notificationId":"ID","event":"opened","deviceId":7}"#, "deviceId"),
    (#"{"notificationId":"ID","event":"opened","at":"yesterday"}"#, "at"),
    (#"{"notificationId":"ID","event":"opened","action":"REPLY"}"#, "action"),
    (#"{"notificationId":"ID","event":"acted","action":""}"#, "action"),
    (#"{"notificationId":"ID","event":"acted","action":"LONG"}"#, "action"), ("[]", "payload"),
  ])
  func aWrongReportIsRefusedByItsField(body: String, field: String) async throws {
    let fixture = try await DeliveryFixture()
    let text = body.replacing("ID", with: UUID().uuidString)
      .replacing("LONG", with: String(repeating: "x", count: 101))

    let error = await #expect(throws: FunctionError.self) { try await fixture.interact(text) }

    #expect(error?.code == .invalidEvent && error?.message.lowercased().contains(field.lowercased()) == true)
  }
}
