-- Compatible
-- Knows: live_activities by device_token_id, attributes_type, subject_id, stamp
-- Knows: activity_changes by id, app, subject_id, due_at
-- Writes notifications by live-activities: type 'live_activity', title '', is_read true, is_archived true
-- Removes from notifications: origin = 'function' AND type = 'live_activity'
-- Live Activities of ActivityKit: what a phone shows of one subject while it is open.

DO $$
DECLARE
  others text := (
    SELECT string_agg(name, ', ') FROM unnest(ARRAY['live_activities', 'activity_changes']) name
    WHERE to_regclass(name) IS NOT NULL AND NOT EXISTS (
      SELECT FROM pg_policy WHERE polrelid = to_regclass(name) AND polname = 'push_servers'));
BEGIN
  IF others IS NOT NULL THEN
    RAISE EXCEPTION '% is the app''s own table, and so is about something else: give it another name.', others
      USING ERRCODE = 'duplicate_table';
  END IF;
END
$$;

-- A device's activity about one subject, and with the subject '' its push-to-start token. `token` is NULL from the push
-- that starts an activity until the app registers the activity's own token. `stamp` is the timestamp of the last push,
-- `said` the last content that APNs accepted, and `said_stamp` its timestamp.
CREATE TABLE IF NOT EXISTS live_activities (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  device_token_id uuid NOT NULL REFERENCES device_tokens (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  app text NOT NULL,
  attributes_type text NOT NULL,
  subject_id text NOT NULL DEFAULT '',
  token text UNIQUE,
  environment text CONSTRAINT live_activities_environment CHECK (environment IN ('sandbox', 'production')),
  registered_at timestamptz,
  last_accepted_at timestamptz,
  acceptances bigint NOT NULL DEFAULT 0,
  stamp bigint NOT NULL DEFAULT 0,
  said text,
  said_stamp bigint,
  created_at timestamptz NOT NULL DEFAULT push_now(),
  ended_at timestamptz,
  ended_reason text,
  UNIQUE (device_token_id, attributes_type, subject_id)
);
CREATE INDEX IF NOT EXISTS idx_live_activities_subject ON live_activities (subject_id, app) WHERE ended_at IS NULL;
CREATE INDEX IF NOT EXISTS idx_live_activities_person ON live_activities (user_id);
-- For the daily cleanup.
CREATE INDEX IF NOT EXISTS idx_live_activities_created ON live_activities (created_at) WHERE subject_id <> '';

-- A subject that has changed, or will have changed at `due_at`; `live-activities` takes it.
CREATE TABLE IF NOT EXISTS activity_changes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app text NOT NULL,
  subject_id text NOT NULL,
  due_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_activity_changes_due ON activity_changes (due_at);
CREATE INDEX IF NOT EXISTS idx_activity_changes_subject ON activity_changes (subject_id, due_at);

-- The activity whose token a push is sent to; NULL for the device's own. It has no index, which nobody could make before
-- the column without locking the table, and so no foreign key: what is for an activity that is gone is not sent.
ALTER TABLE deliveries ADD COLUMN IF NOT EXISTS activity_id uuid;

-- `push_hold_answered` of 1012_changes: the registration is that of the activity, where the push went to one.
CREATE OR REPLACE FUNCTION push_hold_answered(ids uuid[])
RETURNS TABLE (delivery_id uuid, place tid, registered_at timestamptz, acceptances bigint)
LANGUAGE sql VOLATILE ROWS 100
BEGIN ATOMIC
  SELECT d.id, d.ctid, CASE WHEN d.activity_id IS NULL THEN t.registered_at ELSE a.registered_at END,
    CASE WHEN d.activity_id IS NULL THEN t.acceptances ELSE a.acceptances END
  FROM unnest(push_hold_answered.ids) AS i (id)
  CROSS JOIN LATERAL (
    SELECT d.id, d.ctid, d.device_token_id, d.activity_id FROM deliveries d WHERE d.id = i.id
    FOR NO KEY UPDATE OF d SKIP LOCKED
  ) d
  CROSS JOIN LATERAL (
    SELECT t.registered_at, t.acceptances FROM device_tokens t WHERE t.id = d.device_token_id
    FOR NO KEY UPDATE OF t SKIP LOCKED
  ) t
  LEFT JOIN live_activities a ON a.id = d.activity_id;
END;

-- A push that asks for votes opens an activity, eight hours before the deadline at the earliest: ActivityKit ends an
-- activity after eight hours.
CREATE OR REPLACE FUNCTION push_open_activities() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF TG_LEVEL = 'ROW' THEN
    INSERT INTO activity_changes (app, subject_id, due_at)
    SELECT NEW.app, p.id, greatest(push_now() + interval '10 seconds', p.deadline - interval '8 hours')
    FROM event_proposals p
    WHERE p.id = NEW.proposal_id AND EXISTS (
      SELECT FROM live_activities a
      WHERE a.user_id = NEW.user_id AND a.app = NEW.app AND a.subject_id = '' AND a.ended_at IS NULL);
  ELSIF EXISTS (SELECT FROM born n WHERE n.app = 'lockitin' AND lower(n.type) = 'proposal_created') THEN
    INSERT INTO activity_changes (app, subject_id, due_at)
    SELECT 'lockitin', p.id, greatest(push_now() + interval '10 seconds', p.deadline - interval '8 hours')
    FROM event_proposals p
    WHERE p.id IN (
      SELECT n.proposal_id FROM born n JOIN live_activities a
        ON a.user_id = n.user_id AND a.app = n.app AND a.subject_id = '' AND a.ended_at IS NULL
      WHERE n.app = 'lockitin' AND lower(n.type) = 'proposal_created' AND n.pushed_at IS NOT NULL);
  END IF;
  RETURN NULL;
END
$$;

-- A proposal that has changed in what its activities show, or is gone.
CREATE OR REPLACE FUNCTION push_change_activities() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO activity_changes (app, subject_id, due_at)
  SELECT 'lockitin', OLD.id, push_now()
  WHERE EXISTS (
      SELECT FROM live_activities a WHERE a.subject_id = OLD.id::text AND a.app = 'lockitin' AND a.ended_at IS NULL)
    OR EXISTS (SELECT FROM activity_changes c WHERE c.subject_id = OLD.id::text AND c.app = 'lockitin');
  RETURN NULL;
END
$$;
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION push_open_activities() SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION push_change_activities() SET search_path = %I, pg_temp', current_schema());
END
$$;
SELECT push_close_to_clients('live_activities', VARIADIC '{}'::regproc[]);
SELECT push_close_to_clients('activity_changes', 'push_open_activities', 'push_change_activities');
CREATE OR REPLACE TRIGGER push_open_activities AFTER INSERT ON notifications REFERENCING NEW TABLE AS born
  FOR EACH STATEMENT EXECUTE FUNCTION push_open_activities();
CREATE OR REPLACE TRIGGER push_open_activity AFTER UPDATE OF pushed_at ON notifications
  FOR EACH ROW WHEN (
    NEW.pushed_at IS NOT NULL AND OLD.pushed_at IS NULL AND NEW.app = 'lockitin'
    AND lower(NEW.type) = 'proposal_created')
  EXECUTE FUNCTION push_open_activities();
CREATE OR REPLACE TRIGGER push_change_activities AFTER UPDATE OF status, deadline ON event_proposals
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.deadline IS DISTINCT FROM NEW.deadline)
  EXECUTE FUNCTION push_change_activities();
CREATE OR REPLACE TRIGGER push_end_activities AFTER DELETE ON event_proposals
  FOR EACH ROW EXECUTE FUNCTION push_change_activities();
