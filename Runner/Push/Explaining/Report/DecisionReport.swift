import FoundationEssentials
import Notifications

/// The decision about one person, and its outcome.
struct DecisionReport: Encodable {
  let person: Person
  /// Why they were a candidate: the raw value of ``RecipientReason``.
  let recipientReason: String
  let app: String
  let kind: String
  let subject: String
  let event: String
  let function: String
  let at: Date
  let verdict: Verdict
  /// Empty if the gates' inputs were not recorded.
  let gates: [GateReport]
  var notification: RowID?
  /// The decisions that followed, each after a hold.
  var later: [Recheck] = []
  /// Until when it is held now; `nil` if it is not held.
  var waitsUntil: Date?
  /// The notification into which it was merged or summarized.
  var mergedInto: RowID?
  var pushes: [PushReport] = []
  /// What became of it: `told`, `merged`, `held` or `not_told`.
  var outcome = ""
  /// The same in a sentence, such as `not told: they muted the project or group (project_muted)`.
  var words = ""

  struct Recheck: Encodable {
    let at: Date
    let verdict: Verdict
    let gates: [GateReport]
  }
}

/// A decision in the database's words, with the end of its hold.
struct Verdict: Encodable, Equatable {
  /// `notify`, `hold`, `suppress`; after a hold also `merge` and `summarize`.
  let decision: String
  let reason: String?
  var until: Date?
}

/// One gate's input and answer.
struct GateReport: Encodable, Equatable {
  /// Its place among all gates, from 1.
  let number: Int
  /// Its name in the program.
  let gate: String
  /// What it checks, in a few words.
  let title: String
  /// The gate's input in plain words.
  let input: String
  /// `passed`, `stopped` or `not_asked`.
  let verdict: String
  /// The consequence, in plain words; `nil` unless the gate stopped the notification.
  let outcome: String?
}

/// A person, as support knows them.
struct Person: Encodable, Equatable {
  let id: RowID
  let name: String?
  let email: String?
  var timeZone: String?

  /// `Ada <ada@example.com>`.
  var title: String {
    switch (name, email) {
    case (let name?, let email?): "\(name) <\(email)>"
    case (let word?, nil), (nil, let word?): word
    case (nil, nil): "somebody who is no longer registered (\(id))"
    }
  }
}
