-- Texts of a kind that are tried out against each other, each with an equal share of the people.

-- While a row is on, the variants that a kind has are used; without one, everybody reads its usual text.
CREATE TABLE IF NOT EXISTS experiments (
  app text NOT NULL,
  kind text NOT NULL,
  is_on boolean NOT NULL DEFAULT true,
  PRIMARY KEY (app, kind)
);

-- What somebody read, or would have read; NULL where nothing was tried out.
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS variant text;
ALTER TABLE decisions ADD COLUMN IF NOT EXISTS variant text;

-- What `push_rates_by_kind` says, for each variant of what was tried out. It is a view of its own, because 0008 makes
-- that one anew whenever it is run, and no view can lose a column.
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
    SELECT (created_at AT TIME ZONE 'UTC')::date AS day, app, kind, variant, 1 AS candidates,
      coalesce(reason IN ('disabled', 'project_muted', 'type_disabled'), false)::int AS opted_out,
      0 AS notifications, 0 AS deliveries, 0 AS delivered, 0 AS pending, 0 AS reached, 0 AS opened, 0 AS acted
    FROM decisions WHERE variant IS NOT NULL
    UNION ALL
    SELECT day, app, kind, variant, 0, 0, 1, deliveries, delivered, pending, (delivered > 0)::int, (opened > 0)::int,
      (acted > 0)::int
    FROM (
      SELECT (n.created_at AT TIME ZONE 'UTC')::date AS day, n.app, n.type AS kind, n.variant, n.id,
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

-- As in 0011, but that whoever has left a group is told no more of its events.
CREATE OR REPLACE FUNCTION push_standing(n notifications, moment timestamptz) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN n.is_read OR n.is_archived THEN 'handled'
    WHEN n.recipient_reason = 'member' AND n.app = 'feedbackkit' AND NOT EXISTS (
      SELECT FROM projects p WHERE p.id = n.project_id AND p.owner_id = n.user_id
      UNION ALL SELECT FROM project_members m WHERE m.project_id = n.project_id AND m.user_id = n.user_id)
      THEN 'not_permitted'
    WHEN n.proposal_id IS NOT NULL THEN (
      SELECT CASE
        WHEN NOT EXISTS (SELECT FROM group_members m WHERE m.group_id = p.group_id AND m.user_id = n.user_id)
          THEN 'not_permitted'
        WHEN n.type IN ('proposal_created', 'proposal_reminder', 'proposal_updated') AND (
          p.status <> 'open' OR p.deadline <= moment
          OR EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = n.user_id))
          THEN 'handled'
        ELSE 'open'
      END
      FROM event_proposals p WHERE p.id = n.proposal_id)
    WHEN n.event_id IS NOT NULL THEN (
      SELECT CASE
        WHEN e.status = 'cancelled' THEN 'gone'
        WHEN NOT EXISTS (SELECT FROM group_members m WHERE m.group_id = e.group_id AND m.user_id = n.user_id)
          THEN 'not_permitted'
        ELSE 'open'
      END
      FROM events e WHERE e.id = n.event_id)
    WHEN n.friend_request_id IS NOT NULL THEN (
      SELECT CASE WHEN r.status = 'pending' THEN 'open' ELSE 'handled' END
      FROM friend_requests r WHERE r.id = n.friend_request_id)
    WHEN n.app = 'lockitin' AND n.type = 'group_invite' THEN (
      SELECT CASE WHEN bool_or(i.status = 'pending') THEN 'open' ELSE 'handled' END
      FROM group_invites i WHERE i.invitee_id = n.user_id AND i.group_id = push_uuid(n.subject_id))
    ELSE 'open'
  END
$$;
