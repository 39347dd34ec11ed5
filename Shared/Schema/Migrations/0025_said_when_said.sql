-- What waits is worded and asked about when it goes out; what was told is known by what it stands for.

-- The option that led when people were last told of a lead.
CREATE TABLE IF NOT EXISTS proposal_leads (
  proposal_id uuid PRIMARY KEY REFERENCES event_proposals (id) ON DELETE CASCADE,
  option_id uuid NOT NULL,
  changed_at timestamptz NOT NULL
);
DO $$
DECLARE
  clients text := (
    SELECT string_agg(quote_ident(rolname), ', ') FROM pg_roles WHERE rolname IN ('anon', 'authenticated'));
BEGIN
  IF NOT (SELECT relrowsecurity FROM pg_class WHERE oid = 'proposal_leads'::regclass) THEN
    ALTER TABLE proposal_leads ENABLE ROW LEVEL SECURITY;
    CREATE POLICY push_servers ON proposal_leads USING (push_is_server());
  END IF;
  IF clients IS NOT NULL THEN EXECUTE format('REVOKE ALL ON proposal_leads FROM %s', clients); END IF;
END
$$;

-- What one notification tells in place of others.
CREATE INDEX IF NOT EXISTS idx_notifications_merged_into ON notifications (merged_into) WHERE merged_into IS NOT NULL;
-- What somebody was told last of what a feedback's status, or the option that leads, is.
CREATE INDEX IF NOT EXISTS idx_notifications_states ON notifications (user_id, subject_id, created_at)
  WHERE family IN ('statuses', 'leads');

-- Whether what a notification of a family tells still holds: the vote, the comment, the feedback is still there.
CREATE OR REPLACE FUNCTION push_counts(n notifications) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE n.family
    WHEN 'votes' THEN EXISTS (
      SELECT FROM votes v WHERE v.feedback_id = n.feedback_id AND v.user_id = n.actor)
    WHEN 'comments' THEN EXISTS (
      SELECT FROM comments c WHERE c.feedback_id = n.feedback_id AND (c.user_id = n.actor OR c.id = push_uuid(n.actor)))
    WHEN 'new_feedback' THEN EXISTS (SELECT FROM feedbacks f WHERE f.id = n.feedback_id AND f.project_id = n.project_id)
    WHEN 'proposal_votes' THEN EXISTS (
      SELECT FROM proposal_votes v
      JOIN event_proposals p ON p.id = v.proposal_id
      JOIN group_members m ON m.group_id = p.group_id AND m.user_id = v.user_id
      WHERE v.proposal_id = n.proposal_id AND v.user_id = push_uuid(n.actor))
    WHEN 'conflicts' THEN EXISTS (
      SELECT FROM event_conflicts c WHERE c.proposal_id = n.proposal_id AND c.user_id = push_uuid(n.actor))
    ELSE true
  END
$$;

-- How a person stands to what a notification asks of them or tells them: open, handled, gone or not_permitted.
CREATE OR REPLACE FUNCTION push_standing(n notifications, moment timestamptz) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN n.is_read OR n.is_archived THEN 'handled'
    WHEN n.family IS NOT NULL AND NOT push_counts(n) THEN 'gone'
    WHEN n.app = 'feedbackkit' AND n.recipient_reason = 'member' AND NOT EXISTS (
      SELECT FROM projects p WHERE p.id = n.project_id AND p.owner_id = n.user_id
      UNION ALL SELECT FROM project_members m WHERE m.project_id = n.project_id AND m.user_id = n.user_id)
      THEN 'not_permitted'
    WHEN n.app = 'feedbackkit' AND n.recipient_reason = 'voter' AND NOT EXISTS (
      SELECT FROM votes v JOIN users u ON u.id = n.user_id
      WHERE v.feedback_id = n.feedback_id AND (push_uuid(v.user_id) = u.id OR lower(v.user_email) = lower(u.email)))
      THEN 'not_permitted'
    WHEN n.proposal_id IS NOT NULL THEN (
      SELECT CASE
        WHEN NOT EXISTS (SELECT FROM group_members m WHERE m.group_id = p.group_id AND m.user_id = n.user_id)
          THEN 'not_permitted'
        WHEN lower(n.type) = 'conflict_alert'
          THEN CASE WHEN p.status IN ('expired', 'cancelled') THEN 'gone' ELSE 'open' END
        WHEN lower(n.type) IN (
          'proposal_created', 'proposal_reminder', 'proposal_updated', 'vote_cast', 'vote_count_update')
          AND (p.status <> 'open' OR p.deadline <= moment)
          THEN 'handled'
        WHEN lower(n.type) IN ('proposal_created', 'proposal_reminder', 'proposal_updated')
          AND EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = n.user_id)
          THEN 'handled'
        WHEN lower(n.type) = 'vote_count_update' AND n.recipient_reason = 'voter'
          AND NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = n.user_id)
          THEN 'handled'
        ELSE 'open'
      END
      FROM event_proposals p WHERE p.id = n.proposal_id)
    WHEN n.event_id IS NOT NULL THEN (
      SELECT CASE
        WHEN e.status = 'cancelled' THEN 'gone'
        WHEN NOT EXISTS (SELECT FROM group_members m WHERE m.group_id = e.group_id AND m.user_id = n.user_id)
          THEN 'not_permitted'
        WHEN n.recipient_reason = 'attendee' AND coalesce(
          (SELECT a.status FROM event_attendees a WHERE a.event_id = e.id AND a.user_id = n.user_id),
          (SELECT v.vote FROM proposal_votes v WHERE v.option_id = e.option_id AND v.user_id = n.user_id), 'no') = 'no'
          THEN 'handled'
        ELSE 'open'
      END
      FROM events e WHERE e.id = n.event_id)
    WHEN n.friend_request_id IS NOT NULL THEN (
      SELECT CASE WHEN r.status = 'pending' THEN 'open' ELSE 'handled' END
      FROM friend_requests r WHERE r.id = n.friend_request_id)
    WHEN n.app = 'lockitin' AND lower(n.type) = 'group_invite' THEN (
      SELECT CASE WHEN bool_or(i.status = 'pending') THEN 'open' ELSE 'handled' END
      FROM group_invites i WHERE i.invitee_id = n.user_id AND i.group_id = push_uuid(n.subject_id))
    ELSE 'open'
  END
