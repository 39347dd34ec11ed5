package import FoundationEssentials

/// The decision about one person, and what became of it.
package struct DecisionReport: Codable, Sendable {
  package var person: PersonSummary
  /// Why they were a candidate.
  package var recipientReason: String
  package var app: String
  package var kind: String
  package var subject: String
  /// The name of the subject, such as a feedback's title; absent where it has none.
  package var subjectName: String?
  /// The name of the person who caused it; absent where nobody is known.
  package var actorName: String?
  /// The project or group whose mute has stopped it, with the beginning of its id if the person has settings for
  /// another one of that name, such as `Orbit (84a2a9a9)`; absent if none has, or it has no name.
  package var mutedPlace: String?
  package var event: String
  package var function: String
  package var at: Date
  package var verdict: Verdict
  /// The gates in their order; empty if their inputs were not recorded.
  package var gates: [GateReport]
  package var notification: RowID?
  /// The decisions that followed, each after a hold.
  package var later: [Recheck] = []
  /// Until when it is held now; absent if it is not held.
  package var waitsUntil: Date?
  /// The notification into which it was merged or summarized.
  package var mergedInto: RowID?
  /// How many others its message tells of, or 101 if they are more than 100; absent if there are none.
  package var toldWith: Int?
  /// 20 at most.
  package var pushes: [DeliveryReport] = []
  /// Whether there are pushes to more devices than are listed; absent if there are none.
  package var hasMorePushes: Bool?
  /// The words of its push, now or later with others; else those of the inbox; absent where nothing was written.
  package var said: Words?
  /// Its fate while it stays unread; absent if it has none.
  package var unread: UnreadReport?
  /// The Live Activities that it can start, 20 at most; absent if it can start none.
  package var activities: [ActivityReport]?
  package var outcome = DecisionOutcome.notTold
  /// The outcome in a sentence, such as `not told: they muted the project (project_muted)`.
  package var words = ""

  /// The most of ``pushes``.
  package static let mostPushes = 20
  /// The most others of ``toldWith`` that are counted.
  package static let mostOthers = 100

  package init(
    person: PersonSummary, recipientReason: String, app: String, kind: String, subject: String, event: String,
    function: String, at: Date, verdict: Verdict, gates: [GateReport], notification: RowID? = nil,
    waitsUntil: Date? = nil, mergedInto: RowID? = nil
  ) {
    (self.person, self.recipientReason, self.app, self.kind) = (person, recipientReason, app, kind)
    (self.subject, self.event, self.function, self.at) = (subject, event, function, at)
    (self.verdict, self.gates, self.notification) = (verdict, gates, notification)
    (self.waitsUntil, self.mergedInto) = (waitsUntil, mergedInto)
  }

  /// The words of a notification.
  package struct Words: Codable, Sendable, Hashable {
    package var title: String?
    package var body: String?

    package init(title: String?, body: String?) {
      (self.title, self.body) = (title, body)
    }
  }

  /// A decision after a hold.
  package struct Recheck: Codable, Sendable {
    package var at: Date
    package var verdict: Verdict
    package var gates: [GateReport]

    package init(at: Date, verdict: Verdict, gates: [GateReport]) {
      (self.at, self.verdict, self.gates) = (at, verdict, gates)
    }
  }
}

/// The fate of a notification that stays unread.
package struct UnreadReport: Codable, Sendable {
  /// The function that gets it.
  package var function: String
  package var state: State
  /// Why it waits or was not given, or that the function found no mailbox; absent otherwise.
  package var reason: String?
  /// When it is asked again, or when that was decided.
  package var at: Date
  /// The same in a sentence, such as `mail-unread got it`.
  package var words = ""

  package init(function: String, state: State, reason: String?, at: Date) {
    (self.function, self.state, self.reason, self.at) = (function, state, reason, at)
  }

  package enum State: String, Codable, Sendable, CaseIterable {
    case waiting, given
    /// The function does not get it.
    case ended
  }
}

/// The outcome of a notification.
package enum DecisionOutcome: String, Codable, Sendable, CaseIterable {
  case told
  /// Told in one message with others.
  case merged
  case held
  case notTold = "not_told"
}

/// A decision in the database's words, with the end of its hold.
package struct Verdict: Codable, Sendable, Equatable {
  package var decision: Word
  package var reason: String?
  package var until: Date?

  package init(decision: Word, reason: String?, until: Date? = nil) {
    (self.decision, self.reason, self.until) = (decision, reason, until)
  }

  package enum Word: String, Codable, Sendable, CaseIterable {
    case notify, hold, suppress
    /// Only after a hold.
    case merge, summarize
  }
}

/// The answer of one gate.
package struct GateReport: Codable, Sendable, Equatable {
  /// Its place among all gates, from 1.
  package var number: Int
  /// Its name in the program.
  package var gate: String
  /// The name of its check, in a few words.
  package var title: String
  /// The fact that it used, in plain words.
  package var input: String
  package var verdict: Answer
  /// The consequence, in plain words; absent unless the gate stopped the notification.
  package var outcome: String?

  package init(number: Int, gate: String, title: String, input: String, verdict: Answer, outcome: String?) {
    (self.number, self.gate, self.title) = (number, gate, title)
    (self.input, self.verdict, self.outcome) = (input, verdict, outcome)
  }

  package enum Answer: String, Codable, Sendable, CaseIterable {
    case passed, stopped
    /// An earlier gate has stopped the notification.
    case notAsked = "not_asked"
  }
}

/// The delivery of one notification to one device.
package struct DeliveryReport: Codable, Sendable {
  package var device: DeviceSummary
  /// A state of `deliveries`.
  package var state: String
  package var reason: String?
  /// Why it could not be sent the last time, because its provider or the way there was away.
  package var outage: String?
  /// Since when that is so.
  package var outageSince: Date?
  /// When it is sent, or sent again, while it is queued.
  package var dueAt: Date
  package var attempts: [Attempt]
  package var openedAt: Date?
  package var actedAt: Date?

  package init(
    device: DeviceSummary, state: String, reason: String?, outage: String?, outageSince: Date?, dueAt: Date,
    attempts: [Attempt], openedAt: Date?, actedAt: Date?
  ) {
    (self.device, self.state, self.reason) = (device, state, reason)
    (self.outage, self.outageSince, self.dueAt) = (outage, outageSince, dueAt)
    (self.attempts, self.openedAt, self.actedAt) = (attempts, openedAt, actedAt)
  }

  /// One answer of the provider.
  package struct Attempt: Codable, Sendable {
    package var at: Date
    /// A status of `push_notification_logs`.
    package var status: String
    /// The provider's reason, or ours.
    package var reason: String?
    package var httpStatus: Int?
    package var milliseconds: Int?

    package init(at: Date, status: String, reason: String?, httpStatus: Int?, milliseconds: Int?) {
      (self.at, self.status, self.reason) = (at, status, reason)
      (self.httpStatus, self.milliseconds) = (httpStatus, milliseconds)
    }
  }
}
