-- What follows from changes of the app's rows.

-- Votes and options ---------------------------------------------------------------------------------------------------

-- It reads the proposal, which the voter need not be able to.
CREATE OR REPLACE FUNCTION push_stamp_vote() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  NEW.options_version := (SELECT p.options_version FROM event_proposals p WHERE p.id = NEW.proposal_id);
  RETURN NEW;
END
$$;
REVOKE EXECUTE ON FUNCTION push_stamp_vote FROM PUBLIC;
CREATE OR REPLACE TRIGGER push_stamp_vote BEFORE INSERT OR UPDATE OF vote ON proposal_votes
  FOR EACH ROW EXECUTE FUNCTION push_stamp_vote();

CREATE OR REPLACE FUNCTION push_stamp_options() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.options_changed_at := push_now();
  RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER push_stamp_options BEFORE UPDATE OF options_version ON event_proposals
  FOR EACH ROW WHEN (OLD.options_version IS DISTINCT FROM NEW.options_version) EXECUTE FUNCTION push_stamp_options();

-- The option goes first, and its votes after it. With a proposal or a person that goes, nobody has to vote again. One
-- question for all votes that a statement deletes: an app that replaces the options of a large group waits less.
CREATE OR REPLACE FUNCTION push_vote_lost() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO proposal_lost_votes AS l (proposal_id, user_id, options_version)
  SELECT p.id, u.id, max(coalesce(g.options_version, 0))
  FROM gone g JOIN event_proposals p ON p.id = g.proposal_id AND p.status = 'open' JOIN users u ON u.id = g.user_id
  WHERE g.option_id IS NOT NULL AND NOT EXISTS (SELECT FROM proposal_options o WHERE o.id = g.option_id)
  GROUP BY p.id, u.id
  ON CONFLICT (proposal_id, user_id) DO UPDATE SET options_version = excluded.options_version
    WHERE l.options_version < excluded.options_version;
  RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION push_vote_lost FROM PUBLIC;
CREATE OR REPLACE TRIGGER push_vote_lost AFTER DELETE ON proposal_votes
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION push_vote_lost();

-- Settings ------------------------------------------------------------------------------------------------------------

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
REVOKE EXECUTE ON FUNCTION push_ask_again FROM PUBLIC;

-- Who changes their settings need not be able to do more than that.
CREATE OR REPLACE FUNCTION push_settings_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  PERFORM push_ask_again(coalesce(NEW.user_id, OLD.user_id));
  RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION push_settings_changed FROM PUBLIC;
CREATE OR REPLACE TRIGGER push_settings_changed AFTER INSERT OR UPDATE OR DELETE ON notification_settings
  FOR EACH ROW EXECUTE FUNCTION push_settings_changed();
CREATE OR REPLACE TRIGGER push_settings_changed AFTER INSERT OR UPDATE OR DELETE ON user_notification_preferences
  FOR EACH ROW EXECUTE FUNCTION push_settings_changed();
CREATE OR REPLACE TRIGGER push_settings_changed AFTER INSERT OR UPDATE OR DELETE ON group_notification_preferences
  FOR EACH ROW EXECUTE FUNCTION push_settings_changed();
CREATE OR REPLACE TRIGGER push_settings_changed AFTER INSERT OR UPDATE OR DELETE ON project_member_preferences
  FOR EACH ROW EXECUTE FUNCTION push_settings_changed();

-- Entries that are no longer true -------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION push_note_stale_of_feedback(feedback uuid, told text) RETURNS void
LANGUAGE sql SECURITY DEFINER AS $$
  INSERT INTO stale_entries (notification_id, user_id, app)
  SELECT n.id, n.user_id, n.app FROM notifications n
  WHERE n.feedback_id = feedback AND n.family = told AND n.merged_into IS NULL
    AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE
$$;
REVOKE EXECUTE ON FUNCTION push_note_stale_of_feedback FROM PUBLIC;