$$;

-- Who changes how they want to be told is asked about again at once: what their quiet hours or an hour's limit held up
-- comes due. The rows are inserted again, which wakes the function that releases them. The body is bound to the table
-- here and now, and does no more than ask the gates again. Settings go with their person or group too: what goes with
-- them is left alone.
CREATE OR REPLACE FUNCTION push_ask_again(person uuid) RETURNS void LANGUAGE sql
BEGIN ATOMIC
  WITH held AS (
    DELETE FROM held_notifications h
    WHERE h.user_id = person AND h.reason IN ('quiet_hours', 'rate_limited') AND h.held_until > h.held_since
      AND EXISTS (SELECT FROM users u WHERE u.id = h.user_id)
      AND EXISTS (SELECT FROM notifications n WHERE n.id = h.notification_id)
    RETURNING h.*
  )
  INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)
  SELECT held.notification_id, held.user_id, held.app, held.reason, held.held_since, held.held_since FROM held;
END;
CREATE OR REPLACE FUNCTION push_settings_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM push_ask_again(coalesce(NEW.user_id, OLD.user_id));
  RETURN NULL;
END
$$;
-- Who changes their settings need not be able to do more than that.
REVOKE EXECUTE ON FUNCTION push_ask_again FROM PUBLIC;
DO $$
BEGIN
  EXECUTE format(
    'ALTER FUNCTION push_settings_changed() SECURITY DEFINER SET search_path = %I, pg_temp', current_schema());
END
$$;
CREATE OR REPLACE TRIGGER push_settings_changed AFTER INSERT OR UPDATE OR DELETE ON notification_settings
  FOR EACH ROW EXECUTE FUNCTION push_settings_changed();
CREATE OR REPLACE TRIGGER push_settings_changed AFTER INSERT OR UPDATE OR DELETE ON user_notification_preferences
  FOR EACH ROW EXECUTE FUNCTION push_settings_changed();
CREATE OR REPLACE TRIGGER push_settings_changed AFTER INSERT OR UPDATE OR DELETE ON group_notification_preferences
  FOR EACH ROW EXECUTE FUNCTION push_settings_changed();
CREATE OR REPLACE TRIGGER push_settings_changed AFTER INSERT OR UPDATE OR DELETE ON project_member_preferences
  FOR EACH ROW EXECUTE FUNCTION push_settings_changed();

-- MessageAI's badge counts messages: several that one notification tells are as many as they are.
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
      SELECT count(*) + coalesce(sum(CASE push_badges.app WHEN 'messageai' THEN (
        SELECT count(*) FROM notifications m WHERE m.merged_into = n.id AND m.is_read IS NOT TRUE) ELSE 0 END), 0)
      FROM notifications n
      WHERE n.user_id = person AND n.app = push_badges.app
        AND n.counts_for_badge AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE
        AND (n.expires_at IS NULL OR n.expires_at > moment))
  END::integer
$$;
