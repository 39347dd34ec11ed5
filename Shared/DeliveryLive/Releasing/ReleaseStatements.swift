import FoundationEssentials
import Notifications
import Postgres
import StoreLive

extension SQL {
  /// Writes the results for notifications that were due.
  static func write(_ releases: [Release], at now: Date) -> [SQL] {
    let pushes = releases.flatMap(\.pushes)
    let summaries = releases.compactMap(\.summary)
    let entries = summaries.flatMap(\.entries)
    let merged = releases.flatMap(\.merged)
    let (held, renewed) = (releases.flatMap(\.held), releases.flatMap(\.renewed))
    let suppressed = releases.flatMap(\.suppressed)
    let (said, stated) = (releases.flatMap(\.said), releases.flatMap(\.stated))
    let toldAlready = releases.flatMap(\.toldAlready)
    let done = (pushes + entries).map(\.notification) + merged.map(\.0) + suppressed.map(\.0)
    let deliveries =
      pushes.map { ($0.notification, $0.devices, $0.expiry) } + summaries.map { ($0.id, $0.devices, $0.expiry) }
    return [notify(pushes + entries, at: now), queueAgain(pushes, at: now)]
      + (summaries.isEmpty ? [] : [insert(summaries, at: now)]) + [deliver(deliveries, at: now)]
      + (merged.isEmpty ? [] : merge(merged.map { ($0.0, $0.1, now) })).asOwnWrites + [
        settle(suppressed, at: now),
        "DELETE FROM held_notifications WHERE notification_id = ANY (\(done))", hold(held, at: now),
        record(
          pushes.map { ($0.notification, "notify", nil) } + entries.map { ($0.notification, "summarize", nil) }
            + merged.map { ($0.0, "merge", nil) } + held.map { ($0.0, "hold", $0.1.reason.rawValue) }
            + suppressed.map { ($0.0, "suppress", $0.1.rawValue) },
          facts: releases.reduce(into: [:]) { all, release in all.merge(release.facts) { $1 } }, at: now),
      ]
      + (renewed.isEmpty ? [] : [renew(renewed)])
      + (said.isEmpty ? [] : [sayAgain(said)].asOwnWrites)
      + (toldAlready.isEmpty ? [] : [bringBack(toldAlready, at: now)].asOwnWrites)
      + (stated.isEmpty ? [] : [markEarlier(than: states(stated))])
  }

  /// Brings entries back into the inbox, and their pushes into the queue, that left for a newer state which is over.
  ///
  /// One about whose subject a later entry stands in the inbox stays away.
  static func bringBack(_ told: [UUID], at now: Date) -> SQL {
    """
    WITH back AS (
      UPDATE notifications n SET is_archived = false, is_gone = false, updated_at = \(now)
      WHERE n.id = ANY (\(told)) AND n.is_gone AND n.is_read IS NOT TRUE AND n.merged_into IS NULL
        AND NOT EXISTS (
          SELECT FROM notifications l
          WHERE l.user_id = n.user_id AND l.app = n.app AND l.type = n.type AND l.subject_id = n.subject_id
            AND l.is_archived IS NOT TRUE AND (l.created_at, l.id) > (n.created_at, n.id))
      RETURNING n.id, n.user_id, n.app, n.counts_for_badge
    ), queued AS (
      UPDATE deliveries d SET state = 'queued', reason = NULL, not_before = \(now), updated_at = \(now) FROM back
      WHERE d.notification_id = back.id AND d.state = 'expired' AND d.reason = \(DeliveryEnd.subjectGone.rawValue)
        AND d.expires_at > \(now)
    )
    INSERT INTO badge_losses (user_id, app) SELECT DISTINCT user_id, app FROM back WHERE counts_for_badge
    """
  }

  private static func states(_ notifications: [UUID]) -> SQL {
    "SELECT id, user_id, app, type, subject_id, created_at FROM notifications WHERE id = ANY (\(notifications))"
  }

  /// Merges what was gathered.
  static func write(_ page: GatheredPage, at now: Date) -> [SQL] {
    guard !page.merged.isEmpty else { return [] }
    return merge(page.merged.map { ($0.0, $0.1, now) }).asOwnWrites + [
      "DELETE FROM held_notifications WHERE notification_id = ANY (\(page.merged.map(\.0)))",
      record(page.merged.map { ($0.0, "merge", nil) }, facts: [:], at: now),
    ]
  }

