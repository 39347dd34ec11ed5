import FoundationEssentials
import FunctionKit
import Notifications
import Postgres

extension NotificationStore {
  /// Handles the next chunk of an event; `nil` when there are more.
  /// - Parameter end: carries out the last statements.
  func advance<N: Notice>(
    _ event: Occurrence, _ announcement: (EventReader) async throws -> Announcement<N>?, _ pages: inout Pages,
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
    var deciding = Deciding(
      announcement, isExperiment: try await announcement.isExperiment(transaction), at: event.now)
    let told = deciding.decide(try await remember(page, announcement, event, transaction))
    for told in told { result.add(told.candidate, told.decision) }
    event.logUnencodable(told)
    let inserts = announcement.kind.map { statements(of: told, $0, in: announcement.entry, event) } ?? []
    let deliveries = announcement.kind.map { SQL.insertDeliveries(told, of: $0, event) }

    if page.count == pages.size, let last = page.last, let deliveries {
      let progress = Progress(after: Audience.Place(last), result: result)
      _ = try await end(inserts + [event.save(progress, inserting: deliveries)])
      event.note(result.considered, isLast: false)
      return nil
    }
    let isPushed = told.contains(where: \.isPushed)
    let rows = try await end(
      inserts + [event.finish(result, inserting: isPushed ? deliveries : nil)] + announcement.closing
        + (announcement.notices.isEmpty ? event.giving(after: result) : []))
    event.note(result.considered, isLast: true)
    if isPushed { result.deliveries = try rows[inserts.count].only().decode("deliveries") }
    return result
  }

  /// Locks the candidates against other events and adds what they were told before; no history is read before the lock.
  private func remember<N: Notice>(
    _ candidates: [Candidate], _ announcement: Announcement<N>, _ event: Occurrence, _ transaction: Transaction
  ) async throws -> [Candidate] {
    guard let app = announcement.kind?.app, !candidates.isEmpty else { return [] }
    let lock = SQL.lockState(of: candidates.map(\.user), in: app)
    return try await candidates.remembering(announcement, event, after: [lock], transaction)
  }

  /// The statements that write what was decided, except for the deliveries.
  private func statements(of told: [Told], _ kind: Kind, in entry: UUID?, _ event: Occurrence) -> [SQL] {
    guard !told.isEmpty else { return [] }
    let held = told.filter { $0.hold != nil && $0.notification != nil }
    let entries =
      entry == nil
      ? [SQL.insertNotifications(told, of: kind, event)] : [.updateNotification(told, of: kind, event)].asOwnWrites
    let replaced = told.compactMap { told in told.replaced.map { ($0, told.notification ?? $0) } }
    return entries + (replaced.isEmpty ? [] : SQL.merge(replaced, at: event.now).asOwnWrites)
      + [.insertDecisions(told, of: kind, event)]
      + (held.isEmpty ? [] : [.insertHolds(held, of: kind, event)])
  }
}
