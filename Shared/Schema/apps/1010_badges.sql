-- Badges: the number on a person's app icon, and what changes it without a push that carries it.

-- The number ----------------------------------------------------------------------------------------------------------

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
  SELECT r.id, NULL, r.created_at FROM push_friend_requests() r WHERE r.recipient_id = person AND r.status = 'pending'
  UNION ALL
  SELECT i.id, NULL, i.created_at FROM group_invites i WHERE i.invitee_id = person AND i.status = 'pending'
$$;

-- What was merged into a notification, and what was merged into that before. A digest that grows window after window
-- takes over one row each time, and not all that it tells of. `OFFSET 0` keeps the planner from reading everybody's rows.
CREATE OR REPLACE FUNCTION push_parts(teller uuid) RETURNS SETOF notifications
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  WITH RECURSIVE parts AS (
    SELECT n.id FROM notifications n WHERE n.merged_into = teller
    UNION
    SELECT n.id FROM parts p
    CROSS JOIN LATERAL (SELECT m.id FROM notifications m WHERE m.merged_into = p.id OFFSET 0) n
  )
  SELECT n.* FROM parts p CROSS JOIN LATERAL (SELECT m.* FROM notifications m WHERE m.id = p.id OFFSET 0) n
$$;

-- The notification that tells of another one that was merged, at the end of the chain.
CREATE OR REPLACE FUNCTION push_teller(part uuid) RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  WITH RECURSIVE tellers AS (
    SELECT n.merged_into AS id, 1 AS step FROM notifications n WHERE n.id = part AND n.merged_into IS NOT NULL
    UNION
    SELECT n.merged_into, t.step + 1 FROM tellers t JOIN notifications n ON n.id = t.id WHERE n.merged_into IS NOT NULL
  )
  SELECT id FROM tellers ORDER BY step DESC LIMIT 1
$$;

-- The number on a person's app icon, as a row, which the planner can put into a query that asks for many.
-- LockItIn counts everything that is asked of a person, votes, requests and invitations, but for what they have marked as
-- read. The others count unread, unexpired notifications, MessageAI its messages: each message counts, whichever
-- notification tells of it.
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

-- The same as a number.
CREATE OR REPLACE FUNCTION push_badge(person uuid, app text, moment timestamptz DEFAULT push_now()) RETURNS integer
LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT badge FROM push_badges(person, app, moment) $$;

-- What was read -------------------------------------------------------------------------------------------------------

-- An app's statement does not wait here. A row is locked while its person marks everything as read, and that transaction
-- does not see what the statement changes.
CREATE OR REPLACE FUNCTION push_forget_seen(subject uuid, person uuid) RETURNS void
LANGUAGE sql SECURITY DEFINER AS $$
  DELETE FROM seen_requests WHERE ctid = ANY (ARRAY(
    SELECT s.ctid FROM seen_requests s
    WHERE s.subject_id = subject AND s.user_id = coalesce(person, s.user_id) FOR UPDATE SKIP LOCKED))
$$;
REVOKE EXECUTE ON FUNCTION push_forget_seen FROM PUBLIC;

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
REVOKE EXECUTE ON FUNCTION push_note_seen FROM PUBLIC;
CREATE OR REPLACE TRIGGER push_note_seen AFTER INSERT OR UPDATE OF all_read_at ON notification_state
  FOR EACH ROW WHEN (NEW.app = 'lockitin' AND NEW.all_read_at IS NOT NULL) EXECUTE FUNCTION push_note_seen();

-- An answer that was taken back, or another request in the same row, asks again.
CREATE OR REPLACE FUNCTION push_note_asked_again() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  PERFORM push_forget_seen(NEW.id, NULL);
  RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION push_note_asked_again FROM PUBLIC;
DO $$
BEGIN
  IF push_knows('friend_requests', 'requester_id', 'recipient_id') THEN
    CREATE OR REPLACE TRIGGER push_note_asked_again AFTER UPDATE OF status ON friend_requests
      FOR EACH ROW WHEN (NEW.status = 'pending' AND OLD.status IS DISTINCT FROM NEW.status)
      EXECUTE FUNCTION push_note_asked_again();
  END IF;
END
$$;
CREATE OR REPLACE TRIGGER push_note_asked_again AFTER UPDATE OF status ON group_invites
  FOR EACH ROW WHEN (NEW.status = 'pending' AND OLD.status IS DISTINCT FROM NEW.status)
  EXECUTE FUNCTION push_note_asked_again();

-- What is deleted -----------------------------------------------------------------------------------------------------

-- Notes the members of a group who have not voted on its proposals. It leaves out a proposal that the member has read, and
-- one for which `proposal-expired` has already lowered the badge. An app's statement never fails because of this note: a
-- deadline may stand at the end of PostgreSQL's range, and no day can be added to that.
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

-- Before a row is deleted, what belongs to it is still there. A group takes its members and its proposals with it:
-- whichever of them goes first notes who was asked. Who is deleted with it has no badge any more.
-- Who deletes such a row need not be able to read or write the tables here.
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
REVOKE EXECUTE ON FUNCTION push_note_unvoted, push_note_loss FROM PUBLIC;

