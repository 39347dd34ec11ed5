import FoundationEssentials
import Notifications
import Postgres

/// The decisions about an event's people.
final class DecidedEvent: Sendable {
  let event: EventContext
  let kind: Kind
  /// The inbox entry of the only person, if the app has made it already.
  let entry: UUID?
  let plans: [NotificationPlan]

  init(_ event: EventContext, _ kind: Kind, entry: UUID?, _ plans: [NotificationPlan]) {
    (self.event, self.kind, self.entry, self.plans) = (event, kind, entry, plans)
  }
}

/// A decision with its event.
struct DecidedRow: Sendable {
  /// The number of its event among those that are written together.
  let number: Int
  let decided: DecidedEvent
  let plan: NotificationPlan

  var event: EventContext { decided.event }
  var kind: Kind { decided.kind }

  /// The number of its message among those of all events.
  var message: Int { number << 32 | plan.message.number }

  var countsForBadge: Bool { kind.countsForBadge && plan.decision.inboxEntry == .unread }
  var payload: String? { plan.keepsPayload ? plan.payload(of: kind) : nil }
  var windowEnd: Date? { plan.windowEnd(of: kind, from: event.now) }
}

extension [DecidedEvent] {
  /// The function that handles the events, which is the same for all.
  var function: String { first?.event.function ?? "" }

  /// All decisions, in the order of the events.
  var rows: [DecidedRow] {
    enumerated().flatMap { number, decided in
      decided.plans.map { DecidedRow(number: number, decided: decided, plan: $0) }
    }
  }

  /// The statements that write the decisions, without the deliveries.
  var statements: [SQL] {
    let decided = filter { !$0.plans.isEmpty }
    guard !decided.isEmpty else { return [] }
    let (made, own) = (decided.filter { $0.entry == nil }, decided.filter { $0.entry != nil })
    let merged = decided.rows.compactMap { row -> (old: UUID, new: UUID, time: Date)? in
      guard let own = row.plan.notification else { return nil }
      if let replaced = row.plan.replaced { return (old: replaced, new: own, time: row.event.now) }
      return row.plan.joined.map { (old: own, new: $0, time: row.event.now) }
    }
    let joined = decided.rows.compactMap { row in
      row.plan.joined.map { (notification: $0, text: row.plan.message.text, data: row.plan.message.data) }
    }
    let stated = decided.rows.filter(\.kind.tellsState)
    let isHeld = decided.rows.contains { $0.plan.hold != nil && $0.plan.notification != nil }
    var statements: [SQL] = made.isEmpty ? [] : [.insertNotifications(made)]
    if !own.isEmpty { statements += [.updateNotifications(own)].asOwnWrites }
    if !merged.isEmpty { statements += SQL.merge(merged).asOwnWrites }
    if !joined.isEmpty { statements += [.sayAgain(joined)].asOwnWrites }
    statements.append(.insertDecisions(decided))
    if isHeld { statements.append(.insertHolds(decided)) }
    if !stated.isEmpty { statements.append(.markEarlier(than: stated.newer)) }
    return statements
  }
}

extension [DecidedRow] {
  /// The states that the rows report: `id, user_id, app, type, subject_id, created_at`.
  fileprivate var newer: SQL {
    let rows: SQL = .rows(
      "i",
      [
        "id": "\(map(\.plan.notification))", "user_id": "\(map(\.plan.candidate.user))",
        "app": "\(map(\.kind.app.rawValue))", "type": "\(map(\.kind.name))",
        "subject_id": "\(map(\.plan.candidate.subjectID))", "created_at": "\(map(\.event.now))",
      ])
    return "SELECT * FROM \(rows)"
  }
}
