package import FoundationEssentials
package import Notifications
package import Postgres

extension SQL {
  /// Whether no sender has leased delivery `d`, or the lease has expired.
  ///
  /// No lease lasts an hour: a clock that was ahead wrote one that would.
  package static let isFree: SQL = """
    (d.lease_until IS NULL OR d.lease_until <= clock_timestamp() OR d.lease_until > clock_timestamp() + interval '1 hour')
    """

  /// Whether a person is marked as deleted where an app's people stand, and only kept.
  ///
  /// `OFFSET` keeps it a look-up by key for each person.
  package static func isGone(_ person: SQL) -> SQL {
    "EXISTS (SELECT FROM push_gone_people g WHERE g.user_id = \(person) OFFSET 0)"
  }

  /// Locks people against other functions that notify them.
  ///
  /// The locks are taken in the order of the people's ids, so that two concurrent transactions cannot deadlock. They
  /// are taken after the locks of the people themselves, so that an app that deletes a person waits for nothing that
  /// waits for it. Missing rows are inserted; the others are only locked.
  package static func lockState(of people: [UUID], in app: App) -> SQL {
    """
    INSERT INTO notification_state AS s (user_id, app)
    SELECT i.user_id, \(app.rawValue) FROM push_hold_people(\(people)) AS i (user_id) ORDER BY i.user_id
    ON CONFLICT (user_id, app) DO UPDATE SET all_read_at = s.all_read_at WHERE false
    """
  }

  /// Locks the people of several apps, in the order of the apps.
  package static func lockStates(of people: [App: Set<UUID>]) -> [SQL] {
    App.allCases.compactMap { app in people[app].map { lockState(of: Array($0), in: app) } }
  }

  /// The recent notifications to people about some subjects, from other events than this one.
  ///
  /// It includes those with some dedupe keys, the last one with a subject's state, and what an app's own entry has told
  /// where a function tells now, or the other way round. A notification that a switch stopped, with an entry that the badge
  /// ignores, does not count. A held one does not count either.
  static func history<N: Notice>(
    of people: [UUID], in app: App, _ announcement: Announcement<N>, _ event: EventContext
  ) -> SQL {
    let subjects = Array(announcement.notices.keys)
    let person: SQL = """
      n.user_id = ANY (\(people)) AND n.app = \(app.rawValue) AND NOT \(event.caused("n"))
        AND n.id <> ALL (\([announcement.entry].compactMap(\.self)))
      """
    let keys = announcement.notices.values.first?.stateKeys ?? []
    if let kind = announcement.kind, !keys.isEmpty {
      return """
        SELECT DISTINCT ON (n.user_id, n.subject_id) NULL::uuid AS id, false AS is_gone, false AS is_twin, n.user_id,
          n.subject_id, n.title, n.body, coalesce(n.pushed_at, n.created_at) AS created_at, NULL AS dedupe_key,
          \(state(of: "n", under: keys)) AS state
        FROM notifications n
        WHERE \(person) AND n.subject_id = ANY (\(subjects)) AND \(states(of: kind))
        ORDER BY n.user_id, n.subject_id, coalesce(n.pushed_at, n.created_at) DESC, n.id DESC
        """
    }
    if announcement.kind?.family == .conflicts {
      let people = announcement.notices.values.compactMap { $0.part?.actor }
      return """
        SELECT n.id, n.is_gone, false AS is_twin, n.user_id, n.subject_id, n.title, n.body,
          CASE WHEN n.is_gone THEN n.updated_at ELSE n.created_at END AS created_at, NULL AS dedupe_key,
          n.data ->> 'existing_event_id' AS state
        FROM notifications n
        WHERE \(person) AND n.proposal_id = ANY (\(subjects.map(UUID.init))) AND n.family = 'conflicts'
          AND n.actor = ANY (\(people)) AND (n.counts_for_badge OR n.is_read) AND (NOT n.is_gone OR n.pushed_at IS NOT NULL)
        ORDER BY n.created_at, n.id
        """
    }
    let since = event.now.addingTimeInterval(-Gate.repetitionWindow)
    // An app's own entry may have waited for its function, so that it was told later than it was made. Reading changes
    // `updated_at`, too.
    let (origin, told): (String, SQL) =
      announcement.entry == nil ? ("app", "coalesce(n.pushed_at, n.updated_at)") : ("function", "n.created_at")
    let isTwin: SQL = """
      (lower(n.type) = \(announcement.kind?.name ?? "") AND n.origin = \(origin) AND n.function IS NOT NULL
        AND \(told) > \(since))
      """
    let text: SQL =
      announcement.kind?.family == nil
      ? """
      n.created_at > \(event.now.addingTimeInterval(-86_400)) AND n.subject_id = ANY (\(subjects))
        AND (n.counts_for_badge OR n.is_read) AND (n.created_at > \(since) OR \(isTwin)) OR\u{20}
      """ : ""
    return """
      SELECT NULL::uuid AS id, false AS is_gone, \(isTwin) AS is_twin, n.user_id, n.subject_id, n.title, n.body,
        n.created_at, n.dedupe_key, NULL AS state
      FROM notifications n
      WHERE \(person) AND (\(text)n.dedupe_key = ANY (\(announcement.notices.values.map(\.dedupeKey))))
      ORDER BY n.created_at, n.id
      """
  }

