import FoundationEssentials
import FunctionKit
import Notifications
import Postgres

extension NotificationStore {
  /// Handles one event.
  package func notify(_ request: NotificationRequest) async throws -> NotificationResult {
    switch request.work {
    case .nothing(let result): result
    case .announcement(let announcement): try await announcement.notify(with: self)
    }
  }

  /// Handles events in one transaction, with the results that they would have one after the other.
  ///
  /// It returns no results if an event has to be handled alone: one that was taken before, or has a tenth of a chunk's
  /// people; or if all of them have more people than a chunk.
  /// - Throws: ``FunctionError``; then it has handled none of them.
  package func notify(_ requests: [NotificationRequest]) async throws -> [NotificationResult] {
    var unread: [any UnreadAnnouncement] = []
    for case .announcement(let announcement) in requests.map(\.work) { unread.append(announcement) }
    guard unread.count > 1, unread.allSatisfy({ !$0.event.dryRun }) else { return [] }
    do {
      var told = try await GivingWay.repeating { try await together(unread) }[...]
      guard !told.isEmpty else { return [] }
      return requests.compactMap { request in
        if case .nothing(let result) = request.work { result } else { told.popFirst() }
      }
    } catch let error as PostgresError {
      throw FunctionError(database: error)
    }
  }

  private func together(_ unread: [any UnreadAnnouncement]) async throws -> [NotificationResult] {
    let events = unread.map(\.event)
    do {
      return try await connection.transaction { transaction in
        let records = events.flatMap(\.records)
        let taken = try await transaction.query(.take(records, for: events[0].function)).only()
        guard try taken.decode("taken") == records.count else { throw HandledAlone() }
        let size = chunk / 10
        let read = try await GatheredQueries.each(unread, in: transaction) { unread, queries in
          guard let read = try await unread.read(below: size, queries) else { throw HandledAlone() }
          return read
        }
        // More people than that are handled in several transactions, and would fill the memory.
        guard read.reduce(0, { $0 + $1.candidates.count }) <= chunk else { throw HandledAlone() }
        let people: [App: Set<UUID>] = read.reduce(into: [:]) { people, read in
          guard let app = read.kind?.app, !read.candidates.isEmpty else { return }
          people[app, default: []].formUnion(read.candidates.map(\.user))
        }
        let locks = SQL.lockStates(of: people)
        if !locks.isEmpty { _ = try await transaction.pipeline(locks) }
        return try await finish(read, transaction)
      }
    } catch is HandledAlone {
      return []
    }
  }

  /// Decides on the events in their order, writes the decisions and commits.
  private func finish(
    _ announcements: [any ReadAnnouncement], _ transaction: Transaction
  ) async throws -> [NotificationResult] {
    var decided: [Int: DecidedEvent] = [:]
    var unwritten: [DecidedEvent] = []
    var waiting = Array(announcements.indices)
    while !waiting.isEmpty {
      if !unwritten.isEmpty { _ = try await transaction.pipeline(unwritten.statements) }
      let read = try await GatheredQueries.each(waiting, in: transaction) { number, queries in
        (number, try await announcements[number].remembering(queries))
      }
      var memory = BatchMemory()
      (unwritten, waiting) = ([], [])
      for (number, announcement) in read {
        guard let plans = announcement.plans(after: memory) else {
          memory.wait(for: announcement)
          waiting.append(number)
          continue
        }
        guard let kind = announcement.kind else { continue }
        let event = DecidedEvent(event: announcement.event, kind: kind, entry: announcement.entry, plans: plans)
        memory.note(event)
        decided[number] = event
        unwritten.append(event)
      }
    }

    let events = announcements.map(\.event)
    var results = announcements.enumerated().map { $1.result(of: decided[$0]?.plans ?? []) }
    let statements = unwritten.statements
    let rows = try await transaction.commit(
      after: statements + [.finish(results, of: events, decided)]
        + zip(announcements, results).flatMap { $0.kind == nil ? $0.event.giving(after: $1) : [] })
    for row in rows[statements.count] {
      results[try row.decode("number")].deliveries = try row.decode("deliveries")
    }
    for (number, event) in events.enumerated() {
      event.logUnencodable(decided[number]?.plans ?? [])
      event.note(results[number].considered, isLast: true)
    }
    return results
  }
}

extension ReadAnnouncement {
  fileprivate func result(of plans: [NotificationPlan]) -> NotificationResult {
    var result = NotificationResult(of: event, reason: isFound ? nil : Suppression.subjectGone.rawValue)
    for plan in plans { result.add(plan.candidate, plan.decision) }
    return result
  }
}

/// An event cannot be handled together with others.
private struct HandledAlone: Error {}
