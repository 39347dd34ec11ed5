public import FoundationEssentials
import PushPayload

/// The questions that decide whether a candidate is told, in the order in which they are asked.
///
/// Each is a pure function of its values. A new one is a new case at its place, with its rule below.
public enum Gate: String, Sendable, CaseIterable {
  case actor, masterSwitch, level, preference, standing, repetition, viewing, device, batch, quietHours, rateLimit

  /// The gates that are asked again when a held notification comes due.
  public static let whenDue: [Gate] = [
    .masterSwitch, .level, .preference, .standing, .repetition, .viewing, .device, .quietHours, .rateLimit,
  ]

  /// The gates that ask about the person's switches.
  public static let switches: [Gate] = [.masterSwitch, .level, .preference]

  /// What is decided about a candidate: the first gate that stops them names the reason.
  public static func decision<N: Notice>(on candidate: Candidate, for notice: N, at now: Date) -> Decision {
    var candidate = candidate
    candidate.wasTold = candidate.wasTold(notice, at: now)
    let expiry = notice.pushExpiry(from: now)
    return decision(on: candidate, of: notice.kind, until: expiry, asking: allCases, at: now)
  }

  /// What some of the gates decide about a candidate for a notification of a kind.
  ///
  /// - Parameter expiry: when the push is pointless: nothing is held for longer.
  public static func decision(
    on candidate: Candidate, of kind: Kind, until expiry: Date, asking gates: [Gate], at now: Date
  ) -> Decision {
    stop(of: candidate, for: kind, until: expiry, asking: gates, at: now)?.decision ?? .notify
  }

  /// What each of the gates said, in their order; gates behind the one that stopped the candidate were not asked.
  public static func answers(
    on candidate: Candidate, of kind: Kind, until expiry: Date, asking gates: [Gate], at now: Date
  ) -> [(gate: Gate, answer: Answer)] {
    let stop = stop(of: candidate, for: kind, until: expiry, asking: gates, at: now)
    let place = stop.flatMap { gates.firstIndex(of: $0.gate) } ?? gates.endIndex
    return gates.enumerated().map { index, gate in
      (gate, index < place ? .passed : index > place ? .notAsked : .stopped(stop?.decision ?? .notify))
    }
  }

  /// What a gate said about a candidate.
  public enum Answer: Sendable, Equatable {
    /// It let them through.
    case passed
    /// It was the one that stopped them.
    case stopped(Decision)
    /// One before it had stopped them.
    case notAsked
  }

  private static func stop(
    of candidate: Candidate, for kind: Kind, until expiry: Date, asking gates: [Gate], at now: Date
  ) -> (gate: Gate, decision: Decision)? {
    for gate in gates {
      guard let verdict = gate.verdict(on: candidate, of: kind, at: now) else { continue }
      if case .hold(let hold) = verdict, hold.until >= expiry { return (gate, .suppress(hold.reason.suppression)) }
      return (gate, verdict)
    }
    return nil
  }

  /// What this gate decides about a candidate; `nil` when it lets them through.
  public func verdict(on candidate: Candidate, of kind: Kind, at now: Date) -> Decision? {
    switch self {
    case .actor: candidate.isActor ? .suppress(.actor) : nil
    case .masterSwitch: candidate.isEnabled ? nil : .suppress(.disabled)
    case .level where !kind.canBeSilenced, .preference where !kind.canBeSilenced: nil
    case .level: candidate.level.admits(kind.importance) ? nil : .suppress(.projectMuted)
    case .preference:
      candidate.override ?? candidate.personal ?? kind.isOnByDefault ? nil : .suppress(.typeDisabled)
    case .standing: candidate.standing.suppression.map(Decision.suppress)
    case .repetition: candidate.wasTold ? .suppress(.duplicate) : nil
    case .viewing: candidate.isViewing ? .suppress(.viewing) : nil
    case .device: candidate.devices.isEmpty ? .suppress(.noDevice) : nil
    case .batch:
      kind.batches(for: candidate.reason) ? candidate.openWindow.map { .hold(Hold(.batched, until: $0.end)) } : nil
    case .quietHours: candidate.quietUntil.flatMap { kind.decision(inQuietHoursUntil: $0) }
    case .rateLimit: candidate.rateLimitVerdict(of: kind, at: now)
    }
  }

