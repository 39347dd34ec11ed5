-- Replaces: 0005_routines, 0014_badges, 0025_said_when_said, 0027_badge_losses, 0028_shared_tables
-- What is worked out in the database: badges, whether a notification still holds, and what follows from changes of rows.

-- Badges -------------------------------------------------------------------------------------------------------------

-- The number on a person's app icon, as a row, which the planner can put into a query that asks for many.
-- LockItIn counts everything that is asked of a person, votes, requests and invitations, from their last mark-all-as-read
-- on. The others count unread, unexpired notifications, MessageAI its messages: several that one notification tells are as
-- many as they are.
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

-- The same as a number.
CREATE OR REPLACE FUNCTION push_badge(person uuid, app text, moment timestamptz DEFAULT now()) RETURNS integer
LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT badge FROM push_badges(person, app, moment) $$;

-- Members of a group who have not voted on its proposals, unless `proposal-expired` has lowered their badges already.
CREATE OR REPLACE FUNCTION push_note_unvoted(member_group uuid, member uuid, proposal uuid) RETURNS void
LANGUAGE sql SECURITY DEFINER AS $$
  INSERT INTO badge_losses (user_id, app, asked_at, ends_at)
  SELECT m.user_id, 'lockitin', max(greatest(p.created_at, p.options_changed_at)), max(p.deadline) + interval '1 day'
  FROM group_members m
  JOIN users u ON u.id = m.user_id
  JOIN event_proposals p ON p.group_id = m.group_id
  WHERE m.group_id = member_group AND m.user_id = coalesce(member, m.user_id) AND p.id = coalesce(proposal, p.id)
    AND NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = m.user_id)
    AND NOT EXISTS (
      SELECT FROM handled_events h
      WHERE h.function = 'proposal-expired' AND h.source = '/proposals'
        AND h.event_id = p.id || '/' || extract(epoch FROM p.deadline))
  GROUP BY m.user_id
$$;

-- Before a row is deleted, what belongs to it is still there. A group takes its members and its proposals with it:
-- whichever of them goes first notes who was asked. Who is deleted with it has no badge any more.
-- Who deletes such a row need not be able to read or write the tables here.
CREATE OR REPLACE FUNCTION push_note_loss() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  CASE TG_ARGV[0]
    WHEN 'proposal' THEN PERFORM push_note_unvoted(OLD.group_id, NULL, OLD.id);
    WHEN 'member' THEN PERFORM push_note_unvoted(OLD.group_id, OLD.user_id, NULL);
    WHEN 'request' THEN
      INSERT INTO badge_losses (user_id, app, asked_at)
      SELECT u.id, 'lockitin', OLD.created_at FROM users u WHERE u.id = OLD.recipient_id;
    WHEN 'invitation' THEN
      INSERT INTO badge_losses (user_id, app, asked_at)
      SELECT u.id, 'lockitin', OLD.created_at FROM users u WHERE u.id = OLD.invitee_id;
    ELSE
      INSERT INTO badge_losses (user_id, app, ends_at)
      SELECT u.id, OLD.app, OLD.expires_at FROM users u WHERE u.id = OLD.user_id;
  END CASE;
  RETURN OLD;
END
$$;
REVOKE EXECUTE ON FUNCTION push_note_unvoted, push_note_loss FROM PUBLIC;

CREATE OR REPLACE TRIGGER push_note_loss BEFORE DELETE ON event_proposals
  FOR EACH ROW EXECUTE FUNCTION push_note_loss('proposal');
CREATE OR REPLACE TRIGGER push_note_loss BEFORE DELETE ON group_members
  FOR EACH ROW EXECUTE FUNCTION push_note_loss('member');
CREATE OR REPLACE TRIGGER push_note_loss BEFORE DELETE ON friend_requests
  FOR EACH ROW WHEN (OLD.status = 'pending') EXECUTE FUNCTION push_note_loss('request');
CREATE OR REPLACE TRIGGER push_note_loss BEFORE DELETE ON group_invites
  FOR EACH ROW WHEN (OLD.status = 'pending') EXECUTE FUNCTION push_note_loss('invitation');
