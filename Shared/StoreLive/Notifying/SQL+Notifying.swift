package import FoundationEssentials
package import Notifications
package import Postgres

extension SQL {
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

  /// The recent notifications to people about some subjects, from other events than this one.
  ///
  /// It includes those with some dedupe keys, and the last one with a subject's state. A notification that a switch
  /// stopped, with an entry that the badge ignores, does not count. A held one does not count either.
  static func history<N: Notice>(
    of people: [UUID], in app: App, _ announcement: Announcement<N>, _ event: EventContext
  ) -> SQL {
    let subjects = Array(announcement.notices.keys)
    let person: SQL = """
      n.user_id = ANY (\(people)) AND n.app = \(app.rawValue) AND NOT \(event.caused("n"))
        AND n.id <> ALL (\([announcement.entry].compactMap(\.self)))
      """
    if let kind = announcement.kind, let key = announcement.notices.values.lazy.compactMap(\.stateKey).first {
      return """
        SELECT DISTINCT ON (n.user_id, n.subject_id) n.user_id, n.subject_id, n.title, n.body,
          coalesce(n.pushed_at, n.created_at) AS created_at, NULL AS dedupe_key, n.data ->> \(key) AS state
        FROM notifications n
        WHERE \(person) AND n.subject_id = ANY (\(subjects)) AND \(states(of: kind))
        ORDER BY n.user_id, n.subject_id, coalesce(n.pushed_at, n.created_at) DESC
        """
    }
    let since = event.now.addingTimeInterval(-Gate.repetitionWindow)
    let text: SQL =
      announcement.kind?.family == nil
      ? """
      n.created_at > \(since) AND n.subject_id = ANY (\(subjects)) AND (n.counts_for_badge OR n.is_read) OR\u{20}
      """ : ""
    return """
      SELECT n.user_id, n.subject_id, n.title, n.body, n.created_at, n.dedupe_key, NULL AS state
      FROM notifications n
      WHERE \(person) AND (\(text)n.dedupe_key = ANY (\(announcement.notices.values.map(\.dedupeKey))))
      """
  }

  /// Whether a notification `n` of a kind reported the state of its subject.
  static func states(of kind: Kind) -> SQL {
    """
    (n.family IN ('statuses', 'leads') AND n.family = \(kind.family?.rawValue ?? "")
      AND (n.pushed_at IS NOT NULL OR n.merged_into IS NULL AND (n.counts_for_badge OR n.is_read)
        AND NOT EXISTS (SELECT FROM held_notifications h WHERE h.notification_id = n.id)))
    """
  }

  /// Inserts people's notifications; the common values of a message are sent once.
  static func insertNotifications(_ plans: [NotificationPlan], of kind: Kind, _ event: EventContext) -> SQL {
    let kept = plans.filter { $0.notification != nil }
    let messages = Array(Dictionary(kept.map { ($0.message.number, $0.message) }) { first, _ in first }.values)
    let common: SQL = .rows(
      "m",
      [
        "number": "\(messages.map(\.number))", "title": "\(messages.map(\.text.title))",
        "body": "\(messages.map(\.text.body))", "text": "\(messages.map(\.data))",
        "subject_id": "\(messages.map(\.subject.id))", "feedback_id": "\(messages.map(\.subject.feedback))",
        "project_id": "\(messages.map(\.subject.project))", "proposal_id": "\(messages.map(\.subject.proposal))",
        "event_id": "\(messages.map(\.subject.event))", "friend_request_id": "\(messages.map(\.subject.friendRequest))",
        "payload": "\(messages.map(\.payloadBeforeID))", "dedupe_key": "\(messages.map(\.dedupeKey))",
        "expires_at": "\(messages.map(\.inboxExpiry))", "push_expires_at": "\(messages.map(\.pushExpiry))",
        "family_subject": "\(messages.map(\.part?.subjectID))", "family_name": "\(messages.map(\.part?.subjectName))",
        "actor": "\(messages.map(\.part?.actor))", "actor_name": "\(messages.map(\.part?.actorName))",
        "variant": "\(messages.map(\.variant))",
      ])
    let own: SQL = .rows(
      "i",
      [
        "id": "\(kept.compactMap(\.notification))", "user_id": "\(kept.map(\.candidate.user))",
        "message": "\(kept.map(\.message.number))",
        "counts_for_badge": "\(kept.map { kind.countsForBadge && $0.decision.inboxEntry == .unread })",
        "keeps_payload": "\(kept.map(\.keepsPayload))", "is_read": "\(kept.map { $0.decision.inboxEntry == .read })",
        "recipient_reason": "\(kept.map(\.candidate.reason.rawValue))",
        "pushed_at": "\(kept.map { $0.isPushed ? event.now : nil })", "opener_id": "\(kept.map(\.opener))",
        "window_ends_at": "\(kept.map { $0.windowEnd(of: kind, from: event.now) })",
        "collapse_id": "\(kept.map(\.collapseID))",
      ])
    return """
      WITH m AS MATERIALIZED (SELECT m.*, m.text::jsonb AS data FROM \(common))
      \(insertion(of: kind, event))
      FROM \(own) JOIN m ON m.number = i.message
      ORDER BY i.user_id
      """
  }

