package import FunctionKit
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
    NotificationStore(try Connection(environment, name: name, givesWay: true, parameters: Connection.plansOnce))
  }
}
