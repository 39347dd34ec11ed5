-- Compatible
-- Badges follow what a person has seen, and which devices can be reached.

-- What was read -------------------------------------------------------------------------------------------------------

-- What LockItIn asked of a person when they marked everything as read: the badge counts what else is asked. A time
-- would not tell: an app may write a row before that moment which comes, or asks again, after it.
CREATE TABLE IF NOT EXISTS seen_requests (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- A proposal, a friend request or an invitation.
  subject_id uuid NOT NULL,
  -- Of a proposal: other options ask again.
  options_changed_at timestamptz,
  PRIMARY KEY (user_id, subject_id)
);
CREATE INDEX IF NOT EXISTS idx_seen_requests_subject ON seen_requests (subject_id);

-- What is asked of a person at a moment, read or not.
CREATE OR REPLACE FUNCTION push_asked(person uuid, moment timestamptz)
RETURNS TABLE (id uuid, options_changed_at timestamptz, asked_at timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT p.id, p.options_changed_at, greatest(p.created_at, p.options_changed_at)
  FROM group_members m
  JOIN event_proposals p ON p.group_id = m.group_id AND p.status = 'open' AND p.deadline > moment
  WHERE m.user_id = person
    AND NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = person)
  UNION ALL
  SELECT r.id, NULL, r.created_at FROM friend_requests r WHERE r.recipient_id = person AND r.status = 'pending'
  UNION ALL
  SELECT i.id, NULL, i.created_at FROM group_invites i WHERE i.invitee_id = person AND i.status = 'pending'
$$;

CREATE OR REPLACE FUNCTION push_badges(person uuid, app text, moment timestamptz) RETURNS TABLE (badge integer)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE push_badges.app
    WHEN 'lockitin' THEN (
      SELECT count(*) FROM push_asked(person, moment) a
      WHERE NOT EXISTS (
        SELECT FROM seen_requests s
        WHERE s.user_id = person AND s.subject_id = a.id
          AND s.options_changed_at IS NOT DISTINCT FROM a.options_changed_at))
    ELSE (
      SELECT count(*) + coalesce(sum(CASE push_badges.app WHEN 'messageai' THEN (
        SELECT count(*) FROM push_parts(n.id) m WHERE m.is_read IS NOT TRUE) ELSE 0 END), 0)
      FROM notifications n
      WHERE n.user_id = person AND n.app = push_badges.app
        AND n.counts_for_badge AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE
        AND (n.expires_at IS NULL OR n.expires_at > moment))
  END::integer
$$;

-- An app's statement waits for nobody here: whoever has such a row has just marked everything as read, and did not see
-- what the statement's transaction changes.
CREATE OR REPLACE FUNCTION push_forget_seen(subject uuid, person uuid) RETURNS void
LANGUAGE sql SECURITY DEFINER AS $$
  DELETE FROM seen_requests WHERE ctid = ANY (ARRAY(
    SELECT s.ctid FROM seen_requests s
    WHERE s.subject_id = subject AND s.user_id = coalesce(person, s.user_id) FOR UPDATE SKIP LOCKED))
$$;

-- After a person has marked everything as read. The row of notification_state is locked. Proposals whose time is over
-- stay in the list: they ask again when they get more.
CREATE OR REPLACE FUNCTION push_note_seen() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  DELETE FROM seen_requests WHERE ctid = ANY (ARRAY(
    SELECT s.ctid FROM seen_requests s WHERE s.user_id = NEW.user_id FOR UPDATE SKIP LOCKED));
  INSERT INTO seen_requests (user_id, subject_id, options_changed_at)
  SELECT NEW.user_id, a.id, a.options_changed_at FROM push_asked(NEW.user_id, '-infinity') a
  ON CONFLICT (user_id, subject_id) DO UPDATE SET options_changed_at = excluded.options_changed_at;
  RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER push_note_seen AFTER INSERT OR UPDATE OF all_read_at ON notification_state
  FOR EACH ROW WHEN (NEW.app = 'lockitin' AND NEW.all_read_at IS NOT NULL) EXECUTE FUNCTION push_note_seen();

INSERT INTO seen_requests (user_id, subject_id, options_changed_at)
SELECT s.user_id, a.id, a.options_changed_at
FROM notification_state s CROSS JOIN LATERAL push_asked(s.user_id, '-infinity') a
WHERE s.app = 'lockitin' AND a.asked_at <= s.all_read_at
ON CONFLICT DO NOTHING;