  private static func insertion(of kind: Kind, _ event: EventContext) -> SQL {
    .insert(
      into: "notifications",
      [
        "id": "i.id", "user_id": "i.user_id", "app": "\(kind.app.rawValue)", "type": "\(kind.name)", "title": "m.title",
        "body": "m.body", "data": "m.data", "subject_id": "m.subject_id", "feedback_id": "m.feedback_id",
        "project_id": "m.project_id", "proposal_id": "m.proposal_id", "event_id": "m.event_id",
        "friend_request_id": "m.friend_request_id", "is_read": "i.is_read", "is_archived": "false",
        "origin": "'function'",
        "importance": "\(kind.importance.rawValue)", "counts_for_badge": "i.counts_for_badge",
        "payload": "CASE WHEN i.keeps_payload THEN m.payload || i.id || '\"}' END", "push_type": "'alert'",
        "priority": "\(kind.importance.pushPriority)", "collapse_id": "coalesce(i.collapse_id, i.id::text)",
        "function": "\(event.function)", "source": "\(event.source)", "source_event_id": "\(event.id)",
        "dedupe_key": "m.dedupe_key", "created_at": "\(event.now)", "updated_at": "\(event.now)",
        "expires_at": "m.expires_at", "recipient_reason": "i.recipient_reason", "push_expires_at": "m.push_expires_at",
        "pushed_at": "i.pushed_at", "family": "nullif(\(kind.family?.rawValue ?? ""), '')",
        "family_subject": "m.family_subject", "family_name": "m.family_name", "actor": "m.actor",
        "actor_name": "m.actor_name", "opener_id": "i.opener_id", "window_ends_at": "i.window_ends_at",
        "variant": "m.variant",
      ])
  }

  /// Updates an app's own inbox entry with the decision.
  ///
  /// The entry gets words if the app left them out, its push, and its state in the inbox and the badge. If the decision
  /// leaves no entry, it is archived.
  static func updateNotification(_ plans: [NotificationPlan], of kind: Kind, _ event: EventContext) -> SQL {
    let rows: SQL = .rows(
      "i",
      [
        "id": "\(plans.compactMap(\.notification))", "title": "\(plans.map(\.message.text.title))",
        "body": "\(plans.map(\.message.text.body))", "subject_id": "\(plans.map(\.message.subject.id))",
        "data": "\(plans.map(\.message.data))",
        "counts_for_badge": "\(plans.map { kind.countsForBadge && $0.decision.inboxEntry == .unread })",
        "is_read": "\(plans.map { $0.decision.inboxEntry == .read })",
        "is_kept": "\(plans.map { $0.decision.inboxEntry != .none })",
        "payload": "\(plans.map { $0.keepsPayload ? $0.payload(of: kind) : nil })",
        "reason": "\(plans.map(\.candidate.reason.rawValue))", "push_expires_at": "\(plans.map(\.message.pushExpiry))",
        "pushed_at": "\(plans.map { $0.isPushed ? event.now : nil })",
        "family_subject": "\(plans.map(\.message.part?.subjectID))",
        "family_name": "\(plans.map(\.message.part?.subjectName))", "actor": "\(plans.map(\.message.part?.actor))",
        "actor_name": "\(plans.map(\.message.part?.actorName))", "opener_id": "\(plans.map(\.opener))",
        "window_ends_at": "\(plans.map { $0.windowEnd(of: kind, from: event.now) })",
        "collapse_id": "\(plans.map(\.collapseID))",
      ])
    return """
      UPDATE notifications n
      SET title = i.title, body = i.body, subject_id = i.subject_id, data = coalesce(n.data, '{}') || i.data::jsonb,
        importance = \(kind.importance.rawValue), counts_for_badge = i.counts_for_badge,
        is_read = n.is_read IS TRUE OR i.is_read, is_archived = n.is_archived IS TRUE OR NOT i.is_kept,
        payload = i.payload, push_type = 'alert', priority = \(kind.importance.pushPriority),
        collapse_id = coalesce(i.collapse_id, n.collapse_id, n.id::text), recipient_reason = i.reason,
        push_expires_at = i.push_expires_at, pushed_at = i.pushed_at, family = nullif(\(kind.family?.rawValue ?? ""), ''),
        family_subject = i.family_subject, family_name = i.family_name, actor = i.actor, actor_name = i.actor_name,
        opener_id = i.opener_id, window_ends_at = i.window_ends_at, function = \(event.function),
        source = \(event.source), source_event_id = \(event.id), updated_at = \(event.now)
      FROM \(rows)
      WHERE n.id = i.id
      """
  }

