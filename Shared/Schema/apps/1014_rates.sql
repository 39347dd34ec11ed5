-- What people who run this look at: rates, the metrics that functions.json names, and the journal.

-- Rates ---------------------------------------------------------------------------------------------------------------

-- `day` is a day in UTC; name one (`WHERE day = …`, `day >= …`), and the indexes find it. Capitals make no
-- kind of its own. For each day, app and kind:
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
    SELECT (created_at AT TIME ZONE 'UTC')::date AS day, app, lower(kind) AS kind, 1 AS candidates,
      push_opted_out(reason, app, kind, facts)::int AS opted_out,
      0 AS notifications, 0 AS deliveries, 0 AS delivered, 0 AS pending, 0 AS reached, 0 AS opened, 0 AS acted
    FROM decisions
    UNION ALL
    SELECT day, app, kind, 0, 0, 1, deliveries, delivered, pending, (delivered > 0)::int, (opened > 0)::int,
      (acted > 0)::int
    FROM (
      SELECT (n.created_at AT TIME ZONE 'UTC')::date AS day, n.app, lower(n.type) AS kind, n.id,
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

-- The same for each variant of what was tried out.
CREATE OR REPLACE VIEW push_rates_by_variant AS
SELECT day, app, kind, variant, candidates, opted_out, notifications, deliveries, delivered, pending, reached, opened,
  acted,
  round(delivered::numeric / nullif(deliveries - pending, 0), 4) AS delivery_rate,
  round(opened::numeric / nullif(reached, 0), 4) AS open_rate,
  round(acted::numeric / nullif(opened, 0), 4) AS action_rate,
  round(opted_out::numeric / nullif(candidates, 0), 4) AS opt_out_rate
FROM (
  SELECT day, app, kind, variant, sum(candidates) AS candidates, sum(opted_out) AS opted_out,
    sum(notifications) AS notifications, sum(deliveries)::bigint AS deliveries, sum(delivered)::bigint AS delivered,
    sum(pending)::bigint AS pending, sum(reached) AS reached, sum(opened) AS opened, sum(acted) AS acted
  FROM (
    SELECT (created_at AT TIME ZONE 'UTC')::date AS day, app, lower(kind) AS kind, variant, 1 AS candidates,
      push_opted_out(reason, app, kind, facts)::int AS opted_out,
      0 AS notifications, 0 AS deliveries, 0 AS delivered, 0 AS pending, 0 AS reached, 0 AS opened, 0 AS acted
    FROM decisions WHERE variant IS NOT NULL
    UNION ALL
    SELECT day, app, kind, variant, 0, 0, 1, deliveries, delivered, pending, (delivered > 0)::int, (opened > 0)::int,
      (acted > 0)::int
    FROM (
      SELECT (n.created_at AT TIME ZONE 'UTC')::date AS day, n.app, lower(n.type) AS kind, n.variant, n.id,
        count(*) AS deliveries,
        count(*) FILTER (WHERE d.state IN ('accepted', 'opened', 'acted')) AS delivered,
        count(*) FILTER (WHERE d.state = 'queued') AS pending,
        count(*) FILTER (WHERE d.state IN ('opened', 'acted')) AS opened,
        count(*) FILTER (WHERE d.state = 'acted') AS acted
      FROM notifications n JOIN deliveries d ON d.notification_id = n.id
      WHERE n.variant IS NOT NULL
      GROUP BY 1, 2, 3, 4, 5
    ) AS told
  ) AS counted
  GROUP BY day, app, kind, variant
) AS summed;

-- Metrics -------------------------------------------------------------------------------------------------------------

-- Deliveries that wait, and those that ended in the last day. Indexes answer it, so that it costs no more when years of
-- deliveries are kept.
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
FROM push_notification_logs WHERE created_at > now() - interval '1 hour' AND delivery_id IS NOT NULL
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

-- Why pushes wait: because their provider, or the way there, is away, or nobody serves it. `runner status` shows the
-- lines, see "outages" in functions.json. What is not due waits for its time, and not for somebody who serves it.
-- No more than some 10,000 rows of a provider are read, by the indexes: pages ask again and again.
CREATE OR REPLACE VIEW push_outages AS
SELECT provider, outage, waiting, since,
  CASE WHEN waiting = 1 THEN '1 push waits' WHEN waiting > 10000 THEN 'more than 10,000 pushes wait'
    ELSE waiting || ' pushes wait' END
    || ' for ' || CASE provider WHEN 'fcm' THEN 'FCM' ELSE 'APNs' END || ' since '
    || to_char(since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || ': ' || outage AS line
FROM (
  SELECT p.provider, w.outage, count(*) AS waiting, min(w.since) AS since
  FROM (VALUES ('apns'), ('fcm')) AS p (provider)
  LEFT JOIN push_providers AS u
    ON u.provider = p.provider AND u.reason IS NOT NULL AND (u.served_until > clock_timestamp()) IS NOT TRUE
  CROSS JOIN LATERAL (
    SELECT u.reason AS outage, coalesce(d.outage_since, greatest(u.since, d.created_at)) AS since
    FROM (
      SELECT not_before, outage_since, created_at FROM deliveries
      WHERE state = 'queued' AND provider = p.provider ORDER BY expires_at LIMIT 10001
    ) AS d
    WHERE u.reason IS NOT NULL AND d.not_before <= (SELECT push_now())
    UNION ALL
    SELECT d.outage, d.outage_since
    FROM (
      SELECT not_before, outage, outage_since FROM deliveries
      WHERE state = 'queued' AND outage IS NOT NULL AND provider = p.provider ORDER BY outage_since LIMIT 10001
    ) AS d
    WHERE u.reason IS NULL OR d.not_before > (SELECT push_now())
  ) AS w
  GROUP BY 1, 2
) AS away
ORDER BY waiting DESC;

-- The journal ---------------------------------------------------------------------------------------------------------

-- Whom functions told, and whom they did not, after one instant and up to another: `runner clock` shows it, see "journal"
-- in functions.json. The body is text, so that it keeps nobody from altering the tables.
CREATE OR REPLACE FUNCTION push_journal(after timestamptz, through timestamptz)
RETURNS TABLE (
  "time" timestamptz, function text, line text, minor boolean, person text, kind text, decision text, reason text,
  title text)
LANGUAGE sql STABLE AS $$
  SELECT w.time, w.function,
    concat_ws(' ', CASE w.decision
      WHEN 'notify' THEN 'told ' || p.person
      WHEN 'merge' THEN 'told ' || p.person || ' with others'
      WHEN 'summarize' THEN 'told ' || p.person
      WHEN 'hold' THEN 'holds for ' || p.person
      ELSE 'did not tell ' || p.person END,
      '"' || n.title || '"', '(' || w.kind || ')',
      CASE WHEN w.decision = 'summarize' THEN 'in one push with others after quiet hours' END)
      || CASE WHEN w.decision IN ('notify', 'merge', 'summarize') THEN '' ELSE coalesce(': ' || w.reason, '') END,
    w.decision = 'suppress', p.person, w.kind, w.decision, w.reason, n.title::text
  FROM (
    SELECT created_at AS time, function::text, user_id, kind::text, decision::text, reason::text, notification_id
    FROM decisions WHERE created_at > after AND created_at <= through
    UNION ALL
    SELECT r.created_at, 'release-held', m.user_id, m.type, r.decision, r.reason, m.id
    FROM notification_rechecks AS r JOIN notifications AS m ON m.id = r.notification_id
    WHERE r.created_at > after AND r.created_at <= through
  ) AS w
  LEFT JOIN users AS u ON u.id = w.user_id
  LEFT JOIN notifications AS n ON n.id = w.notification_id
  CROSS JOIN LATERAL (SELECT coalesce(to_jsonb(u) ->> 'name', w.user_id::text) AS person) AS p
$$;