  /// The state that a notification reported under some keys, as ``Notice/state(for:)`` has it.
  package static func state(of notification: SQL, under keys: [String]) -> SQL {
    """
    (SELECT string_agg(\(notification).data ->> k.key, ' ' ORDER BY k.place)
      FROM unnest(\(keys)) WITH ORDINALITY AS k (key, place))
    """
  }

  /// Whether a notification `n` of a kind reported the state of its subject.
  static func states(of kind: Kind) -> SQL {
    """
    (n.family IN ('statuses', 'leads') AND n.family = \(kind.family?.rawValue ?? "") AND \(hasToldState))
    """
  }

  /// Whether a notification `n` told its person of a state: by a push, or in the inbox.
  ///
  /// One that waits for its first push has not, and neither has one that left the inbox before that went out.
  package static let hasToldState: SQL = """
    (n.pushed_at IS NOT NULL
      OR n.merged_into IS NULL AND (n.counts_for_badge OR n.is_read) AND NOT n.is_gone
        AND NOT EXISTS (SELECT FROM held_notifications h WHERE h.notification_id = n.id))
    """

  /// Inserts people's notifications; the common values of a message are sent once.
  static func insertNotifications(_ events: [DecidedEvent]) -> SQL {
    let kept = events.rows.filter { $0.plan.notification != nil }
    let messages = Array(Dictionary(kept.map { ($0.message, $0) }) { first, _ in first }.values)
    let texts = messages.map(\.plan.message)
    let common: SQL = .rows(
      "m",
      [
        "number": "\(messages.map(\.message))", "title": "\(texts.map(\.text.title))",
        "body": "\(texts.map(\.text.body))", "text": "\(texts.map(\.data))",
        "subject_id": "\(texts.map(\.subject.id))", "feedback_id": "\(texts.map(\.subject.feedback))",
        "project_id": "\(texts.map(\.subject.project))", "proposal_id": "\(texts.map(\.subject.proposal))",
        "event_id": "\(texts.map(\.subject.event))", "friend_request_id": "\(texts.map(\.subject.friendRequest))",
        "payload": "\(texts.map(\.payloadBeforeID))", "dedupe_key": "\(texts.map(\.dedupeKey))",
        "expires_at": "\(texts.map(\.inboxExpiry))", "push_expires_at": "\(texts.map(\.pushExpiry))",
        "family_subject": "\(texts.map { $0.part?.subjectID })", "family_name": "\(texts.map { $0.part?.subjectName })",
        "actor": "\(texts.map { $0.part?.actor })", "actor_name": "\(texts.map { $0.part?.actorName })",
        "variant": "\(texts.map(\.variant))", "app": "\(messages.map(\.kind.app.rawValue))",
        "type": "\(messages.map(\.kind.name))", "importance": "\(messages.map(\.kind.importance.rawValue))",
        "priority": "\(messages.map(\.kind.importance.pushPriority))",
        "family": "\(messages.map { $0.kind.family?.rawValue })", "source": "\(messages.map(\.event.source))",
        "source_event_id": "\(messages.map(\.event.id))", "now": "\(messages.map(\.event.now))",
        "traceparent": "\(messages.map(\.event.traceparent))",
      ])
    let own: SQL = .rows(
      "i",
      [
        "id": "\(kept.compactMap(\.plan.notification))", "user_id": "\(kept.map(\.plan.candidate.user))",
        "message": "\(kept.map(\.message))", "counts_for_badge": "\(kept.map(\.countsForBadge))",
        "keeps_payload": "\(kept.map(\.plan.keepsPayload))",
        "is_read": "\(kept.map { $0.plan.decision.inboxEntry == .read })",
        "recipient_reason": "\(kept.map(\.plan.candidate.reason.rawValue))",
        "is_pushed": "\(kept.map(\.plan.isPushed))", "opener_id": "\(kept.map(\.plan.opener))",
        "window_ends_at": "\(kept.map(\.windowEnd))", "collapse_id": "\(kept.map(\.plan.collapseID))",
      ])
    return """
      WITH m AS MATERIALIZED (SELECT m.*, m.text::jsonb AS data FROM \(common))
      \(insertion(of: events))
      FROM \(own) JOIN m ON m.number = i.message
      ORDER BY i.user_id
      """
  }

