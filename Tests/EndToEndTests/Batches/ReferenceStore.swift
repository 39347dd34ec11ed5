import FoundationEssentials
import FunctionKit
import Notifications
import Postgres

@testable import StoreLive

/// The plainest way to handle one event, with which batches are compared: each step is a statement of its own.
///
/// The event is taken first, by a record for which others would wait. Nothing is gathered, assumed or done meanwhile. It
/// takes as many people as there are in one transaction.
extension NotificationStore {
  func tellPlainly(_ request: NotificationRequest) async throws -> NotificationResult {
    switch request.work {
    case .nothing(let result): return result
    case .announcement(let announcement):
      guard let announcement = announcement as? any PlainAnnouncement else {
        throw FunctionError(.failed, "There is no plain way to tell of it.")
      }
      do {
        return try await connection.transaction { try await announcement.tell(in: $0) }
      } catch let error as PostgresError {
        throw FunctionError(database: error)
      }
    }
  }
}

private protocol PlainAnnouncement: UnreadAnnouncement {
  func tell(in transaction: Transaction) async throws -> NotificationResult
}

extension Unread: PlainAnnouncement {
  fileprivate func tell(in transaction: Transaction) async throws -> NotificationResult {
    if let result = try await transaction.take(event) { return result }
    let found = try await announcement(EventReader(event, transaction))
    guard let announcement = found, let kind = announcement.kind else {
      let reason = found == nil ? Suppression.subjectGone.rawValue : found?.reason
      let result = NotificationResult(of: event, reason: reason)
      try await transaction.finish(event, with: result)
      if let count = found?.voteCount { _ = try await transaction.query(.pushVoteCount([count])) }
      if let change = event.row?.record(of: event) {
        // It is left to other events.
        _ = try await transaction.query(
          """
          DELETE FROM handled_events
          WHERE function = \(event.function) AND source = \(change.source) AND event_id = \(change.id)
            AND result = \(change.document)
          """)
      }
      return result
    }
    return try await transaction.tell(event, announcement, kind)
  }
}

extension UnreadPair: PlainAnnouncement {
  fileprivate func tell(in transaction: Transaction) async throws -> NotificationResult {
    let told = try await first.tell(in: transaction)
    return told.adding(try await part(without: told.people).tell(in: transaction))
  }
}

extension Transaction {
  fileprivate func tell<N: Notice>(
    _ event: EventContext, _ announcement: Announcement<N>, _ kind: Kind
  ) async throws -> NotificationResult {
    var zones = Zones()
    let people = try await query(announcement.audience.candidates(of: kind, after: nil, at: event.now))
    var candidates: [Candidate] = []
    for row in people {
      candidates.append(try Candidate(row, except: announcement.actor, in: kind.app, at: event.now, &zones))
    }
    _ = try await query(.lockState(of: candidates.map(\.user), in: kind.app))
    candidates = try await candidates.remembering(announcement, event, self)
    var planner = Planner(announcement, isExperiment: try await announcement.isExperiment(self), at: event.now)
    let plans = planner.decide(candidates)

    let decided = DecidedEvent(event, kind, entry: announcement.entry, plans)
    var result = NotificationResult(of: event)
    for plan in plans { result.add(plan.candidate, plan.decision) }
    for statement in [decided].statements { _ = try await query(statement) }
    let deliveries = try await query(
      "WITH made AS (\(SQL.insertDeliveries([decided])) RETURNING true) SELECT count(*) AS deliveries FROM made")
    result.deliveries = try deliveries.only().decode("deliveries")
    try await finish(event, with: result)
    for statement in announcement.closing { _ = try await query(statement) }
    if let count = announcement.voteCount { _ = try await query(.pushVoteCount([count])) }
    return result
  }

  fileprivate func finish(_ event: EventContext, with result: NotificationResult) async throws {
    _ = try await query("UPDATE handled_events SET result = \(result.document.text) WHERE \(isRecord(of: event))")
  }

  private func isRecord(of event: EventContext) -> SQL {
    "function = \(event.function) AND source = \(event.source) AND event_id = \(event.id)"
  }

  /// Takes the event and the change of its row; returns the result if it has one.
  fileprivate func take(_ event: EventContext) async throws -> NotificationResult? {
    let claim: SQL = """
      INSERT INTO handled_events AS e (function, source, event_id, created_at)
      VALUES (\(event.function), \(event.source), \(event.id), \(event.now))
      ON CONFLICT (function, source, event_id) DO UPDATE SET progress = e.progress
      RETURNING result
      """
    if let result = try await query(claim).only()["result"] { return try EventContext.decode(result) }
    guard let change = event.row?.record(of: event) else { return nil }
    let isAnother: SQL = """
      coalesce(
        r.result::jsonb -> 'by' ->> \(event.source)::text <> \(event.id)::text
          OR abs(extract(epoch FROM (r.result::jsonb ->> 'created')::timestamptz
            - (excluded.result::jsonb ->> 'created')::timestamptz)) >= 1, false)
      """
    let holder = try await query(
      """
      INSERT INTO handled_events AS r (function, source, event_id, result, created_at)
      VALUES (\(event.function), \(change.source), \(change.id), \(change.document), \(event.now))
      ON CONFLICT (function, source, event_id) DO UPDATE SET
        result = CASE WHEN \(isAnother) THEN excluded.result
          ELSE jsonb_set(r.result::jsonb, ARRAY['by', \(event.source)::text], to_jsonb(\(event.id)::text))::text END,
        created_at = CASE WHEN \(isAnother) THEN excluded.created_at ELSE r.created_at END
      RETURNING r.result::jsonb ->> 'source' AS source, r.result::jsonb ->> 'event' AS id
      """
    ).only()
    let (source, id): (String, String) = (try holder.decode("source"), try holder.decode("id"))
    guard (source, id) != (event.source, event.id) else { return nil }
    let adopted = try await query(
      """
      UPDATE handled_events e SET result = f.result FROM handled_events f
      WHERE (e.function, e.source, e.event_id) = (\(event.function), \(event.source), \(event.id))
        AND (f.function, f.source, f.event_id) = (\(event.function), \(source), \(id))
      RETURNING e.result
      """)
    return try EventContext.decode(try adopted.only().decode("result", as: String.self))
  }
}