  static func insertDeliveries(_ plans: [NotificationPlan], of kind: Kind, _ event: EventContext) -> SQL {
    let pushes = plans.filter(\.isPushed).flatMap { plan in plan.candidate.devices.map { (plan, device: $0) } }
    let rows: SQL = .rows(
      "i",
      [
        "id": "\(UUID.timeOrdered(pushes.count))", "notification_id": "\(pushes.map(\.0.notification))",
        "device_token_id": "\(pushes.map(\.device))", "expires_at": "\(pushes.map(\.0.message.pushExpiry))",
      ])
    let insertion: SQL = .insert(
      into: "deliveries",
      [
        "id": "i.id", "notification_id": "i.notification_id", "device_token_id": "d.id", "user_id": "d.user_id",
        "app": "d.app", "provider": "d.provider", "not_before": "\(event.now)", "expires_at": "i.expires_at",
        "created_at": "\(event.now)", "updated_at": "\(event.now)",
      ])
    return "\(insertion) FROM \(rows) JOIN device_tokens d ON d.id = i.device_token_id"
  }

  static func insertHolds(_ plans: [NotificationPlan], of kind: Kind, _ event: EventContext) -> SQL {
    .insert(
      into: "held_notifications",
      each: [
        "notification_id": "\(plans.map(\.notification))", "user_id": "\(plans.map(\.candidate.user))",
        "reason": "\(plans.map(\.hold?.reason.rawValue))", "held_until": "\(plans.map(\.hold?.until))",
      ], all: ["app": "\(kind.app.rawValue)", "held_since": "\(event.now)"])
  }

  static func insertDecisions(_ plans: [NotificationPlan], of kind: Kind, _ event: EventContext) -> SQL {
    .insert(
      into: "decisions",
      each: [
        "user_id": "\(plans.map(\.candidate.user))", "subject_id": "\(plans.map(\.candidate.subjectID))",
        "decision": "\(plans.map(\.decision.word))", "reason": "\(plans.map(\.decision.obstacle))",
        "recipient_reason": "\(plans.map(\.candidate.reason.rawValue))",
        "notification_id": "\(plans.map(\.notification))",
        "variant": "\(plans.map(\.message.variant))", "facts": "\(plans.map(\.facts))::jsonb[]",
      ],
      all: [
        "function": "\(event.function)", "source": "\(event.source)", "event_id": "\(event.id)",
        "app": "\(kind.app.rawValue)", "kind": "\(kind.name)", "created_at": "\(event.now)",
      ])
  }
}

extension Subject {
  fileprivate var feedback: UUID? { if case .feedback(let id, _) = self { id } else { nil } }
  var project: UUID? { if case .feedback(_, let project) = self { project } else { nil } }
  fileprivate var proposal: UUID? { if case .proposal(let id) = self { id } else { nil } }
  fileprivate var event: UUID? { if case .event(let id) = self { id } else { nil } }
  fileprivate var friendRequest: UUID? { if case .friendRequest(let id) = self { id } else { nil } }
}