CREATE OR REPLACE TRIGGER push_note_loss BEFORE DELETE ON event_proposals
  FOR EACH ROW EXECUTE FUNCTION push_note_loss('proposal');
CREATE OR REPLACE TRIGGER push_note_loss BEFORE DELETE ON group_members
  FOR EACH ROW EXECUTE FUNCTION push_note_loss('member');
DO $$
BEGIN
  IF push_knows('friend_requests', 'requester_id', 'recipient_id') THEN
    CREATE OR REPLACE TRIGGER push_note_loss BEFORE DELETE ON friend_requests
      FOR EACH ROW WHEN (OLD.status = 'pending') EXECUTE FUNCTION push_note_loss('request');
  END IF;
END
$$;
CREATE OR REPLACE TRIGGER push_note_loss BEFORE DELETE ON group_invites
  FOR EACH ROW WHEN (OLD.status = 'pending') EXECUTE FUNCTION push_note_loss('invitation');
-- LockItIn's badge does not count notifications. What the functions tidy away lowers no badge.
CREATE OR REPLACE TRIGGER push_note_loss BEFORE DELETE ON notifications
  FOR EACH ROW WHEN (
    OLD.app <> 'lockitin' AND OLD.counts_for_badge AND OLD.is_read IS NOT TRUE AND OLD.is_archived IS NOT TRUE
    AND OLD.merged_into IS NULL AND current_setting('app.own_write', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION push_note_loss('notification');

-- What is asked again -------------------------------------------------------------------------------------------------

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
REVOKE EXECUTE ON FUNCTION push_note_rise FROM PUBLIC;
CREATE OR REPLACE TRIGGER push_note_rise AFTER DELETE ON proposal_votes
  FOR EACH ROW EXECUTE FUNCTION push_note_rise('vote');
CREATE OR REPLACE TRIGGER push_note_rise AFTER INSERT ON group_members
  FOR EACH ROW EXECUTE FUNCTION push_note_rise('member');
CREATE OR REPLACE TRIGGER push_note_rise AFTER UPDATE OF status, deadline ON event_proposals
  FOR EACH ROW WHEN (NEW.status = 'open' AND (OLD.status, OLD.deadline) IS DISTINCT FROM (NEW.status, NEW.deadline))
  EXECUTE FUNCTION push_note_rise('proposal');

-- What is not pushed --------------------------------------------------------------------------------------------------

-- A decision against a push may still raise the badge. LockItIn's counts what is asked of a person, also if nobody is told:
-- somebody may be invited into a group that they are in, or ask themselves. The other apps' counts the entry that stays.
CREATE OR REPLACE FUNCTION push_note_unpushed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF TG_ARGV[0] = 'decision' THEN
    INSERT INTO badge_losses (user_id, app, created_at)
    SELECT u.id, NEW.app, NEW.created_at FROM users u WHERE u.id = NEW.user_id;
  ELSE
    INSERT INTO badge_losses (user_id, app, created_at)
    SELECT n.user_id, n.app, NEW.created_at FROM notifications n
    WHERE n.id = NEW.notification_id AND CASE n.app
      WHEN 'lockitin' THEN lower(n.type) IN ('proposal_created', 'proposal_updated', 'friend_request', 'group_invite')
      ELSE NEW.reason IN (
        'project_muted', 'type_disabled', 'viewing', 'quiet_hours', 'rate_limited', 'expired', 'unencodable') END;
  END IF;
  RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION push_note_unpushed FROM PUBLIC;
CREATE OR REPLACE TRIGGER push_note_unpushed AFTER INSERT ON decisions FOR EACH ROW
  WHEN (NEW.decision = 'suppress' AND CASE NEW.app
    WHEN 'lockitin' THEN lower(NEW.kind) IN ('proposal_created', 'proposal_updated', 'friend_request', 'group_invite')
    ELSE NEW.reason IN ('quiet_hours', 'rate_limited', 'expired', 'unencodable') END)
  EXECUTE FUNCTION push_note_unpushed('decision');
CREATE OR REPLACE TRIGGER push_note_unpushed AFTER INSERT ON notification_rechecks FOR EACH ROW
  WHEN (NEW.decision = 'suppress') EXECUTE FUNCTION push_note_unpushed('recheck');

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
REVOKE EXECUTE ON FUNCTION push_note_reachable FROM PUBLIC;
CREATE OR REPLACE TRIGGER push_note_new_device AFTER INSERT ON device_tokens FOR EACH ROW
  WHEN (NEW.is_active IS NOT FALSE) EXECUTE FUNCTION push_note_reachable();
CREATE OR REPLACE TRIGGER push_note_reachable AFTER UPDATE OF token, user_id, app, registered_at, is_active
  ON device_tokens FOR EACH ROW
  WHEN (NEW.is_active IS NOT FALSE AND (OLD.is_active IS FALSE
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
REVOKE EXECUTE ON FUNCTION push_note_switched_on FROM PUBLIC;
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
