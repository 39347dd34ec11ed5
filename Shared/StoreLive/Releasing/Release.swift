import FoundationEssentials
import Notifications

/// What becomes of everything that is due for one person.
struct Release {
  /// What is sent now.
  struct Push {
    let notification: UUID
    let devices: [UUID]
    let text: NotificationText
    let payload: String
    let collapseID: String
    let windowEnd: Date?
    let expiry: Date
  }

  var pushes: [Push] = []
  /// What is told by another notification: first itself, then the other.
  var merged: [(UUID, UUID)] = []
  var held: [(UUID, Hold)] = []
  var suppressed: [(UUID, Suppression)] = []
  /// What it was decided from, as JSON, where not everything is as with most people.
  var facts: [UUID: String] = [:]

  init(givingUp notification: UUID) { suppressed = [(notification, .expired)] }

  /// - Parameters:
  ///   - waiting: what is due for the person, the oldest first.
  ///   - openers: the notifications that opened the windows they waited in.
  init(_ waiting: [Waiting], recentPushes: [Date], openers: [UUID: Opener], at now: Date) throws {
    var recent = recentPushes
    for group in Self.groups(waiting) {
      // What is no longer to be said does not keep the others from being said.
      let closed = group.filter { $0.candidate.standing != .open }
      for part in closed {
        let decision = Gate.decision(
          on: part.candidate, of: part.kind, until: .distantFuture, asking: [.standing], at: now)
        if case .suppress(let reason) = decision { suppressed.append((part.id, reason)) }
        record(part.candidate, of: part, decision, for: [part], at: now)
      }
      let open = group.filter { $0.candidate.standing == .open }
      guard let newest = open.last else { continue }
      if newest.expiry <= now {
        suppressed += open.map { ($0.id, .expired) }
        continue
      }
      var candidate = newest.candidate
      candidate.recentPushes = recent
      candidate.heldSince = open.compactMap(\.candidate.heldSince).min()
      let decision = Gate.decision(
        on: candidate, of: newest.kind, until: newest.expiry, asking: Gate.whenDue, at: now)
      record(candidate, of: newest, decision, for: decision == .notify ? [newest] : open, at: now)
      switch decision {
      case .suppress(let reason): suppressed += open.map { ($0.id, reason) }
      case .hold(let hold): held += open.map { ($0.id, hold) }
      case .notify:
        try send(open, newest, openers, at: now)
        recent.append(now)
      }
    }
  }

  private mutating func record(
    _ candidate: Candidate, of judged: Waiting, _ decision: Decision, for parts: [Waiting], at now: Date
  ) {
    let json = DecisionFacts(candidate, of: judged.kind, until: judged.expiry, decided: decision, at: now).json
    for part in parts { facts[part.id] = json }
  }

  private mutating func send(
    _ parts: [Waiting], _ newest: Waiting, _ openers: [UUID: Opener], at now: Date
  ) throws {
    let opener = parts.lazy.compactMap(\.opener).last
    let first = opener.flatMap { openers[$0] }
    var acts = parts.map { (actor: $0.actor, name: $0.actorName) }
    if let first { acts.insert((first.actor, first.actorName), at: 0) }
    var seen: Set<String> = []
    let distinct = acts.filter { seen.insert($0.actor ?? "").inserted }
    var names: [String] = []
    for case let name? in distinct.map(\.name) where !names.contains(name) { names.append(name) }
    let merged = Merged(
      count: distinct.count, names: names, newest: newest.text, subjectName: newest.subjectName)
    let text = newest.kind.family.map(merged.text) ?? newest.text
    pushes.append(
      Push(
        notification: newest.id, devices: newest.candidate.devices, text: text.inInbox,
        payload: try newest.payload(saying: text, sound: newest.candidate.sound),
        collapseID: (opener ?? newest.id).uuidString.lowercased(),
        windowEnd: newest.kind.batches ? now.addingTimeInterval(Gate.batchWindow) : nil, expiry: newest.expiry))
    self.merged += parts.filter { $0.id != newest.id }.map { ($0.id, newest.id) }
    // The device replaces the opener by what is sent now; so does the inbox, unless it was read there.
    if let opener, let first, !first.isRead { self.merged.append((opener, newest.id)) }
  }

  private static func groups(_ waiting: [Waiting]) -> [[Waiting]] {
    var groups: [[Waiting]] = []
    var places: [String: Int] = [:]
    for part in waiting {
      guard let family = part.kind.family, let subject = part.subjectID else {
        groups.append([part])
        continue
      }
      let key = "\(family.rawValue)/\(subject)"
      if let place = places[key] {
        groups[place].append(part)
      } else {
        places[key] = groups.count
        groups.append([part])
      }
    }
    return groups
  }
}

/// A notification that opened a window.
struct Opener {
  let actor: String?
  let actorName: String?
  let isRead: Bool
}
