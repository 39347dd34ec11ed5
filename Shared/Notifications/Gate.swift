public import FoundationEssentials

/// The questions that decide whether a candidate is told, in the order in which they are asked.
///
/// Each is a pure function of its values. A new one is a new case at its place, with its rule below.
public enum Gate: Sendable, CaseIterable {
  case actor, masterSwitch, level, preference, standing, repetition, device

  /// What is decided about a candidate: the first gate that stops them names the reason.
  public static func decision<N: Notice>(on candidate: Candidate, for notice: N, at now: Date) -> Decision {
    for gate in allCases {
      if let reason = gate.suppression(of: candidate, for: notice, at: now) { return .suppress(reason) }
    }
    return .notify
  }

  /// Why this gate stops a candidate; `nil` when it lets them through.
  public func suppression<N: Notice>(of candidate: Candidate, for notice: N, at now: Date) -> Suppression? {
    switch self {
    case .actor: candidate.isActor ? .actor : nil
    case .masterSwitch: candidate.isEnabled ? nil : .disabled
    case .level where !N.kind.canBeSilenced, .preference where !N.kind.canBeSilenced: nil
    case .level: candidate.level.admits(N.kind.importance) ? nil : .projectMuted
    case .preference: candidate.override ?? candidate.personal ?? N.kind.isOnByDefault ? nil : .typeDisabled
    case .standing: candidate.standing.suppression
    case .repetition: candidate.wasTold(notice, at: now) ? .duplicate : nil
    case .device: candidate.devices.isEmpty ? .noDevice : nil
    }
  }

  /// How long the same words about the same subject are not said again.
  public static let repetitionWindow: TimeInterval = 600
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
  /// Whether an inbox entry stands there under the notice's dedupe key.
  public func hasEntry<N: Notice>(of notice: N) -> Bool {
    notice.dedupeKey.map { key in history.contains { $0.dedupeKey == key } } ?? false
  }

  fileprivate func wasTold<N: Notice>(_ notice: N, at now: Date) -> Bool {
    if hasEntry(of: notice) { return true }
    guard N.kind.family == nil else { return false }
    let text = notice.text(for: recipient).inInbox
    return history.contains { told in
      told.subjectID == subjectID && told.text == text && now.timeIntervalSince(told.time) < Gate.repetitionWindow
    }
  }
}
