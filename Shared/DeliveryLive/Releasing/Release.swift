import Formats
import FoundationEssentials
import Notifications
import Postgres
import PushPayload
import StoreLive

/// The decisions on everything that is due for one person.
struct Release {
  /// A notification that is sent now, or is part of a summary.
  struct Push {
    let notification: UUID
    let devices: [UUID]
    let text: NotificationText
    /// The app's own keys as JSON.
    let data: String
    let payload: String
    let collapseID: String
    let windowEnd: Date?
    let expiry: Date
    /// When the entry leaves the inbox; `nil` if that has not changed.
    let inboxExpiry: Date?
    /// The summary that includes it; `nil` if it has its own push.
    let summary: UUID?
  }

  private(set) var pushes: [Push] = []
  /// The summary; `nil` if each notification has its own push.
  private(set) var summary: ReleaseSummary?
  /// Pairs of a notification and the one that it is merged into.
  private(set) var merged: [(UUID, UUID)] = []
  private(set) var held: [(UUID, Hold)] = []
  private(set) var suppressed: [(UUID, Suppression)] = []
  /// What the phone says already, with the acts that were merged into it.
  private(set) var said: [(notification: UUID, text: NotificationText, data: String)] = []
  /// What reports the present state of its subject.
  private(set) var stated: [UUID] = []
  /// What told the person of states that are the present ones again.
  private(set) var toldAlready: [UUID] = []
  /// The facts of the decisions as JSON, if they are not the usual ones.
  private(set) var facts: [UUID: String] = [:]
  private var recentPushes: [Date]
  private let phone: Phone
  private let now: Date

  init(givingUp notification: UUID, at now: Date) {
    (recentPushes, phone, self.now) = ([], Phone(), now)
    suppressed = [(notification, .expired)]
  }

  /// - Parameters:
  ///   - waiting: what is due for the person, the oldest first, in the current words.
  ///   - phone: the notifications on the person's phone.
  init(_ waiting: [Waiting], recentPushes: [Date], phone: Phone, at now: Date) throws {
    (self.recentPushes, self.phone, self.now) = (recentPushes, phone, now)
    let groups = ReleaseGroup.groups(of: waiting).map { $0.open(notifying: phone) }
    stated = groups.flatMap(\.parts).filter(\.kind.tellsState).map(\.id)
    // A notification that is no longer true does not stop the others.
    for part in waiting where part.candidate.eligibility != .open {
      let decision = Gate.decision(
        on: part.candidate, of: part.kind, until: .distantFuture, asking: [.eligibility], at: now)
      if case .suppress(let reason) = decision { suppressed.append((part.id, reason)) }
      record(part.candidate, of: part, decision, for: [part])
    }
    toldAlready = groups.flatMap(\.repeating).compactMap(phone.told)
    for part in groups.flatMap(\.repeating) {
      var candidate = part.candidate
      candidate.wasNotified = true
      suppressed.append((part.id, .duplicate))
      record(candidate, of: part, .suppress(.duplicate), for: [part])
    }
    let summarized = try summarize(groups)
    for group in groups {
      if let newest = group.parts.last, !summarized.contains(newest.id) { decide(on: group, newest) }
    }
  }

  /// The gates' decision on a group.
  private struct Judgement {
    let group: ReleaseGroup
    let newest: Waiting
    let shown: Candidate.Shown?
    let words: ReleaseGroup.MergedText
    let candidate: Candidate
    let payload: String?
    let decision: Decision

    /// Whether a summary may include it.
    var isForSummary: Bool {
      decision == .notify && candidate.wantsQuietSummary && group.waitedForQuietHours && !newest.kind.isPressing
    }
  }

