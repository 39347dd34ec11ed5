import Formats
import FoundationEssentials
import Notifications

/// A candidate in a dry run, with all facts to ask the gates again.
package struct Rehearsed: Codable, Sendable, Equatable {
  /// The person's id.
  package let user: String
  /// The subject's id.
  package let subject: String
  /// The app's raw value.
  package let app: String
  /// The kind's name.
  package let kind: String
  /// The raw value of their ``RecipientReason``.
  package let recipientReason: String
  /// `notify`, `hold` or `suppress`.
  package let decision: String
  /// The reason against a push; absent for none.
  package let reason: String?
  /// The JSON of ``DecisionFacts``; absent if all facts are the usual ones.
  package let facts: String?
  /// Name and address, as `Grace <grace@example.com>`; absent for a person who is not registered.
  package internal(set) var person: String?

  init(_ plan: NotificationPlan) {
    (user, subject) = (plan.candidate.user.lowercased, plan.candidate.subjectID)
    (app, kind) = (plan.message.kind.app.rawValue, plan.message.kind.name)
    recipientReason = plan.candidate.reason.rawValue
    (decision, reason, facts) = (plan.decision.word, plan.decision.obstacle, plan.facts)
  }
}
