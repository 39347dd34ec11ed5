import FoundationEssentials
import Notifications
import Postgres
import StoreLive

extension SQL {
  /// People for whom something is due, of both ends of the queue: `user_id, app, release_at, is_large, rows`.
  ///
  /// - Parameters:
  ///   - limit: how many of each end.
  ///   - most: where the count of a person's rows ends.
  static func peopleDue(_ limit: Int, most: Int, at now: Date) -> SQL {
    let due: SQL = """
      SELECT user_id, app, release_at, coalesce(failure = \(ReleaseApart.tookTooLong), false) AS is_large FROM held_people
      WHERE release_at <= \(now) AND app = ANY (\(App.allCases.map(\.rawValue)))
      """
    return """
      SELECT p.user_id, p.app, p.release_at, p.is_large, (
        SELECT count(*) FROM (
          SELECT FROM held_notifications h
          WHERE h.user_id = p.user_id AND h.app = p.app AND h.held_until <= \(now) LIMIT \(most)
        ) h) AS rows
      FROM (
        (\(due) ORDER BY release_at LIMIT \(limit)) UNION (\(due) ORDER BY release_at DESC LIMIT \(limit))
      ) p
      ORDER BY p.user_id
      """
  }

  /// When somebody's next is due: `next`.
  static var nextRelease: SQL {
    "SELECT min(release_at) AS next FROM held_people WHERE app = ANY (\(App.allCases.map(\.rawValue)))"
  }

  /// Locks people's places in the queue.
  ///
  /// A function that holds something more for them waits until the transaction ends.
  static func lockPlaces(of people: [UUID], in app: App) -> SQL {
    """
    SELECT FROM held_people WHERE user_id = ANY (\(people)) AND app = \(app.rawValue) ORDER BY user_id FOR UPDATE
    """
  }

  /// The notifications that are due for people, for each person some of those that waited longest: `notification_id,
  /// user_id, waiting_since`.
  static func due(for people: [UUID], in app: App, limit: Int, at now: Date) -> SQL {
    """
    SELECT h.notification_id, h.user_id,
      CASE WHEN h.reason = \(Hold.Reason.rateLimited.rawValue) THEN h.held_since END AS waiting_since
    FROM unnest(\(people)) AS p (user_id) CROSS JOIN LATERAL (
      SELECT * FROM held_notifications h
      WHERE h.user_id = p.user_id AND h.app = \(app.rawValue) AND h.held_until <= \(now)
      ORDER BY h.held_until, h.notification_id LIMIT \(limit)
    ) h
    """
  }

  /// The notifications that wait until just one moment, with the columns of ``due(for:in:limit:at:)``.
  ///
  /// A moment that was read is as precise as a microsecond.
  static func due(for people: [UUID], in app: App, just moment: Date, limit: Int) -> SQL {
    """
    SELECT h.notification_id, h.user_id,
      CASE WHEN h.reason = \(Hold.Reason.rateLimited.rawValue) THEN h.held_since END AS waiting_since
    FROM unnest(\(people)) AS p (user_id) CROSS JOIN LATERAL (
      SELECT * FROM held_notifications h
      WHERE h.user_id = p.user_id AND h.app = \(app.rawValue) AND h.held_until
        BETWEEN \(moment)::timestamptz - interval '1 microsecond' AND \(moment)::timestamptz + interval '1 microsecond'
      ORDER BY h.held_until, h.notification_id LIMIT \(limit)
    ) h
    """
  }

  /// Some of what is due for one person, with what says which of it is merged.
  static func acts(of person: UUID, in app: App, after place: GatheredPage.Progress?, limit: Int, at now: Date) -> SQL {
    let place = place ?? GatheredPage.Progress()
    return """
      SELECT h.notification_id, h.held_until, n.type, n.origin, n.importance, n.recipient_reason, n.family_subject,
        n.created_at, n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE AS is_open
      FROM (
        SELECT notification_id, held_until FROM held_notifications
        WHERE user_id = \(person) AND app = \(app.rawValue) AND held_until <= \(now)
          AND (held_until, notification_id) > (\(place.time), \(place.notification))
        ORDER BY held_until, notification_id LIMIT \(limit)
      ) h
      JOIN notifications n ON n.id = h.notification_id
      ORDER BY h.held_until, h.notification_id
      """
  }

  /// The notifications among these that still wait and are open: `id`.
  static func stillOpen(_ notifications: [UUID]) -> SQL {
    """
    SELECT n.id FROM notifications n JOIN held_notifications h ON h.notification_id = n.id
    WHERE n.id = ANY (\(notifications)) AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE
    """
  }

