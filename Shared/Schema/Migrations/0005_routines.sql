-- A text as a UUID, NULL where it is none: the SDK's `user_id` may be anything.
CREATE OR REPLACE FUNCTION push_uuid(value text) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN value ~ '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$' THEN value::uuid
  END
$$;

-- The number on a person's app icon: for LockItIn the votes that are asked of them, counted from their last
-- mark-all-as-read on; for the others their unread, unexpired notifications.
CREATE OR REPLACE FUNCTION push_badge(person uuid, app text, moment timestamptz DEFAULT now()) RETURNS integer
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE push_badge.app
    WHEN 'lockitin' THEN (
      SELECT count(*)
      FROM group_members m
      JOIN event_proposals p ON p.group_id = m.group_id AND p.status = 'open' AND p.deadline > moment
      LEFT JOIN notification_state s ON s.user_id = person AND s.app = push_badge.app
      WHERE m.user_id = person
        AND (p.created_at <= s.all_read_at) IS NOT TRUE
        AND NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = person))
    ELSE (
      SELECT count(*)
      FROM notifications n
      WHERE n.user_id = person AND n.app = push_badge.app
        AND n.counts_for_badge AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE
        AND (n.expires_at IS NULL OR n.expires_at > moment))
  END::integer
$$;
