import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import PushPayload
import StoreLive

/// A held notification that is due, with all facts for its decision.
struct Waiting {
  let id: UUID
  let kind: Kind
  var candidate: Candidate
  /// The words; the current ones if a function words it.
  private(set) var text: NotificationText
  /// The push; one with the app's own words goes out unchanged.
  private var push: PushPayload
  /// When the push becomes pointless; what a mute has held has its whole lifetime before it.
  private(set) var expiry: Date
  /// When the notice itself becomes pointless; `nil` if it never does.
  private var deadline: Date?
  /// When the entry leaves the inbox; `nil` if that has not changed.
  private(set) var inboxExpiry: Date?
  /// Whether a function words it, and not the app that inserted it; a push without text has no words.
  let isOurs: Bool
  /// Whether it sums up what waited for the end of quiet hours.
  let isSummary: Bool
  /// The summary that tells of it.
  let summaryID: UUID?
  let feedback: UUID?
  let project: UUID?
  let proposal: UUID?
  let event: UUID?
  let friendRequest: UUID?
  let dedupeKey: String?
  /// The subject to merge it by; `nil` if it is sent alone.
  let subjectID: String?
  private(set) var subjectName: String?
  let actor: String?
  /// The acts that it tells of: its own, and those that were merged into it.
  let acts: [Act]
  /// The notification that opened its window.
  let opener: UUID?
  /// Whether it waited because of notifications of its family about other subjects.
  let waitedForOthers: Bool
  /// Whether it waits to be sent.
  let isHeld: Bool
  /// Whether a mute has held it.
  let wasMuted: Bool
  /// Whether it waited for the end of quiet hours or a mute and shows text.
  let waitedForQuietHours: Bool
  /// The state that it reports; `nil` for an event.
  private(set) var state: String?
  private let payload: String

  private static func isSummary(_ row: Row) -> Bool {
    row["type"] == QuietSummary.typeName && row["origin"] == "function"
  }

  /// The kind by `type, origin, importance`; `nil` if this version does not know it.
  static func kind(_ row: Row, of app: App) -> Kind? {
    let kind = isSummary(row) ? .quietSummary(of: app) : Kind.named(row["type"] ?? "", of: app)
    return kind.map { kind in row["importance"].flatMap(Importance.init).map(kind.weighing) ?? kind }
  }

