-- Compatible
-- Rates that say what they mean: who opted out did so themselves, and capitals make no kind of its own.

-- Whether a person was not told because they had switched something off. A kind that is off by default was only switched
-- off by those whose switch says so: `facts` has it.
CREATE OR REPLACE FUNCTION push_opted_out(reason text, app text, kind text, facts jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN reason IN ('disabled', 'project_muted') THEN true
  WHEN reason = 'type_disabled' THEN
    (app = 'lockitin' AND lower(kind) IN ('vote_cast', 'event_day_before')) IS NOT TRUE
    OR coalesce(facts @> '{"personal": false}' OR facts @> '{"override": false}', false)
  ELSE false
END;

-- As in 0008, but for those two.
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

-- As in 0013, but for those two.
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
