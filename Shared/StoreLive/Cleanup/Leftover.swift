import FoundationEssentials
import Postgres

/// What is not needed any more; the raw value stands in the result.
enum Leftover: String, CaseIterable, Sendable {
  case unreadNotifications, readNotifications, deliveries, logs, decisions, handledEvents, interactions, analyses

  /// How long everything is kept but unread notifications, which have an end of their own.
  static let age: TimeInterval = 90 * 86_400

  /// Deletes some of the rows; those that somebody changes at the same moment stay for the next time.
  func delete(limit: Int, at now: Date) -> SQL {
    "DELETE FROM \(table) WHERE ctid = ANY (ARRAY(SELECT t.ctid FROM \(table) t WHERE \(isLeft(at: now)) LIMIT \(limit)))"
  }

  func count(at now: Date) -> SQL { "SELECT count(*) AS rows FROM \(table) t WHERE \(isLeft(at: now))" }

  private var table: SQL {
    switch self {
    case .unreadNotifications, .readNotifications: "notifications"
    case .deliveries: "deliveries"
    case .logs: "push_notification_logs"
    case .decisions: "decisions"
    case .handledEvents: "handled_events"
    case .interactions: "notification_interactions"
    case .analyses: "analyses"
    }
  }

  private func isLeft(at now: Date) -> SQL {
    let limit = now.addingTimeInterval(-Self.age)
    return switch self {
    case .unreadNotifications: "t.is_read IS NOT TRUE AND t.expires_at <= \(now) AND NOT \(Self.isQueued)"
    case .readNotifications: "t.is_read AND t.created_at < \(limit) AND NOT \(Self.isQueued)"
    case .deliveries: "t.state <> 'queued' AND t.updated_at < \(limit)"
    // Without its result a fan-out is still to be gone on with.
    case .handledEvents: "t.result IS NOT NULL AND t.created_at < \(limit)"
    case .logs, .decisions, .interactions, .analyses: "t.created_at < \(limit)"
    }
  }

  private static var isQueued: SQL {
    """
    (EXISTS (SELECT FROM deliveries d WHERE d.notification_id = t.id AND d.state = 'queued')
      OR EXISTS (SELECT FROM held_notifications h WHERE h.notification_id = t.id))
    """
  }
}
