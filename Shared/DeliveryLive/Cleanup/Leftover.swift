import FoundationEssentials
import Postgres
import StoreLive

/// Rows that are no longer needed; the raw value is the name in the result.
enum Leftover: String, CaseIterable, Sendable {
  case badgePushes, unreadNotifications, readNotifications, deliveries, logs, decisions, handledEvents, interactions,
    analyses, badgeLosses, activities, activityChannels, activityFacts

  /// The days for which everything is kept.
  ///
  /// Whole days (UTC) are deleted, so that the rates of a day cover all of it or nothing.
  static let days: TimeInterval = 90

  /// Deletes some of the rows, and may say how many (`rows`); rows that are locked at the moment stay for the next run.
  func delete(limit: Int, at now: Date) -> SQL {
    if self == .logs { return "SELECT push_delete_logs(\(Self.end(at: now)), \(Int32(limit))) AS rows" }
    return """
      DELETE FROM \(table) WHERE ctid = ANY (ARRAY(
        SELECT t.ctid FROM \(table) t WHERE \(isLeft(at: now)) LIMIT \(limit) FOR UPDATE OF t SKIP LOCKED))
      """
  }

  func count(at now: Date) -> SQL { "SELECT count(*) AS rows FROM \(table) t WHERE \(isLeft(at: now))" }

  /// Drops the days of the log that are no longer needed, and says how many (`days`).
  static func dropLogDays(at now: Date) -> SQL { "SELECT push_drop_log_days(\(end(at: now))) AS days" }

  static func countLogDays(at now: Date) -> SQL {
    "SELECT count(*) AS days FROM push_log_days_until(\(end(at: now)))"
  }

  /// Makes the days of the log that begin soon.
  static func makeLogDays(at now: Date) -> SQL { "SELECT push_make_log_days(\(now))" }

  /// Archives some ended unread entries, for readers of the table that ignore the end, and says how many (`rows`).
  ///
  /// The badges counted them until their end, so their people are noted.
  static func archiveEnded(limit: Int, at now: Date) -> SQL {
    """
    WITH ended AS (
      UPDATE notifications SET is_archived = true, updated_at = \(now)
      WHERE ctid = ANY (ARRAY(SELECT t.ctid FROM notifications t WHERE \(hasEnded(at: now)) LIMIT \(limit)
        FOR UPDATE OF t SKIP LOCKED))
      RETURNING user_id, app, counts_for_badge AND merged_into IS NULL AND app <> 'lockitin' AS was_counted
    ), noted AS (
      INSERT INTO badge_losses (user_id, app, created_at)
      SELECT DISTINCT user_id, app, \(now)::timestamptz FROM ended WHERE was_counted
    )
    SELECT count(*) AS rows FROM ended
    """
  }

  /// Ends some pushes that have expired in the queue, and says how many (`rows`).
  ///
  /// A sender does it in time, but there is none where no provider is configured. Who misses a badge is noted, but not for a
  /// push of the badge alone that nobody could send: the next one would end in the same way.
  /// - Parameter hasNotes: whether the notes of the providers may be read, which say why nobody sends.
  static func endPushes(limit: Int, hasNotes: Bool, at now: Date) -> SQL {
    let notes: SQL = hasNotes ? .unservedProviders : "SELECT NULL, NULL, NULL::timestamptz"
    return """
      WITH lapsed AS MATERIALIZED (
        SELECT t.id, u.reason, u.since FROM deliveries t
        LEFT JOIN (\(notes)) AS u (provider, reason, since) ON u.provider = t.provider
        WHERE \(hasLapsed(at: now)) LIMIT \(limit) FOR UPDATE OF t SKIP LOCKED
      ), ended AS (
        UPDATE deliveries d
        SET state = 'expired', updated_at = \(now), outage = coalesce(l.reason, d.outage),
          outage_since = CASE WHEN l.reason IS NULL THEN d.outage_since ELSE greatest(l.since, d.created_at) END
        FROM lapsed l WHERE d.id = l.id
        RETURNING d.user_id, d.app, d.notification_id, l.reason AS absence
      ), missed AS (
        INSERT INTO badge_losses (user_id, app, created_at)
        SELECT DISTINCT e.user_id, e.app, \(now)::timestamptz
        FROM ended e JOIN notifications n ON n.id = e.notification_id
        WHERE \(SQL.hasBadge("n")) AND NOT (e.absence IS NOT NULL AND \(SQL.isBadgePush()))
      )
      SELECT count(*) AS rows FROM ended
      """
  }

