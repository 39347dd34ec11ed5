package import FoundationEssentials
import PushPayload

/// The checks that decide whether a candidate is notified, in order.
///
/// Each is a pure function of its values. A new gate is a new case at its place, with its rule below.
package enum Gate: String, Sendable, CaseIterable {
  case actor, masterSwitch, level, preference, eligibility, repetition, viewing, device, batch, quietHours, rateLimit

  /// The gates that are asked again when a held notification comes due.
  package static let whenDue: [Gate] = [
    .masterSwitch, .level, .preference, .eligibility, .repetition, .viewing, .device, .quietHours, .rateLimit,
  ]

  /// The gates that ask about the person's switches.
  package static let switches: [Gate] = [.masterSwitch, .level, .preference]

  /// The decision on a candidate: the first gate that stops them gives the reason.
  package static func decision<N: Notice>(on candidate: Candidate, for notice: N, at now: Date) -> Decision {
    var candidate = candidate
    candidate.wasNotified = candidate.wasNotified(notice, at: now)
    let end = candidate.holdEnd(for: notice, from: now)
    return decision(on: candidate, of: notice.kind, until: end, asking: allCases, at: now)
  }

  /// The decision of some gates on a candidate for a kind.
  ///
  /// - Parameter expiry: when it becomes pointless, as ``Candidate/holdEnd(expiry:deadline:)`` says; nothing is held for
  ///   longer.
  package static func decision(
    on candidate: Candidate, of kind: Kind, until expiry: Date, asking gates: [Gate], at now: Date
  ) -> Decision {
    stop(of: candidate, for: kind, until: expiry, asking: gates, at: now)?.decision ?? .notify
  }

  /// The answers of the gates in order; gates after the one that stopped the candidate are not asked.
  package static func answers(
    on candidate: Candidate, of kind: Kind, until expiry: Date, asking gates: [Gate], at now: Date
  ) -> [(gate: Gate, answer: Answer)] {
    let stop = stop(of: candidate, for: kind, until: expiry, asking: gates, at: now)
    let place = stop.flatMap { gates.firstIndex(of: $0.gate) } ?? gates.endIndex
    return gates.enumerated().map { index, gate in
      (gate, index < place ? .passed : index > place ? .notAsked : .stopped(stop?.decision ?? .notify))
    }
  }

  package enum Answer: Sendable, Equatable {
    /// It let them through.
    case passed
    /// It stopped them.
    case stopped(Decision)
    /// An earlier gate stopped them.
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

  /// This gate's decision; `nil` if it lets the candidate through.
  package func verdict(on candidate: Candidate, of kind: Kind, at now: Date) -> Decision? {
    switch self {
    case .actor: candidate.isActor ? .suppress(.actor) : nil
    case .masterSwitch: candidate.isEnabled ? nil : .suppress(.disabled)
    case .level where !kind.canBeSilenced, .preference where !kind.canBeSilenced: nil
    case .level: candidate.level.admits(kind.importance) ? nil : .suppress(.projectMuted)
    case .preference:
      candidate.override ?? candidate.personal ?? kind.isOnByDefault ? nil : .suppress(.typeDisabled)
    case .eligibility: candidate.eligibility.suppression.map(Decision.suppress)
    case .repetition: candidate.wasNotified ? .suppress(.duplicate) : nil
    case .viewing: candidate.isViewing ? .suppress(.viewing) : nil
    case .device: candidate.devices.isEmpty ? .suppress(.noDevice) : nil
    case .batch:
      kind.batches(for: candidate.reason) ? candidate.openWindow.map { .hold(Hold(.batched, until: $0.end)) } : nil
    case .quietHours:
      candidate.quietUntil.flatMap { end in
        kind.decision(inQuietHoursUntil: end, because: candidate.mutedUntil == nil ? .quietHours : .muted)
      }
    case .rateLimit: candidate.rateLimitVerdict(of: kind, at: now)
    }
  }

  /// The seconds in which the same words about the same subject are not repeated.
  package static let repetitionWindow: TimeInterval = 600
  /// The seconds after a notification in which the next ones of its family and subject form a batch.
  package static let batchWindow: TimeInterval = 600
  /// The seconds in which an unopened push is replaced on the phone by the next one of its family.
  package static let threadLife: TimeInterval = 86_400
  /// The most status changes of a project that go out one by one in a window; the others are merged.
  package static let mostStatuses = 5
  /// The seconds for which a report counts that a person is looking at a subject.
  package static let activityWindow: TimeInterval = 120
}

extension Kind {
  /// Whether notifications to a recipient that soon follow one of their family wait to be merged.
  ///
  /// Pressing ones do not wait, except conflicts for the organiser, which are other people's.
  package func batches(for reason: RecipientReason) -> Bool {
    family != nil && (!isPressing || family == .conflicts && reason == .organizer)
  }

  /// Whether somebody waits for the person's answer; such a notification is neither merged nor counted.
  package var isPressing: Bool { importance >= .actionRequired }

  fileprivate func decision(inQuietHoursUntil end: Date, because reason: Hold.Reason) -> Decision? {
    if importance == .urgent { return nil }
    return switch quietHours {
    case .pass: nil
    case .delay: .hold(Hold(reason, until: end))
    case .drop: .suppress(.quietHours)
    }
  }
}

extension Hold.Reason {
  fileprivate var suppression: Suppression {
    switch self {
    case .batched, .rateLimited: .rateLimited
    case .quietHours, .muted: .quietHours
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

extension Candidate.Eligibility {
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
  /// Until when they may wait.
  ///
  /// During a mute that is until the deadline, or without end if there is none: the push gets a new lifetime when it goes
  /// out.
  /// - Parameters:
  ///   - expiry: until when the push may be delivered if it goes out now.
  ///   - deadline: when it becomes pointless; `nil` for never.
  package func holdEnd(expiry: Date, deadline: Date?) -> Date {
    mutedUntil == nil ? expiry : deadline ?? .distantFuture
  }

  /// Until when they may wait for a notice.
  package func holdEnd(for notice: some Notice, from now: Date) -> Date {
    holdEnd(expiry: notice.pushExpiry(from: now), deadline: notice.deadline)
  }

  /// Whether the inbox has an entry with the notice's dedupe key.
  package func hasEntry<N: Notice>(of notice: N) -> Bool {
    notice.dedupeKey.map { key in history.contains { $0.dedupeKey == key } } ?? false
  }

  fileprivate func rateLimitVerdict(of kind: Kind, at now: Date) -> Decision? {
    guard let limit = hourlyLimit, !kind.isPressing else { return nil }
    guard let room = HourlyLimit.nextRoom(limit: limit, recent: recentPushes, at: now) else { return nil }
    let waitEnds = (heldSince ?? now).addingTimeInterval(HourlyLimit.longestWait)
    return room < waitEnds ? .hold(Hold(.rateLimited, until: room)) : .suppress(.rateLimited)
  }

  /// The words for the person, merged with the push of the same family and subject on their phone.
  package func text<N: Notice>(of notice: N) -> NotificationText { merged(notice)?.text ?? notice.text(for: recipient) }

  /// The notice merged with the push that it continues; `nil` if there is none.
  package func merged<N: Notice>(_ notice: N) -> Merged? {
    guard let shown, let part = notice.part, let family = notice.kind.family, notice.kind.batches(for: reason) else {
      return nil
    }
    return Merged(
      shown.acts + [Act(part.actor, named: part.actorName)], in: family, newest: notice.text(for: recipient),
      subjectName: part.subjectName, words: recipient.words)
  }

  fileprivate func wasNotified<N: Notice>(_ notice: N, at now: Date) -> Bool {
    if hasEntry(of: notice) { return true }
    let earlier = history.filter { $0.subjectID == subjectID }.max { $0.time < $1.time }
    let isRecent = earlier.map { now.timeIntervalSince($0.time) < Gate.repetitionWindow } ?? false
    if !notice.stateKeys.isEmpty {
      let isSame = earlier?.state.map { $0 == notice.state(for: recipient) } ?? false
      return isSame && (isRecent || notice.kind.family == .leads)
    }
    // A notice with a key is sent once for each key, even in the same words.
    if notice.dedupeKey != nil { return false }
    if notice.kind.family == .conflicts, earlierConflict(notice, at: now) != nil { return true }
    if let family = notice.kind.family {
      return family.repeatsNothing && openWindow == nil && shown.map { repeats($0, notice) } ?? false
    }
    // An app may tell of what a function tells of, too, in its own words.
    if history.contains(where: { $0.isTwin && $0.subjectID == subjectID }) { return true }
    return isRecent && earlier.map { said($0, notice) } ?? false
  }

  /// Whether an earlier notification said the notice's words, perhaps in a language that the person read before.
  private func said<N: Notice>(_ earlier: EarlierNotification, _ notice: N) -> Bool {
    earlier.text == notice.text(for: recipient).inInbox
      || earlier.text.isSaid { notice.text(for: reading($0).recipient) }
  }

  /// Whether a push on the phone says what it would say with the notice.
  private func repeats<N: Notice>(_ shown: Shown, _ notice: N) -> Bool {
    let actors = notice.part.map { [$0.actor] } ?? []
    return shown.says(text(of: notice), with: actors) { reading($0).text(of: notice) }
  }

  private func reading(_ language: Language) -> Candidate {
    var reader = self
    reader.language = language
    return reader
  }

  /// The notification that told of a conflict before: an app may compute the same one again.
  ///
  /// It is the same if it is with the same event, whatever the events are called by now and in which language; with one
  /// that has no id, if it says the same. One that is gone may be another one, unless that was only now. An organiser is
  /// told who has a conflict, whatever the other event is.
  package func earlierConflict<N: Notice>(_ notice: N, at now: Date) -> EarlierNotification? {
    var other: String?
    if case .string(let id)? = notice.values(for: recipient)["existing_event_id"] { other = id }
    return history.last { earlier in
      earlier.subjectID == subjectID
        && (!earlier.isGone || now.timeIntervalSince(earlier.time) < Gate.repetitionWindow)
        && (reason == .organizer || earlier.state == other && (other != nil || said(earlier, notice)))
    }
  }
}

extension Candidate.Shown {
  /// Whether it says what would take its place, perhaps in a language that the person read before.
  ///
  /// An actor who is not in it makes it say more in each language, unless one of its own acts is gone.
  /// - Parameters:
  ///   - words: what would take its place, with its acts that still count.
  ///   - actors: who acted since then.
  ///   - translated: the same words in a language.
  package func says(
    _ words: NotificationText, with actors: [String], in translated: (Language) -> NotificationText
  ) -> Bool {
    if text == words.inInbox { return true }
    guard hasLostActs || actors.allSatisfy({ actor in acts.contains { $0.actor == actor } }) else { return false }
    return text.isSaid(by: translated)
  }
}

extension NotificationText {
  /// Whether the inbox keeps these words for what is said in one of the languages.
  fileprivate func isSaid(by words: (Language) -> NotificationText) -> Bool {
    Texts.all.contains { self == words(Language(nearestTo: $0)).inInbox }
  }
}

/// The decision on a candidate.
package enum Decision: Sendable, Equatable {
  /// They are notified now.
  case notify
  /// They are notified later, if it is still true then.
  case hold(Hold)
  /// They are not notified.
  case suppress(Suppression)
}

/// The reason and the end of a wait.
package struct Hold: Sendable, Equatable {
  /// Why it waits.
  package let reason: Reason
  /// When the gates are asked again.
  package let until: Date

  package init(_ reason: Reason, until: Date) { (self.reason, self.until) = (reason, until) }

  /// The raw value appears in results, in `decisions.reason` and in `held_notifications.reason`.
  package enum Reason: String, Sendable, CaseIterable {
    /// A notification of its family and subject went out minutes ago: this one joins the next batch.
    case batched
    /// The person's quiet hours.
    case quietHours = "quiet_hours"
    /// The person wants to hear nothing for a while.
    case muted
    /// The person has reached their limit of pushes within an hour.
    case rateLimited = "rate_limited"
    /// The person snoozed it; no gate decides this.
    case snoozed
  }
}

/// Why a person is not notified; the raw value appears in results and in `decisions.reason`.
package enum Suppression: String, Sendable, CaseIterable {
  case actor
  case disabled
  case projectMuted = "project_muted"
  case typeDisabled = "type_disabled"
  case alreadyHandled = "already_handled"
  case subjectGone = "subject_gone"
  case notPermitted = "not_permitted"
  case duplicate
  case viewing
  case noDevice = "no_device"
  /// It would be pointless at the end of the quiet hours or the mute, or its kind does not wait for their end.
  case quietHours = "quiet_hours"
  /// It waited too long for room under the hourly limit.
  case rateLimited = "rate_limited"
  /// It was pointless when it came due.
  case expired
  /// The push is too large even with the shortest texts.
  case unencodable

  /// Whether the time alone has decided, so that at another time the gates may decide otherwise.
  package var isByTime: Bool { [.quietHours, .rateLimited, .expired].contains(self) }
}

/// The inbox entry that a decision leaves.
package enum InboxEntry: Sendable, Equatable {
  case none
  /// An unread entry.
  case unread
  /// An entry that the person has seen.
  case read
  /// An unread entry that the badge does not count.
  case uncounted
}

extension Decision {
  package var inboxEntry: InboxEntry {
    switch self {
    case .notify, .hold, .suppress(.noDevice), .suppress(.quietHours), .suppress(.rateLimited),
      .suppress(.expired), .suppress(.unencodable):
      .unread
    case .suppress(.viewing): .read
    case .suppress(.disabled), .suppress(.projectMuted), .suppress(.typeDisabled): .uncounted
    case .suppress(.actor), .suppress(.alreadyHandled), .suppress(.subjectGone), .suppress(.notPermitted),
      .suppress(.duplicate):
      .none
    }
  }
}
