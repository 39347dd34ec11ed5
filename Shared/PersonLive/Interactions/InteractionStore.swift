import FoundationEssentials
package import FunctionKit
package import Notifications
package import Postgres
import StoreLive

/// The reports of what people did with their notifications, in PostgreSQL.
package struct InteractionStore: Sendable {
  let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// A store in the database that the environment names; it connects at the first use.
  package static func live(_ environment: Environment, name: String) throws(FunctionError) -> InteractionStore {
    InteractionStore(try Connection(environment, name: name))
  }

  /// Records an interaction, marks the notification as read, and advances the state of its deliveries.
  ///
  /// A repetition changes nothing.
  ///
  /// Only deliveries that may have been shown advance: accepted, unknown or leased ones.
  /// - Returns: whether the notification exists and a named device is its person's.
  /// - Throws: ``FunctionError``, ``FunctionError/Code/unavailable`` if a retry makes sense.
  package func record(_ interaction: Interaction, _ context: Context) async throws(FunctionError) -> Bool {
    do throws(PostgresError) {
      if context.dryRun { return try await !connection.query(.find(interaction)).isEmpty }
      let found = try await connection.query(.record(interaction, now: context.now))
      try await move(found.first?.decode("deliveries") ?? [], to: interaction.event, at: context.now)
      return !found.isEmpty
    } catch {
      throw FunctionError(database: error)
    }
  }

  /// Advances deliveries that may have been shown, and no others.
  ///
  /// It advances one at a time, so that none is locked while it waits for another: a sender writes its results in its
  /// own order.
  func move(_ deliveries: [UUID], to event: Interaction.Event, at now: Date) async throws(PostgresError) {
    for delivery in deliveries { _ = try await connection.query(.move(delivery, to: event, now: now)) }
  }
}