  init?(_ row: Row, of app: App, at now: Date, _ zones: inout Zones) throws {
    isSummary = Self.isSummary(row)
    summaryID = try row.optional("summary_id")
    guard let kind = Self.kind(row, of: app) else { return nil }
    var candidate = Candidate(
      user: try row.decode("user_id"), subjectID: row["subject_id"] ?? "",
      reason: row["recipient_reason"].flatMap(RecipientReason.init) ?? .addressee)
    try candidate.read(row, in: app, at: now, &zones)
    candidate.heldSince = try row.optional("waiting_since")
    candidate.variant = row["variant"]
    self.kind = kind
    self.candidate = candidate
    id = try row.decode("notification_id")
    text = NotificationText(said: row["title"] ?? "", row["body"] ?? "")
    payload = row["payload"] ?? "{}"
    let (pushEnd, inboxEnd): (Date?, Date?) = (try row.optional("push_expires_at"), try row.optional("expires_at"))
    // Without a deadline, an entry stays in the inbox for longer than its push is good for.
    deadline = isSummary || pushEnd != inboxEnd ? nil : pushEnd
    wasMuted = row["hold_reason"] == Hold.Reason.muted.rawValue
    expiry =
      wasMuted && deadline == nil
      ? min(inboxEnd ?? .distantFuture, now.addingTimeInterval(PushLifetime.standard)) : pushEnd ?? .distantFuture
    let showsNothing = payload.hasPrefix(#"{"aps":{}"#)
    isOurs = row["origin"] == "function" && !showsNothing && !isSummary
    isHeld = row["hold_reason"] != nil
    waitedForQuietHours =
      [Hold.Reason.quietHours, .muted].map(\.rawValue).contains(row["hold_reason"]) && !showsNothing
    (feedback, project) = (try row.optional("feedback_id"), try row.optional("project_id"))
    (proposal, event) = (try row.optional("proposal_id"), try row.optional("event_id"))
    (friendRequest, dedupeKey) = (try row.optional("friend_request_id"), row["dedupe_key"])
    subjectID = kind.batches(for: candidate.reason) ? row["family_subject"] : nil
    (subjectName, actor) = (row["family_name"], row["actor"])
    let gathered = row["actors"] == nil ? [] : try [Act](row)
    acts = gathered.isEmpty ? [Act(row["actor"] ?? id.uuidString, named: row["actor_name"])] : gathered
    opener = try row.optional("opener_id")
    waitedForOthers = opener == nil && row["hold_reason"] == Hold.Reason.batched.rawValue
    push = self.kind.payload(
      saying: text, try PushPayload.values(row["data"] ?? "{}"), thread: candidate.subjectID, sound: candidate.sound,
      allowsCritical: candidate.allowsCritical)
  }

  /// The same in the current words; its subject is gone if it is no longer true.
  func orGone(_ facts: CurrentFacts) -> Waiting {
    guard isOurs, kind.app.profile.hasOwnTables, candidate.eligibility == .open else { return self }
    if let notice = facts.notice(self) { return saying(notice) }
    var part = self
    part.candidate.eligibility = .gone
    return part
  }

  private func saying<N: Notice>(_ notice: N) -> Waiting {
    var part = self
    (part.text, part.push) = (
      notice.text(for: candidate.recipient),
      notice.payload(
        for: candidate.recipient, sound: candidate.sound, allowsCritical: candidate.allowsCritical)
    )
    part.subjectName = notice.part?.subjectName
    if let deadline = notice.deadline {
      (part.expiry, part.inboxExpiry, part.deadline) = (deadline, deadline, deadline)
    }
    part.state = part.push.values.state(under: notice.stateKeys) ?? part.state
    part.notice = notice
    return part
  }

  /// The notice by which a function words it now; `nil` if its words are those of its row.
  private var notice: (any Notice)?
  private var isReworded: Bool { notice != nil }

  /// The words in a language; those of its row are in the one that they were written in.
  func text(in language: Language) -> NotificationText {
    var reader = candidate
    reader.language = language
    return notice?.text(for: reader.recipient) ?? text
  }

  /// Until when it may wait.
  func holdEnd(for candidate: Candidate) -> Date { candidate.holdEnd(expiry: expiry, deadline: deadline) }

  /// When its push becomes pointless if it goes out at an instant.
  func expiry(sentAt time: Date) -> Date {
    min(deadline ?? .distantFuture, time.addingTimeInterval(PushLifetime.standard))
  }

  /// The value of one of the app's own keys; `nil` if it is not a text.
  func text(of key: String) -> String? { if case .string(let text)? = push.values[key] { text } else { nil } }

  /// The payload to send, for this one or for several that are merged into it.
  /// - Parameters:
  ///   - merged: the words for all of them; `nil` if it is alone.
  ///   - values: the app's own keys for all of them; `nil` for its own.
  func payload(saying merged: NotificationText?, values: [String: PushPayload.Value]? = nil) throws -> String {
    guard merged != nil || isReworded else { return payload }
    var push = push
    if let merged, push.alert != nil { push.alert = .init(title: merged.title, body: merged.body) }
    if let values { push.values = values }
    return PushPayload.insertID(id, as: kind.app.profile.idKey, into: try push.encoded())
  }

  var values: [String: PushPayload.Value] { push.values }
}

extension PushPayload {
  /// The app's own keys in the JSON of a notification's `data`.
  fileprivate static func values(_ data: String) throws -> [String: Value] {
    let members = try RawJSON(validating: Array(data.utf8)[...]).members
    let values = members.compactMap { member -> (String, Value)? in
      if let text = member.value.stringValue { return (member.name, .string(text)) }
      return member.value.intValue.map { (member.name, .integer($0)) }
    }
    return Dictionary(values) { first, _ in first }
  }
}

/// A late notification in its current words.
struct Reworded {
  let notification: UUID
  let text: NotificationText
  /// The app's own keys as JSON.
  let data: String
  let payload: String
}

extension Waiting {
  /// The current words; `nil` if they have not changed.
  /// - Parameter acts: the acts that it counts, including those of notifications that were merged into it.
  func reworded(with acts: [Act]) throws -> Reworded? { isReworded ? try said(with: acts) : nil }

  /// Its present words.
  /// - Parameter acts: the acts that it counts; an app's own words count them already.
  func said(with acts: [Act]) throws -> Reworded {
    var (text, values) = (text, values)
    if isReworded, let family = kind.family, subjectID != nil {
      let merged = Merged(
        acts, in: family, newest: text, subjectName: subjectName, words: candidate.recipient.words)
      if merged.count > 1 { (text, values) = (merged.text, merged.values(values)) }
    }
    return Reworded(
      notification: id, text: text.inInbox, data: PushPayload(values: values).encodedValues,
      payload: try payload(saying: isReworded ? text : nil, values: values))
  }

  /// A late summary in its current words; with one part left, it says what that part says.
  /// - Parameter parts: what it still tells of, the oldest first.
  func summary(of parts: [Reworded]) throws -> Reworded {
    guard parts.count != 1 else {
      return Reworded(notification: id, text: parts[0].text, data: parts[0].data, payload: parts[0].payload)
    }
    return try QuietSummary(of: parts.reversed().map(\.text.title), words: candidate.recipient.words)
      .reworded(id, to: candidate, in: kind.app)
  }
}

extension QuietSummary {
  /// The words of the notification that carries it.
  func reworded(_ notification: UUID, to candidate: Candidate, in app: App) throws -> Reworded {
    let (kind, values) = (Kind.quietSummary(of: app), values(in: app))
    var push = kind.payload(saying: text, values, thread: Self.collapseID, sound: candidate.sound)
    push.threadID = nil
    return Reworded(
      notification: notification, text: text.inInbox, data: PushPayload(values: values).encodedValues,
      payload: PushPayload.insertID(notification, as: app.profile.idKey, into: try push.encoded()))
  }
}
