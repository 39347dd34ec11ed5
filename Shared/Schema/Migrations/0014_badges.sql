-- Badges: what asks again after everything was marked as read, and what was last told to devices.

-- New options ask everybody again, also those who have marked everything as read.
ALTER TABLE event_proposals ADD COLUMN IF NOT EXISTS options_changed_at timestamptz;
CREATE OR REPLACE FUNCTION push_stamp_options() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.options_changed_at := now();
  RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER push_stamp_options BEFORE UPDATE OF options_version ON event_proposals
  FOR EACH ROW WHEN (OLD.options_version IS DISTINCT FROM NEW.options_version) EXECUTE FUNCTION push_stamp_options();

CREATE OR REPLACE FUNCTION push_badges(person uuid, app text, moment timestamptz) RETURNS TABLE (badge integer)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE push_badges.app
    WHEN 'lockitin' THEN (
      SELECT count(*)
      FROM (
        SELECT greatest(p.created_at, p.options_changed_at) AS asked_at
        FROM group_members m
        JOIN event_proposals p ON p.group_id = m.group_id AND p.status = 'open' AND p.deadline > moment
        WHERE m.user_id = person
          AND NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = person)
        UNION ALL
        SELECT r.created_at FROM friend_requests r WHERE r.recipient_id = person AND r.status = 'pending'
        UNION ALL
        SELECT i.created_at FROM group_invites i WHERE i.invitee_id = person AND i.status = 'pending'
      ) AS asked
      LEFT JOIN notification_state s ON s.user_id = person AND s.app = push_badges.app
      WHERE (asked.asked_at <= s.all_read_at) IS NOT TRUE)
    ELSE (
      SELECT count(*)
      FROM notifications n
      WHERE n.user_id = person AND n.app = push_badges.app
        AND n.counts_for_badge AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE
        AND (n.expires_at IS NULL OR n.expires_at > moment))
  END::integer
$$;

-- Pushes of a badge alone; `data` has the badge as it was when they were made.
CREATE INDEX IF NOT EXISTS idx_notifications_badge_pushes ON notifications (user_id, app)
  WHERE type = 'badge' AND origin = 'function';
-- Proposals that have just closed, whatever closed them.
CREATE INDEX IF NOT EXISTS idx_event_proposals_deadline ON event_proposals (deadline);
-- Whether an invitation stands is asked also of those that were answered.
CREATE INDEX IF NOT EXISTS idx_group_invites_invitee ON group_invites (invitee_id, group_id);