-- LockItIn's badge does not count notifications. What the functions tidy away lowers no badge.
CREATE OR REPLACE TRIGGER push_note_loss BEFORE DELETE ON notifications
  FOR EACH ROW WHEN (
    OLD.app <> 'lockitin' AND OLD.counts_for_badge AND OLD.is_read IS NOT TRUE AND OLD.is_archived IS NOT TRUE
    AND OLD.merged_into IS NULL AND current_setting('app.own_write', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION push_note_loss('notification');

-- Notifications that still hold --------------------------------------------------------------------------------------

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

-- What follows from changes ------------------------------------------------------------------------------------------

-- It reads the proposal, which the voter need not be able to.
CREATE OR REPLACE FUNCTION push_stamp_vote() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  NEW.options_version := (SELECT p.options_version FROM event_proposals p WHERE p.id = NEW.proposal_id);
  RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER push_stamp_vote BEFORE INSERT OR UPDATE OF vote ON proposal_votes
  FOR EACH ROW EXECUTE FUNCTION push_stamp_vote();

CREATE OR REPLACE FUNCTION push_stamp_options() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.options_changed_at := now();
  RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER push_stamp_options BEFORE UPDATE OF options_version ON event_proposals
  FOR EACH ROW WHEN (OLD.options_version IS DISTINCT FROM NEW.options_version) EXECUTE FUNCTION push_stamp_options();

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
CREATE OR REPLACE FUNCTION push_settings_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  PERFORM push_ask_again(coalesce(NEW.user_id, OLD.user_id));
  RETURN NULL;
END
$$;
-- Who changes their settings need not be able to do more than that.
REVOKE EXECUTE ON FUNCTION push_ask_again FROM PUBLIC;
CREATE OR REPLACE TRIGGER push_settings_changed AFTER INSERT OR UPDATE OR DELETE ON notification_settings
  FOR EACH ROW EXECUTE FUNCTION push_settings_changed();
CREATE OR REPLACE TRIGGER push_settings_changed AFTER INSERT OR UPDATE OR DELETE ON user_notification_preferences
  FOR EACH ROW EXECUTE FUNCTION push_settings_changed();
CREATE OR REPLACE TRIGGER push_settings_changed AFTER INSERT OR UPDATE OR DELETE ON group_notification_preferences
  FOR EACH ROW EXECUTE FUNCTION push_settings_changed();
CREATE OR REPLACE TRIGGER push_settings_changed AFTER INSERT OR UPDATE OR DELETE ON project_member_preferences
  FOR EACH ROW EXECUTE FUNCTION push_settings_changed();

-- Rows that an app may delete at any moment --------------------------------------------------------------------------

-- What writes about a push needs rows that an app may delete, with all that hangs on them, in an order of its own. A session
-- that holds one of those rows while it waits for another can deadlock with that.

-- Locks all that results of deliveries are written to or refer to, and never waits: what somebody else has is left out.
-- The rows of the app are locked as a foreign key would lock them, by the right of the tables' owner, and only for a
-- session that may write deliveries itself.
CREATE OR REPLACE FUNCTION push_hold_deliveries(ids uuid[])
RETURNS TABLE (delivery_id uuid, registered_at timestamptz, acceptances bigint)
LANGUAGE sql VOLATILE SECURITY DEFINER ROWS 100
BEGIN ATOMIC
  SELECT d.id, t.registered_at, t.acceptances
  FROM unnest(push_hold_deliveries.ids) AS i (id)
  CROSS JOIN LATERAL (
    SELECT d.id, d.user_id, d.notification_id, d.device_token_id FROM deliveries d WHERE d.id = i.id
    FOR NO KEY UPDATE OF d SKIP LOCKED
  ) d
  CROSS JOIN LATERAL (
    SELECT t.registered_at, t.acceptances FROM device_tokens t WHERE t.id = d.device_token_id
    FOR NO KEY UPDATE OF t SKIP LOCKED
  ) t
  CROSS JOIN LATERAL (SELECT u.id FROM users u WHERE u.id = d.user_id FOR KEY SHARE OF u SKIP LOCKED) u
  JOIN notifications n ON n.id = d.notification_id
  LEFT JOIN LATERAL (
    SELECT f.id FROM feedbacks f WHERE f.id = n.feedback_id FOR KEY SHARE OF f SKIP LOCKED
  ) f ON true
  LEFT JOIN LATERAL (
    SELECT p.id FROM projects p WHERE p.id = n.project_id FOR KEY SHARE OF p SKIP LOCKED
  ) p ON true
  WHERE has_table_privilege(session_user, 'deliveries'::regclass, 'UPDATE') AND (f.id IS NOT NULL OR n.feedback_id IS NULL)
    AND (p.id IS NOT NULL OR NOT EXISTS (SELECT FROM projects x WHERE x.id = n.project_id));
END;

-- Keeps people from being deleted before anything that hangs on them is locked; answers with those who are there.
CREATE OR REPLACE FUNCTION push_hold_people(ids uuid[]) RETURNS SETOF uuid
LANGUAGE sql VOLATILE SECURITY DEFINER ROWS 100
BEGIN ATOMIC
  SELECT u.id FROM users u
  WHERE u.id = ANY (push_hold_people.ids) AND has_table_privilege(session_user, 'notifications'::regclass, 'INSERT')
  ORDER BY u.id FOR KEY SHARE OF u;
END;
