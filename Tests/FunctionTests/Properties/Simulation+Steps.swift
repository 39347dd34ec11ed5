import FoundationEssentials
import Notifications
import Postgres

@testable import NotificationCreated

extension Simulation {
  /// Something that happens.
  func step() async throws {
    switch random.number(0..<100) {
    case 0..<10: try await createFeedback()
    case 10..<22: try await comment()
    case 22..<40: try await vote()
    case 40..<45: try await changeStatus()
    case 45..<50: try await propose()
    case 50..<62: try await voteOnProposal()
    case 62..<64: try await changeOptions()
    case 64..<66: try await confirm()
    case 66..<67: try await befriend()
    case 67..<68: try await invite()
    case 68..<70: try await collide()
    case 70..<82: try await insertFromApp()
    case 82..<84: try await changeCalm()
    case 84..<86: try await changeSwitch()
    case 86..<88: try await look()
    case 88..<91: try await read()
    case 91..<92: try await readAll()
    case 92..<94: try await changeDevice()
    case 94..<96: try await changeZone(of: random.pick(people), random.pick(App.allCases))
    case 96..<97: try await changeMembership()
    default: isSenderOff.toggle()
    }
  }

  /// A row that an app inserts into the inbox itself.
  private func insertFromApp() async throws {
    let (person, id) = (random.pick(people), random.uuid())
    let visit = "00000000-0000-4000-8000-00000000000\(random.number(0..<3))"
    let friend = random.pick(people)
    let (app, type, data): (App, String, String) =
      switch random.number(0..<10) {
      case 0..<2: (.repairMinder, random.pick(["order_created", "device_status_changed", "payment_received"]), "{}")
      case 2: (.repairMinder, random.pick(["ticket_message", "quote_approved", "device_assigned"]), "{}")
      case 3..<7:
        (
          .mugshot, random.pick(["like", "like", "comment", "friend_request"]),
          """
          {"actor_username":"\(friend.name)","actor_user_id":"\(friend.id.text)","visit_id":"\(visit)","cafe_name":"Kaffa"}
          """
        )
      default:
        (
          .messageAI, "smart_notification",
          #"{"conversationId":"chat\#(random.number(0..<2))","messageId":"m\#(handed.count)"}"#
        )
      }
    let isActor = app == .mugshot && friend.id == person.id
    let hours: Int? = random.percent(20) ? random.number(1..<30) : nil
    try await write(
      """
      INSERT INTO notifications (id, user_id, app, type, title, body, data, entity_id, created_at, updated_at, expires_at)
      VALUES (\(id), \(person.id), \(app.rawValue), \(type), \("Title \(random.number(0..<3))"), 'Body', \(data)::jsonb,
        \(visit), \(clock), \(clock), \(hours.map { clock + Double($0) * 3_600 } as Date?))
      """)
    let record = try await row("notifications", id)
    try await hand(
      NotificationCreated.init, { RowEvent.event("INSERT", "notifications", record: record, id: $0) },
      by: [isActor ? person.id : nil], to: [person.id])
  }

  private func look() async throws {
    let person = random.pick(people)
    let subject =
      random.percent(50) ? feedbacks.last.map { ($0.id, App.feedbackKit) } : proposals.last.map { ($0.id, .lockItIn) }
    guard let (subject, app) = subject else { return }
    try await write(
      """
      INSERT INTO user_activity (user_id, app, subject_id, seen_at)
      VALUES (\(person.id), \(app.rawValue), \(subject.text), \(clock))
      ON CONFLICT (user_id, app) DO UPDATE SET subject_id = excluded.subject_id, seen_at = excluded.seen_at
      """)
  }

  private func read() async throws {
    try await write(
      """
      UPDATE notifications SET is_read = true WHERE id = (
        SELECT id FROM notifications WHERE user_id = \(random.pick(people).id) AND is_read IS NOT TRUE
        ORDER BY created_at DESC, app, type, subject_id LIMIT 1 OFFSET \(random.number(0..<3)))
      """)
  }

  private func readAll() async throws {
    let person = random.pick(people)
    try await write(
      """
      INSERT INTO notification_state (user_id, app, all_read_at) VALUES (\(person.id), 'lockitin', \(clock))
      ON CONFLICT (user_id, app) DO UPDATE SET all_read_at = excluded.all_read_at
      """)
    try await write("UPDATE notifications SET is_read = true WHERE user_id = \(person.id) AND app = 'lockitin'")
  }

  /// A device comes, goes, or gets another owner.
  private func changeDevice() async throws {
    let person = random.pick(people)
    let token = "device\(random.number(1..<devices + 1))"
    switch random.number(0..<3) {
    case 0: try await register(for: person, random.pick(App.allCases))
    case 1: try await write("UPDATE device_tokens SET is_active = false WHERE token = \(token)")
    default:
      try await write(
        """
        UPDATE device_tokens SET user_id = \(person.id), is_active = true, registered_at = \(clock) WHERE token = \(token)
        """)
    }
  }

  private func changeMembership() async throws {
    let (group, person) = (random.number(0..<groups.count), random.pick(people))
    if groups[group].members.contains(person.id) {
      guard groups[group].members.count > 2 else { return }
      groups[group].members.removeAll { $0 == person.id }
      try await write(
        "DELETE FROM group_members WHERE group_id = \(groups[group].id) AND user_id = \(person.id)")
    } else {
      groups[group].members.append(person.id)
      try await write(
        "INSERT INTO group_members (group_id, user_id) VALUES (\(groups[group].id), \(person.id))")
    }
  }
}