  /// How long the same words about the same subject are not said again.
  public static let repetitionWindow: TimeInterval = 600
  /// How long after a notification the next ones of its family about its subject are gathered.
  public static let batchWindow: TimeInterval = 600
  /// How long a push of a family that nobody has opened is replaced on the phone by the next one.
  public static let threadLife: TimeInterval = 86_400
  /// At most this many status changes of a project go out in one window, one by one; the others are told together.
  public static let mostStatuses = 5
  /// The greatest age of a report that somebody is looking at a subject.
  public static let activityWindow: TimeInterval = 120
}

extension Kind {
  /// Whether notifications to somebody that come soon after one of its family wait to be merged.
  ///
  /// Pressing ones do not wait, except the conflicts that the organiser hears of: they are other people's.
  public func batches(for reason: RecipientReason) -> Bool {
    family != nil && (!isPressing || family == .conflicts && reason == .organizer)
  }

  /// Whether somebody waits for the person: then it is neither merged nor counted.
  public var isPressing: Bool { importance >= .actionRequired }

  fileprivate func decision(inQuietHoursUntil end: Date) -> Decision? {
    if importance == .urgent { return nil }
    return switch quietHours {
    case .pass: nil
    case .delay: .hold(Hold(.quietHours, until: end))
    case .drop: .suppress(.quietHours)
    }
  }
}

extension Hold.Reason {
  fileprivate var suppression: Suppression {
    switch self {
    case .batched, .rateLimited: .rateLimited
    case .quietHours: .quietHours
    case .snoozed: .expired
    }
  }
}

extension Candidate.Level {
  fileprivate func admits(_ importance: Importance) -> Bool {
    switch self {
    case .all: true
    case .important: importance >= .actionRequired
    case .muted: false
    }
  }
}

extension Candidate.Standing {
  fileprivate var suppression: Suppression? {
    switch self {
    case .open: nil
    case .handled: .alreadyHandled
    case .gone: .subjectGone
    case .notPermitted: .notPermitted
    }
  }
}

extension Candidate {
  /// Whether there is an inbox entry under the notice's dedupe key.
  public func hasEntry<N: Notice>(of notice: N) -> Bool {
    notice.dedupeKey.map { key in history.contains { $0.dedupeKey == key } } ?? false
  }

  fileprivate func rateLimitVerdict(of kind: Kind, at now: Date) -> Decision? {
    guard let limit = hourlyLimit, !kind.isPressing else { return nil }
    guard let room = HourlyLimit.nextRoom(limit: limit, recent: recentPushes, at: now) else { return nil }
    let patienceEnds = (heldSince ?? now).addingTimeInterval(HourlyLimit.patience)
    return room < patienceEnds ? .hold(Hold(.rateLimited, until: room)) : .suppress(.rateLimited)
  }

  /// The words for the person: together with what their phone still shows of the family about the subject.
  public func text<N: Notice>(of notice: N) -> NotificationText { merged(notice)?.text ?? notice.text(for: recipient) }

  /// The notice with what it goes on from; `nil` where it stands alone.
  public func merged<N: Notice>(_ notice: N) -> Merged? {
    guard let shown, let part = notice.part, let family = notice.kind.family, notice.kind.batches(for: reason) else {
      return nil
    }
    return Merged(
      shown.acts + [Act(part.actor, named: part.actorName)], in: family, newest: notice.text(for: recipient),
      subjectName: part.subjectName)
  }

  fileprivate func wasTold<N: Notice>(_ notice: N, at now: Date) -> Bool {
    if hasEntry(of: notice) { return true }
    let told = history.filter { $0.subjectID == subjectID }.max { $0.time < $1.time }
    let isRecent = told.map { now.timeIntervalSince($0.time) < Gate.repetitionWindow } ?? false
    if let key = notice.stateKey {
      let isSame = told?.state.map { .string($0) == notice.values(for: recipient)[key] } ?? false
      return isSame && (isRecent || notice.kind.family == .leads)
    }
    // A notice with a key is told once for each key, even in the same words.
    if notice.dedupeKey != nil { return false }
    if let family = notice.kind.family {
      return family.repeatsNothing && openWindow == nil && shown?.text == text(of: notice).inInbox
    }
    return isRecent && told?.text == notice.text(for: recipient).inInbox
  }
}
