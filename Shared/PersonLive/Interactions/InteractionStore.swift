import FoundationEssentials
public import FunctionKit
public import Notifications
public import Postgres
import StoreLive

/// What people did with their notifications, in PostgreSQL.
public struct InteractionStore: Sendable {
  let connection: Connection

  /// A store on a connection.
  public init(_ connection: Connection) { self.connection = connection }

  /// A store in the database that the environment names; nothing is connected before the first use.
  public static func live(_ environment: Environment, name: String) throws(FunctionError) -> InteractionStore {
    InteractionStore(try Connection(environment, name: name))
  }

  /// Writes an interaction down, marks the notification as read, and moves its deliveries on.
  ///
  /// Doing it again changes nothing.
  ///
  /// The deliveries that move are those that may have been shown: accepted, or sent without a known end, or under way.
  /// - Returns: whether there is such a notification, and the device, where one is named, is one of its person's.
  /// - Throws: ``FunctionError``, ``FunctionError/Code/unavailable`` whenever another try makes sense.
  public func record(_ interaction: Interaction, _ context: Context) async throws(FunctionError) -> Bool {
    do throws(PostgresError) {
      if context.dryRun { return try await !connection.query(.find(interaction)).isEmpty }
      let found = try await connection.query(.record(interaction, now: context.now))
      try await move(found.first?.decode("deliveries") ?? [], to: interaction.event, at: context.now)
      return !found.isEmpty
    } catch {
      throw FunctionError(database: error)
    }
  }

  /// Moves deliveries on that may have been shown, and no other.
  ///
  /// They move one at a time, so that none is held while another is waited for: a sender writes its results in an order
  /// of its own.
  func move(_ deliveries: [UUID], to event: Interaction.Event, at now: Date) async throws(PostgresError) {
    for delivery in deliveries { _ = try await connection.query(.move(delivery, to: event, now: now)) }
  }
}