-- An answer that was taken back, or another request in the same row, asks again.
CREATE OR REPLACE FUNCTION push_note_asked_again() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  PERFORM push_forget_seen(NEW.id, NULL);
  RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER push_note_asked_again AFTER UPDATE OF status ON friend_requests
  FOR EACH ROW WHEN (NEW.status = 'pending' AND OLD.status IS DISTINCT FROM NEW.status)
  EXECUTE FUNCTION push_note_asked_again();
CREATE OR REPLACE TRIGGER push_note_asked_again AFTER UPDATE OF status ON group_invites
  FOR EACH ROW WHEN (NEW.status = 'pending' AND OLD.status IS DISTINCT FROM NEW.status)
  EXECUTE FUNCTION push_note_asked_again();

-- Who votes no longer, joins a group with an open proposal, or has not voted on one that is open again, is asked.
CREATE OR REPLACE FUNCTION push_note_rise() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  CASE TG_ARGV[0]
    WHEN 'vote' THEN
      PERFORM push_forget_seen(OLD.proposal_id, OLD.user_id);
      INSERT INTO badge_losses (user_id, app, created_at)
      SELECT m.user_id, 'lockitin', push_now() FROM event_proposals p
      JOIN group_members m ON m.group_id = p.group_id AND m.user_id = OLD.user_id
      WHERE p.id = OLD.proposal_id AND p.status = 'open' AND p.deadline > push_now()
        AND NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = m.user_id);
    WHEN 'member' THEN
      PERFORM push_forget_seen(p.id, NEW.user_id) FROM event_proposals p
      WHERE p.group_id = NEW.group_id AND p.status = 'open';
      INSERT INTO badge_losses (user_id, app, created_at)
      SELECT NEW.user_id, 'lockitin', push_now() WHERE EXISTS (
        SELECT FROM event_proposals p
        WHERE p.group_id = NEW.group_id AND p.status = 'open' AND p.deadline > push_now() AND NOT EXISTS (
          SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = NEW.user_id));
    ELSE
      IF NEW.deadline <= push_now() OR OLD.status = 'open' AND OLD.deadline > push_now() THEN RETURN NULL; END IF;
      PERFORM push_forget_seen(NEW.id, NULL);
      -- When it closes again, the badges fall again.
      DELETE FROM handled_events
      WHERE function = 'proposal-expired' AND source = '/proposals'
        AND event_id = NEW.id || '/' || extract(epoch FROM NEW.deadline);
      INSERT INTO badge_losses (user_id, app, created_at)
      SELECT m.user_id, 'lockitin', push_now() FROM group_members m
      WHERE m.group_id = NEW.group_id
        AND NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = NEW.id AND v.user_id = m.user_id);
  END CASE;
  RETURN NULL;
END
$$;

-- What was read lowers no badge when it is gone.
CREATE OR REPLACE FUNCTION push_note_unvoted(member_group uuid, member uuid, proposal uuid) RETURNS void
LANGUAGE sql SECURITY DEFINER AS $$
  INSERT INTO badge_losses (user_id, app, ends_at)
  SELECT m.user_id, 'lockitin', least(max(p.deadline), timestamptz '294276-12-01 00:00+00') + interval '1 day'
  FROM group_members m
  JOIN users u ON u.id = m.user_id
  JOIN event_proposals p ON p.group_id = m.group_id
  WHERE m.group_id = member_group AND m.user_id = coalesce(member, m.user_id) AND p.id = coalesce(proposal, p.id)
    AND NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = m.user_id)
    AND NOT EXISTS (
      SELECT FROM seen_requests s
      WHERE s.user_id = m.user_id AND s.subject_id = p.id
        AND s.options_changed_at IS NOT DISTINCT FROM p.options_changed_at)
    AND NOT EXISTS (
      SELECT FROM handled_events h
      WHERE h.function = 'proposal-expired' AND h.source = '/proposals'
        AND h.event_id = p.id || '/' || extract(epoch FROM p.deadline))
  GROUP BY m.user_id
$$;
CREATE OR REPLACE FUNCTION push_note_loss() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  CASE TG_ARGV[0]
    WHEN 'proposal' THEN PERFORM push_note_unvoted(OLD.group_id, NULL, OLD.id);
    WHEN 'member' THEN PERFORM push_note_unvoted(OLD.group_id, OLD.user_id, NULL);
    WHEN 'request' THEN
      INSERT INTO badge_losses (user_id, app)
      SELECT u.id, 'lockitin' FROM users u
      WHERE u.id = OLD.recipient_id
        AND NOT EXISTS (SELECT FROM seen_requests s WHERE s.user_id = u.id AND s.subject_id = OLD.id);
    WHEN 'invitation' THEN
      INSERT INTO badge_losses (user_id, app)
      SELECT u.id, 'lockitin' FROM users u
      WHERE u.id = OLD.invitee_id
        AND NOT EXISTS (SELECT FROM seen_requests s WHERE s.user_id = u.id AND s.subject_id = OLD.id);
    ELSE
      INSERT INTO badge_losses (user_id, app, ends_at)
      SELECT u.id, OLD.app, OLD.expires_at FROM users u WHERE u.id = OLD.user_id;
  END CASE;
  RETURN OLD;
