import FoundationEssentials
import Notifications
import Postgres
import PushPayload

/// A candidate with what was decided and what is written for them.
struct Told: Sendable {
  let candidate: Candidate
  let decision: Decision
  /// The row in the inbox; `nil` where the decision leaves none.
  let notification: UUID?
  let message: Message
  /// What it was decided from, as JSON; `nil` where everything is as with most people.
  let facts: String?

  /// The payload with the id of the person's own notification.
  func payload(of kind: Kind) -> String? {
    guard let notification, let payload = message.payload else { return nil }
    return PushPayload.insertID(notification, as: kind.app.idKey, into: payload)
  }

  /// The same for everybody with the same subject, reason and sound.
  struct Message: Sendable {
    /// Which of the messages of one page it is.
    let number: Int
    let kind: Kind
    let subject: Subject
    let variant: String?
    let text: NotificationText
    let data: String
    /// Without the notification's id; `nil` where it would be too large.
    let payload: String?
    let dedupeKey: String?
    let pushExpiry: Date
    let inboxExpiry: Date
    let part: BatchPart?

    /// The payload with zeros in the place of the notification's id.
    var payloadOfNobody: String? {
      payload.map {
        PushPayload.insertID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), as: kind.app.idKey, into: $0)
      }
    }

    /// The payload up to the notification's id; nothing but `"}` comes after it.
    var payloadBeforeID: String? { payloadOfNobody.map { String($0.dropLast(38)) } }
  }

  var isPushed: Bool { decision == .notify }

  var hold: Hold? { if case .hold(let hold) = decision { hold } else { nil } }

  /// The notification that opened the window it waits in.
  var opener: UUID? { hold?.reason == .batched ? candidate.openWindow?.opener : nil }

  /// The notification on the person's phone that it replaces; `nil` where it replaces none.
  var replaced: UUID? { isPushed ? candidate.shown?.notification : nil }

  /// The name under which it replaces what is on the phone; `nil` for its own id.
  var collapseID: String? { isPushed ? candidate.shown?.collapseID : nil }

  /// When what comes after it goes out; `nil` where it opens no window.
  func windowEnd(of kind: Kind, from now: Date) -> Date? {
    isPushed && kind.batches(for: candidate.reason) ? now.addingTimeInterval(Gate.batchWindow) : nil
  }

  /// Whether it is, or may yet be, sent.
  var keepsPayload: Bool { decision.isToSend }
}

extension Decision {
  fileprivate var isToSend: Bool { if case .suppress = self { false } else { true } }
}

/// Decides about one page of an audience after the other.
struct Deciding<N: Notice> {
  let announcement: Announcement<N>
  let now: Date
  /// Whether the notices' variants are tried out.
  private let isExperiment: Bool
  private var messages: [MessageKey: Told.Message] = [:]
  /// When this event itself has sent pushes to people who have an hourly limit.
  private var pushes: [UUID: [Date]] = [:]

  private struct MessageKey: Hashable {
    let subjectID: String
    let recipient: Recipient
    let sound: String?
    let allowsCritical: Bool
    /// The notification that it goes on from, which is each person's own.
    let goesOnFrom: UUID?
  }

  init(_ announcement: Announcement<N>, isExperiment: Bool, at now: Date) {
    (self.announcement, self.isExperiment, self.now) = (announcement, isExperiment, now)
  }

  mutating func decide(_ candidates: [Candidate]) -> [Told] {
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
      let leavesEntry = decision.inboxEntry != .none && !candidate.hasEntry(of: notice)
      let facts = DecisionFacts(
        candidate, of: notice.kind, until: notice.pushExpiry(from: now), decided: decision, at: now)
      return Told(
        candidate: candidate, decision: decision,
        notification: announcement.entry ?? (leavesEntry ? ids.popFirst() : nil),
        message: message, facts: facts.json)
    }
  }

  private mutating func message(_ notice: N, to candidate: Candidate) -> Told.Message {
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
    let message = Told.Message(
      number: messages.count, kind: notice.kind, subject: notice.subject, variant: candidate.variant,
      text: candidate.text(of: notice).inInbox, data: payload.encodedValues,
      payload: try? payload.encoded(), dedupeKey: notice.dedupeKey, pushExpiry: notice.pushExpiry(from: now),
      inboxExpiry: notice.inboxExpiry(from: now), part: notice.part)
    messages[key] = message
    return message
  }
}
