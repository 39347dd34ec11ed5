import Documents
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import StoreLive

extension ReportStore {
  /// Reports on an event that has not happened.
  ///
  /// - Parameter listed: how many people are listed at most.
  func report(on rehearsal: DryRun, user name: String?, listing listed: Int) async throws -> ExplainDocument {
    let result = try JSONCoding.decode(NotificationResult.self, from: rehearsal.result)
    let candidates = try JSONCoding.decode([Rehearsed].self, from: rehearsal.result["candidates"] ?? .null)
    return try await read { transaction in
      let user = try await PersonSummary.find(name, transaction)
      let chosen = candidates.filter { user == nil || $0.user == user?.id.description }
      var people: [DecisionReport] = []
      for candidate in chosen.prefix(listed) {
        people.append(try await decision(candidate, result, at: rehearsal.now, transaction))
      }
      let absent = user.flatMap { people.isEmpty ? "\($0.title) was not among them" : nil }
      let handling = ExplainDocument.Handling(
        function: result.function, source: "dry run", event: result.event, at: rehearsal.now,
        counts: Self.counts(candidates, total: result.counts), reason: absent ?? result.reason, isFinished: true,
        people: people)
      return ExplainDocument(event: result.event, dryRun: true, handlings: [handling])
    }
  }

  private func decision(
    _ candidate: Rehearsed, _ result: NotificationResult, at now: Date, _ transaction: Transaction
  ) async throws -> DecisionReport {
    let row = try await transaction.query(
      """
      SELECT c.id AS user_id, u.name, u.email, \(SQL.zone(of: "c.id", in: "c.app")) AS zone,
        CASE WHEN \(candidate.reason == Suppression.projectMuted.rawValue)
          THEN \(SQL.place(of: "\(candidate.subject)::text", in: "c.app", to: "c.id")) END AS muted_place
      FROM (SELECT \(candidate.user)::text::uuid AS id, \(candidate.app)::text AS app) c LEFT JOIN users u ON u.id = c.id
      """
    ).only()
    let person = try PersonSummary(row)
    let verdict = Verdict(decision: candidate.verdict, reason: candidate.reason)
    let recorded = try Recorded(
      person, as: candidate.recipientReason, of: candidate.kind, candidate.app, facts: candidate.facts, verdict, at: now
    )
    let explained = recorded?.explained(asking: Gate.allCases)
    var report = DecisionReport(
      person: person, recipientReason: candidate.recipientReason, app: candidate.app, kind: candidate.kind,
      subject: candidate.subject, event: result.event, function: result.function, at: now,
      verdict: explained?.verdict ?? verdict, gates: explained?.gates ?? [])
    report.mutedPlace = row["muted_place"]
    report.conclude()
    return report
  }

  // The counts cover everybody, the list of candidates ends at a limit. The counts give the recipient reason for people
  // who are notified, and the reason of the decision for all others.
  private static func counts(_ candidates: [Rehearsed], total: [String: Int]) -> [DecisionCount] {
    let known = Dictionary(candidates.map { ($0.reason ?? $0.recipientReason, $0) }) { first, _ in first }
    let app = candidates.first?.app ?? ""
    var notified = 0
    var others: [DecisionCount] = []
    for (reason, people) in total {
      let isNotified = known[reason].map { $0.reason == nil } ?? (RecipientReason(rawValue: reason) != nil)
      guard !isNotified else {
        notified += people
        continue
      }
      others.append(DecisionCount(known[reason]?.verdict ?? .suppress, because: reason, in: app, people))
    }
    if notified > 0 { others.append(DecisionCount(.notify, because: nil, in: app, notified)) }
    return others.sorted { ($0.people, $1.reason ?? "") > ($1.people, $0.reason ?? "") }
  }
}

extension Rehearsed {
  fileprivate var verdict: Verdict.Word { Verdict.Word(rawValue: decision) ?? .suppress }
}
