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

    var page = try await self.page(of: announcement, after: progress?.after, transaction)
    let isLast = page.count <= chunk
    page.removeLast(isLast ? 0 : 1)
    page = try await remember(page, announcement, event, transaction)
    var deciding = Deciding(announcement, at: event.now)
    let told = try deciding.decide(page)
    for told in told { result.add(told.candidate, told.decision) }
    result.deliveries += try await write(told, of: N.kind, event, transaction)

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
    of announcement: Announcement<N>, after cursor: Audience.Cursor?, _ transaction: Transaction
  ) async throws -> [Candidate] {
    guard !announcement.notices.isEmpty else { return [] }
    let query = announcement.audience.page(of: N.kind.app, after: cursor, limit: chunk + 1)
    return try await transaction.query(query).map { try Candidate($0, except: announcement.actor) }
  }

  /// Locks the candidates against other events and adds what they were told before; no history is read before the lock.
  private func remember<N: Notice>(
    _ candidates: [Candidate], _ announcement: Announcement<N>, _ event: Occurrence, _ transaction: Transaction
  ) async throws -> [Candidate] {
    guard !candidates.isEmpty else { return [] }
    let people = candidates.map(\.user)
    let rows = try await transaction.pipeline([
      .makeState(of: people, in: N.kind.app), .lockState(of: people, in: N.kind.app),
      .history(of: people, announcement, event),
    ])
    return try candidates.adding(rows[2])
  }

  private func write(
    _ told: [Told], of kind: Kind, _ event: Occurrence, _ transaction: Transaction
  ) async throws -> Int {
    guard !told.isEmpty else { return 0 }
    let rows = try await transaction.pipeline([
      .insertNotifications(told, of: kind, event), .insertDecisions(told, of: kind, event),
      .insertDeliveries(told, of: kind, event),
    ])
    return rows[2].affectedRows
  }
}

extension [Candidate] {
  /// The candidates with the earlier notifications in rows of `SQL.history`.
  func adding(_ history: Rows) throws -> [Candidate] {
    guard !history.isEmpty else { return self }
    var told: [UUID: [Candidate.Told]] = [:]
    for row in history {
      let text = NotificationText(title: try row.decode("title"), body: row["body"] ?? "")
      let earlier = Candidate.Told(
        subjectID: row["subject_id"], text: text, time: try row.decode("created_at"), dedupeKey: row["dedupe_key"])
      told[try row.decode("user_id"), default: []].append(earlier)
    }
    return map { candidate in
      var candidate = candidate
      candidate.history = told[candidate.user] ?? []
      return candidate
    }
  }
}