  private static func insertion(of events: [DecidedEvent]) -> SQL {
    .insert(
      into: "notifications",
      [
        "id": "i.id", "user_id": "i.user_id", "app": "m.app", "type": "m.type", "title": "m.title",
        "body": "m.body", "data": "m.data", "subject_id": "m.subject_id", "feedback_id": "m.feedback_id",
        "project_id": "m.project_id", "proposal_id": "m.proposal_id", "event_id": "m.event_id",
        "friend_request_id": "m.friend_request_id", "is_read": "i.is_read", "is_archived": "false",
        "origin": "'function'", "importance": "m.importance", "counts_for_badge": "i.counts_for_badge",
        "payload": "CASE WHEN i.keeps_payload THEN m.payload || i.id || '\"}' END", "push_type": "'alert'",
        "priority": "m.priority", "collapse_id": "coalesce(i.collapse_id, i.id::text)",
        "function": "\(events.function)", "source": "m.source", "source_event_id": "m.source_event_id",
        "dedupe_key": "m.dedupe_key", "created_at": "m.now", "updated_at": "m.now",
        "expires_at": "m.expires_at", "recipient_reason": "i.recipient_reason", "push_expires_at": "m.push_expires_at",
        "pushed_at": "CASE WHEN i.is_pushed THEN m.now END", "family": "m.family",
        "family_subject": "m.family_subject", "family_name": "m.family_name", "actor": "m.actor",
        "actor_name": "m.actor_name", "opener_id": "i.opener_id", "window_ends_at": "i.window_ends_at",
        "variant": "m.variant", "traceparent": "m.traceparent",
      ])
  }

  /// Updates apps' own inbox entries with the decisions.
  ///
  /// An entry gets words if the app left them out, its push, and its state in the inbox and the badge. If the decision
  /// leaves no entry, it is archived.
  static func updateNotifications(_ events: [DecidedEvent]) -> SQL {
    let entries = events.rows.filter { $0.plan.notification != nil }
    let texts = entries.map(\.plan.message)
    let rows: SQL = .rows(
      "i",
      [
        "id": "\(entries.compactMap(\.plan.notification))", "title": "\(texts.map(\.text.title))",
        "body": "\(texts.map(\.text.body))", "subject_id": "\(texts.map(\.subject.id))",
        "data": "\(texts.map(\.data))", "counts_for_badge": "\(entries.map(\.countsForBadge))",
        "is_read": "\(entries.map { $0.plan.decision.inboxEntry == .read })",
        "is_kept": "\(entries.map { $0.plan.decision.inboxEntry != .none })", "payload": "\(entries.map(\.payload))",
        "reason": "\(entries.map(\.plan.candidate.reason.rawValue))", "push_expires_at": "\(texts.map(\.pushExpiry))",
        "is_pushed": "\(entries.map(\.plan.isPushed))", "family_subject": "\(texts.map { $0.part?.subjectID })",
        "family_name": "\(texts.map { $0.part?.subjectName })", "actor": "\(texts.map { $0.part?.actor })",
        "actor_name": "\(texts.map { $0.part?.actorName })", "opener_id": "\(entries.map(\.plan.opener))",
        "window_ends_at": "\(entries.map(\.windowEnd))", "collapse_id": "\(entries.map(\.plan.collapseID))",
        "importance": "\(entries.map(\.kind.importance.rawValue))",
        "priority": "\(entries.map(\.kind.importance.pushPriority))",
        "family": "\(entries.map { $0.kind.family?.rawValue })", "source": "\(entries.map(\.event.source))",
        "source_event_id": "\(entries.map(\.event.id))", "now": "\(entries.map(\.event.now))",
        "traceparent": "\(entries.map(\.event.traceparent))",
      ])
    return """
      UPDATE notifications n
      SET title = i.title, body = i.body, subject_id = i.subject_id, data = coalesce(n.data, '{}') || i.data::jsonb,
        importance = i.importance, counts_for_badge = i.counts_for_badge,
        is_read = n.is_read IS TRUE OR i.is_read, is_archived = n.is_archived IS TRUE OR NOT i.is_kept,
        payload = i.payload, push_type = 'alert', priority = i.priority,
        collapse_id = coalesce(i.collapse_id, n.collapse_id, n.id::text), recipient_reason = i.reason,
        push_expires_at = i.push_expires_at, pushed_at = CASE WHEN i.is_pushed THEN i.now END, family = i.family,
        family_subject = i.family_subject, family_name = i.family_name, actor = i.actor, actor_name = i.actor_name,
        opener_id = i.opener_id, window_ends_at = i.window_ends_at, function = \(events.function),
        source = i.source, source_event_id = i.source_event_id, traceparent = i.traceparent, updated_at = i.now
      FROM \(rows)
      WHERE n.id = i.id
      """
  }

