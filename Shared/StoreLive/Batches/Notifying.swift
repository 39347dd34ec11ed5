import FunctionKit
package import Notifications
package import Postgres

extension NotificationStore {
  /// Notifies people of an event, once.
  ///
  /// A repeated event, or another event about the same change of a row, has no further effect and gets the recorded
  /// result. A dry run decides in a read-only transaction, as if the event had not been applied.
  /// - Parameter announcement: reads the announcement; `nil` if the event's object is gone. A transaction may call it
  ///   several times.
  /// - Throws: ``FunctionError``, ``FunctionError/Code/unavailable`` if a retry makes sense.
  package func notify<N: Notice>(
    _ event: EventContext, _ announcement: @escaping @Sendable (EventReader) async throws -> Announcement<N>?
  ) async throws -> NotificationResult {
    try await notify(.announcement(event, announcement))
  }

  /// Handles one event: a batch of one.
  /// - Throws: ``FunctionError``, ``FunctionError/Code/unavailable`` if a retry makes sense.
  package func notify(_ request: NotificationRequest) async throws -> NotificationResult {
    do {
      switch request.work {
      case .nothing(let result): return result
      case .announcement(let announcement) where announcement.events[0].dryRun:
        return try await announcement.rehearse(with: self)
      case .announcement(let announcement): return try await handle([announcement])[0]
      }
    } catch let error as PostgresError {
      throw FunctionError(database: error)
    }
  }

  /// Handles events in one transaction, with the results that they would have one after the other.
  ///
  /// It returns no results if an event has to be handled alone: one that an earlier transaction has begun, or the same
  /// change as another one, or one with a tenth of a chunk's people; or if all of them have more people than a chunk.
  /// - Throws: ``FunctionError``; then it has handled none of them.
  package func notify(_ requests: [NotificationRequest]) async throws -> [NotificationResult] {
    var unread: [any UnreadAnnouncement] = []
    for case .announcement(let announcement) in requests.map(\.work) { unread.append(announcement) }
    guard unread.count > 1, unread.allSatisfy({ !$0.events[0].dryRun }) else { return [] }
    do {
      var told = try await handle(unread)[...]
      return requests.compactMap { request in
        if case .nothing(let result) = request.work { result } else { told.popFirst() }
      }
    } catch is AnnouncementBatch.HandledAlone {
      return []
    } catch let error as PostgresError {
      throw FunctionError(database: error)
    }
  }

  /// Notifies the people of an announcement in the caller's transaction, or finds out in a dry run who would be
  /// notified.
  /// - Throws: ``FunctionError/Code/failed`` if there are more people than a chunk.
  package func notify<N: Notice>(
    _ event: EventContext, _ announcement: Announcement<N>, _ transaction: Transaction
  ) async throws -> NotificationResult {
    if event.dryRun { return try await rehearse(event, { _ in announcement }, transaction) }
    var batch = AnnouncementBatch(
      [Unread(event: event) { _ in announcement }], Pages(of: chunk, connection), of: chunk, transaction,
      commits: false)
    guard let result = try await batch.handle()?.first else {
      throw FunctionError(.failed, "The event concerns too many people for one transaction.")
    }
    return result
  }

  /// Handles several events in one transaction, or a single one in as many as it needs.
  private func handle(_ unread: [any UnreadAnnouncement]) async throws -> [NotificationResult] {
    let pages = unread.count == 1 ? Pages(of: chunk, connection) : Pages(below: chunk / 10)
    var conflicts = 0
    while true {
      do {
        let results = try await GivingWay.repeating {
          try await connection.transaction { transaction in
            var batch = AnnouncementBatch(unread, pages, of: chunk, transaction)
            return try await batch.handle()
          }
        }
        if let results { return results }
        conflicts = 0
      } catch let error as PostgresError where conflicts < error.mostConflicts {
        // What the other process has recorded is found now. Each event alone meets fewer others.
        conflicts += 1
        if unread.count > 1, conflicts == 3 { throw AnnouncementBatch.HandledAlone() }
      }
    }
  }
}

extension PostgresError {
  /// How often in a row it may mean that another process was the first to handle the same event.
  ///
  /// That of a record means it each time: several events may be about the same change of a row. The end is for a record
  /// that is there and cannot be seen. Another key is there because of the same event, or for good.
  fileprivate var mostConflicts: Int {
    guard code == .sqlState("23505") else { return 0 }
    return table == "handled_events" ? 100 : 2
  }
}
