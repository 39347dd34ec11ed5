-- Compatible
-- Writes notifications by live-activities: type 'vote_count', title '', is_read true, is_archived true
-- Whom a change is about, so that nobody reads a proposal's notifications again because of a vote.

-- Each of the notifications in `openings` may open an activity; NULL, as earlier versions write it, stands for all of the
-- subject. `device_ids` are devices whose activity is gone: they get the number of voters that it would have said.
ALTER TABLE activity_changes ADD COLUMN IF NOT EXISTS openings uuid[];
ALTER TABLE activity_changes ADD COLUMN IF NOT EXISTS device_ids uuid[] NOT NULL DEFAULT '{}';

-- Activities that have ended, and may still be on lock screens.
CREATE INDEX IF NOT EXISTS idx_live_activities_ended ON live_activities (subject_id, app) WHERE ended_reason = 'ended';

-- As before; a change names the notifications.
CREATE OR REPLACE FUNCTION push_open_activities() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF TG_LEVEL = 'ROW' THEN
    INSERT INTO activity_changes (app, subject_id, due_at, openings)
    SELECT NEW.app, p.id, greatest(push_now() + interval '10 seconds', p.deadline - interval '8 hours'), ARRAY[NEW.id]
    FROM event_proposals p
    WHERE p.id = NEW.proposal_id AND EXISTS (
      SELECT FROM live_activities a
      WHERE a.user_id = NEW.user_id AND a.app = NEW.app AND a.subject_id = '' AND a.ended_at IS NULL);
  ELSIF EXISTS (SELECT FROM born n WHERE n.app = 'lockitin' AND lower(n.type) = 'proposal_created') THEN
    INSERT INTO activity_changes (app, subject_id, due_at, openings)
    SELECT 'lockitin', p.id, greatest(push_now() + interval '10 seconds', p.deadline - interval '8 hours'), o.ids
    FROM (
      SELECT n.proposal_id, array_agg(n.id) AS ids FROM born n
      WHERE n.app = 'lockitin' AND lower(n.type) = 'proposal_created' AND n.pushed_at IS NOT NULL AND EXISTS (
        SELECT FROM live_activities a
        WHERE a.user_id = n.user_id AND a.app = n.app AND a.subject_id = '' AND a.ended_at IS NULL)
      GROUP BY n.proposal_id
    ) o JOIN event_proposals p ON p.id = o.proposal_id;
  END IF;
  RETURN NULL;
END
$$;

-- As before; what has ended within the hour may still be shown, and only a proposal that is open can open anything.
CREATE OR REPLACE FUNCTION push_change_activities() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  can_open boolean := false;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    can_open := NEW.status = 'open';
  END IF;
  INSERT INTO activity_changes (app, subject_id, due_at, openings)
  SELECT 'lockitin', OLD.id, push_now(), CASE WHEN can_open THEN NULL ELSE '{}'::uuid[] END
  WHERE EXISTS (
      SELECT FROM live_activities a WHERE a.subject_id = OLD.id::text AND a.app = 'lockitin' AND a.ended_at IS NULL)
    OR EXISTS (
      SELECT FROM live_activities a
      WHERE a.subject_id = OLD.id::text AND a.app = 'lockitin' AND a.ended_reason = 'ended'
        AND a.ended_at > push_now() - interval '1 hour')
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
