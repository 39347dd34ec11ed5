import FoundationEssentials
import Notifications

/// What was decided about one person, and what came of it.
struct DecisionReport: Encodable {
  let person: Person
  /// Why they were thought of, by the raw value of ``RecipientReason``.
  let recipientReason: String
  let app: String
  let kind: String
  let subject: String
  let event: String
  let function: String
  let at: Date
  let verdict: Verdict
  /// Empty where what the gates were asked was not recorded.
  let gates: [GateReport]
  var notification: RowID?
  /// Each time that it came due after it had waited.
  var later: [Recheck] = []
  /// Until when it waits now; `nil` for what does not wait.
  var waitsUntil: Date?
  /// The notification that tells it together with others.
  var mergedInto: RowID?
  var pushes: [PushReport] = []

  struct Recheck: Encodable {
    let at: Date
    let verdict: Verdict
    let gates: [GateReport]
  }
}

/// A decision by the words of the database, with when what is held comes due.
struct Verdict: Encodable, Equatable {
  /// `notify`, `hold`, `suppress`; of something that waited also `merge` and `summarize`.
  let decision: String
  let reason: String?
  var until: Date?
}

/// What one gate was asked and what it said.
struct GateReport: Encodable, Equatable {
  /// Its place among all gates, from 1.
  let number: Int
  /// Its name in the program.
  let gate: String
  /// What it was asked, in plain words.
  let input: String
  /// `passed`, `stopped` or `not_asked`.
  let verdict: String
  /// What followed, in plain words; `nil` unless it stopped them.
  let outcome: String?
}

/// Somebody, as support knows them.
struct Person: Encodable, Equatable {
  let id: RowID
  let name: String?
  let email: String?
  /// Where they are, as far as it is known.
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
