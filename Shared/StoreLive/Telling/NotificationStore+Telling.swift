import FoundationEssentials
import FunctionKit
import Notifications
import Postgres

extension NotificationStore {
  /// Handles the next chunk of an event; `nil` when there are more.
  func advance<N: Notice>(
    _ event: Occurrence, _ announcement: (EventReader) async throws -> Announcement<N>?, _ transaction: Transaction
  ) async throws -> NotificationResult? {
    let progress: Progress?
    switch try await event.take(transaction) {
    case .done(let result): return result
    case .open(let reached): progress = reached
    }
    var result = progress?.result ?? NotificationResult(of: event)
    guard let announcement = try await announcement(EventReader(event: event, transaction: transaction)) else {
      result.reason = Suppression.subjectGone.rawValue
      _ = try await transaction.query(event.finish(result))
      return result
    }

    var page = try await self.page(of: announcement, after: progress?.after, at: event.now, transaction)
    let isLast = page.count <= chunk
    page.removeLast(isLast ? 0 : 1)
    page = try await remember(page, announcement, event, transaction)
    var deciding = Deciding(
      announcement, isExperiment: try await announcement.isExperiment(transaction), at: event.now)
    let told = try deciding.decide(page)
    for told in told { result.add(told.candidate, told.decision) }
    if let kind = announcement.kind {
      result.deliveries += try await write(told, of: kind, to: announcement.entry, event, transaction)
    }

    if !isLast, let last = page.last {
      let cursor = Audience.Cursor(user: last.user, subject: last.subjectID)
      _ = try await transaction.query(event.save(Progress(after: cursor, result: result)))
      return nil
    }
    _ = try await transaction.pipeline([event.finish(result)] + announcement.closing)
    return result
  }

  /// One candidate more than a chunk has, where there is one.
  func page<N: Notice>(
    of announcement: Announcement<N>, after cursor: Audience.Cursor?, at now: Date, _ transaction: Transaction
  ) async throws -> [Candidate] {
    guard let kind = announcement.kind else { return [] }
    let query = announcement.audience.page(of: kind, after: cursor, limit: chunk + 1, at: now)
    var zones = Zones()
    return try await transaction.query(query).map {
      try Candidate($0, except: announcement.actor, in: kind.app, at: now, &zones)
    }
  }

  /// Locks the candidates against other events and adds what they were told before; no history is read before the lock.
  private func remember<N: Notice>(
    _ candidates: [Candidate], _ announcement: Announcement<N>, _ event: Occurrence, _ transaction: Transaction
  ) async throws -> [Candidate] {
    guard let app = announcement.kind?.app, !candidates.isEmpty else { return [] }
    let people = candidates.map(\.user)
    _ = try await transaction.pipeline([.makeState(of: people, in: app), .lockState(of: people, in: app)])
    return try await candidates.remembering(announcement, event, transaction)
  }

  private func write(
    _ told: [Told], of kind: Kind, to entry: UUID?, _ event: Occurrence, _ transaction: Transaction
  ) async throws -> Int {
    guard !told.isEmpty else { return 0 }
    let held = told.filter { $0.hold != nil && $0.notification != nil }
    let rows = try await transaction.pipeline(
      [
        entry == nil ? .insertNotifications(told, of: kind, event) : .updateNotification(told, of: kind, event),
        .insertDecisions(told, of: kind, event), .insertDeliveries(told, of: kind, event),
      ] + (held.isEmpty ? [] : [.insertHolds(held, of: kind, event)]))
    return rows[2].affectedRows
  }
}