  /// Gives people their next places in the queue, behind those who wait already if more of theirs is due.
  static func queueAgain(_ people: [UUID], of app: App, at now: Date) -> [SQL] {
    let next: SQL = """
      SELECT min(h.held_until) FROM held_notifications h WHERE h.user_id = p.user_id AND h.app = p.app
      """
    return [
      """
      DELETE FROM held_people p WHERE p.user_id = ANY (\(people)) AND p.app = \(app.rawValue) AND (\(next)) IS NULL
      """,
      """
      UPDATE held_people p SET release_at = greatest((\(next)), \(now)), failures = 0, failure = NULL
      WHERE p.user_id = ANY (\(people)) AND p.app = \(app.rawValue)
      """,
    ]
  }

  /// Lets a person wait for a minute, four, sixteen and then an hour at a time.
  static func putAside(_ person: UUID, of app: App, because reason: String, at now: Date) -> SQL {
    """
    UPDATE held_people
    SET failures = failures + 1, failure = left(\(reason), 500),
      release_at = \(now)::timestamptz + least(interval '1 hour', interval '1 minute' * 4 ^ least(failures, 5))
    WHERE user_id = \(person) AND app = \(app.rawValue)
    """
  }

  /// Lets pushes be good for longer.
  static func renew(_ renewed: [(notification: UUID, expiry: Date)]) -> SQL {
    let rows: SQL = .rows("i", ["id": "\(renewed.map(\.notification))", "expiry": "\(renewed.map(\.expiry))"])
    return """
      UPDATE notifications n SET push_expires_at = i.expiry FROM \(rows) WHERE n.id = i.id AND n.push_expires_at < i.expiry
      """
  }

  // A notification in a summary does not count for the hourly limit itself.
  private static func notify(_ pushes: [Release.Push], at now: Date) -> SQL {
    let rows: SQL = .rows(
      "i",
      [
        "id": "\(pushes.map(\.notification))", "title": "\(pushes.map(\.text.title))",
        "body": "\(pushes.map(\.text.body))", "data": "\(pushes.map(\.data))", "payload": "\(pushes.map(\.payload))",
        "collapse_id": "\(pushes.map(\.collapseID))", "window_ends_at": "\(pushes.map(\.windowEnd))",
        "expiry": "\(pushes.map(\.expiry))", "inbox_expiry": "\(pushes.map(\.inboxExpiry))",
        "summary_id": "\(pushes.map(\.summary))",
      ])
    return """
      UPDATE notifications n
      SET title = i.title, body = i.body, data = coalesce(n.data, '{}') || i.data::jsonb, payload = i.payload,
        collapse_id = i.collapse_id, summary_id = i.summary_id, phone_text = NULL,
        pushed_at = CASE WHEN i.summary_id IS NULL THEN \(now) ELSE n.pushed_at END, window_ends_at = i.window_ends_at,
        push_expires_at = CASE WHEN i.inbox_expiry IS NOT NULL OR n.push_expires_at IS NOT NULL THEN i.expiry END,
        expires_at = coalesce(i.inbox_expiry, n.expires_at), updated_at = \(now)
      FROM \(rows)
      WHERE n.id = i.id
      """
  }

  // A snoozed notification was sent to the devices before. A sender keeps deliveries that it has leased: this statement
  // does not wait for a sender, which settles its deliveries in its own order.
  private static func queueAgain(_ pushes: [Release.Push], at now: Date) -> SQL {
    let rows: SQL = .rows(
      "i", ["notification_id": "\(pushes.map(\.notification))", "expires_at": "\(pushes.map(\.expiry))"])
    return """
      UPDATE deliveries d
      SET state = 'queued', not_before = \(now), expires_at = i.expires_at, lease_id = NULL, lease_until = NULL,
        attempts = 0, reason = NULL, updated_at = \(now)
      FROM \(rows)
      WHERE d.notification_id = i.notification_id AND d.state <> 'queued' AND \(isFree)
      """
  }

