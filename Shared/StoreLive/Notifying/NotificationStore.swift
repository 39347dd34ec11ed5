package import FunctionKit
package import Notifications
package import Postgres

/// Writes decisions, notifications and deliveries in PostgreSQL, or finds out in a dry run who would be notified.
package struct NotificationStore: Sendable {
  package let connection: Connection
  package let chunk: Int

  /// - Parameter chunk: an event with more candidates than this is handled in several transactions.
  package init(_ connection: Connection, chunk: Int = 5_000) {
    (self.connection, self.chunk) = (connection, chunk)
  }

  /// A store in the database that the environment names; it connects at the first use.
  package static func live(_ environment: Environment, name: String) throws(FunctionError) -> NotificationStore {
    // Most events concern few people, and planning a statement would take longer than running it. A plan from small
    // tables has to work when they have grown.
    NotificationStore(
      try Connection(
        environment, name: name, givesWay: true,
        parameters: [("plan_cache_mode", "force_generic_plan"), ("enable_seqscan", "off")]))
  }

  /// Notifies people of an event, once.
  ///
  /// A repeated event, or another event about the same change of a row, has no further effect and gets the recorded
  /// result. A dry run decides in a read-only transaction, as if the event had not been applied.
  /// - Parameter announcement: reads the announcement; `nil` if the event's object is gone. It is called once for each
  ///   transaction.
  /// - Throws: ``FunctionError``, ``FunctionError/Code/unavailable`` if a retry makes sense.
  package func notify<N: Notice>(
    _ event: EventContext, _ announcement: (EventReader) async throws -> Announcement<N>?
  ) async throws -> NotificationResult {
    do {
      if event.dryRun {
        return try await connection.transaction(.repeatableRead, readOnly: true) { transaction in
          try await rehearse(event, announcement, transaction)
        }
      }
      return try await GivingWay.repeating {
        do {
          return try await handle(event, announcement)
        } catch let earlier as Claim.Earlier {
          return try await handle(earlier.event, announcement)
        }
      }
    } catch let error as PostgresError {
      throw FunctionError(database: error)
    }
  }
  /// Handles an event to its end, chunk by chunk.
  private func handle<N: Notice>(
    _ event: EventContext, _ announcement: (EventReader) async throws -> Announcement<N>?
  ) async throws -> NotificationResult {
    var pages = Pages(of: chunk, connection)
    while true {
      let result = try await connection.transaction { transaction in
        try await advance(event, announcement, &pages, transaction) { statements in
          try await transaction.commit(after: statements)
        }
      }
      if let result { return result }
    }
  }
}
