-- What becomes of a delivery after it was sent, which devices are to be left in peace, and the rates of it all.

-- Wider than it was: the rows that are there satisfy it, and are not read.
ALTER TABLE deliveries DROP CONSTRAINT IF EXISTS deliveries_state;
ALTER TABLE deliveries ADD CONSTRAINT deliveries_state CHECK (
  state IN ('queued', 'accepted', 'rejected', 'expired', 'unknown', 'opened', 'acted')) NOT VALID;

-- A lease, and what an answer says of a device, change no column of any index: with room on their pages they touch the
-- tables alone (measured: 120 µs of the server's time for a claim and its settlement without the room, 80 with it).
-- Finished deliveries leave dead entries at the front of idx_deliveries_due, which every claim passes until a vacuum.
ALTER TABLE deliveries SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 10000);
ALTER TABLE device_tokens SET (fillfactor = 75);

-- `held_until` and `throttles`, how often in a row: what 429 asked for. `quiet_pushes`: the last pushes that show nothing.
ALTER TABLE device_tokens ADD COLUMN IF NOT EXISTS held_until timestamptz;
ALTER TABLE device_tokens ADD COLUMN IF NOT EXISTS throttles integer NOT NULL DEFAULT 0;
ALTER TABLE device_tokens ADD COLUMN IF NOT EXISTS quiet_pushes timestamptz[] NOT NULL DEFAULT '{}';

-- A push that shows nothing is no inbox entry: a badge alone is `{"aps":{}`, its number is put in when it is sent.
ALTER TABLE notifications DROP CONSTRAINT IF EXISTS notifications_quiet;
ALTER TABLE notifications ADD CONSTRAINT notifications_quiet CHECK (
  NOT counts_for_badge OR (push_type = 'background' OR starts_with(payload, '{"aps":{}')) IS NOT TRUE) NOT VALID;

-- What the apps report, append-only. The device is no foreign key: its row may go, what happened stays.
CREATE TABLE IF NOT EXISTS notification_interactions (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  notification_id uuid NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
  device_token_id uuid,
  event text NOT NULL CONSTRAINT notification_interactions_event CHECK (event IN ('opened', 'acted')),
  action text NOT NULL DEFAULT '',
  occurred_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS idx_notification_interactions_once ON notification_interactions (
  notification_id, event, action, coalesce(device_token_id, '00000000-0000-0000-0000-000000000000'));

ALTER TABLE decisions ADD COLUMN IF NOT EXISTS app text NOT NULL DEFAULT 'feedbackkit';

-- The badge as a row, which the planner can put into a query that asks for many; a function of one number it cannot.
CREATE OR REPLACE FUNCTION push_badges(person uuid, app text, moment timestamptz) RETURNS TABLE (badge integer)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE push_badges.app
    WHEN 'lockitin' THEN (
      SELECT count(*)
      FROM group_members m
      JOIN event_proposals p ON p.group_id = m.group_id AND p.status = 'open' AND p.deadline > moment
      LEFT JOIN notification_state s ON s.user_id = person AND s.app = push_badges.app
      WHERE m.user_id = person
        AND (p.created_at <= s.all_read_at) IS NOT TRUE
        AND NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = person))
    ELSE (
      SELECT count(*)
      FROM notifications n
      WHERE n.user_id = person AND n.app = push_badges.app
        AND n.counts_for_badge AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE
        AND (n.expires_at IS NULL OR n.expires_at > moment))
  END::integer
$$;
CREATE OR REPLACE FUNCTION push_badge(person uuid, app text, moment timestamptz DEFAULT now()) RETURNS integer
LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT badge FROM push_badges(person, app, moment) $$;

-- Rates. `day` is a day in UTC; name one (`WHERE day = …`, `day >= …`), and the indexes find it.
CREATE INDEX IF NOT EXISTS idx_notifications_day ON notifications (((created_at AT TIME ZONE 'UTC')::date));
CREATE INDEX IF NOT EXISTS idx_decisions_day ON decisions (((created_at AT TIME ZONE 'UTC')::date));

