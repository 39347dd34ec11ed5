-- Compatible
-- Knows: activity_facts by id, app, subject_id, notification_id, facts
-- Live Activities of any app: what changes is noted by the same functions, which triggers of each app call.
-- An older runner knows the activities of LockItIn alone: it is kept from those of other apps, which wait for a new one.

DO $$
BEGIN
  IF to_regclass('activity_facts') IS NOT NULL AND NOT EXISTS (
    SELECT FROM pg_policy WHERE polrelid = to_regclass('activity_facts') AND polname = 'push_servers')
  THEN
    RAISE EXCEPTION 'activity_facts is the app''s own table, and so is about something else: give it another name.'
      USING ERRCODE = 'duplicate_table';
  END IF;
END
$$;

-- What the notifications of an app say of their subject, for an app whose tables are not here: a row for each of them, so
-- that nobody waits for another. The newest says how the subject stands.
CREATE TABLE IF NOT EXISTS activity_facts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app text NOT NULL,
  subject_id text NOT NULL,
  notification_id uuid NOT NULL,
  facts jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT push_now()
);
CREATE INDEX IF NOT EXISTS idx_activity_facts_subject ON activity_facts (subject_id, app, id);
-- For the daily cleanup.
CREATE INDEX IF NOT EXISTS idx_activity_facts_created ON activity_facts (created_at);

-- Notes that a subject has changed, if an activity about it may be shown, or is about to be; once in a transaction.
-- `openings` as in activity_changes. It is of plpgsql so that it keeps its plan, which reads no table from its start: rows
-- may come by the thousand.
CREATE OR REPLACE FUNCTION push_note_activity(app text, subject text, openings uuid[]) RETURNS void
LANGUAGE plpgsql VOLATILE SET enable_seqscan = off AS $$
BEGIN
  IF EXISTS (
    SELECT FROM activity_changes c
    WHERE c.subject_id = $2 AND c.app = $1 AND c.due_at = push_now() AND c.openings IS NOT DISTINCT FROM $3
      AND c.xmin = pg_current_xact_id()::xid)
  THEN
    RETURN;
  END IF;
  INSERT INTO activity_changes (app, subject_id, due_at, openings)
  SELECT $1, $2, push_now(), $3
  WHERE EXISTS (SELECT FROM live_activities a WHERE a.subject_id = $2 AND a.app = $1 AND a.ended_at IS NULL)
    OR EXISTS (
      SELECT FROM live_activities a
      WHERE a.subject_id = $2 AND a.app = $1 AND a.ended_reason = 'ended' AND a.ended_at > push_now() - interval '1 hour')
    OR EXISTS (SELECT FROM activity_changes c WHERE c.subject_id = $2 AND c.app = $1);
END
$$;

-- A row that activities show has changed, or is gone. Arguments: the app, and the `status` with which it can open some;
-- without arguments, LockItIn's.
CREATE OR REPLACE FUNCTION push_change_activities() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  can_open boolean := false;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    can_open := to_jsonb(NEW) ->> 'status' = coalesce(TG_ARGV[1], 'open');
  END IF;
  PERFORM push_note_activity(
    coalesce(TG_ARGV[0], 'lockitin'), OLD.id::text, CASE WHEN can_open THEN NULL ELSE '{}'::uuid[] END);
  RETURN NULL;
END
$$;

-- A notification that says how its subject stands, or that was pushed and so may open an activity about it. Arguments: the
-- name of the subject, and the names of what is kept, all in columns or `data`.
CREATE OR REPLACE FUNCTION push_show_entry() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  entry jsonb := to_jsonb(NEW);
  entry_id uuid := push_uuid(entry ->> 'id');
  subject text := push_uuid(
    coalesce(nullif(entry ->> TG_ARGV[0], ''), entry -> 'data' ->> TG_ARGV[0], entry ->> 'subject_id'))::text;
BEGIN
  IF subject IS NULL OR entry_id IS NULL THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO activity_facts (app, subject_id, notification_id, facts)
    SELECT NEW.app, subject, entry_id, coalesce(jsonb_object_agg(k.name, left(v.value, 100)), '{}')
    FROM unnest(TG_ARGV[1:]) AS k (name)
    CROSS JOIN LATERAL (
      SELECT coalesce(nullif(entry ->> k.name, ''), nullif(entry -> 'data' ->> k.name, '')) AS value
    ) v
    WHERE v.value IS NOT NULL;
    PERFORM push_note_activity(NEW.app, subject, '{}');
  ELSE
    INSERT INTO activity_changes (app, subject_id, due_at, openings)
    SELECT NEW.app, subject, push_now() + interval '10 seconds', ARRAY[entry_id]
    WHERE EXISTS (
      SELECT FROM live_activities a
      WHERE a.user_id = NEW.user_id AND a.app = NEW.app AND a.subject_id = '' AND a.ended_at IS NULL);
  END IF;
  RETURN NULL;
END
$$;

-- Leaves a change or a push to a runner that knows the subject: an older one would drop the change, and would end the
-- activity with a proposal's words. It waits a minute, so that what follows it goes on; a change waits a day at most.
CREATE OR REPLACE FUNCTION push_leave_activity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    UPDATE deliveries SET not_before = least(push_now() + interval '1 minute', expires_at) WHERE id = OLD.id;
  ELSIF OLD.failing_since <= push_now() - interval '1 day' THEN
    RETURN OLD;
  ELSE
    UPDATE activity_changes
    SET due_at = push_now() + interval '1 minute', failing_since = coalesce(failing_since, push_now()) WHERE id = OLD.id;
  END IF;
  RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER push_leave_change BEFORE DELETE ON activity_changes
  FOR EACH ROW WHEN (
    OLD.app <> 'lockitin' AND current_setting('app.activity_subjects', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION push_leave_activity();
-- Older runners lease by UUIDs of version 4.
CREATE OR REPLACE TRIGGER push_leave_push BEFORE UPDATE OF lease_id ON deliveries
  FOR EACH ROW WHEN (
    OLD.activity_id IS NOT NULL AND OLD.app <> 'lockitin' AND substr(NEW.lease_id::text, 15, 1) = '4')
  EXECUTE FUNCTION push_leave_activity();
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION push_change_activities() SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION push_show_entry() SET search_path = %I, pg_temp', current_schema());
END
$$;
SELECT push_close_to_clients('activity_facts', 'push_note_activity', 'push_show_entry', 'push_leave_activity');