  static func countLapsed(at now: Date) -> SQL {
    "SELECT count(*) AS rows FROM deliveries t WHERE \(hasLapsed(at: now))"
  }

  /// A sender may still write the answer to a push that it has leased.
  private static func hasLapsed(at now: Date) -> SQL {
    """
    t.state = 'queued' AND t.expires_at <= \(now)
      AND (t.lease_until < clock_timestamp() - interval '1 day') IS NOT FALSE
    """
  }

  static func countEnded(at now: Date) -> SQL {
    "SELECT count(*) AS rows FROM notifications t WHERE \(hasEnded(at: now))"
  }

  private static func hasEnded(at now: Date) -> SQL {
    "t.is_read IS NOT TRUE AND t.is_archived IS NOT TRUE AND t.expires_at <= \(now) AND NOT \(isQueued)"
  }

  private var table: SQL {
    switch self {
    case .badgePushes, .unreadNotifications, .readNotifications: "notifications"
    case .deliveries: "deliveries"
    case .logs: "push_notification_logs"
    case .decisions: "decisions"
    case .handledEvents: "handled_events"
    case .interactions: "notification_interactions"
    case .analyses: "analyses"
    case .badgeLosses: "badge_losses"
    case .activities: "live_activities"
    case .activityChannels: "activity_channels"
    case .activityFacts: "activity_facts"
    }
  }

  private func isLeft(at now: Date) -> SQL {
    let limit = Self.end(at: now)
    return switch self {
    // They stand in an app's own table. The next push of the badge looks at those of the last day.
    case .badgePushes:
      "\(SQL.isBadgePush("t")) AND t.created_at < \(now.addingTimeInterval(-86_400)) AND NOT \(Self.isQueued)"
    // They left the inbox at their end. They were kept for the rates and for `runner why`.
    case .unreadNotifications:
      "t.is_read IS NOT TRUE AND t.expires_at <= \(now) AND \(Self.isOld(before: limit))"
    case .readNotifications: "t.is_read AND \(Self.isOld(before: limit))"
    case .deliveries: "t.state <> 'queued' AND t.updated_at < \(limit)"
    // A fan-out without a result is not finished.
    case .handledEvents: "t.result IS NOT NULL AND t.created_at < \(limit)"
    // Days of the log are counted, not their rows. In an app's own log only lines of ours go.
    case .logs:
      """
      t.created_at < \(limit) AND t.tableoid <> ALL (ARRAY(SELECT push_log_days_until(\(limit))::oid))
        AND (t.delivery_id IS NOT NULL OR (SELECT push_owns_log()))
      """
    case .decisions, .interactions, .analyses, .badgeLosses: "t.created_at < \(limit)"
    // No phone shows one for so long. Tokens that start activities stay.
    case .activities:
      "t.subject_id <> '' AND t.created_at < \(limit) AND (t.registered_at >= \(limit)) IS NOT TRUE"
    // Those that are at APNs stay until they are deleted there.
    case .activityChannels: "t.state NOT IN ('live', 'ended', 'closing') AND t.updated_at < \(limit)"
    // No activity shows what was said so long ago.
    case .activityFacts: "t.created_at < \(now.addingTimeInterval(-2 * 86_400))"
    }
  }

  /// Whether a row is old; one that an app had in its table before ours came stays there.
  private static func isOld(before limit: Date) -> SQL {
    "t.origin <> 'earlier' AND t.created_at < \(limit) AND NOT \(isQueued)"
  }

  /// The end of what is no longer needed.
  private static func end(at now: Date) -> Date {
    let today = (now.timeIntervalSince1970 / 86_400).rounded(.down)
    return Date(timeIntervalSince1970: (today - days) * 86_400)
  }

  private static var isQueued: SQL {
    """
    (EXISTS (SELECT FROM deliveries d WHERE d.notification_id = t.id AND d.state = 'queued')
      OR EXISTS (SELECT FROM held_notifications h WHERE h.notification_id = t.id))
    """
  }
}