  static func insertDeliveries(_ events: [DecidedEvent]) -> SQL {
    let pushes = events.rows.filter(\.plan.isPushed).flatMap { row in
      row.plan.candidate.devices.map { (row, device: $0) }
    }
    let rows: SQL = .rows(
      "i",
      [
        "id": "\(UUID.timeOrdered(pushes.count))", "notification_id": "\(pushes.map(\.0.plan.notification))",
        "device_token_id": "\(pushes.map(\.device))", "expires_at": "\(pushes.map(\.0.plan.message.pushExpiry))",
        "now": "\(pushes.map(\.0.event.now))",
      ])
    let insertion: SQL = .insert(
      into: "deliveries",
      [
        "id": "i.id", "notification_id": "i.notification_id", "device_token_id": "d.id", "user_id": "d.user_id",
        "app": "d.app", "provider": "d.provider", "not_before": "i.now", "expires_at": "i.expires_at",
        "created_at": "i.now", "updated_at": "i.now",
      ])
    return "\(insertion) FROM \(rows) JOIN device_tokens d ON d.id = i.device_token_id"
  }

  static func insertHolds(_ events: [DecidedEvent]) -> SQL {
    let held = events.rows.filter { $0.plan.hold != nil && $0.plan.notification != nil }
    return .insert(
      into: "held_notifications",
      each: [
        "notification_id": "\(held.map(\.plan.notification))", "user_id": "\(held.map(\.plan.candidate.user))",
        "reason": "\(held.map { $0.plan.hold?.reason.rawValue })", "held_until": "\(held.map { $0.plan.hold?.until })",
        "app": "\(held.map(\.kind.app.rawValue))", "held_since": "\(held.map(\.event.now))",
      ], all: [:])
  }

  static func insertDecisions(_ events: [DecidedEvent]) -> SQL {
    let rows = events.rows
    let people: SQL = .rows(
      "i",
      [
        "event": "\(rows.map(\.number))", "user_id": "\(rows.map(\.plan.candidate.user))",
        "subject_id": "\(rows.map(\.plan.candidate.subjectID))", "decision": "\(rows.map(\.plan.decision.word))",
        "reason": "\(rows.map(\.plan.decision.obstacle))",
        "recipient_reason": "\(rows.map(\.plan.candidate.reason.rawValue))",
        "notification_id": "\(rows.map(\.plan.notification))", "variant": "\(rows.map(\.plan.message.variant))",
        "facts": "\(rows.map(\.plan.facts))::jsonb[]",
      ])
    let insertion: SQL = .insert(
      into: "decisions",
      [
        "user_id": "i.user_id", "subject_id": "i.subject_id", "decision": "i.decision", "reason": "i.reason",
        "recipient_reason": "i.recipient_reason", "notification_id": "i.notification_id", "variant": "i.variant",
        "facts": "i.facts", "function": "\(events.function)", "source": "e.source", "event_id": "e.event_id",
        "app": "e.app", "kind": "e.kind", "created_at": "e.now",
      ])
    let about: SQL = .rows(
      "e",
      [
        "number": "\(Array(events.indices))", "source": "\(events.map(\.event.source))",
        "event_id": "\(events.map(\.event.id))", "app": "\(events.map(\.kind.app.rawValue))",
        "kind": "\(events.map(\.kind.name))", "now": "\(events.map(\.event.now))",
      ])
    return "\(insertion) FROM \(people) JOIN \(about) ON e.number = i.event"
  }
}

extension Subject {
  fileprivate var feedback: UUID? { if case .feedback(let id, _) = self { id } else { nil } }
  var project: UUID? { if case .feedback(_, let project) = self { project } else { nil } }
  fileprivate var proposal: UUID? { if case .proposal(let id) = self { id } else { nil } }
  fileprivate var event: UUID? { if case .event(let id) = self { id } else { nil } }
  fileprivate var friendRequest: UUID? { if case .friendRequest(let id) = self { id } else { nil } }
}
