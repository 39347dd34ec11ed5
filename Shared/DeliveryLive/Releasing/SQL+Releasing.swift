import FoundationEssentials
import Notifications
import Postgres
import StoreLive

extension SQL {
  /// Writes what became of notifications that were due.
  static func write(_ releases: [Release], at now: Date) -> [SQL] {
    let pushes = releases.flatMap(\.pushes)
    let summaries = releases.compactMap(\.summary)
    let entries = summaries.flatMap(\.entries)
    let merged = releases.flatMap(\.merged)
    let held = releases.flatMap(\.held)
    let suppressed = releases.flatMap(\.suppressed)
    let done = (pushes + entries).map(\.notification) + merged.map(\.0) + suppressed.map(\.0)
    let deliveries =
      pushes.map { ($0.notification, $0.devices, $0.expiry) } + summaries.map { ($0.id, $0.devices, $0.expiry) }
    return [tell(pushes + entries, at: now), queueAgain(pushes, at: now)]
      + (summaries.isEmpty ? [] : [insert(summaries, at: now)]) + [deliver(deliveries, at: now)]
      + (merged.isEmpty ? [] : merge(merged, at: now)).asOwnWrites + [
        settle(suppressed, at: now),
        "DELETE FROM held_notifications WHERE notification_id = ANY (\(done))", hold(held, at: now),
        record(
          pushes.map { ($0.notification, "notify", nil) } + entries.map { ($0.notification, "summarize", nil) }
            + merged.map { ($0.0, "merge", nil) } + held.map { ($0.0, "hold", $0.1.reason.rawValue) }
            + suppressed.map { ($0.0, "suppress", $0.1.rawValue) },
          facts: releases.reduce(into: [:]) { all, release in all.merge(release.facts) { $1 } }, at: now),
      ]
  }

  // A notification that a summary tells of takes no place among an hour's pushes itself.
  private static func tell(_ pushes: [Release.Push], at now: Date) -> SQL {
    """
    UPDATE notifications n
    SET title = i.title, body = i.body, data = coalesce(n.data, '{}') || i.data::jsonb, payload = i.payload,
      collapse_id = i.collapse_id, summary_id = i.summary_id,
      pushed_at = CASE WHEN i.summary_id IS NULL THEN \(now) ELSE n.pushed_at END, window_ends_at = i.window_ends_at,
      push_expires_at = CASE WHEN i.inbox_expiry IS NULL THEN n.push_expires_at ELSE i.expiry END,
      expires_at = coalesce(i.inbox_expiry, n.expires_at), updated_at = \(now)
    FROM unnest(
      \(pushes.map(\.notification)), \(pushes.map(\.text.title)), \(pushes.map(\.text.body)), \(pushes.map(\.data)),
      \(pushes.map(\.payload)), \(pushes.map(\.collapseID)), \(pushes.map(\.windowEnd)), \(pushes.map(\.expiry)),
      \(pushes.map(\.inboxExpiry)), \(pushes.map(\.summary))
    ) AS i (id, title, body, data, payload, collapse_id, window_ends_at, expiry, inbox_expiry, summary_id)
    WHERE n.id = i.id
    """
  }

  // A snoozed notification has been to the devices before. Deliveries that a sender still holds are left to it: nobody
  // waits here for a sender, which settles its deliveries in an order of its own.
  private static func queueAgain(_ pushes: [Release.Push], at now: Date) -> SQL {
    """
    UPDATE deliveries d
    SET state = 'queued', not_before = \(now), expires_at = i.expires_at, lease_id = NULL, lease_until = NULL,
      attempts = 0, reason = NULL, updated_at = \(now)
    FROM unnest(\(pushes.map(\.notification)), \(pushes.map(\.expiry))) AS i (notification_id, expires_at)
    WHERE d.notification_id = i.notification_id AND d.state <> 'queued' AND \(isFree)
    """
  }