  private func judge(_ group: ReleaseGroup, _ newest: Waiting) -> Judgement {
    let shown = phone.shown(newest)
    let words = group.words(after: shown)
    var candidate = newest.candidate
    candidate.recentPushes = recentPushes
    candidate.heldSince = group.parts.compactMap(\.candidate.heldSince).min()
    candidate.wasNotified = newest.kind.family?.repeatsNothing == true && shown?.text == words.text.inInbox
    let payload = try? newest.payload(saying: words.isMerged ? words.text : nil, values: words.values)
    var decision = Gate.decision(on: candidate, of: newest.kind, until: newest.expiry, asking: Gate.whenDue, at: now)
    if decision == .notify, payload == nil { decision = .suppress(.unencodable) }
    return Judgement(
      group: group, newest: newest, shown: shown, words: words, candidate: candidate, payload: payload,
      decision: decision)
  }

  /// Sums up what waited for the end of quiet hours in one push, if it is too much for single pushes.
  /// - Returns: the newest notification of each group in the summary.
  private mutating func summarize(_ groups: [ReleaseGroup]) throws -> Set<UUID> {
    let judgements = groups.compactMap { group in
      group.parts.last.flatMap { $0.expiry > now ? judge(group, $0) : nil }
    }.filter(\.isForSummary)
    guard judgements.count > QuietSummary.mostAlone, let last = judgements.last else { return [] }
    let id = UUID.timeOrdered(1)[0]
    let entries = judgements.map { push($0, in: id) }
    summary = try ReleaseSummary(id, of: entries, to: last.newest, at: now)
    recentPushes.append(now)
    for judgement in judgements { record(judgement.candidate, of: judgement.newest, .notify, for: [judgement.newest]) }
    return Set(judgements.map(\.newest.id))
  }

  private mutating func decide(on group: ReleaseGroup, _ newest: Waiting) {
    let open = group.parts
    if newest.expiry <= now {
      suppressed += open.map { ($0.id, .expired) }
      return
    }
    let judgement = judge(group, newest)
    let decision = judgement.decision
    record(judgement.candidate, of: newest, decision, for: decision == .notify ? [newest] : open)
    switch decision {
    // What the phone says is right with these acts, too: they belong to it, and the next one is counted with them.
    case .suppress(.duplicate) where judgement.shown != nil && newest.kind.family?.repeatsNothing == true:
      merged += open.compactMap { part in judgement.shown.map { (part.id, $0.notification) } }
      let data = PushPayload(values: judgement.words.values ?? newest.values).encodedValues
      said += judgement.shown.map { [($0.notification, judgement.words.text.inInbox, data)] } ?? []
    case .suppress(let reason): suppressed += open.map { ($0.id, reason) }
    case .hold(let hold): held += open.map { ($0.id, hold) }
    case .notify:
      pushes.append(push(judgement, in: nil))
      recentPushes.append(now)
    }
  }

  private mutating func record(
    _ candidate: Candidate, of judged: Waiting, _ decision: Decision, for parts: [Waiting]
  ) {
    let json = DecisionFacts(candidate, of: judged.kind, until: judged.expiry, decided: decision, at: now).json
    for part in parts { facts[part.id] = json }
  }

  /// The newest notification of a group, with the words for the whole group.
  ///
  /// It replaces the earlier one on the phone and in the inbox.
  private mutating func push(_ judgement: Judgement, in summary: UUID?) -> Push {
    let (newest, words) = (judgement.newest, judgement.words)
    merged += judgement.group.parts.filter { $0.id != newest.id }.map { ($0.id, newest.id) }
    let shown = judgement.group.isFlood ? nil : judgement.shown
    if let shown, shown.notification != newest.id { merged.append((shown.notification, newest.id)) }
    let opensWindow = summary == nil && newest.kind.batches(for: newest.candidate.reason)
    return Push(
      notification: newest.id, devices: newest.candidate.devices, text: words.text.inInbox,
      data: PushPayload(values: words.values ?? newest.values).encodedValues,
      payload: judgement.payload ?? "",
      collapseID: shown?.collapseID ?? newest.kind.collapseID(about: newest.candidate.subjectID)
        ?? newest.id.lowercased,
      windowEnd: opensWindow ? now.addingTimeInterval(Gate.batchWindow) : nil, expiry: newest.expiry,
      inboxExpiry: newest.inboxExpiry, summary: summary)
  }
}