CREATE OR REPLACE FUNCTION push_note_stale_of_proposal(proposal uuid, told text[]) RETURNS void
LANGUAGE sql SECURITY DEFINER AS $$
  INSERT INTO stale_entries (notification_id, user_id, app)
  SELECT n.id, n.user_id, n.app FROM notifications n
  WHERE n.proposal_id = proposal AND n.family = ANY (told) AND n.merged_into IS NULL
    AND (n.is_read IS NOT TRUE OR n.family = 'conflicts') AND n.is_archived IS NOT TRUE
$$;
REVOKE EXECUTE ON FUNCTION push_note_stale_of_proposal FROM PUBLIC;

-- After rows are deleted that entries tell of.
CREATE OR REPLACE FUNCTION push_note_stale() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  CASE TG_ARGV[0]
    WHEN 'votes', 'comments' THEN
      PERFORM push_note_stale_of_feedback(g.feedback_id, TG_ARGV[0]) FROM (SELECT DISTINCT feedback_id FROM gone) g;
      -- Nobody tells them of the status any more.
      IF TG_ARGV[0] = 'votes' THEN
        INSERT INTO stale_entries (notification_id, user_id, app)
        SELECT n.id, n.user_id, n.app
        FROM (
          SELECT g.feedback_id, u.id FROM gone g JOIN users u ON u.id = push_uuid(g.user_id)
          UNION SELECT g.feedback_id, u.id FROM gone g JOIN users u ON lower(u.email) = lower(g.user_email)
        ) g
        JOIN notifications n ON n.user_id = g.id AND n.feedback_id = g.feedback_id
        WHERE n.family = 'statuses' AND n.recipient_reason = 'voter' AND n.merged_into IS NULL
          AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE;
      END IF;
    WHEN 'proposal_votes', 'conflicts' THEN
      PERFORM push_note_stale_of_proposal(g.proposal_id, ARRAY[TG_ARGV[0]])
      FROM (SELECT DISTINCT proposal_id FROM gone) g;
    WHEN 'members' THEN
      PERFORM push_note_stale_of_proposal(p.id, ARRAY['proposal_votes', 'conflicts'])
      FROM (SELECT DISTINCT group_id FROM gone) g JOIN event_proposals p ON p.group_id = g.group_id;
  END CASE;
  RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION push_note_stale FROM PUBLIC;
CREATE OR REPLACE TRIGGER push_note_stale AFTER DELETE ON votes
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION push_note_stale('votes');
CREATE OR REPLACE TRIGGER push_note_stale AFTER DELETE ON proposal_votes
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION push_note_stale('proposal_votes');
CREATE OR REPLACE TRIGGER push_note_stale AFTER DELETE ON event_conflicts
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION push_note_stale('conflicts');
CREATE OR REPLACE TRIGGER push_note_stale AFTER DELETE ON group_members
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION push_note_stale('members');

-- After a row has moved to another feedback or project.
CREATE OR REPLACE FUNCTION push_note_moved() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF TG_ARGV[0] = 'new_feedback' THEN
    INSERT INTO stale_entries (notification_id, user_id, app)
    SELECT coalesce(push_teller(n.id), n.id), n.user_id, n.app FROM notifications n
    WHERE n.feedback_id = NEW.id AND n.family = 'new_feedback';
  ELSE
    PERFORM push_note_stale_of_feedback(OLD.feedback_id, TG_ARGV[0]);
  END IF;
  RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION push_note_moved FROM PUBLIC;
CREATE OR REPLACE TRIGGER push_note_moved AFTER UPDATE OF feedback_id ON votes FOR EACH ROW
  WHEN (OLD.feedback_id IS DISTINCT FROM NEW.feedback_id) EXECUTE FUNCTION push_note_moved('votes');
DO $$
BEGIN
  IF push_knows('comments', 'feedback_id') THEN
    CREATE OR REPLACE TRIGGER push_note_stale AFTER DELETE ON comments
      REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION push_note_stale('comments');
    CREATE OR REPLACE TRIGGER push_note_moved AFTER UPDATE OF feedback_id ON comments FOR EACH ROW
      WHEN (OLD.feedback_id IS DISTINCT FROM NEW.feedback_id) EXECUTE FUNCTION push_note_moved('comments');
  END IF;