  // It is no entry: an app's own list of unread entries, which may know no archive, has none of ours.
  private static func insert(_ summaries: [ReleaseSummary], at now: Date) -> SQL {
    .insert(
      into: "notifications",
      each: [
        "id": "\(summaries.map(\.id))", "user_id": "\(summaries.map(\.user))",
        "app": "\(summaries.map(\.kind.app.rawValue))", "title": "\(summaries.map(\.words.text.title))",
        "body": "\(summaries.map(\.words.text.body))", "data": "\(summaries.map(\.words.data))::jsonb[]",
        "importance": "\(summaries.map(\.kind.importance.rawValue))",
        "priority": "\(summaries.map(\.kind.importance.pushPriority))", "payload": "\(summaries.map(\.words.payload))",
        "expires_at": "\(summaries.map(\.expiry))", "push_expires_at": "\(summaries.map(\.expiry))",
      ],
      all: [
        "type": "\(QuietSummary.typeName)", "is_read": "true", "is_archived": "true", "origin": "'function'",
        "counts_for_badge": "false", "push_type": "'alert'", "collapse_id": "\(QuietSummary.collapseID)",
        "created_at": "\(now)", "updated_at": "\(now)", "pushed_at": "\(now)",
      ])
  }

  private static func deliver(_ pushes: [(notification: UUID, devices: [UUID], expiry: Date)], at now: Date) -> SQL {
    let deliveries = pushes.flatMap { push in push.devices.map { (push, device: $0) } }
    let rows: SQL = .rows(
      "i",
      [
        "notification_id": "\(deliveries.map(\.0.notification))", "device_token_id": "\(deliveries.map(\.device))",
        "expires_at": "\(deliveries.map(\.0.expiry))",
      ])
    let insertion: SQL = .insert(
      into: "deliveries",
      [
        "notification_id": "i.notification_id", "device_token_id": "d.id", "user_id": "d.user_id", "app": "d.app",
        "provider": "d.provider", "not_before": "\(now)", "expires_at": "i.expires_at", "created_at": "\(now)",
        "updated_at": "\(now)",
      ])
    return "\(insertion) FROM \(rows) JOIN device_tokens d ON d.id = i.device_token_id ON CONFLICT DO NOTHING"
  }

  // What the time alone has decided keeps its payload: the clock may have been wrong.
  private static func settle(_ suppressed: [(UUID, Suppression)], at now: Date) -> SQL {
    let entries = suppressed.map { Decision.suppress($0.1).inboxEntry }
    let rows: SQL = .rows(
      "i",
      [
        "id": "\(suppressed.map(\.0))", "is_read": "\(entries.map { $0 == .read })",
        "is_gone": "\(entries.map { $0 == .none })", "counts": "\(entries.map { $0 == .unread })",
        "is_by_time": "\(suppressed.map(\.1.isByTime))",
      ])
    return """
      UPDATE notifications n
      SET is_read = n.is_read IS TRUE OR i.is_read,
        is_archived = n.is_archived IS TRUE OR i.is_gone AND n.is_read IS NOT TRUE AND NOT \(isSnoozed("n")),
        counts_for_badge = n.counts_for_badge AND i.counts,
        payload = CASE WHEN i.is_by_time OR \(isSnoozed("n")) THEN n.payload END, updated_at = \(now)
      FROM \(rows) WHERE n.id = i.id
      """
  }

  /// Whether a held notification was shown before.
  private static func isSnoozed(_ notification: SQL) -> SQL {
    """
    EXISTS (
      SELECT FROM held_notifications s
      WHERE s.notification_id = \(notification).id AND s.reason = \(Hold.Reason.snoozed.rawValue))
    """
  }

  private static func hold(_ held: [(UUID, Hold)], at now: Date) -> SQL {
    let rows: SQL = .rows(
      "i",
      [
        "id": "\(held.map(\.0))", "until": "\(held.map(\.1.until))", "reason": "\(held.map(\.1.reason.rawValue))",
      ])
    return """
      UPDATE held_notifications h SET held_until = i.until, reason = i.reason,
        held_since = CASE WHEN h.reason = i.reason THEN h.held_since ELSE \(now) END
      FROM \(rows) WHERE h.notification_id = i.id
      """
  }

  /// Writes the decisions on notifications that were due: each with its word and reason.
  static func record(_ verdicts: [(UUID, String, String?)], facts: [UUID: String], at now: Date) -> SQL {
    let insertion: SQL = .insert(
      into: "notification_rechecks",
      each: [
        "notification_id": "\(verdicts.map(\.0))", "decision": "\(verdicts.map(\.1))", "reason": "\(verdicts.map(\.2))",
        "facts": "\(verdicts.map { facts[$0.0] })::jsonb[]",
      ], all: ["created_at": "\(now)"])
    return insertion + " ON CONFLICT DO NOTHING"
  }
}
