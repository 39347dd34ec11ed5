import FoundationEssentials
import FunctionKit
package import Notifications
package import Postgres

extension NotificationStore {
  /// Notifies the people of an announcement in the caller's transaction, or finds out in a dry run who would be
  /// notified.
  /// - Throws: ``FunctionError/Code/failed`` if there are more people than a chunk.
  package func notify<N: Notice>(
    _ event: EventContext, _ announcement: Announcement<N>, _ transaction: Transaction
  ) async throws -> NotificationResult {
    if event.dryRun { return try await rehearse(event, { _ in announcement }, transaction) }
    var pages = Pages(of: chunk, connection)
    let result = try await advance(event, { _ in announcement }, &pages, transaction) { statements in
      try await transaction.pipeline(statements)
    }
    guard let result else { throw FunctionError(.failed, "The event concerns too many people for one transaction.") }
    return result
  }

  /// Handles the next chunk of an event; returns `nil` if more follow.
  /// - Parameter end: runs the last statements.
  func advance<N: Notice>(
    _ event: EventContext, _ announcement: (EventReader) async throws -> Announcement<N>?, _ pages: inout Pages,
    _ transaction: Transaction, end: ([SQL]) async throws -> [Rows]
  ) async throws -> NotificationResult? {
    let claim = Claim(on: event)
    let (found, progress): (Announcement<N>?, Progress?)
    do {
      found = try await announcement(EventReader(event, transaction, claim: claim))
      progress = try await claim.progress(transaction)
    } catch let done as Claim.Done {
      event.note(done.result.considered, isLast: true)
      return done.result
    }
    var result = progress?.result ?? NotificationResult(of: event)
    guard let announcement = found else {
      result.reason = Suppression.subjectGone.rawValue
      _ = try await end([event.finish(result)] + event.giving(after: result))
      return result
    }

    let page = try await pages.next(of: announcement, after: progress?.after, at: event.now, transaction)
    let planner = Planner(
      announcement, isExperiment: try await announcement.isExperiment(transaction), at: event.now)
    let candidates = try await remember(page, announcement, event, transaction)
    let part = try await decide(on: candidates, PagePart(event, planner, result), transaction)
    let (inserts, deliveries) = (part.inserts, part.deliveries)
    result = part.result

    if page.count == pages.size, let last = page.last, let deliveries {
      let progress = Progress(after: Audience.Place(last), result: result)
      _ = try await end(inserts + [event.save(progress, inserting: deliveries)])
      event.note(result.considered, isLast: false)
      return nil
    }
    let isPushed = part.plans.contains(where: \.isPushed)
    let rows = try await end(
      inserts + [event.finish(result, inserting: isPushed ? deliveries : nil)] + announcement.closing
        + (announcement.voteCount.map { [.pushVoteCount([$0])] } ?? [])
        + (announcement.notices.isEmpty ? event.giving(after: result) : []))
    event.note(result.considered, isLast: true)
    if isPushed { result.deliveries = try rows[inserts.count].only().decode("deliveries") }
    return result
  }

  /// Decides on the people of a page, in parts: while the server writes one, the next is decided.
  ///
  /// - Returns: the last part, which is not written.
  private func decide<N: Notice>(
    on candidates: [Candidate], _ part: PagePart<N>, _ transaction: Transaction
  ) async throws -> PagePart<N> {
    let size = max(1, chunk / 20)
    var part = part
    part.decide(candidates.prefix(size))
    for start in stride(from: size, to: candidates.count, by: size) {
      let written: [Rows]
      (written, part) = try await transaction.pipeline(part.statements) { [part] in
        var next = part
        next.decide(candidates[start...].prefix(size))
        return next
      }
      part.result.deliveries += try written.last?.only().decode("deliveries") ?? 0
    }
    return part
  }

  /// Locks the candidates against other events, then reads their history.
  private func remember<N: Notice>(
    _ candidates: [Candidate], _ announcement: Announcement<N>, _ event: EventContext, _ transaction: Transaction
  ) async throws -> [Candidate] {
    guard let app = announcement.kind?.app, !candidates.isEmpty else { return [] }
    let lock = SQL.lockState(of: candidates.map(\.user), in: app)
    return try await candidates.remembering(announcement, event, after: [lock], transaction)
  }
}

/// The decisions about a part of a page, with the result of the event up to them.
private struct PagePart<N: Notice>: Sendable {
  let event: EventContext
  var planner: Planner<N>
  var result: NotificationResult
  private(set) var plans: [NotificationPlan] = []
  /// What writes the decisions, without the deliveries.
  private(set) var inserts: [SQL] = []
  /// What inserts the deliveries; `nil` without a notice.
  private(set) var deliveries: SQL?

  init(_ event: EventContext, _ planner: Planner<N>, _ result: NotificationResult) {
    (self.event, self.planner, self.result) = (event, planner, result)
  }

  /// Decides on the next people.
  mutating func decide(_ candidates: ArraySlice<Candidate>) {
    plans = planner.decide(Array(candidates))
    for plan in plans { result.add(plan.candidate, plan.decision) }
    event.logUnencodable(plans)
    let decided = planner.announcement.decided(plans, about: event)
    (inserts, deliveries) = (decided.map { [$0].statements } ?? [], decided.map { .insertDeliveries([$0]) })
  }

  /// What writes the decisions, and returns the number of the `deliveries` at last.
  var statements: [SQL] {
    inserts
      + (deliveries.map {
        ["WITH inserted AS (\($0) RETURNING true) SELECT count(*) AS deliveries FROM inserted"]
      } ?? [])
  }
}
