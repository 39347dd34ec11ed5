package import FoundationEssentials
package import Notifications
package import Postgres

extension SQL {
  /// Locks people against other functions that tell them something.
  ///
  /// The locks are taken in the order of the people's ids, so that two transactions at once cannot deadlock. They are
  /// taken after the people themselves, so that an app that deletes a person waits for nothing that waits for it.
  /// Missing rows are made; the others are locked and left as they are.
  package static func lockState(of people: [UUID], in app: App) -> SQL {
    """
    INSERT INTO notification_state AS s (user_id, app)
    SELECT i.user_id, \(app.rawValue) FROM push_hold_people(\(people)) AS i (user_id) ORDER BY i.user_id
    ON CONFLICT (user_id, app) DO UPDATE SET all_read_at = s.all_read_at WHERE false
    """
  }

  /// What any event but this one told people lately about some subjects.
  ///
  /// This includes what stands under some dedupe keys, and what people were told last of how a subject stands. A
  /// notification that is switched off, and leaves an entry that the badge ignores, was not told; nor was one that
  /// waits.
  static func history<N: Notice>(
    of people: [UUID], in app: App, _ announcement: Announcement<N>, _ event: Occurrence
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

  /// Whether a notification `n` of a kind has told somebody how its subject stands.
  static func states(of kind: Kind) -> SQL {
    """
    (n.family IN ('statuses', 'leads') AND n.family = \(kind.family?.rawValue ?? "")
      AND (n.pushed_at IS NOT NULL OR n.merged_into IS NULL AND (n.counts_for_badge OR n.is_read)
        AND NOT EXISTS (SELECT FROM held_notifications h WHERE h.notification_id = n.id)))
    """
  }

  /// Inserts people's notifications; what is common to all recipients of a message is sent once.
  static func insertNotifications(_ told: [Told], of kind: Kind, _ event: Occurrence) -> SQL {
    let kept = told.filter { $0.notification != nil }
    let messages = Array(Dictionary(kept.map { ($0.message.number, $0.message) }) { first, _ in first }.values)
    return """
      WITH m AS MATERIALIZED (
        SELECT m.*, m.text::jsonb AS data FROM unnest(
          \(messages.map(\.number)), \(messages.map(\.text.title)), \(messages.map(\.text.body)), \(messages.map(\.data)),
          \(messages.map(\.subject.id)), \(messages.map(\.subject.feedback)), \(messages.map(\.subject.project)),
          \(messages.map(\.subject.proposal)), \(messages.map(\.subject.event)), \(messages.map(\.subject.friendRequest)),
          \(messages.map(\.payloadBeforeID)), \(messages.map(\.dedupeKey)), \(messages.map(\.inboxExpiry)),
          \(messages.map(\.pushExpiry)), \(messages.map(\.part?.subjectID)), \(messages.map(\.part?.subjectName)),
          \(messages.map(\.part?.actor)), \(messages.map(\.part?.actorName)), \(messages.map(\.variant))
        ) AS m (number, title, body, text, subject_id, feedback_id, project_id, proposal_id, event_id, friend_request_id,
          payload, dedupe_key, expires_at, push_expires_at, family_subject, family_name, actor, actor_name, variant)
      )
      INSERT INTO notifications (
        id, user_id, app, type, title, body, data, subject_id, feedback_id, project_id, proposal_id, event_id,
        friend_request_id, is_read, is_archived, origin, importance, counts_for_badge, payload, push_type, priority,
        collapse_id, function, source, source_event_id, dedupe_key, created_at, updated_at, expires_at, recipient_reason,
        push_expires_at, pushed_at, family, family_subject, family_name, actor, actor_name, opener_id, window_ends_at,
        variant)
      SELECT i.id, i.user_id, \(kind.app.rawValue), \(kind.name), m.title, m.body, m.data, m.subject_id,
        m.feedback_id, m.project_id, m.proposal_id, m.event_id, m.friend_request_id, i.is_read, false, 'function',
        \(kind.importance.rawValue), i.counts_for_badge, CASE WHEN i.keeps_payload THEN m.payload || i.id || '"}' END,
        'alert', \(kind.importance.pushPriority), coalesce(i.collapse_id, i.id::text), \(event.function),
        \(event.source), \(event.id), m.dedupe_key, \(event.now), \(event.now), m.expires_at,
        i.recipient_reason, m.push_expires_at, i.pushed_at, nullif(\(kind.family?.rawValue ?? ""), ''), m.family_subject,
        m.family_name, m.actor, m.actor_name, i.opener_id, i.window_ends_at, m.variant
      FROM unnest(
        \(kept.compactMap(\.notification)), \(kept.map(\.candidate.user)), \(kept.map(\.message.number)),
        \(kept.map { kind.countsForBadge && $0.decision.inboxEntry == .unread }),
        \(kept.map(\.keepsPayload)), \(kept.map { $0.decision.inboxEntry == .read }),
        \(kept.map(\.candidate.reason.rawValue)), \(kept.map { $0.isPushed ? event.now : nil }), \(kept.map(\.opener)),
        \(kept.map { $0.windowEnd(of: kind, from: event.now) }), \(kept.map(\.collapseID))
      ) AS i (id, user_id, message, counts_for_badge, keeps_payload, is_read, recipient_reason, pushed_at, opener_id,
        window_ends_at, collapse_id)
      JOIN m ON m.number = i.message
      ORDER BY i.user_id
      """
  }

  /// Makes an app's own inbox entry say what was decided.
  ///
  /// The entry gets its words where the app left them out, its push, and its place in the inbox and the badge. Where
  /// nothing is to be left of it, it is archived.
  static func updateNotification(_ told: [Told], of kind: Kind, _ event: Occurrence) -> SQL {
    """
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
    FROM unnest(
      \(told.compactMap(\.notification)), \(told.map(\.message.text.title)), \(told.map(\.message.text.body)),
      \(told.map(\.message.subject.id)), \(told.map(\.message.data)),
      \(told.map { kind.countsForBadge && $0.decision.inboxEntry == .unread }),
      \(told.map { $0.decision.inboxEntry == .read }), \(told.map { $0.decision.inboxEntry != .none }),
      \(told.map { $0.keepsPayload ? $0.payload(of: kind) : nil }), \(told.map(\.candidate.reason.rawValue)),
      \(told.map(\.message.pushExpiry)), \(told.map { $0.isPushed ? event.now : nil }),
      \(told.map(\.message.part?.subjectID)), \(told.map(\.message.part?.subjectName)),
      \(told.map(\.message.part?.actor)), \(told.map(\.message.part?.actorName)), \(told.map(\.opener)),
      \(told.map { $0.windowEnd(of: kind, from: event.now) }), \(told.map(\.collapseID))
    ) AS i (id, title, body, subject_id, data, counts_for_badge, is_read, is_kept, payload, reason, push_expires_at,
      pushed_at, family_subject, family_name, actor, actor_name, opener_id, window_ends_at, collapse_id)
    WHERE n.id = i.id
    """
  }

  static func insertDeliveries(_ told: [Told], of kind: Kind, _ event: Occurrence) -> SQL {
    let pushes = told.filter(\.isPushed).flatMap { told in told.candidate.devices.map { (told, device: $0) } }
    return """
      INSERT INTO deliveries (
        id, notification_id, device_token_id, user_id, app, provider, not_before, expires_at, created_at, updated_at)
      SELECT i.id, i.notification_id, d.id, d.user_id, d.app, d.provider, \(event.now), i.expires_at, \(event.now),
        \(event.now)
      FROM unnest(
        \(UUID.timeOrdered(pushes.count)), \(pushes.map(\.0.notification)), \(pushes.map(\.device)),
        \(pushes.map(\.0.message.pushExpiry))
      ) AS i (id, notification_id, device_token_id, expires_at)
      JOIN device_tokens d ON d.id = i.device_token_id
      """
  }

  static func insertHolds(_ told: [Told], of kind: Kind, _ event: Occurrence) -> SQL {
    """
    INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)
    SELECT i.*, \(event.now)::timestamptz FROM unnest(
      \(told.map(\.notification)), \(told.map(\.candidate.user)), \(told.map { _ in kind.app.rawValue }),
      \(told.map(\.hold?.reason.rawValue)), \(told.map(\.hold?.until))
    ) AS i
    """
  }

  static func insertDecisions(_ told: [Told], of kind: Kind, _ event: Occurrence) -> SQL {
    """
    INSERT INTO decisions (
      function, source, event_id, user_id, subject_id, app, kind, decision, reason, recipient_reason, notification_id,
      variant, created_at, facts)
    SELECT \(event.function), \(event.source), \(event.id), i.user_id, i.subject_id, \(kind.app.rawValue), \(kind.name),
      i.decision, i.reason, i.recipient_reason, i.notification_id, i.variant, \(event.now), i.facts::jsonb
    FROM unnest(
      \(told.map(\.candidate.user)), \(told.map(\.candidate.subjectID)), \(told.map(\.decision.word)),
      \(told.map(\.decision.obstacle)), \(told.map(\.candidate.reason.rawValue)),
      \(told.map(\.notification)), \(told.map(\.message.variant)), \(told.map(\.facts))
    ) AS i (user_id, subject_id, decision, reason, recipient_reason, notification_id, variant, facts)
    """
  }
}

extension Subject {
  fileprivate var feedback: UUID? { if case .feedback(let id, _) = self { id } else { nil } }
  var project: UUID? { if case .feedback(_, let project) = self { project } else { nil } }
  fileprivate var proposal: UUID? { if case .proposal(let id) = self { id } else { nil } }
  fileprivate var event: UUID? { if case .event(let id) = self { id } else { nil } }
  fileprivate var friendRequest: UUID? { if case .friendRequest(let id) = self { id } else { nil } }
}
