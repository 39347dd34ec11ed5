import FoundationEssentials
import Notifications
import PushPayload
import StoreLive

/// What becomes of everything that is due for one person.
struct Release {
  /// A notification that is sent now, or told by a summary.
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
    /// When the entry leaves the inbox; `nil` where that has not changed.
    let inboxExpiry: Date?
    /// The notification whose push tells of it; `nil` where it has one itself.
    let summary: UUID?
  }

  private(set) var pushes: [Push] = []
  /// The summary of those that one push tells of; `nil` where each has its own.
  private(set) var summary: ReleaseSummary?
  /// Each notification that another one tells: first itself, then the other.
  private(set) var merged: [(UUID, UUID)] = []
  private(set) var held: [(UUID, Hold)] = []
  private(set) var suppressed: [(UUID, Suppression)] = []
  /// What it was decided from, as JSON, where not everything is as with most people.
  private(set) var facts: [UUID: String] = [:]
  private var recentPushes: [Date]
  private let phone: Phone
  private let now: Date

  init(givingUp notification: UUID, at now: Date) {
    (recentPushes, phone, self.now) = ([], Phone(), now)
    suppressed = [(notification, .expired)]
  }

  /// - Parameters:
  ///   - waiting: what is due for the person, the oldest first, in the words of now.
  ///   - phone: what the person's phone shows.
  init(_ waiting: [Waiting], recentPushes: [Date], phone: Phone, at now: Date) throws {
    (self.recentPushes, self.phone, self.now) = (recentPushes, phone, now)
    let groups = ReleaseGroup.groups(of: waiting).map { $0.open(told: phone) }
    // A notification that is no longer to be said does not keep the others from being said.
    for part in waiting where part.candidate.standing != .open {
      let decision = Gate.decision(
        on: part.candidate, of: part.kind, until: .distantFuture, asking: [.standing], at: now)
      if case .suppress(let reason) = decision { suppressed.append((part.id, reason)) }
      record(part.candidate, of: part, decision, for: [part])
    }
    for part in groups.flatMap(\.repeating) {
      var candidate = part.candidate
      candidate.wasTold = true
      suppressed.append((part.id, .duplicate))
      record(candidate, of: part, .suppress(.duplicate), for: [part])
    }
    let told = try summarize(groups)
    for group in groups {
      if let newest = group.parts.last, !told.contains(newest.id) { decide(on: group, newest) }
    }
  }

  /// What the gates say of a group.
  private struct Judgement {
    let group: ReleaseGroup
    let newest: Waiting
    let shown: Candidate.Shown?
    let words: ReleaseGroup.Words
    let candidate: Candidate
    let payload: String?
    let decision: Decision

    /// Whether a summary may tell of it.
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
    candidate.wasTold = newest.kind.family?.repeatsNothing == true && shown?.text == words.text.inInbox
    let payload = try? newest.payload(saying: words.isMerged ? words.text : nil, values: words.values)
    var decision = Gate.decision(on: candidate, of: newest.kind, until: newest.expiry, asking: Gate.whenDue, at: now)
    if decision == .notify, payload == nil { decision = .suppress(.unencodable) }
    return Judgement(
      group: group, newest: newest, shown: shown, words: words, candidate: candidate, payload: payload,
      decision: decision)
  }

  /// Tells what waited for the end of quiet hours in one push, where it is too much for a push each.
  /// - Returns: the newest of each group that is told so.
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

  /// The newest of a group, which tells of all of it.
  ///
  /// It takes the place of what is on the phone, and in the inbox.
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
      collapseID: shown?.collapseID ?? newest.id.uuidString.lowercased(),
      windowEnd: opensWindow ? now.addingTimeInterval(Gate.batchWindow) : nil, expiry: newest.expiry,
      inboxExpiry: newest.inboxExpiry, summary: summary)
  }
}
