import FoundationEssentials
import FunctionKit
import Notifications
import Postgres

extension NotificationStore {
  /// Handles the next chunk of an event; `nil` when there are more.
  func advance<N: Notice>(
    _ event: Occurrence, _ announcement: (EventReader) async throws -> Announcement<N>?, _ pages: inout Pages,
    _ transaction: Transaction
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

    let page = try await pages.next(of: announcement, after: progress?.after, at: event.now, transaction)
    var deciding = Deciding(
      announcement, isExperiment: try await announcement.isExperiment(transaction), at: event.now)
    let told = try deciding.decide(await remember(page, announcement, event, transaction))
    for told in told { result.add(told.candidate, told.decision) }
    if let kind = announcement.kind {
      result.deliveries += try await write(told, of: kind, to: announcement.entry, event, transaction)
    }

    if page.count == pages.size, let last = page.last {
      _ = try await transaction.query(event.save(Progress(after: Audience.Place(last), result: result)))
      return nil
    }
    _ = try await transaction.pipeline([event.finish(result)] + announcement.closing)
    return result
  }

  /// Locks the candidates against other events and adds what they were told before; no history is read before the lock.
  private func remember<N: Notice>(
    _ candidates: [Candidate], _ announcement: Announcement<N>, _ event: Occurrence, _ transaction: Transaction
  ) async throws -> [Candidate] {
    guard let app = announcement.kind?.app, !candidates.isEmpty else { return [] }
    let people = candidates.map(\.user)
    let locks: [SQL] = [.makeState(of: people, in: app), .lockState(of: people, in: app)]
    return try await candidates.remembering(announcement, event, after: locks, transaction)
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