-- For each day, app and kind:
--   candidates     people who were thought of
--   opted_out      those of them who have switched everything, the project, or the kind off
--   notifications  people who were to be told on a device
--   deliveries     the devices; `delivered` were accepted by APNs or FCM, `pending` have not ended
--   reached        notifications that were accepted for at least one device
--   opened, acted  notifications that a person opened, and acted on, from a push
--   delivery_rate  delivered / deliveries that have ended
--   open_rate      opened / reached
--   action_rate    acted / opened
--   opt_out_rate   opted_out / candidates
-- A rate is NULL where nothing could be counted.
CREATE OR REPLACE VIEW push_rates_by_kind AS
SELECT day, app, kind, candidates, opted_out, notifications, deliveries, delivered, pending, reached, opened, acted,
  round(delivered::numeric / nullif(deliveries - pending, 0), 4) AS delivery_rate,
  round(opened::numeric / nullif(reached, 0), 4) AS open_rate,
  round(acted::numeric / nullif(opened, 0), 4) AS action_rate,
  round(opted_out::numeric / nullif(candidates, 0), 4) AS opt_out_rate
FROM (
  SELECT day, app, kind, sum(candidates) AS candidates, sum(opted_out) AS opted_out,
    sum(notifications) AS notifications, sum(deliveries)::bigint AS deliveries, sum(delivered)::bigint AS delivered,
    sum(pending)::bigint AS pending, sum(reached) AS reached, sum(opened) AS opened, sum(acted) AS acted
  FROM (
    SELECT (created_at AT TIME ZONE 'UTC')::date AS day, app, kind, 1 AS candidates,
      coalesce(reason IN ('disabled', 'project_muted', 'type_disabled'), false)::int AS opted_out,
      0 AS notifications, 0 AS deliveries, 0 AS delivered, 0 AS pending, 0 AS reached, 0 AS opened, 0 AS acted
    FROM decisions
    UNION ALL
    SELECT day, app, kind, 0, 0, 1, deliveries, delivered, pending, (delivered > 0)::int, (opened > 0)::int,
      (acted > 0)::int
    FROM (
      SELECT (n.created_at AT TIME ZONE 'UTC')::date AS day, n.app, n.type AS kind, n.id,
        count(*) AS deliveries,
        count(*) FILTER (WHERE d.state IN ('accepted', 'opened', 'acted')) AS delivered,
        count(*) FILTER (WHERE d.state = 'queued') AS pending,
        count(*) FILTER (WHERE d.state IN ('opened', 'acted')) AS opened,
        count(*) FILTER (WHERE d.state = 'acted') AS acted
      FROM notifications n JOIN deliveries d ON d.notification_id = n.id
      GROUP BY 1, 2, 3, 4
    ) AS told
  ) AS counted
  GROUP BY day, app, kind
) AS summed;

-- For the runner's /metrics, named in `functions.json`. These take the place of `push_deliveries`.
DROP VIEW IF EXISTS push_deliveries;

-- Those that wait, and those that ended in the last day.
CREATE OR REPLACE VIEW push_deliveries_by_state AS
SELECT s.state, p.provider, count(d.state) AS value
FROM (VALUES ('queued'), ('accepted'), ('rejected'), ('expired'), ('unknown'), ('opened'), ('acted')) AS s (state)
CROSS JOIN (VALUES ('apns'), ('fcm')) AS p (provider)
LEFT JOIN (
  SELECT state, provider FROM deliveries WHERE state = 'queued'
  UNION ALL
  SELECT state, provider FROM deliveries WHERE state <> 'queued' AND updated_at > now() - interval '1 day'
) AS d USING (state, provider)
GROUP BY s.state, p.provider;

-- Attempts of the last hour; `reason` is APNs' or FCM's word, or ours where they gave none, and empty for what was sent.
CREATE OR REPLACE VIEW push_attempts_last_hour AS
SELECT status AS outcome, coalesce(reason, '') AS reason, count(*) AS value
FROM push_notification_logs WHERE created_at > now() - interval '1 hour'
GROUP BY 1, 2;

-- How long the first delivery has been due that nobody has taken; 0 where there is none.
CREATE OR REPLACE VIEW push_oldest_due_seconds AS
SELECT coalesce((
  SELECT extract(epoch FROM now() - not_before) FROM deliveries
  WHERE state = 'queued' AND not_before <= now() AND (lease_until IS NULL OR lease_until <= clock_timestamp())
  ORDER BY not_before LIMIT 1), 0) AS value;

-- Deliveries that were put off, by what for.
CREATE OR REPLACE VIEW push_held_deliveries AS
SELECT reason, count(*) AS value FROM deliveries
WHERE state = 'queued' AND not_before > now() AND reason IS NOT NULL
GROUP BY reason;
