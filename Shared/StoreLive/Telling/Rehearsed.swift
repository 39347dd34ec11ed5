import FoundationEssentials
import Notifications

/// One person in a dry run, with everything that the gates need to be asked again.
public struct Rehearsed: Codable, Sendable, Equatable {
  /// The person's id.
  public let user: String
  /// What it is about.
  public let subject: String
  /// The app whose kind it is, by its raw value.
  public let app: String
  /// The kind's name.
  public let kind: String
  /// Why they may be told, by its raw value.
  public let recipientReason: String
  /// `notify`, `hold` or `suppress`.
  public let decision: String
  /// What stands between the person and the push; absent where nothing does.
  public let reason: String?
  /// What ``DecisionFacts`` wrote; absent where everything is as with most people.
  public let facts: String?
  /// Name and address, as `Grace <grace@example.com>`; absent for somebody who is not registered.
  public internal(set) var person: String?

  init(_ told: Told) {
    (user, subject) = (told.candidate.user.uuidString.lowercased(), told.candidate.subjectID)
    (app, kind) = (told.message.kind.app.rawValue, told.message.kind.name)
    recipientReason = told.candidate.reason.rawValue
    (decision, reason, facts) = (told.decision.word, told.decision.obstacle, told.facts)
  }
}
