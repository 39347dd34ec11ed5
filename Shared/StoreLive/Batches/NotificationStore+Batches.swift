import FunctionKit
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
    guard unread.count > 1, unread.allSatisfy({ !$0.events[0].dryRun }) else { return [] }
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
    do {
      return try await connection.transaction { transaction in
        var batch = AnnouncementBatch(unread, of: chunk, transaction)
        return try await batch.handle()
      }
    } catch is HandledAlone {
      return []
    } catch let error as PostgresError where error.sqlState == "23505" && error.table == "handled_events" {
      // Another process has handled one of the events meanwhile.
      return []
    }
  }
}

/// An event cannot be handled together with others.
struct HandledAlone: Error {}
