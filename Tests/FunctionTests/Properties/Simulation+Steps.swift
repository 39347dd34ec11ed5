import FoundationEssentials
import Notifications
import Postgres

@testable import NotificationCreated

extension Simulation {
  /// Something that happens.
  func step() async throws {
    switch random.number(0..<100) {
    case 0..<8: try await createFeedback()
    case 8..<19: try await comment()
    case 19..<33: try await vote()
    case 33..<38: try await changeStatus()
    case 38..<44: try await propose()
    case 44..<62: try await voteOnProposal()
    case 62..<64: try await changeOptions()
    case 64..<66: try await confirm()
    case 66: try await random.percent(60) ? befriend() : takeVoteBack()
    case 67: try await invite()
    case 68..<70: try await collide()
    case 70..<79: try await insertFromApp()
    case 79..<81: try await changeDeliveryPolicy()
    case 81..<83: try await changeSwitch()
    case 83..<87: try await look()
    case 87..<90: try await read()
    case 90: try await readAll()
    case 91..<95: try await changeDevice()
    case 95: try await changeZone(of: random.pick(people), random.pick(App.allCases))
    case 96: try await changeMembership()
    case 97: try await sleepThroughMuch()
    default: isSenderOff = true
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

  /// Some people look at what is new.
  private func look() async throws {
    let subject =
      random.percent(50) ? feedbacks.last.map { ($0.id, App.feedbackKit) } : proposals.last.map { ($0.id, .lockItIn) }
    guard let (subject, app) = subject else { return }
    try await write(
      """
      INSERT INTO user_activity (user_id, app, subject_id, seen_at)
      SELECT unnest(\(people.map(\.id).shuffled(using: &random).prefix(4).map(\.self))), \(app.rawValue), \(subject.text),
        \(clock)
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

  /// A device comes, goes, or gets another owner; usually one for which something is on its way.
  private func changeDevice() async throws {
    let person = random.pick(people)
    let waiting: [String] = try await database.query(
      """
      SELECT DISTINCT t.token FROM deliveries d JOIN device_tokens t ON t.id = d.device_token_id
      WHERE d.state = 'queued' ORDER BY t.token
      """
    ).decode("token")
    let token = random.pick(waiting.isEmpty ? ["device\(random.number(1..<devices + 1))"] : waiting)
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
    for index in proposals.indices where proposals[index].group == group { proposals[index].votedAt = clock }
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
