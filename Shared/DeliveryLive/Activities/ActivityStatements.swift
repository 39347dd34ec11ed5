import FoundationEssentials
import Notifications
import Postgres
import PushPayload
import StoreLive

extension SQL {
  /// Whether a notification `n` is a push to a Live Activity.
  static let isActivityPush: SQL = "n.type = 'live_activity' AND n.origin = 'function'"

  /// Says for the rest of the transaction that the subjects of every app are known here, so that their changes may be
  /// taken; the database leaves those that an older runner takes.
  static let knowingAllSubjects: SQL = "SELECT set_config('app.activity_subjects', 'on', true)"

  /// The subjects whose changes are due: `app, subject_id`.
  static func changedSubjects(at now: Date) -> SQL {
    "SELECT DISTINCT app, subject_id FROM activity_changes WHERE due_at <= \(now)"
  }

  /// Takes all changes that are due of some subjects: `app, subject_id, opens_all, openings, device_ids`.
  ///
  /// Changes that another run has locked are left to it. Those that were put off are due with the next one of their
  /// subject.
  static func takeChanges(_ limit: Int, at now: Date) -> SQL {
    """
    WITH first AS MATERIALIZED (
      SELECT c.app, c.subject_id FROM activity_changes c WHERE c.due_at <= \(now)
      ORDER BY c.due_at, c.id LIMIT \(limit) FOR UPDATE SKIP LOCKED
    ), taken AS (
      DELETE FROM activity_changes WHERE id = ANY (ARRAY(
        SELECT c.id FROM (SELECT DISTINCT app, subject_id FROM first) f CROSS JOIN LATERAL (
          SELECT c.id FROM activity_changes c
          WHERE c.subject_id = f.subject_id AND c.app = f.app AND \(isTaken(at: now)) FOR UPDATE SKIP LOCKED
        ) c))
      RETURNING app, subject_id, openings, device_ids
    )
    SELECT t.app, t.subject_id, bool_or(t.openings IS NULL) AS opens_all,
      coalesce(array_agg(DISTINCT o.id) FILTER (WHERE o.id IS NOT NULL), '{}') AS openings,
      coalesce(array_agg(DISTINCT g.id) FILTER (WHERE g.id IS NOT NULL), '{}') AS device_ids
    FROM taken t LEFT JOIN LATERAL unnest(t.openings) AS o (id) ON true
    LEFT JOIN LATERAL unnest(t.device_ids) AS g (id) ON true
    GROUP BY t.app, t.subject_id
    """
  }

  /// Whether a change `c` is taken when one of its subject is due.
  private static func isTaken(at now: Date) -> SQL { "(c.due_at <= \(now) OR c.failing_since IS NOT NULL)" }

  /// Puts the changes of the subject whose turn it is off, or gives the subject up if it has failed for a day: `has_ended`.
  ///
  /// It waits as long as it has failed already, so the times double. No phone shows an activity for as long as a day, and
  /// one that has begun since keeps its subject; channels end as if nobody needed them.
  static func putOffChanges(at now: Date) -> SQL {
    """
    WITH first AS MATERIALIZED (
      SELECT c.app, c.subject_id FROM activity_changes c WHERE c.due_at <= \(now)
      ORDER BY c.due_at, c.id LIMIT 1 FOR UPDATE SKIP LOCKED
    ), failing AS MATERIALIZED (
      SELECT f.app, f.subject_id, s.since, e.ends_at, e.ends_at <= \(now)::timestamptz AS has_ended
      FROM first f CROSS JOIN LATERAL (
        SELECT coalesce(min(c.failing_since), \(now)::timestamptz) AS since FROM activity_changes c
        WHERE c.subject_id = f.subject_id AND c.app = f.app
      ) s CROSS JOIN LATERAL (
        SELECT greatest(s.since, max(a.created_at), max(a.registered_at)) + interval '1 day' AS ends_at
        FROM live_activities a WHERE a.subject_id = f.subject_id AND a.app = f.app AND a.ended_at IS NULL
      ) e
    ), put_off AS (
      UPDATE activity_changes c
      SET failing_since = f.since,
        due_at = least(\(now)::timestamptz + greatest(interval '1 minute', \(now)::timestamptz - f.since), f.ends_at)
      FROM failing f
      WHERE c.subject_id = f.subject_id AND c.app = f.app AND \(isTaken(at: now)) AND NOT f.has_ended
    ), given_up AS (
      DELETE FROM activity_changes c USING failing f
      WHERE c.subject_id = f.subject_id AND c.app = f.app AND \(isTaken(at: now)) AND f.has_ended
    ), ended AS (
      UPDATE live_activities a SET ended_at = \(now), ended_reason = 'failed' FROM failing f
      WHERE a.subject_id = f.subject_id AND a.app = f.app AND a.ended_at IS NULL AND f.has_ended
    ), closed AS (
      UPDATE activity_channels c
      SET state = CASE WHEN c.state IN ('live', 'ended') THEN 'closing' ELSE c.state END, reason = 'failed',
        wanted_event = 'end', wanted_stamp = c.wanted_stamp + 1, updated_at = \(now)
      FROM failing f
      WHERE c.subject_id = f.subject_id AND c.app = f.app AND c.state IN ('asked', 'creating', 'live', 'ended')
        AND f.has_ended
    )
    SELECT has_ended FROM failing
    """
  }