END
$$;

-- Devices that can be reached again -----------------------------------------------------------------------------------

-- A device that comes, comes back or changes hands may show another number than its person's badge. Where it can only
-- show none, and none is right, nothing is noted: nobody's devices get a push because they were registered.
CREATE OR REPLACE FUNCTION push_note_reachable() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF TG_OP = 'INSERT' OR OLD.last_accepted_at IS NULL OR OLD.badge = 0 THEN
    -- Also of what may have ended: `action-completed` counts.
    IF push_badge(NEW.user_id, NEW.app, '-infinity') IS NOT DISTINCT FROM 0 THEN RETURN NULL; END IF;
  END IF;
  INSERT INTO badge_losses (user_id, app) VALUES (NEW.user_id, NEW.app);
  RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER push_note_new_device AFTER INSERT ON device_tokens FOR EACH ROW
  WHEN (NEW.is_active) EXECUTE FUNCTION push_note_reachable();
CREATE OR REPLACE TRIGGER push_note_reachable AFTER UPDATE OF token, user_id, app, registered_at, is_active
  ON device_tokens FOR EACH ROW
  WHEN (NEW.is_active AND (OLD.is_active IS NOT TRUE
    OR (NEW.token, NEW.user_id, NEW.app, NEW.registered_at)
      IS DISTINCT FROM (OLD.token, OLD.user_id, OLD.app, OLD.registered_at)))
  EXECUTE FUNCTION push_note_reachable();

-- Nobody is told of a badge while their pushes are off. What goes with a person is left alone.
CREATE OR REPLACE FUNCTION push_note_switched_on() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  CASE TG_ARGV[0]
    WHEN 'feedbackkit' THEN INSERT INTO badge_losses (user_id, app) VALUES (OLD.id, 'feedbackkit');
    WHEN 'lockitin' THEN
      INSERT INTO badge_losses (user_id, app) SELECT u.id, 'lockitin' FROM users u WHERE u.id = OLD.user_id;
    ELSE INSERT INTO badge_losses (user_id, app) SELECT u.id, OLD.app FROM users u WHERE u.id = OLD.user_id;
  END CASE;
  RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER push_note_switched_on AFTER UPDATE OF push_notifications_enabled ON users FOR EACH ROW
  WHEN (OLD.push_notifications_enabled IS FALSE AND NEW.push_notifications_enabled IS NOT FALSE)
  EXECUTE FUNCTION push_note_switched_on('feedbackkit');
CREATE OR REPLACE TRIGGER push_note_switched_on AFTER UPDATE OF notifications_enabled ON user_notification_preferences
  FOR EACH ROW WHEN (OLD.notifications_enabled IS FALSE AND NEW.notifications_enabled IS NOT FALSE)
  EXECUTE FUNCTION push_note_switched_on('lockitin');
CREATE OR REPLACE TRIGGER push_note_switch_gone AFTER DELETE ON user_notification_preferences
  FOR EACH ROW WHEN (OLD.notifications_enabled IS FALSE) EXECUTE FUNCTION push_note_switched_on('lockitin');
CREATE OR REPLACE TRIGGER push_note_switched_on AFTER UPDATE OF is_enabled ON notification_settings
  FOR EACH ROW WHEN (OLD.is_enabled IS FALSE AND NEW.is_enabled IS NOT FALSE)
  EXECUTE FUNCTION push_note_switched_on('');
CREATE OR REPLACE TRIGGER push_note_switch_gone AFTER DELETE ON notification_settings
  FOR EACH ROW WHEN (OLD.is_enabled IS FALSE) EXECUTE FUNCTION push_note_switched_on('');

DO $$
DECLARE
  routine text;
BEGIN
  PERFORM push_close_to_clients('seen_requests', 'push_forget_seen', 'push_note_seen', 'push_note_asked_again',
    'push_note_rise', 'push_note_unvoted', 'push_note_loss', 'push_note_reachable', 'push_note_switched_on');
  FOREACH routine IN ARRAY ARRAY['push_forget_seen(uuid, uuid)', 'push_note_seen()', 'push_note_asked_again()',
    'push_note_rise()', 'push_note_unvoted(uuid, uuid, uuid)', 'push_note_loss()', 'push_note_reachable()',
    'push_note_switched_on()']
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', routine, current_schema());
  END LOOP;
END
$$;
