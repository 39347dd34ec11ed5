import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import ActionCompleted

/// Pushes of the badge to the devices on which something was not done.
@Suite(.heavy)
struct BadgePushTests {
  @Test(arguments: [(0, ["d5 0"]), (-3_600, ["c5 0", "d5 0"])] as [(Double, [String])])
  func theDeviceThatHasJustReportedKnowsIt(age: Double, told: [String]) async throws {
    let scene = try await BadgeScene()
    _ = try await scene.demo.connection.query(
      """
      INSERT INTO notification_interactions (notification_id, device_token_id, event, occurred_at, created_at)
      SELECT id, \(BadgeScene.phone)::uuid, 'acted', now(), \(BadgeScene.now + age) FROM notifications
      WHERE user_id = \(Person.eva.id)::uuid
      """)

    try await scene.tell(try await scene.demo.cast("yes", by: .eva))

    #expect(try await scene.send() == told)
  }

  @Test(arguments: [
    "UPDATE device_tokens SET is_active = false", "UPDATE device_tokens SET app = 'mugshot'",
    "INSERT INTO user_notification_preferences (user_id, notifications_enabled) VALUES ('\(Person.eva.id)', false)",
    "INSERT INTO notification_state VALUES ('\(Person.eva.id)', 'lockitin', '2040-01-01') ON CONFLICT (user_id, app) DO UPDATE SET all_read_at = '2040-01-01'; UPDATE device_tokens SET badge = 0",
  ])
  func nobodyIsToldWhoseBadgeIsNotShownOrDidNotFall(change: String) async throws {
    let scene = try await BadgeScene()
    try await scene.demo.connection.script(change)

    #expect(try await scene.tell(try await scene.demo.cast("yes", by: .eva)).badgePushes == 0)
  }

  @Test func votesOnSeveralOptionsLowerItOnce() async throws {
    let scene = try await BadgeScene()
    let first = try await scene.demo.cast("yes", by: .eva, "e1")
    let second = try await scene.demo.cast("no", by: .eva, on: Demo.saturday, "e2")
    let change = try await scene.demo.cast("maybe", by: .eva, "e3")
    for event in [first, second, change] {
      try await scene.tell(event)
      // An alert in between removes what is known of the devices.
      try await scene.send()
      try await scene.demo.connection.script("UPDATE device_tokens SET last_accepted_at = now()")
    }

    #expect(try await scene.states(ofBadges: true) == ["accepted", "accepted"])
  }

  @Test func readingOneOfManyLowersTheBadgeOfTheOtherDevices() async throws {
    let scene = try await BadgeScene()
    let inbox = try await scene.fillAdasInbox(3)

    let reading = try await scene.change("notifications", inbox[0], "is_read = true", "e1")
    #expect(try await scene.tell(reading).counts == [0, 0, 0, 2])
    let filing = try await scene.change("notifications", inbox[1], "is_archived = true", "e2")
    #expect(try await scene.tell(filing).counts == [0, 0, 0, 0])

    #expect(try await scene.send() == ["a1 1", "b1 1"])
    #expect(try await scene.send().isEmpty)
  }

  @Test func readingEverythingTellsEachDeviceOnce() async throws {
    let scene = try await BadgeScene()
    let inbox = try await scene.fillAdasInbox(40)
    var events: [String] = []
    for (number, id) in inbox.enumerated() {
      events.append(try await scene.change("notifications", id, "is_read = true", "e\(number)"))
    }

    var sent: [String] = []
    for event in events {
      try await scene.tell(event)
      sent += try await scene.send()
    }

    #expect(sent == ["a1 0", "b1 0"])
    #expect(try await scene.demo.number("SELECT count(*) FROM notifications WHERE type = 'badge'") == 1)
    #expect(try await scene.demo.number("SELECT count(*) FROM handled_events WHERE function = 'action-completed'") == 1)
  }

  @Test(arguments: [
    "UPDATE notifications SET counts_for_badge = false", "UPDATE notifications SET expires_at = '2029-01-01'",
    "UPDATE notifications SET merged_into = id", "UPDATE notifications SET app = 'lockitin'",
    "UPDATE notifications SET app = 'elsewhere'", "UPDATE notifications SET is_archived = true",
  ])
  func readingWhatWasNotCountedLowersNothing(change: String) async throws {
    let scene = try await BadgeScene()
    let inbox = try await scene.fillAdasInbox(1)
    try await scene.demo.connection.script(change)

    let event = try await scene.change("notifications", inbox[0], "is_read = true")
    #expect(try await scene.tell(event).badgePushes == 0)
  }

