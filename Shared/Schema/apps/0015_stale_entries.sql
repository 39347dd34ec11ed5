-- Compatible
-- Closes a table, and functions, to the clients of Supabase: only servers use them.
CREATE OR REPLACE FUNCTION push_close_to_clients(tab regclass, VARIADIC functions regproc[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  clients text := (
    SELECT string_agg(quote_ident(rolname), ', ') FROM pg_roles WHERE rolname IN ('anon', 'authenticated'));
  routine regproc;
  counter regclass;
BEGIN
  IF NOT (SELECT relrowsecurity FROM pg_class WHERE oid = tab) THEN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', tab);
    EXECUTE format('CREATE POLICY push_servers ON %s USING (push_is_server())', tab);
  END IF;
  IF clients IS NOT NULL THEN
    EXECUTE format('REVOKE ALL ON %s FROM %s', tab, clients);
    FOR counter IN
      SELECT d.objid::regclass FROM pg_depend d JOIN pg_class c ON c.oid = d.objid AND c.relkind = 'S'
      WHERE d.refobjid = tab AND d.deptype IN ('a', 'i')
    LOOP
      EXECUTE format('REVOKE ALL ON SEQUENCE %s FROM %s', counter, clients);
    END LOOP;
  END IF;
  FOREACH routine IN ARRAY functions LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM %s', routine, concat_ws(', ', 'PUBLIC', clients));
  END LOOP;
END
$$;
REVOKE EXECUTE ON FUNCTION push_close_to_clients FROM PUBLIC;

-- Entries of the inbox that may say what is no longer true: an act that they tell of was taken back, or its row is gone.
-- `release-held` corrects them. A row refers to nothing, and is only added here: an app that deletes rows waits for
-- nobody.
CREATE TABLE IF NOT EXISTS stale_entries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  notification_id uuid NOT NULL,
  user_id uuid NOT NULL,
  app text NOT NULL
);

-- What the phone still says of a notification whose words in the inbox were corrected: its title and body. `is_gone` is
-- a notification that left the inbox because it is no longer true. The next push of its subject takes its place on the
-- phone.
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS phone_text text[];
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS is_gone boolean NOT NULL DEFAULT false;

CREATE INDEX IF NOT EXISTS idx_notifications_feedback_unread ON notifications (feedback_id)
  WHERE feedback_id IS NOT NULL AND is_read IS NOT TRUE AND is_archived IS NOT TRUE;

CREATE OR REPLACE FUNCTION push_note_stale_of_feedback(feedback uuid, told text) RETURNS void
LANGUAGE sql SECURITY DEFINER AS $$
  INSERT INTO stale_entries (notification_id, user_id, app)
  SELECT n.id, n.user_id, n.app FROM notifications n
  WHERE n.feedback_id = feedback AND n.family = told AND n.merged_into IS NULL
    AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE
$$;

CREATE OR REPLACE FUNCTION push_note_stale_of_proposal(proposal uuid, told text[]) RETURNS void
LANGUAGE sql SECURITY DEFINER AS $$
  INSERT INTO stale_entries (notification_id, user_id, app)
  SELECT n.id, n.user_id, n.app FROM notifications n
  WHERE n.proposal_id = proposal AND n.family = ANY (told) AND n.merged_into IS NULL
    AND (n.is_read IS NOT TRUE OR n.family = 'conflicts') AND n.is_archived IS NOT TRUE
$$;

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

CREATE OR REPLACE TRIGGER push_note_stale AFTER DELETE ON votes
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION push_note_stale('votes');
CREATE OR REPLACE TRIGGER push_note_stale AFTER DELETE ON comments
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION push_note_stale('comments');
CREATE OR REPLACE TRIGGER push_note_stale AFTER DELETE ON proposal_votes
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION push_note_stale('proposal_votes');
CREATE OR REPLACE TRIGGER push_note_stale AFTER DELETE ON event_conflicts
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION push_note_stale('conflicts');
CREATE OR REPLACE TRIGGER push_note_stale AFTER DELETE ON group_members
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION push_note_stale('members');
CREATE OR REPLACE TRIGGER push_note_moved AFTER UPDATE OF feedback_id ON votes FOR EACH ROW
  WHEN (OLD.feedback_id IS DISTINCT FROM NEW.feedback_id) EXECUTE FUNCTION push_note_moved('votes');
CREATE OR REPLACE TRIGGER push_note_moved AFTER UPDATE OF feedback_id ON comments FOR EACH ROW
  WHEN (OLD.feedback_id IS DISTINCT FROM NEW.feedback_id) EXECUTE FUNCTION push_note_moved('comments');
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
CREATE OR REPLACE TRIGGER push_pass_on AFTER DELETE ON notifications
  FOR EACH ROW WHEN (
    OLD.family IN ('new_feedback', 'statuses') AND current_setting('app.own_write', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION push_pass_on();

-- One question for all votes that a statement deletes: an app that replaces the options of a large group waits less.
CREATE OR REPLACE FUNCTION push_vote_lost() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO proposal_lost_votes AS l (proposal_id, user_id, options_version)
  SELECT p.id, u.id, max(coalesce(g.options_version, 0))
  FROM gone g JOIN event_proposals p ON p.id = g.proposal_id AND p.status = 'open' JOIN users u ON u.id = g.user_id
  WHERE NOT EXISTS (SELECT FROM proposal_options o WHERE o.id = g.option_id)
  GROUP BY p.id, u.id
  ON CONFLICT (proposal_id, user_id) DO UPDATE SET options_version = excluded.options_version
    WHERE l.options_version < excluded.options_version;
  RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER push_vote_lost AFTER DELETE ON proposal_votes
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION push_vote_lost();

-- Whether an act still counts. It counts by its own row where the notification names it: several people may write under
-- one name.
CREATE OR REPLACE FUNCTION push_counts(n notifications) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE n.family
    WHEN 'votes' THEN EXISTS (
      SELECT FROM votes v WHERE v.feedback_id = n.feedback_id AND v.user_id = n.actor)
    WHEN 'comments' THEN CASE WHEN push_uuid(n.data ->> 'commentId') IS NULL
      THEN EXISTS (SELECT FROM comments c WHERE c.feedback_id = n.feedback_id AND c.user_id = n.actor)
      ELSE EXISTS (
        SELECT FROM comments c WHERE c.id = push_uuid(n.data ->> 'commentId') AND c.feedback_id = n.feedback_id) END
    WHEN 'new_feedback' THEN EXISTS (SELECT FROM feedbacks f WHERE f.id = n.feedback_id AND f.project_id = n.project_id)
    WHEN 'proposal_votes' THEN EXISTS (
      SELECT FROM proposal_votes v
      JOIN event_proposals p ON p.id = v.proposal_id
      JOIN group_members m ON m.group_id = p.group_id AND m.user_id = v.user_id
      WHERE v.proposal_id = n.proposal_id AND v.user_id = push_uuid(n.actor))
    WHEN 'conflicts' THEN EXISTS (
      SELECT FROM event_conflicts c
      JOIN event_proposals p ON p.id = c.proposal_id
      JOIN group_members m ON m.group_id = p.group_id AND m.user_id = c.user_id
      WHERE c.proposal_id = n.proposal_id AND c.user_id = push_uuid(n.actor) AND (
        n.recipient_reason = 'organizer'
        OR c.existing_event_id IS NOT DISTINCT FROM push_uuid(n.data ->> 'existing_event_id')))
    ELSE true
  END
$$;

DO $$
BEGIN
  PERFORM push_close_to_clients('stale_entries', 'push_note_stale', 'push_note_stale_of_feedback',
    'push_note_stale_of_proposal', 'push_note_moved', 'push_pass_on', 'push_close_to_clients');
END
$$;
