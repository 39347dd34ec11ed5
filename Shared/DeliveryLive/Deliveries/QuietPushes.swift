import FoundationEssentials
import Notifications
import Postgres

extension SQL {
  /// Decides about due pushes that show nothing: a badge alone, or a background push.
  ///
  /// If pushes would replace each other, only the newest stays, and not even that one if a later push has brought the
  /// device its number. A device gets only ``DeliveryBatch/quietPushesAnHour`` an hour.
  ///
  /// The row of the device is locked, so that two concurrent claims do not both take the last place.
  static func quietPushes(now: Date) -> SQL {
    """
    latest AS (
      SELECT id, device_id, not_before, NOT \(isShown(now: now))
        AND row_number() OVER (PARTITION BY device_id, collapse_id ORDER BY created_at DESC, id) = 1 AS is_latest
      FROM due WHERE fate = 'quiet'
    ), places AS (
      SELECT *, row_number() OVER (PARTITION BY device_id, is_latest ORDER BY not_before, id) AS place FROM latest
    ), rooms AS MATERIALIZED (
      SELECT t.id, ARRAY(
        SELECT sent FROM unnest(t.quiet_pushes) AS sent WHERE sent > \(now)::timestamptz - interval '1 hour' ORDER BY sent
      ) AS recent
      FROM device_tokens t WHERE t.id IN (SELECT device_id FROM latest) ORDER BY t.id FOR NO KEY UPDATE OF t
    ), quiet AS (
      SELECT p.id, p.device_id, r.recent, coalesce(r.recent[1], \(now)) + interval '1 hour' AS until,
        CASE
          WHEN NOT p.is_latest THEN 'superseded'
          WHEN p.place <= \(DeliveryBatch.quietPushesAnHour) - cardinality(r.recent) THEN 'sent'
          ELSE 'held'
        END AS fate
      FROM places p JOIN rooms r ON r.id = p.device_id
    )
    """
  }

  /// Whether a push that was accepted since a `due` push of the badge was made has brought the device the same number.
  ///
  /// Another push that waits or is under way may bring another number, or never be sent: then the badge's is sent.
  private static func isShown(now: Date) -> SQL {
    """
    CASE
      WHEN due.push_type <> 'background' AND due.carried IS NULL AND due.last_accepted_at >= due.created_at
      THEN EXISTS (
        SELECT FROM device_tokens t CROSS JOIN LATERAL push_badges(t.user_id, t.app, \(now)) b
        WHERE t.id = due.device_id AND t.badge = b.badge AND NOT EXISTS (
          SELECT FROM deliveries o
          WHERE o.device_token_id = t.id AND o.id <> due.id AND o.accepted_at IS NULL
            AND (o.state = 'queued' OR o.badge <> b.badge)))
      ELSE false
    END
    """
  }

  /// Counts each push of ``quietPushes(now:)`` that is leased in its device's row, and forgets numbers that are in doubt.
  ///
  /// If the push is certainly not sent then, its place is given back.
  static func claimedPlaces(now: Date) -> SQL {
    """
    counted AS (
      UPDATE device_tokens t
      SET quiet_pushes = coalesce(r.recent || array_fill(\(now)::timestamptz, ARRAY[q.sent]), t.quiet_pushes),
        badge = CASE WHEN q.is_in_doubt THEN NULL ELSE t.badge END
      FROM (
        SELECT device_id, count(*) FILTER (WHERE fate = 'quiet')::int AS sent,
          bool_or(carried <> badge) IS TRUE AS is_in_doubt
        FROM taken WHERE verdict = 'sent' AND (fate = 'quiet' OR carried <> badge) GROUP BY 1
      ) q LEFT JOIN rooms r ON r.id = q.device_id
      WHERE t.id = q.device_id
    )
    """
  }

  /// Whether a notification `n` shows nothing: it is a badge alone, or a background push.
  static let isQuiet: SQL = """
    (n.push_type = 'background' OR starts_with(n.payload, '{"aps":{}'))
    """

  /// The places of device `t` that are still used when some of those that a claim took are given back.
  static func quietPushes(without count: SQL, claimedAt now: Date) -> SQL {
    """
    ARRAY(
      SELECT sent FROM (
        SELECT sent, row_number() OVER (PARTITION BY sent) AS place FROM unnest(t.quiet_pushes) AS sent
      ) AS places WHERE sent <> \(now) OR place > \(count) ORDER BY sent
    )
    """
  }
}