  private static func insert(_ summaries: [ReleaseSummary], at now: Date) -> SQL {
    """
    INSERT INTO notifications (
      id, user_id, app, type, title, body, data, is_archived, origin, importance, counts_for_badge, payload, push_type,
      priority, collapse_id, created_at, updated_at, expires_at, push_expires_at, pushed_at)
    SELECT i.id, i.user_id, i.app, \(QuietSummary.typeName), i.title, i.body, i.data::jsonb, true, 'function',
      i.importance, false, i.payload, 'alert', i.priority, \(QuietSummary.collapseID), \(now), \(now), i.expires_at,
      i.expires_at, \(now)
    FROM unnest(
      \(summaries.map(\.id)), \(summaries.map(\.user)), \(summaries.map(\.kind.app.rawValue)),
      \(summaries.map(\.text.inInbox.title)), \(summaries.map(\.text.inInbox.body)), \(summaries.map(\.data)),
      \(summaries.map(\.kind.importance.rawValue)), \(summaries.map(\.kind.importance.pushPriority)),
      \(summaries.map(\.payload)), \(summaries.map(\.expiry))
    ) AS i (id, user_id, app, title, body, data, importance, priority, payload, expires_at)
    """
  }

  private static func deliver(_ pushes: [(notification: UUID, devices: [UUID], expiry: Date)], at now: Date) -> SQL {
    let deliveries = pushes.flatMap { push in push.devices.map { (push, device: $0) } }
    return """
      INSERT INTO deliveries (
        notification_id, device_token_id, user_id, app, provider, not_before, expires_at, created_at, updated_at)
      SELECT i.notification_id, d.id, d.user_id, d.app, d.provider, \(now), i.expires_at, \(now), \(now)
      FROM unnest(
        \(deliveries.map(\.0.notification)), \(deliveries.map(\.device)), \(deliveries.map(\.0.expiry))
      ) AS i (notification_id, device_token_id, expires_at)
      JOIN device_tokens d ON d.id = i.device_token_id
      ON CONFLICT DO NOTHING
      """
  }

  private static func settle(_ suppressed: [(UUID, Suppression)], at now: Date) -> SQL {
    let entries = suppressed.map { Decision.suppress($0.1).inboxEntry }
    return """
      UPDATE notifications n
      SET is_read = n.is_read IS TRUE OR i.is_read,
        is_archived = n.is_archived IS TRUE OR i.is_gone AND n.is_read IS NOT TRUE AND NOT \(isSnoozed("n")),
        counts_for_badge = n.counts_for_badge AND i.counts,
        payload = CASE WHEN \(isSnoozed("n")) THEN n.payload END, updated_at = \(now)
      FROM unnest(
        \(suppressed.map(\.0)), \(entries.map { $0 == .read }), \(entries.map { $0 == .none }),
        \(entries.map { $0 == .unread })
      ) AS i (id, is_read, is_gone, counts) WHERE n.id = i.id
      """
  }

  /// Whether a notification that waits was shown before.
  private static func isSnoozed(_ notification: SQL) -> SQL {
    """
    EXISTS (
      SELECT FROM held_notifications s
      WHERE s.notification_id = \(notification).id AND s.reason = \(Hold.Reason.snoozed.rawValue))
    """
  }

  private static func hold(_ held: [(UUID, Hold)], at now: Date) -> SQL {
    """
    UPDATE held_notifications h SET held_until = i.until, reason = i.reason,
      held_since = CASE WHEN h.reason = i.reason THEN h.held_since ELSE \(now) END
    FROM unnest(\(held.map(\.0)), \(held.map(\.1.until)), \(held.map(\.1.reason.rawValue))) AS i (id, until, reason)
    WHERE h.notification_id = i.id
    """
  }

  /// Writes what was decided about notifications that were due: each with a word, and what stands in its way.
  static func record(_ verdicts: [(UUID, String, String?)], facts: [UUID: String], at now: Date) -> SQL {
    """
    INSERT INTO notification_rechecks (notification_id, decision, reason, facts, created_at)
    SELECT i.id, i.decision, i.reason, i.facts::jsonb, \(now)::timestamptz
    FROM unnest(
      \(verdicts.map(\.0)), \(verdicts.map(\.1)), \(verdicts.map(\.2)), \(verdicts.map { facts[$0.0] })
    ) AS i (id, decision, reason, facts)
    ON CONFLICT DO NOTHING
    """
  }
}
