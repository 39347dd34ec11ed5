public import FunctionKit
public import Notifications
public import Postgres

/// Tells people what happened, or finds out who would be told: decisions, notifications and deliveries in PostgreSQL.
public struct NotificationStore: Sendable {
  package let connection: Connection
  let chunk: Int

  /// A store on a connection.
  /// - Parameter chunk: an event with more candidates than this is handled in several transactions.
  public init(_ connection: Connection, chunk: Int = 5_000) {
    (self.connection, self.chunk) = (connection, chunk)
  }

  /// A store in the database that the environment names; nothing is connected before the first use.
  public static func live(_ environment: Environment, name: String) throws(FunctionError) -> NotificationStore {
    // Most events concern a handful of people, and planning their statements would take longer than carrying them out.
    // A plan from when the tables were small has to serve when they have grown; no plan is worth compiling.
    NotificationStore(
      try Connection(
        environment, name: name, givesWay: true,
        parameters: [("plan_cache_mode", "force_generic_plan"), ("enable_seqscan", "off"), ("jit", "off")]))
  }

  /// Tells people what happened, once.
  ///
  /// A repeated event has no further effect and gets the recorded result; so does another event about the same change
  /// of a row. In a dry run everything is decided in a read-only transaction, as if the event had had no effect yet.
  /// - Parameter announcement: reads what is to be told; `nil` when what the event is about is gone. It is called
  ///   once for each transaction.
  /// - Throws: ``FunctionError``, ``FunctionError/Code/unavailable`` whenever another try makes sense.
  public func tell<N: Notice>(
    _ event: Occurrence, _ announcement: (EventReader) async throws -> Announcement<N>?
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
    _ event: Occurrence, _ announcement: (EventReader) async throws -> Announcement<N>?
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
