import FoundationEssentials
import Notifications
import Postgres
import PushPayload

/// A candidate with the decision and the rows to write.
final class NotificationPlan: Sendable {
  let candidate: Candidate
  let decision: Decision
  /// The row in the inbox; `nil` if the decision leaves none.
  let notification: UUID?
  let message: Message
  /// The facts of the decision as JSON; `nil` if all of them are the usual ones.
  let facts: String?

  init(
    _ candidate: Candidate, _ decision: Decision, notification: UUID?, joining joined: UUID?, _ message: Message,
    facts: String?
  ) {
    (self.candidate, self.decision, self.message) = (candidate, decision, message)
    (self.notification, self.joined, self.facts) = (notification, joined, facts)
  }

  /// The payload with the id of the person's own notification.
  func payload(of kind: Kind) -> String? {
    guard let notification, let payload = message.payload else { return nil }
    return PushPayload.insertID(notification, as: kind.app.profile.idKey, into: payload)
  }

  /// A message, shared by everybody with the same subject, reason and sound.
  ///
  /// It is a class, so that the plans of many people refer to one message.
  final class Message: Sendable {
    /// Its number among the messages of one planner.
    let number: Int
    let kind: Kind
    let subject: Subject
    let variant: String?
    let text: NotificationText
    let data: String
    /// The payload without the notification's id; `nil` if it is too large.
    let payload: String?
    let dedupeKey: String?
    let pushExpiry: Date
    let inboxExpiry: Date
    let part: BatchPart?

    init(
      number: Int, kind: Kind, subject: Subject, variant: String?, text: NotificationText, data: String,
      payload: String?, dedupeKey: String?, pushExpiry: Date, inboxExpiry: Date, part: BatchPart?
    ) {
      (self.number, self.kind, self.subject, self.variant) = (number, kind, subject, variant)
      (self.text, self.data, self.payload, self.dedupeKey) = (text, data, payload, dedupeKey)
      (self.pushExpiry, self.inboxExpiry, self.part) = (pushExpiry, inboxExpiry, part)
    }

    /// The payload with zeros in the place of the notification's id.
    var payloadOfNobody: String? {
      payload.map {
        PushPayload.insertID(
          UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), as: kind.app.profile.idKey, into: $0)
      }
    }

    /// The payload up to the notification's id; only `"}` follows the id.
    var payloadBeforeID: String? { payloadOfNobody.map { String($0.utf8.dropLast(38)) ?? $0 } }
  }

  var isPushed: Bool { decision == .notify }

  var hold: Hold? { if case .hold(let hold) = decision { hold } else { nil } }

  /// The notification that opened its window.
  var opener: UUID? { hold?.reason == .batched ? candidate.openWindow?.opener : nil }

  /// The notification on the person's phone that it replaces; `nil` for none.
  var replaced: UUID? { isPushed ? candidate.shown?.notification : nil }

  /// The notification on the person's phone that says the same and tells of this act, too, from now on; `nil` for none.
  let joined: UUID?

  /// The collapse id of the push that it replaces; `nil` for its own id.
  var collapseID: String? {
    (isPushed ? candidate.shown?.collapseID : nil) ?? message.kind.collapseID(about: message.subject.id)
  }

  /// When its window ends; `nil` if it opens none.
  func windowEnd(of kind: Kind, from now: Date) -> Date? {
    isPushed && kind.batches(for: candidate.reason) ? now.addingTimeInterval(Gate.batchWindow) : nil
  }

  /// Whether it is, or may yet be, sent.
  var keepsPayload: Bool { decision.isToSend }
}

extension Candidate {
  /// The notification that an act belongs to although nobody is told: what it says is right for both.
  ///
  /// If one of two voters took the vote back and somebody else voted, it says "2 people" before and after. The next one
  /// makes three. A conflict that was gone for a moment returns.
  fileprivate func joins<N: Notice>(_ notice: N, _ decision: Decision, at now: Date) -> UUID? {
    guard decision == .suppress(.duplicate), let family = notice.kind.family, family.repeatsNothing else { return nil }
    if let shown { return shown.notification }
    return family == .conflicts ? earlierConflict(notice, at: now).flatMap { $0.isGone ? $0.notification : nil } : nil
  }
}

extension Decision {
  fileprivate var isToSend: Bool { if case .suppress = self { false } else { true } }
}

/// Decides about an audience, part by part: a page in a dry run, a slice of one in a batch.
struct Planner<N: Notice> {
  let announcement: Announcement<N>
  let now: Date
  /// Whether an experiment with the notices' variants is on.
  private let isExperiment: Bool
  private var messages: [MessageKey: NotificationPlan.Message] = [:]
  /// The times of this event's own pushes to people with an hourly limit.
  private var pushes: [UUID: [Date]] = [:]

  private struct MessageKey: Hashable {
    let subjectID: String
    let recipient: Recipient
    let sound: String?
    let allowsCritical: Bool
    /// The notification that it continues, which is each person's own.
    let goesOnFrom: UUID?
  }

  init(_ announcement: Announcement<N>, isExperiment: Bool, at now: Date) {
    (self.announcement, self.isExperiment, self.now) = (announcement, isExperiment, now)
  }

  mutating func decide(_ candidates: [Candidate]) -> [NotificationPlan] {
    var ids = UUID.timeOrdered(candidates.count)[...]
    return candidates.compactMap { candidate in
      guard let notice = announcement.notices[candidate.subjectID] else { return nil }
      var candidate = candidate
      candidate.variant = isExperiment ? notice.variant(for: candidate.user) : nil
      candidate.recentPushes += pushes[candidate.user] ?? []
      var decision = Gate.decision(on: candidate, for: notice, at: now)
      let message = message(notice, to: candidate)
      if message.payload == nil, decision.isToSend { decision = .suppress(.unencodable) }
      if decision == .notify, candidate.hourlyLimit != nil { pushes[candidate.user, default: []].append(now) }
      let joined = candidate.joins(notice, decision, at: now)
      let leavesEntry = (decision.inboxEntry != .none || joined != nil) && !candidate.hasEntry(of: notice)
      let facts = DecisionFacts(
        candidate, of: notice.kind, until: candidate.holdEnd(for: notice, from: now), decided: decision, at: now)
      return NotificationPlan(
        candidate, decision, notification: announcement.entry ?? (leavesEntry ? ids.popFirst() : nil), joining: joined,
        message, facts: facts.json)
    }
  }

  private mutating func message(_ notice: N, to candidate: Candidate) -> NotificationPlan.Message {
    let key = MessageKey(
      subjectID: candidate.subjectID, recipient: candidate.recipient, sound: candidate.sound,
      allowsCritical: candidate.allowsCritical, goesOnFrom: candidate.shown?.notification)
    if let message = messages[key] { return message }
    var payload = notice.payload(
      for: candidate.recipient, sound: candidate.sound, allowsCritical: candidate.allowsCritical)
    let merged = candidate.merged(notice)
    if let merged, payload.alert != nil {
      payload.alert = .init(title: merged.text.title, body: merged.text.body)
      payload.values = merged.values(payload.values)
    }
    let message = NotificationPlan.Message(
      number: messages.count, kind: notice.kind, subject: notice.subject, variant: candidate.variant,
      text: candidate.text(of: notice).inInbox, data: payload.encodedValues,
      payload: try? payload.encoded(), dedupeKey: notice.dedupeKey, pushExpiry: notice.pushExpiry(from: now),
      inboxExpiry: notice.inboxExpiry(from: now), part: notice.part)
    messages[key] = message
    return message
  }
}

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
