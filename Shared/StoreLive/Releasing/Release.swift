import FoundationEssentials
import Notifications
import PushPayload

/// What becomes of everything that is due for one person.
struct Release {
  /// What is sent now.
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
    /// When the entry leaves the inbox; `nil` where that is as it was.
    let inboxExpiry: Date?
  }

  private(set) var pushes: [Push] = []
  /// What is told by another notification: first itself, then the other.
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
    for group in ReleaseGroup.groups(of: waiting) {
      // What is no longer to be said does not keep the others from being said.
      for part in group.parts where part.candidate.standing != .open {
        let decision = Gate.decision(
          on: part.candidate, of: part.kind, until: .distantFuture, asking: [.standing], at: now)
        if case .suppress(let reason) = decision { suppressed.append((part.id, reason)) }
        record(part.candidate, of: part, decision, for: [part])
      }
      try decide(on: group.open(told: phone))
    }
  }

  private mutating func decide(on group: ReleaseGroup) throws {
    for part in group.repeating {
      var candidate = part.candidate
      candidate.wasTold = true
      suppressed.append((part.id, .duplicate))
      record(candidate, of: part, .suppress(.duplicate), for: [part])
    }
    let open = group.parts
    guard let newest = open.last else { return }
    if newest.expiry <= now {
      suppressed += open.map { ($0.id, .expired) }
      return
    }
    let shown = phone.shown(newest)
    let words = group.words(after: shown)
    var candidate = newest.candidate
    candidate.recentPushes = recentPushes
    candidate.heldSince = open.compactMap(\.candidate.heldSince).min()
    candidate.wasTold = newest.kind.family?.repeatsNothing == true && shown?.text == words.text.inInbox
    let decision = Gate.decision(on: candidate, of: newest.kind, until: newest.expiry, asking: Gate.whenDue, at: now)
    record(candidate, of: newest, decision, for: decision == .notify ? [newest] : open)
    switch decision {
    case .suppress(let reason): suppressed += open.map { ($0.id, reason) }
    case .hold(let hold): held += open.map { ($0.id, hold) }
    case .notify:
      try send(open, newest, saying: words, in: group.isFlood ? nil : shown)
      recentPushes.append(now)
    }
  }

  private mutating func record(
    _ candidate: Candidate, of judged: Waiting, _ decision: Decision, for parts: [Waiting]
  ) {
    let json = DecisionFacts(candidate, of: judged.kind, until: judged.expiry, decided: decision, at: now).json
    for part in parts { facts[part.id] = json }
  }

  /// - Parameter shown: what is on the phone and is replaced there, and in the inbox.
  private mutating func send(
    _ parts: [Waiting], _ newest: Waiting, saying words: ReleaseGroup.Words, in shown: Candidate.Shown?
  ) throws {
    let values = words.values ?? newest.values
    pushes.append(
      Push(
        notification: newest.id, devices: newest.candidate.devices, text: words.text.inInbox,
        data: PushPayload(values: values).encodedValues,
        payload: try newest.payload(saying: words.isMerged ? words.text : nil, values: words.values),
        collapseID: shown?.collapseID ?? newest.id.uuidString.lowercased(),
        windowEnd: newest.kind.batches(for: newest.candidate.reason) ? now.addingTimeInterval(Gate.batchWindow) : nil,
        expiry: newest.expiry, inboxExpiry: newest.inboxExpiry))
    merged += parts.filter { $0.id != newest.id }.map { ($0.id, newest.id) }
    if let shown, shown.notification != newest.id { merged.append((shown.notification, newest.id)) }
  }
}