  /// Notifications with everything that the gates ask about, each person's oldest first.
  ///
  /// - Parameter notifications: a query with the columns `notification_id, user_id, waiting_since`.
  static func waiting(_ notifications: SQL, in app: App, at now: Date) -> SQL {
    let settings = SettingsSQL(ofKindsOf: app, for: "n", in: app.profile.groups?.ofNotification("n") ?? "NULL::uuid")
    return """
      SELECT h.notification_id, h.user_id, h.waiting_since, n.type, n.importance, n.title, n.body, n.data::text AS data,
        n.subject_id, n.origin, n.feedback_id, n.project_id, n.proposal_id, n.event_id, n.friend_request_id, n.dedupe_key,
        n.variant, n.payload, n.push_expires_at, n.expires_at, n.family_subject, n.family_name, n.actor, n.actor_name, n.opener_id, n.summary_id, held.reason AS hold_reason,
        travel.travel_minutes, travel.travel_mode, travel.traffic, n.recipient_reason, \(eligibility) AS eligibility, \(settings.columns), \(settings.mute),
        gathered.actors, gathered.names,
        \(isViewing(app, user: "h.user_id", subject: "n.subject_id", at: now)) AS is_viewing,
        ARRAY(
          SELECT d.id FROM device_tokens d
          WHERE d.user_id = h.user_id AND d.app = \(app.rawValue) AND d.is_active IS NOT FALSE ORDER BY d.id) AS devices
      FROM (\(notifications)) h
      JOIN notifications n ON n.id = h.notification_id
      CROSS JOIN LATERAL push_eligibilities(n, \(now)) asked
      LEFT JOIN held_notifications held ON held.notification_id = n.id
      CROSS JOIN LATERAL (
        \(acts(reportedBy: "n.id"))
        WHERE n.family IS NOT NULL AND EXISTS (SELECT FROM notifications m WHERE m.merged_into = n.id)) gathered
      LEFT JOIN event_attendees travel ON travel.event_id = n.event_id AND travel.user_id = n.user_id
      \(settings.tables)
      ORDER BY h.user_id, n.created_at, n.id
      """
  }

  /// A person's eligibility for a notification `n`; a summary is handled when everything in it is, or once it was opened.
  ///
  /// A summary is no entry of the inbox, and read from its beginning: only a report says that somebody opened it.
  private static let eligibility: SQL = """
    CASE WHEN n.type = \(QuietSummary.typeName) AND n.origin = 'function' THEN
      CASE WHEN NOT EXISTS (SELECT FROM notification_interactions i WHERE i.notification_id = n.id) AND EXISTS (
        SELECT FROM notifications e
        WHERE e.user_id = n.user_id AND e.app = n.app AND e.summary_id = n.id AND e.is_read IS NOT TRUE
          AND e.is_archived IS NOT TRUE) THEN 'open' ELSE 'handled' END
    ELSE asked.eligibility END
    """

  /// The parts of summaries that nobody has seen: `notification_id, user_id, waiting_since`.
  static func parts(ofSummaries summaries: [UUID]) -> SQL {
    """
    SELECT e.id AS notification_id, e.user_id, NULL::timestamptz AS waiting_since
    FROM notifications s
    JOIN notifications e ON e.user_id = s.user_id AND e.app = s.app AND e.summary_id = s.id
    WHERE s.id = ANY (\(summaries)) AND e.is_read IS NOT TRUE AND e.is_archived IS NOT TRUE
    """
  }

  /// The pushes on people's phones of the families and subjects of notifications `w`, with their actors.
  ///
  /// `w` is a query with the columns `user_id, family, family_subject`. The result's columns are `user_id, family,
  /// family_subject, id, collapse_id, title, body, actors, names, has_lost_acts`.
  static func shown(_ waiting: SQL, in app: App, at now: Date) -> SQL {
    """
    SELECT t.*, coalesce(a.actors, '{}') AS actors, coalesce(a.names, '{}') AS names,
      coalesce(a.has_lost_acts, false) AS has_lost_acts
    FROM (SELECT DISTINCT user_id, family, family_subject FROM (\(waiting)) w WHERE family IS NOT NULL) w
    CROSS JOIN LATERAL (
      SELECT n.user_id, n.family, n.family_subject, n.id, coalesce(n.collapse_id, n.id::text) AS collapse_id,
        \(wordsOnPhone), \(isOnPhone) AS is_shown
      FROM notifications n
      WHERE n.user_id = w.user_id AND n.app = \(app.rawValue) AND n.family = w.family
        AND n.family_subject = w.family_subject AND n.pushed_at > \(now.addingTimeInterval(-Gate.threadLife))
        AND NOT EXISTS (SELECT FROM held_notifications h WHERE h.notification_id = n.id)
      ORDER BY n.pushed_at DESC, n.id DESC LIMIT 1
    ) t
    LEFT JOIN LATERAL (\(acts(reportedBy: "t.id"))) a ON true
    WHERE t.is_shown
    """
  }

  /// The states of notifications' subjects that were reported last: `user_id, subject_id, family, id, state`.
  static func states(_ waiting: SQL, in app: App) -> SQL {
    """
    SELECT w.user_id, w.subject_id, w.family, t.id, CASE w.family
        WHEN 'leads' THEN \(state(of: "t", under: ["time_option_id", "time_option_start"]))
        ELSE \(state(of: "t", under: ["newStatus"])) END AS state
    FROM (
      SELECT DISTINCT user_id, subject_id, family FROM (\(waiting)) w WHERE family IN ('leads', 'statuses')
    ) w
    CROSS JOIN LATERAL (
      SELECT n.id, n.data FROM notifications n
      WHERE n.user_id = w.user_id AND n.app = \(app.rawValue) AND n.subject_id = w.subject_id
        AND n.family IN ('statuses', 'leads') AND n.family = w.family AND \(hasToldState)
        AND NOT EXISTS (SELECT FROM held_notifications h WHERE h.notification_id = n.id)
      ORDER BY coalesce(n.pushed_at, n.created_at) DESC LIMIT 1
    ) t
    """
  }

  /// The families and subjects of what is due: `user_id, subject_id, family, family_subject`.
  static func subjects(of due: SQL) -> SQL {
    """
    SELECT n.user_id, n.subject_id, n.family, n.family_subject
    FROM (\(due)) h JOIN notifications n ON n.id = h.notification_id
    """
  }
}
