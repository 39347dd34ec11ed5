package import FoundationEssentials

/// An event as lists show it.
package struct EventSummary: Codable, Sendable, Equatable {
  package var id: String
  /// When it was created, by the events' clock.
  package var at: Date
  package var function: String
  /// The origin: `INSERT public.votes`, `schedule`, `http`, `queued`, or the type of a CloudEvent.
  package var kind: String
  /// It is handled in order with the others of this key.
  package var key: String?
  package var state: State
  /// How often it was tried.
  package var attempts: Int
  package var crashes: Int
  /// The last attempt's code; `OK` for success.
  package var code: String?
  /// The last failure's message.
  package var error: String?
  /// When the next attempt is due.
  package var runAt: Date?
  /// When it was done, failed or became a dead letter.
  package var endedAt: Date?
  /// The partition; absent for a call over HTTP, which is in no queue.
  package var partition: Int?
  /// The number in its partition; absent for a call over HTTP.
  package var number: Int64?
  /// How long the last attempt took; absent before it has ended.
  package var milliseconds: Double?
  /// The id of the failed event of its key that it waits for; absent unless somebody has looked for one.
  package var blocker: String?

  package init(
    id: String, at: Date, function: String, kind: String, key: String? = nil, state: State, attempts: Int,
    crashes: Int, code: String? = nil, error: String? = nil, runAt: Date? = nil, endedAt: Date? = nil,
    partition: Int? = nil, number: Int64? = nil, milliseconds: Double? = nil
  ) {
    (self.id, self.at, self.function, self.kind, self.key) = (id, at, function, kind, key)
    (self.state, self.attempts, self.crashes) = (state, attempts, crashes)
    (self.code, self.error, self.runAt, self.endedAt) = (code, error, runAt, endedAt)
    (self.partition, self.number, self.milliseconds) = (partition, number, milliseconds)
  }

  /// The state of an event so far.
  package enum State: String, Codable, Sendable, CaseIterable {
    case waiting, running, retrying, dead, done
    /// Its last attempt failed and it is not tried again: a call over HTTP, or a purged dead letter.
    case failed

    /// Whether only the history has it.
    package var isEnded: Bool { self == .done || self == .failed }
  }
}

/// One attempt that has ended.
package struct EventAttempt: Codable, Sendable, Equatable {
  package var endedAt: Date
  package var code: String
  /// The exit status; absent if a signal or the time limit ended it.
  package var exit: Int?
  package var milliseconds: Double
  package var error: String?

  package init(endedAt: Date, code: String, exit: Int?, milliseconds: Double, error: String?) {
    (self.endedAt, self.code, self.exit) = (endedAt, code, exit)
    (self.milliseconds, self.error) = (milliseconds, error)
  }
}

/// Why an event has not run yet, or what became of it.
package struct WhyReport: Codable, Sendable, Equatable {
  package var id: String
  /// The decisive reason; programs may rely on these words.
  package var reason: Reason
  /// All reasons, the decisive one first.
  package var sentences: [String]

  package init(id: String, reason: Reason, sentences: [String]) {
    (self.id, self.reason, self.sentences) = (id, reason, sentences)
  }

  package enum Reason: String, Codable, Sendable, CaseIterable {
    case done, failed, dead
    case running, interrupted, retryDue, overtaken, unknownFunction, noRunner, blocked, paused, behind, partitionFree,
      otherRunner,
      atLimit, ready
    case schedulePaused, skipped, notDue, uncommitted, notDrawn, unknown
  }
}

/// An event that was sent again as a new one.
package struct ResendDocument: Codable, Sendable {
  /// The id of the new event.
  package var id: String
  /// The id of the event that is sent again.
  package var replayedfrom: String
  package var function: String
  /// Whether it was sent now, and not by an earlier call with the same id.
  package var isNew: Bool

  package init(id: String, replayedfrom: String, function: String, isNew: Bool) {
    (self.id, self.replayedfrom, self.function, self.isNew) = (id, replayedfrom, function, isNew)
  }
}

/// The dead letters to which something was done, in one of two lists.
package struct DeadLettersDocument: Codable, Sendable {
  /// The ids of those that are tried again.
  package var retried: [String]?
  /// The ids of those that were removed.
  package var purged: [String]?

  package init(retried ids: [String]) {
    retried = ids
  }

  package init(purged ids: [String]) {
    purged = ids
  }

  /// Their ids, whatever was done.
  package var ids: [String] { retried ?? purged ?? [] }
}