END
$$;
CREATE OR REPLACE TRIGGER push_note_moved AFTER UPDATE OF project_id ON feedbacks FOR EACH ROW
  WHEN (OLD.project_id IS DISTINCT FROM NEW.project_id) EXECUTE FUNCTION push_note_moved('new_feedback');

-- A notification may go with its subject while it tells of others, as of new feedback of a project. The newest of those
-- takes its place: in the inbox, and on the phone with the next push. Those before it hang on that one from then on.
CREATE OR REPLACE FUNCTION push_pass_on() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  heir uuid;
  teller uuid := coalesce(push_teller(OLD.merged_into), OLD.merged_into);
BEGIN
  IF OLD.merged_into IS NULL THEN
    SELECT n.id INTO heir FROM notifications n JOIN feedbacks f ON f.id = n.feedback_id
    WHERE n.merged_into = OLD.id ORDER BY n.created_at DESC, n.id DESC LIMIT 1;
    teller := heir;
  END IF;
  IF teller IS NULL THEN RETURN NULL; END IF;
  PERFORM set_config('app.own_write', 'on', true);
  UPDATE notifications n
  SET merged_into = nullif(CASE WHEN OLD.merged_into IS NULL THEN heir ELSE OLD.merged_into END, n.id)
  WHERE n.merged_into = OLD.id;
  IF heir IS NOT NULL THEN
    UPDATE notifications n
    SET is_archived = OLD.is_archived, is_read = OLD.is_read, is_gone = OLD.is_gone, phone_text = coalesce(
        OLD.phone_text, CASE WHEN OLD.pushed_at IS NOT NULL THEN ARRAY[OLD.title, OLD.body]::text[] END),
      counts_for_badge = OLD.counts_for_badge, pushed_at = OLD.pushed_at, collapse_id = OLD.collapse_id,
      window_ends_at = OLD.window_ends_at
    WHERE n.id = heir;
  END IF;
  PERFORM set_config('app.own_write', 'off', true);
  INSERT INTO stale_entries (notification_id, user_id, app) VALUES (teller, OLD.user_id, OLD.app);
  RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION push_pass_on FROM PUBLIC;
CREATE OR REPLACE TRIGGER push_pass_on AFTER DELETE ON notifications
  FOR EACH ROW WHEN (
    OLD.family IN ('new_feedback', 'statuses') AND current_setting('app.own_write', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION push_pass_on();

-- Rows that an app may delete at any moment ---------------------------------------------------------------------------

-- What writes about a push needs rows that an app may delete, with all that hangs on them, in an order of its own. A session
-- that holds one of those rows while it waits for another can deadlock with that.

-- Locks what results of deliveries are written to, and never waits: what somebody else has is left out.
CREATE OR REPLACE FUNCTION push_hold_answered(ids uuid[])
RETURNS TABLE (delivery_id uuid, place tid, registered_at timestamptz, acceptances bigint)
LANGUAGE sql VOLATILE ROWS 100
BEGIN ATOMIC
  SELECT d.id, d.ctid, t.registered_at, t.acceptances
  FROM unnest(push_hold_answered.ids) AS i (id)
  CROSS JOIN LATERAL (
    SELECT d.id, d.ctid, d.device_token_id FROM deliveries d WHERE d.id = i.id FOR NO KEY UPDATE OF d SKIP LOCKED
  ) d
  CROSS JOIN LATERAL (
    SELECT t.registered_at, t.acceptances FROM device_tokens t WHERE t.id = d.device_token_id
    FOR NO KEY UPDATE OF t SKIP LOCKED
  ) t;
END;

-- Keeps people from being deleted before anything that hangs on them is locked; answers with those who are there.
CREATE OR REPLACE FUNCTION push_hold_people(ids uuid[]) RETURNS SETOF uuid
LANGUAGE sql VOLATILE SECURITY DEFINER ROWS 100
BEGIN ATOMIC
  SELECT u.id FROM users u
  WHERE u.id = ANY (push_hold_people.ids) AND has_table_privilege(session_user, 'notifications'::regclass, 'INSERT')
  ORDER BY u.id FOR KEY SHARE OF u;
END;
