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

extension SQL {
  /// The notification, if the device is its person's or has a delivery of it.
  static func find(_ interaction: Interaction) -> SQL {
    """
    SELECT n.id, n.created_at FROM notifications n
    WHERE n.id = \(interaction.notification) AND (
      \(interaction.device as UUID?)::uuid IS NULL
      OR EXISTS (SELECT FROM device_tokens t WHERE t.id = \(interaction.device as UUID?) AND t.user_id = n.user_id)
      OR EXISTS (SELECT FROM deliveries d WHERE d.notification_id = n.id AND d.device_token_id = \(interaction.device as UUID?)))
    """
  }

  /// Records an interaction, and marks the notification as read unless the person snoozes it.
  ///
  /// A late report of an interaction before the snooze leaves it unread. An act counts as opening too. A time before
  /// the notification or after now is an error of the device.
  /// - Returns: the notification's deliveries to advance, in one row; no row if there is no notification.
  static func record(_ interaction: Interaction, wantsItAgain: Bool = false, now: Date) -> SQL {
    let isActed = interaction.event == .acted
    return """
      WITH found AS (
        \(find(interaction))
      ), written AS (
        INSERT INTO notification_interactions (
          notification_id, device_token_id, event, action, occurred_at, created_at)
        SELECT f.id, \(interaction.device as UUID?), i.event, i.action,
          least(greatest(\(interaction.time ?? now), f.created_at), \(now)), \(now)
        FROM found f CROSS JOIN unnest(
          \(isActed ? ["opened", "acted"] : ["opened"]), \(isActed ? ["", interaction.action ?? ""] : [""])
        ) AS i (event, action)
        ON CONFLICT DO NOTHING
      ), read AS (
        UPDATE notifications n SET is_read = true, updated_at = \(now)
        FROM found f WHERE n.id = f.id AND n.is_read IS NOT TRUE AND NOT \(wantsItAgain) AND NOT EXISTS (
          SELECT FROM held_notifications h
          WHERE h.notification_id = n.id AND h.reason = \(Hold.Reason.snoozed.rawValue)
            AND h.held_since >= \(interaction.time as Date?))
      )
      SELECT ARRAY(
        SELECT d.id FROM deliveries d
        WHERE d.notification_id = f.id AND d.device_token_id = coalesce(\(interaction.device as UUID?), d.device_token_id)
        ORDER BY d.id
      ) AS deliveries
      FROM found f
      """
  }

  /// Advances a delivery that may have been shown, and never moves it back.
  ///
  /// Its lease stays, because the lease's holder still has to write the answer of APNs or FCM.
  static func move(_ delivery: UUID, to event: Interaction.Event, now: Date) -> SQL {
    """
    UPDATE deliveries SET state = \(event.rawValue), updated_at = \(now)
    WHERE id = \(delivery) AND (
      state IN ('accepted', 'unknown')
      OR state = 'queued' AND (attempts > 0 OR lease_id IS NOT NULL)
      OR state = 'opened' AND \(event == .acted))
    """
  }
}
