import Formats
import FoundationEssentials
import FunctionKit
import Notifications
import Postgres

extension NotificationStore {
  /// Decides about everybody and writes nothing.
  func rehearse<N: Notice>(
    _ event: EventContext, _ announcement: (EventReader) async throws -> Announcement<N>?, _ transaction: Transaction
  ) async throws -> NotificationResult {
    let (event, wasApplied) = try await event.asRepeated(transaction)
    var result = NotificationResult(of: event)
    result.alreadyApplied = wasApplied
    guard let announcement = try await announcement(EventReader(event, transaction)) else {
      result.reason = Suppression.subjectGone.rawValue
      return result
    }
    result.reason = announcement.reason

    var planner = Planner(
      announcement, isExperiment: try await announcement.isExperiment(transaction), at: event.now)
    let pages = Pages(of: chunk, connection)
    var end: Audience.Place?
    repeat {
      let page = try await pages.next(of: announcement, after: end, at: event.now, transaction) ?? Pages.Page()
      let remembered = try await page.candidates.remembering(announcement, event, transaction)
      for plan in planner.decide(remembered) { try result.rehearse(plan) }
      end = page.end
    } while end != nil
    try await result.name(transaction)
    return result
  }
}

extension [Candidate] {
  /// The candidates with the earlier notifications that the gates ask about.
  func remembering<N: Notice>(
    _ announcement: Announcement<N>, _ event: EventContext, _ transaction: Transaction
  ) async throws -> [Candidate] {
    guard announcement.kind != nil, !isEmpty else { return self }
    let questions = EarlierQuestions(of: self, announcement, event)
    return try questions.remembering(self, announcement, try await transaction.pipeline(questions.queries))
  }
}

extension NotificationResult {
  fileprivate mutating func name(_ transaction: Transaction) async throws {
    let rows = try await transaction.query(
      """
      SELECT u.id, concat_ws(' ', nullif(u.name, ''), '<' || u.email || '>') AS person
      FROM users u WHERE u.id = ANY (\(candidates.map(\.user))::uuid[])
      """)
    let people = Dictionary(rows.map { ($0["id"] ?? "", $0["person"]) }) { first, _ in first }
    for index in candidates.indices { candidates[index].person = people[candidates[index].user] ?? nil }
  }

  // A notification that is not written has no id: its payload has one of zeros, the same in every dry run.
  fileprivate mutating func rehearse(_ plan: NotificationPlan) throws {
    add(plan.candidate, plan.decision)
    if candidates.count < Self.listLimit { candidates.append(Rehearsed(plan)) }
    guard plan.isPushed else { return }
    deliveries += plan.candidate.devices.count
    guard payloads.count < Self.listLimit, let text = plan.message.payloadOfNobody else { return }
    let user = RawJSON(plan.candidate.user.lowercased)
    let payload = try RawJSON(validating: Array(text.utf8)[...])
    payloads.append(RawJSON(object: [("user", user), ("payload", payload)]))
  }
}

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