  /// When the next change comes due: `next`.
  static let nextChange: SQL = "SELECT min(due_at) AS next FROM activity_changes"

  /// Notes that a subject is to be looked at, unless that is noted already.
  /// - Parameter openings: the notifications that may open an activity then; `nil` for all of the subject.
  static func noteChange(of subject: UUID, in app: App, at time: Date, openings: [UUID]?) -> SQL {
    """
    INSERT INTO activity_changes (app, subject_id, due_at, openings)
    SELECT \(app.rawValue), \(subject)::uuid, \(time), \(openings as [UUID]?)::uuid[]
    WHERE NOT EXISTS (
      SELECT FROM activity_changes c
      WHERE c.subject_id = \(subject)::uuid::text AND c.app = \(app.rawValue) AND c.due_at = \(time)
        AND c.openings IS NOT DISTINCT FROM \(openings as [UUID]?)::uuid[])
    """
  }

  /// The push-to-start tokens of members who were told of a subject, where no activity about it was ever started:
  /// `notification_id, token_id, topic, environment`; the last two are `NULL` if the activity can listen to no channel.
  ///
  /// Notifications are read by their keys alone: a plan for a small table would read all of the subject's.
  /// - Parameter notifications: those that are asked; `nil` for all of the subject.
  static func activityOpenings<Subject: ActivitySubject>(
    of subject: UUID, _ type: Subject.Type, _ rule: ActivityRule, among notifications: [UUID]?
  ) -> SQL {
    """
    WITH n AS MATERIALIZED (
      SELECT n.* FROM notifications n
      WHERE \(notifications.map { "n.id = ANY (\($0))" as SQL } ?? Subject.isAbout(subject))
    )
    SELECT DISTINCT ON (s.id) n.id AS notification_id, s.id AS token_id,
      CASE WHEN \(canListen("t")) THEN t.bundle_id END AS topic, coalesce(s.environment, t.environment) AS environment
    FROM n
    JOIN live_activities s ON s.user_id = n.user_id AND s.app = n.app AND s.subject_id = '' AND s.token IS NOT NULL
      AND s.attributes_type = \(rule.attributesType) AND s.ended_at IS NULL
    JOIN \(owned("s"))
    WHERE \(Subject.subject(of: "n")) = \(subject) AND n.app = \(Subject.app.rawValue) AND lower(n.type) = \(rule.opening.name)
      AND n.pushed_at IS NOT NULL AND \(wantsActivities(of: "n.user_id", in: "n.app"))
      AND EXISTS (\(Subject.seen("\(subject)::uuid::text", by: "n.user_id")))
      AND NOT EXISTS (
        SELECT FROM live_activities r
        WHERE r.device_token_id = s.device_token_id AND r.attributes_type = s.attributes_type
          AND r.subject_id = \(subject)::uuid::text)
    ORDER BY s.id, n.created_at DESC
    """
  }

  /// Queues a push to each of some push-to-start tokens.
  ///
  /// The row of the activity is made with it, so there is no second one.
  static func startActivities(_ tokens: [UUID], about subject: UUID, until end: Date, _ event: EventContext) -> SQL {
    """
    WITH begun AS (
      INSERT INTO live_activities (device_token_id, user_id, app, attributes_type, subject_id, created_at)
      SELECT s.device_token_id, s.user_id, s.app, s.attributes_type, \(subject)::uuid, \(event.now)::timestamptz
      FROM live_activities s WHERE s.id = ANY (\(tokens)) ORDER BY s.id
      ON CONFLICT DO NOTHING
      RETURNING device_token_id, attributes_type
    ), due AS MATERIALIZED (
      SELECT gen_random_uuid() AS id, s.id AS activity_id, s.device_token_id, s.user_id, s.app
      FROM live_activities s JOIN begun b USING (device_token_id, attributes_type) WHERE s.id = ANY (\(tokens))
    ), \(queuing(about: subject, until: end, data: #"{"event": "start"}"#, event))
    """
  }

