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
    let user: UUID
    let devices: [UUID]
    let text: NotificationText
    /// Whether the text tells of more than the notification itself.
    let isMerged: Bool
    /// The push on the phone that it takes the place of; `nil` if it takes none.
    let shown: Candidate.Shown?
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
  /// The notifications that a mute held, with the new ends of their pushes.
  private(set) var renewed: [(notification: UUID, expiry: Date)] = []
  private(set) var suppressed: [(UUID, Suppression)] = []
  /// The notifications that the phone shows already, with the acts that were merged into them.
  private(set) var said: [(notification: UUID, text: NotificationText, data: String)] = []
  /// The notifications that report the present state of their subject.
  private(set) var stated: [UUID] = []
  /// The notifications that told the person of states which are the present ones again.
  private(set) var toldAlready: [UUID] = []
  private var recheck: Recheck
  private let phone: Phone

  init(givingUp notification: UUID, at now: Date) {
    (recheck, phone) = (Recheck(at: now), Phone())
    suppressed = [(notification, .expired)]
  }

  /// - Parameters:
  ///   - waiting: what is due for the person, the oldest first, in the current words.
  ///   - phone: the notifications on the person's phone.
  init(_ waiting: [Waiting], _ recheck: Recheck, phone: Phone) throws {
    (self.recheck, self.phone) = (recheck, phone)
    let groups = ReleaseGroup.groups(of: waiting).map { $0.open(notifying: phone) }
    stated = groups.flatMap(\.parts).filter(\.kind.tellsState).map(\.id)
    // A notification that is no longer true does not stop the others.
    for part in waiting where part.candidate.eligibility != .open {
      let judgement = recheck.judge(part, asking: [.eligibility], until: .distantFuture)
      if case .suppress(let reason) = judgement.decision { suppressed.append((part.id, reason)) }
      self.recheck.record(judgement)
    }
    toldAlready = groups.flatMap(\.repeating).compactMap(phone.told)
    for part in groups.flatMap(\.repeating) {
      var candidate = part.candidate
      candidate.wasNotified = true
      suppressed.append((part.id, .duplicate))
      self.recheck.record(Recheck.Judgement(part: part, candidate: candidate, decision: .suppress(.duplicate)))
    }
    let summarized = try summarize(groups)
    for group in groups {
      if let newest = group.parts.last, !summarized.contains(newest.id) { decide(on: group, newest) }
    }
  }

  /// The facts of the decisions as JSON, by notification; `nil` if they are the usual ones.
  var facts: [UUID: String] { recheck.facts }

  private var now: Date { recheck.now }

  /// The gates' decision on a group.
  private struct GroupVerdict {
    let group: ReleaseGroup
    let shown: Candidate.Shown?
    let words: ReleaseGroup.MergedText
    let payload: String?
    let ofNewest: Recheck.Judgement

    var newest: Waiting { ofNewest.part }
    var decision: Decision { ofNewest.decision }

    /// Whether a summary may include it.
    var isForSummary: Bool {
      decision == .notify && ofNewest.candidate.wantsQuietSummary && group.waitedForQuietHours
        && !newest.kind.isPressing
    }
  }

  private func judge(_ group: ReleaseGroup, _ newest: Waiting) -> GroupVerdict {
    let shown = phone.shown(newest)
    let words = group.words(after: shown)
    var candidate = newest.candidate
    candidate.heldSince = group.parts.compactMap(\.candidate.heldSince).min()
    if let shown, newest.kind.family?.repeatsNothing == true {
      let actors = group.parts.flatMap(\.acts).map(\.actor)
      candidate.wasNotified = shown.says(words.text, with: actors) { group.words(after: shown, in: $0).text }
    }
    let payload = try? newest.payload(saying: words.isMerged ? words.text : nil, values: words.values)
    return GroupVerdict(
      group: group, shown: shown, words: words, payload: payload,
      ofNewest: recheck.judge(newest, candidate, canBeSaid: payload != nil))
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
    recheck.push()
    for judgement in judgements { recheck.record(judgement.ofNewest) }
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
    recheck.record(judgement.ofNewest, for: decision == .notify ? nil : open)
    switch decision {
    // What the phone says is right with these acts, too: they belong to it, and the next one is counted with them.
    case .suppress(.duplicate) where judgement.shown != nil && newest.kind.family?.repeatsNothing == true:
      merged += open.compactMap { part in judgement.shown.map { (part.id, $0.notification) } }
      let data = PushPayload(values: judgement.words.values ?? newest.values).encodedValues
      said += judgement.shown.map { [($0.notification, judgement.words.text.inInbox, data)] } ?? []
    case .suppress(let reason): suppressed += open.map { ($0.id, reason) }
    case .hold(let hold):
      held += open.map { ($0.id, hold) }
      renewed += open.filter(\.wasMuted).map { ($0.id, $0.expiry) }
    case .notify:
      pushes.append(push(judgement, in: nil))
      recheck.push()
    }
  }

  /// The newest notification of a group, with the words for the whole group.
  ///
  /// It replaces the earlier one on the phone and in the inbox.
  private mutating func push(_ judgement: GroupVerdict, in summary: UUID?) -> Push {
    let (newest, words) = (judgement.newest, judgement.words)
    merged += judgement.group.parts.filter { $0.id != newest.id }.map { ($0.id, newest.id) }
    let shown = judgement.group.isFlood ? nil : judgement.shown
    if let shown, shown.notification != newest.id { merged.append((shown.notification, newest.id)) }
    let opensWindow = summary == nil && newest.kind.batches(for: newest.candidate.reason)
    return Push(
      notification: newest.id, user: newest.candidate.user, devices: newest.candidate.devices, text: words.text.inInbox,
      isMerged: words.isMerged, shown: shown,
      data: PushPayload(values: words.values ?? newest.values).encodedValues,
      payload: judgement.payload ?? "",
      collapseID: shown?.collapseID ?? newest.kind.collapseID(about: newest.candidate.subjectID)
        ?? newest.id.lowercased,
      windowEnd: opensWindow ? now.addingTimeInterval(Gate.batchWindow) : nil, expiry: newest.expiry,
      inboxExpiry: newest.inboxExpiry, summary: summary)
  }
}
