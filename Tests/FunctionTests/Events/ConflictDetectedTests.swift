import DeliveryLive
import FoundationEssentials
import FunctionKit
import PersonLive
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import ConflictDetected

@Suite(.heavy)
struct ConflictDetectedTests {
  private func detect(
    _ demo: Demo, _ conflict: String = "f9000000-0000-4000-8000-000000000001", dryRun: Bool = false,
    actor: String? = nil, at time: Date = Demo.now
  ) async throws -> Answer {
    let record = #"{"id":"\#(conflict)"}"#
    let event = RowEvent.event("INSERT", "event_conflicts", record: record, id: conflict, actor: actor)
    return try await demo.run(ConflictDetected(store: demo.store()), on: event, dryRun: dryRun, at: time)
  }

  /// An app may compute a conflict of somebody who has left the group.
  @Test func nobodyIsToldOfTheConflictOfSomebodyWhoHasLeft() async throws {
    let demo = try await Demo()
    try await demo.connection.script("DELETE FROM group_members WHERE user_id = '\(Person.ben.id)'")

    let result = try await detect(demo)

    #expect(result.decisions == [.ben: "suppress not_permitted", .ada: "suppress subject_gone"])
    #expect(try await demo.inbox(of: .ada) == [])
  }

  @Test func theConflictedPersonAndTheOrganizerAreToldInTheirOwnWords() async throws {
    let answer = try await detect(try await Demo(), dryRun: true)

    #expect(answer.decisions == [.ben: "notify addressee", .ada: "notify organizer"])
    #expect(try answer.payloads[.ben] == .onFile("lockitin/conflict_alert"))
    #expect(try answer.payloads[.ada] == .onFile("lockitin/conflict_alert.organizer"))
  }