  /// Queues a push to each activity of a subject that does not say what is true, unless one waits already: to those that
  /// run, and to those that have ended and are still shown with another status.
  /// - Parameters:
  ///   - content: what is true; `nil` if the subject is gone.
  ///   - state: how it stands.
  ///   - isOver: whether its activities are to end.
  static func updateActivities<State: ActivityState>(
    of subject: UUID, in app: App, to content: String?, _ state: State, isOver: Bool, _ event: EventContext
  ) -> SQL {
    let end = event.now.addingTimeInterval(ActivityEnd.longest)
    let isOutdated: SQL = """
       OR a.subject_id = \(subject)::uuid::text AND a.app = \(app.rawValue) AND \(State.isStillShown("a", at: event.now))
        AND \(ActivityEnd.saidStatus("a")) IS DISTINCT FROM \(state.statusName)
      """
    return """
      WITH running AS MATERIALIZED (
        SELECT a.* FROM live_activities a JOIN \(owned("a"))
        WHERE (\(isRunning("a", of: "\(subject)::uuid", in: app))\(isOver ? isOutdated : ""))
          AND a.token IS NOT NULL
        ORDER BY a.id FOR NO KEY UPDATE OF a
      ), due AS MATERIALIZED (
        SELECT gen_random_uuid() AS id, a.id AS activity_id, a.device_token_id, a.user_id, a.app FROM running a
        CROSS JOIN LATERAL (
          SELECT count(*) AS queued, count(*) FILTER (WHERE \(isFree)) AS free FROM deliveries d
          WHERE d.device_token_id = a.device_token_id AND d.activity_id = a.id AND d.state = 'queued'
        ) waiting
        WHERE waiting.free = 0
          AND (waiting.queued > 0 OR a.said IS NULL OR a.said IS DISTINCT FROM \(content as String?)::text)
      ), \(queuing(about: subject, until: end, data: "{}", event))
      """
  }

  /// Ends the activities of a closed subject whose own token never came, without those that a channel ends.
  static func endUnbegun(of subject: UUID, in app: App, at now: Date) -> SQL {
    """
    UPDATE live_activities a SET ended_at = \(now), ended_reason = 'closed'
    WHERE \(isRunning("a", of: "\(subject)::uuid", in: app)) AND a.token IS NULL AND NOT \(listens("a"))
    """
  }

  /// The device of a row of `live_activities`, if it is active and still the person's.
  private static func owned(_ row: SQL) -> SQL {
    """
    device_tokens t ON t.id = \(row).device_token_id AND t.user_id = \(row).user_id AND t.app = \(row).app
      AND t.is_active IS NOT FALSE
    """
  }

  /// The notifications and deliveries for rows `due` with `id, activity_id, device_token_id, user_id, app`.
  ///
  /// The payload stays empty: it is made when a push goes out.
  private static func queuing(about subject: UUID, until end: Date, data: String, _ event: EventContext) -> SQL {
    """
    told AS (
      INSERT INTO notifications (
        id, user_id, app, type, title, data, subject_id, is_read, is_archived, origin, importance, counts_for_badge,
        push_type, priority, collapse_id, function, source, source_event_id, created_at, updated_at, expires_at,
        push_expires_at)
      SELECT d.id, d.user_id, d.app, 'live_activity', '', \(data)::jsonb, \(subject), true, true, 'function',
        \(Importance.passive.rawValue), false, \(PushType.liveActivity.rawValue), 5, 'activity ' || d.activity_id,
        \(event.function), \(event.source), \(event.id), \(event.now), \(event.now), \(end), \(end)
      FROM due d
    )
    INSERT INTO deliveries (
      notification_id, device_token_id, activity_id, user_id, app, provider, not_before, expires_at, created_at,
      updated_at)
    SELECT id, device_token_id, activity_id, user_id, app, \(PushProvider.apns.rawValue), \(event.now), \(end),
      \(event.now), \(event.now)
    FROM due
    """
  }
}