  @Test func readingTakesWhatWaitsOutOfTheQueueAndItsNumberFollows() async throws {
    let scene = try await BadgeScene()
    let asked: String = try await scene.demo.connection.query(
      "SELECT id::text FROM notifications WHERE user_id = \(Person.eva.id)::uuid"
    ).only().decode("id")
    let reading = try await scene.change("notifications", asked, "is_read = true", "e1")
    #expect(try await scene.tell(reading).counts == [0, 2, 0, 2])
    try await scene.tell(try await scene.demo.cast("yes", by: .eva, "e2"))

    let badge: String = try await scene.demo.connection.query(
      "SELECT id::text FROM notifications WHERE type = 'badge'"
    ).only().decode("id")
    let tidying = try await scene.change("notifications", badge, "is_archived = false", "e3")
    #expect(try await scene.tell(tidying).counts == [0, 0, 0, 0])
    #expect(try await scene.send() == ["c5 0", "d5 0"])
  }

  @Test func itsOwnChangesHaveNoFurtherEffect() async throws {
    let scene = try await BadgeScene()
    try await scene.tell(try await scene.demo.cast("yes", by: .eva))
    let effects = try await scene.demo.effects()
    let rows = try await scene.demo.connection.query(
      "SELECT to_jsonb(n)::text AS row FROM notifications n WHERE is_read")

    for row in try rows.decode("row", as: String.self) {
      let old = row.replacing(#""is_read": true"#, with: #""is_read": false"#)
      #expect(old != row)
      let event = RowEvent.event("UPDATE", "notifications", record: row, oldRecord: old, id: "echo")
      #expect(try await scene.tell(event).counts == [0, 0, 0, 0])
    }
    #expect(try await scene.demo.effects() == effects)
  }

  @Test func theFourthOfAnHourFollowsWithTheLatestNumberWhenThereIsRoom() async throws {
    let scene = try await BadgeScene()
    let inbox = try await scene.fillAdasInbox(6)
    var sent: [[String]] = []
    for (number, id) in inbox.dropLast().enumerated() {
      let now = BadgeScene.now + Double(number * 60)
      let event = try await scene.change("notifications", id, "is_read = true", "e\(number)")
      try await scene.tell(event, at: now)
      sent.append(try await scene.send(at: now))
    }

    #expect(sent == [["a1 5", "b1 5"], ["a1 4", "b1 4"], ["a1 3", "b1 3"], [], []])
    #expect(try await scene.send(at: BadgeScene.now + 3_599).isEmpty)
    #expect(try await scene.send(at: BadgeScene.now + 3_600) == ["a1 1", "b1 1"])
    #expect(try await scene.send(at: BadgeScene.now + 7_200).isEmpty)
  }

  @Test func aBadgeThatWaitsIsNotSentWithTheNumberFromBeforeATransaction() async throws {
    let scene = try await BadgeScene()
    let inbox = try await scene.fillAdasInbox(2)
    try await scene.tell(try await scene.change("notifications", inbox[0], "is_read = true"))
    try await scene.send()
    try await scene.demo.connection.script(
      "UPDATE deliveries SET state = 'queued' WHERE notification_id IN (SELECT id FROM notifications WHERE type = 'badge')"
    )

    try await Connection(url: scene.demo.url, applicationName: "api").transaction { transaction in
      _ = try await transaction.query("UPDATE notifications SET is_read = true WHERE id = \(inbox[1])::uuid")
      #expect(try await transaction.pushBadges(to: [try Self.ada()], in: .feedbackKit, Self.call()) == 0)
      #expect(try await scene.send().isEmpty)
    }

    #expect(try await scene.send() == ["a1 0", "b1 0"])
  }

  /// The sender has not committed yet when the act asks for waiting pushes; it takes them with this number or another one.
  @Test(arguments: [(1, []), (2, ["a1 1", "b1 1"])] as [(Int, [String])])
  func aBadgeThatASenderIsTakingIsPushedAgainOnlyForAnotherNumber(taken: Int, told: [String]) async throws {
    let scene = try await BadgeScene()
    let inbox = try await scene.fillAdasInbox(2)
    try await scene.tell(try await scene.change("notifications", inbox[0], "is_read = true"))

    let pushing = try await Connection(url: scene.demo.url, applicationName: "sender").transaction { sender in
      let leased = try await sender.query(
        """
        UPDATE deliveries d SET badge = \(taken), lease_id = \(UUID()), lease_until = clock_timestamp() + interval '1 minute'
        FROM notifications n WHERE n.id = d.notification_id AND n.type = 'badge'
        """)
      #expect(leased.affectedRows == 2)
      let pushing = Task {
        try await Connection(url: scene.demo.url, applicationName: "api").transaction { transaction in
          try await transaction.pushBadges(to: [try Self.ada()], in: .feedbackKit, Self.call())
        }
      }
      try await scene.demo.connection.wait(
        until: """
          EXISTS (SELECT FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = 'api' AND wait_event_type = 'Lock')
          """)
      return pushing
    }

    #expect(try await pushing.value == told.count)
    #expect(try await scene.send() == told)
  }

  /// A sender locks deliveries before devices, and the other order would end in a deadlock.
  @Test func actsOfTwoPeopleChangeNoDeviceBeforeAllWaitingPushesAreLocked() async throws {
    let scene = try await BadgeScene()
    let inbox = try await scene.fillAdasInbox(4)
    try await scene.demo.connection.script(
      """
      UPDATE notifications SET user_id = '\(Person.ben.id)' WHERE id IN ('\(inbox[2])', '\(inbox[3])');
      UPDATE device_tokens SET badge = 9 WHERE token = repeat('a1', 32);
      """)
    _ = try await scene.demo.connection.query(
      """
      INSERT INTO notification_interactions (notification_id, device_token_id, event, occurred_at, created_at)
      SELECT \(inbox[0])::uuid, id, 'opened', now(), \(BadgeScene.now) FROM device_tokens WHERE token = repeat('a1', 32)
      """)
    #expect(try await scene.tell(try await scene.change("notifications", inbox[2], "is_read = true")).badgePushes == 1)
    let ofAda = try await scene.change("notifications", inbox[0], "is_read = true", "e2")
    let ofBen = try await scene.change("notifications", inbox[3], "is_read = true", "e3")

    let settling = try await Connection(url: scene.demo.url, applicationName: "sender").transaction { sender in
      _ = try await sender.query(
        """
        SELECT FROM deliveries d JOIN notifications n ON n.id = d.notification_id WHERE n.type = 'badge' FOR UPDATE OF d
        """)
      let settling = Task { try await scene.tell([ofAda, ofBen]) }
      try await scene.demo.connection.wait(
        until: """
          EXISTS (SELECT FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = 'function' AND wait_event_type = 'Lock')
          """)
      _ = try await sender.query("SELECT FROM device_tokens FOR NO KEY UPDATE NOWAIT")
      return settling
    }

    // Ada's other device is told; Ben's push waits with the new number.
    #expect(try await settling.value.map(\.badgePushes) == [1, 0])
    #expect(try await scene.demo.number("SELECT count(*) FROM device_tokens WHERE badge = 9") == 0)
  }

  @Test func aSenderThatLookedBeforeATransactionTakesNoBadgeAfterIt() async throws {
    let scene = try await BadgeScene()
    let inbox = try await scene.fillAdasInbox(1)
    try await scene.tell(try await scene.change("notifications", inbox[0], "is_read = true"))

    let error = await #expect(throws: PostgresError.self) {
      try await Connection(url: scene.demo.url, applicationName: "sender").transaction(.repeatableRead) { sender in
        _ = try await sender.query("SELECT FROM deliveries")
        _ = try await Connection(url: scene.demo.url, applicationName: "api").transaction { transaction in
          try await transaction.pushBadges(to: [try Self.ada()], in: .feedbackKit, Self.call())
        }
        _ = try await sender.query("SELECT FROM deliveries d FOR UPDATE OF d SKIP LOCKED")
      }
    }
    #expect(error?.sqlState == "40001")
  }

  private static func ada() throws -> UUID { try #require(UUID(uuidString: Person.ada.id)) }

  /// A call of the API.
  private static func call() -> EventContext {
    let envelope = Envelope(id: "t", source: "/api", type: "call", data: RawJSON(object: []))
    return EventContext(
      Event(envelope: envelope, data: 0), Context(function: "api", now: BadgeScene.now, log: Log { _ in }))
  }
}