  @Test func anAlertIsCriticalForThoseWhoWantIt() async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      INSERT INTO user_notification_preferences (user_id, critical_alerts, notification_sound)
      VALUES ('\(Person.ben.id)', true, 'alarm.caf')
      """)

    let payloads = try await detect(demo, dryRun: true).payloads

    guard case .object(let payload)? = payloads[.ben], case .object(let aps)? = payload["aps"] else {
      throw FunctionError(.failed, "Ben gets nothing.")
    }
    #expect(aps["interruption-level"] == .text("critical"))
    #expect(aps["sound"] == .object(["critical": .number(1), "name": .text("alarm.caf"), "volume": .number(1)]))
    #expect(try payloads[.ada] == .onFile("lockitin/conflict_alert.organizer"))
  }

  @Test func theOrganizerNeverLearnsWhatTheOtherEventIs() async throws {
    let demo = try await Demo()

    _ = try await detect(demo)

    let told = try await demo.connection.query(
      "SELECT n::text AS row FROM notifications n WHERE user_id = \(Person.ada.id)::uuid")
    let row = try #require(try told.only()["row"])
    #expect(!row.contains("Dentist") && !row.contains("fb000000"))
  }

  @Test func anOrganizerWithAConflictHearsOfItOnce() async throws {
    let demo = try await Demo()
    try await demo.connection.script("UPDATE event_conflicts SET user_id = '\(Person.ada.id)'")

    #expect(try await detect(demo).decisions == [.ada: "notify addressee"])
  }

  @Test func nobodyIsTheActorOfAConflict() async throws {
    #expect(try await detect(try await Demo(), actor: Person.ada.id).result.notified == 2)
  }

  @Test(arguments: [
    (
      "INSERT INTO user_notification_preferences (user_id, conflict_alerts) VALUES ('\(Person.ben.id)', false)",
      "notify addressee"
    ),
    (
      """
      INSERT INTO group_notification_preferences (user_id, group_id, notification_level)
      SELECT '\(Person.ben.id)', group_id, 'muted' FROM event_proposals
      """, "notify addressee"
    ),
    (
      "INSERT INTO user_notification_preferences (user_id, notifications_enabled) VALUES ('\(Person.ben.id)', false)",
      "suppress disabled"
    ),
    ("DELETE FROM group_members WHERE user_id = '\(Person.ben.id)'", "suppress not_permitted"),
    ("UPDATE event_proposals SET status = 'cancelled'", "suppress subject_gone"),
    ("UPDATE event_proposals SET status = 'confirmed'", "notify addressee"),
  ])
  func onlyTheMasterSwitchStopsAnAlert(change: String, expected: String) async throws {
    let demo = try await Demo()
    try await demo.connection.script(change)

    #expect(try await detect(demo).decisions[.ben] == expected)
  }

  @Test(arguments: [("Pacific/Auckland", "Sunday"), ("America/Los_Angeles", "Saturday"), ("nowhere", "Saturday")])
  func theDayIsThatOfTheOrganizersZone(zone: String, day: String) async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      "INSERT INTO user_notification_preferences (user_id, timezone) VALUES ('\(Person.ada.id)', '\(zone)')")

    _ = try await detect(demo)

    let body = "with Game Night on \(day)"
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE body = \(body)") == 1)
  }

  @Test func aPrivateTitleAppearsNowhere() async throws {
    let demo = try await Demo()
    try await demo.connection.script("UPDATE event_proposals SET visibility = 'private'")

    let answer = try await detect(demo, dryRun: true)

    #expect(answer.result.notified == 2)
    #expect(!String(decoding: answer.json.bytes, as: UTF8.self).contains("Game Night"))
  }

  /// The ways in which an app may compute its conflicts anew, and how often Ben and Ada are told of Ben's.
  @Test(
    arguments: [
      (["BEGIN; delete; insert; COMMIT"], 1.0, 1, 1), (["delete", "correct", "insert"], 1, 1, 1),
      (["delete", "insert", "correct"], 1, 1, 1),
      (["BEGIN; delete; insert; COMMIT"], 90_000, 1, 1), (["read", "BEGIN; delete; insert; COMMIT"], 90_000, 1, 1),
      // It was told hours ago, and is over for a second.
      (["delete", "correct soon", "insert"], 7_200, 1, 1),
      // It was over for an hour. Ada's phone still says so, unless she has read it.
      (["delete", "correct", "insert"], 3_600, 2, 1), (["read", "delete", "correct", "insert"], 3_600, 2, 2),
      // It is another one.
      (["BEGIN; delete; another; COMMIT"], 1, 2, 1),
    ] as [([String], Double, Int, Int)])
  func aConflictThatIsComputedAnewDoesNotRingAgain(
    _ requests: [String], _ later: Double, toBen: Int, toAda: Int
  ) async throws {
    let demo = try await Demo()
    _ = try await detect(demo)
    try await demo.send()
    let anew = "f9000000-0000-4000-8000-0000000000aa"
    let insert = { (other: String) in
      """
      INSERT INTO event_conflicts (id, proposal_id, user_id, existing_event_id, existing_title)
      VALUES ('\(anew)', '\(Demo.proposal)', '\(Person.ben.id)', 'fb000000-0000-4000-8000-00000000000\(other)', 'Dentist')
      """
    }
    for request in requests {
      if request.hasPrefix("correct") {
        _ = try await demo.store().release(at: Demo.now + (request == "correct" ? 1 : later - 1), dryRun: false)
        continue
      }
      let statements = request.split(separator: "; ").map { statement in
        switch statement {
        case "delete": "DELETE FROM event_conflicts WHERE id <> '\(anew)'"
        case "insert": insert("1")
        case "another": insert("2")
        case "read": "UPDATE notifications SET is_read = true"
        default: String(statement)
        }
      }
      try await demo.connection.script(statements.joined(separator: ";\n"))
    }

    _ = try await detect(demo, anew, at: Demo.now + later)
    _ = try await demo.store().release(at: Demo.now + later + 700, dryRun: false)

    for (person, pushes) in [(Person.ben, toBen), (.ada, toAda)] {
      #expect(
        try await demo.number(
          "SELECT count(*) FROM notifications WHERE user_id = \(person.id)::uuid AND pushed_at IS NOT NULL") == pushes,
        "\(person)")
      let unread = try await demo.number(
        """
        SELECT count(*) FROM notifications WHERE user_id = \(person.id)::uuid AND NOT is_archived AND NOT is_read
        """)
      #expect(unread == (requests.contains("read") && pushes == 1 ? 0 : 1), "\(person)")
    }
  }
}
