-- Runs before all others: where apps have made tables of these names in their own way, they get what the others build on.
-- Nothing is taken away, and in a database without such tables nothing is done.
-- Knows: comments by feedback_id
-- Knows: feedbacks by project_id
-- Knows: friend_requests by requester_id, recipient_id
-- Knows: group_members by group_id, user_id
-- Knows: projects by owner_id
-- Knows: votes by feedback_id
-- Leaves: comments, friend_requests

-- The tables that are here already: they are the app's own. The last migration closes all others, and drops this.
CREATE TABLE IF NOT EXISTS push_found_tables AS
SELECT relname::text AS name FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'f');

DO $body$
DECLARE
  zone text := current_setting('TimeZone');
  -- Tables that have no more than the name, see above.
  others oid[] := ARRAY(
    SELECT c.oid FROM pg_class AS c
    WHERE c.oid = to_regclass('friend_requests') AND 2 > (
      SELECT count(*) FROM pg_attribute AS a
      WHERE a.attrelid = c.oid AND a.attname IN ('requester_id', 'recipient_id') AND NOT a.attisdropped));
  place record;
BEGIN
  -- Times without a zone are Supabase's, and so UTC. Then this only changes the catalog.
  PERFORM set_config('TimeZone', 'UTC', true);
  FOR place IN
    SELECT a.attrelid::regclass AS tab,
      string_agg(format('ALTER COLUMN %I TYPE timestamptz', a.attname), ', ' ORDER BY a.attnum) AS changes
    FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p')
    WHERE a.attrelid = ANY (ARRAY(
        SELECT to_regclass(name)::oid FROM unnest(ARRAY['device_tokens', 'project_member_preferences',
          'notifications', 'groups', 'group_members', 'event_proposals', 'proposal_options', 'proposal_votes', 'events',
          'friend_requests', 'group_invites', 'event_conflicts', 'event_attendees',
          'user_notification_preferences']) AS t (name)))
      AND a.attrelid <> ALL (others) AND a.atttypid = 'timestamp'::regtype AND a.attnum > 0 AND NOT a.attisdropped
    GROUP BY a.attrelid
  LOOP
    BEGIN
      EXECUTE format('ALTER TABLE %s %s', place.tab, place.changes);
    EXCEPTION WHEN feature_not_supported OR invalid_object_definition THEN
      RAISE feature_not_supported USING MESSAGE = format(
        '%s has times without a zone that something uses (%s): drop that, run "runner migrate", and make it again',
        place.tab, SQLERRM);
    END;
  END LOOP;
  PERFORM set_config('TimeZone', zone, true);

  FOR place IN
    -- An app that has the same text under another name keeps it there.
    SELECT c.oid::regclass AS tab, string_agg(format('ADD COLUMN %I %s', v.col, coalesce((
      SELECT format('text GENERATED ALWAYS AS (coalesce(%I, '''')) STORED', a.attname)
      FROM unnest(CASE v.tab || '.' || v.col
        WHEN 'users.name' THEN ARRAY['full_name', 'display_name', 'first_name', 'username']
        WHEN 'event_proposals.title' THEN ARRAY['event_title', 'name']
        WHEN 'events.title' THEN ARRAY['event_title', 'name'] END) WITH ORDINALITY AS w (col, place)
      JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = w.col AND NOT a.attisdropped
        AND a.atttypid IN ('text'::regtype, 'varchar'::regtype) AND a.attgenerated = ''
      ORDER BY w.place LIMIT 1), v.definition)), ', ' ORDER BY v.col) AS changes
    FROM (VALUES
      ('users', 'email', 'text'), ('users', 'name', $$text NOT NULL DEFAULT ''$$),
      ('notifications', 'title', 'varchar(255)'), ('notifications', 'body', 'varchar(500)'),
      ('notifications', 'data', $$jsonb DEFAULT '{}'$$), ('notifications', 'proposal_id', 'uuid'),
      ('notifications', 'is_read', 'boolean DEFAULT false'), ('notifications', 'is_archived', 'boolean DEFAULT false'),
      ('notifications', 'created_at', 'timestamptz DEFAULT now()'),
      ('notifications', 'expires_at', 'timestamptz'),
      ('notifications', 'updated_at', 'timestamptz DEFAULT now()'),
      ('device_tokens', 'platform', $$varchar(10) NOT NULL DEFAULT 'iOS'$$),
      ('device_tokens', 'app_version', 'varchar(20)'), ('device_tokens', 'os_version', 'text'),
      ('device_tokens', 'is_active', 'boolean NOT NULL DEFAULT true'),
      ('device_tokens', 'created_at', 'timestamptz DEFAULT now()'), ('device_tokens', 'last_used_at', 'timestamptz'),
      ('device_tokens', 'registered_at', 'timestamptz NOT NULL DEFAULT now()'),
      ('project_member_preferences', 'push_notify_new_feedback', 'boolean'),
      ('project_member_preferences', 'push_notify_new_comments', 'boolean'),
      ('project_member_preferences', 'push_notify_votes', 'boolean'),
      ('project_member_preferences', 'push_notify_status_changes', 'boolean'),
      ('project_member_preferences', 'push_muted', 'boolean NOT NULL DEFAULT false'),
      ('project_member_preferences', 'email_notify_new_feedback', 'boolean'),
      ('project_member_preferences', 'email_notify_new_comments', 'boolean'),
      ('project_member_preferences', 'email_muted', 'boolean NOT NULL DEFAULT false'),
      ('project_member_preferences', 'created_at', 'timestamptz'),
      ('project_member_preferences', 'updated_at', 'timestamptz'),
      ('user_notification_preferences', 'notifications_enabled', 'boolean DEFAULT true'),
      ('user_notification_preferences', 'proposal_notifications', 'boolean DEFAULT true'),
      ('user_notification_preferences', 'vote_updates', 'boolean DEFAULT true'),
      ('user_notification_preferences', 'conflict_alerts', 'boolean DEFAULT true'),
      ('user_notification_preferences', 'friend_requests', 'boolean DEFAULT true'),
      ('user_notification_preferences', 'event_reminders', 'boolean DEFAULT true'),
      ('user_notification_preferences', 'group_updates', 'boolean DEFAULT true'),
      ('user_notification_preferences', 'notification_sound', $$varchar(50) DEFAULT 'default'$$),
      ('user_notification_preferences', 'haptic_feedback', 'boolean DEFAULT true'),
      ('user_notification_preferences', 'quiet_hours_enabled', 'boolean DEFAULT false'),
      ('user_notification_preferences', 'quiet_hours_start', 'time'),
      ('user_notification_preferences', 'quiet_hours_end', 'time'),
      ('user_notification_preferences', 'timezone', 'varchar(100)'),
      ('user_notification_preferences', 'summary_notifications_enabled', 'boolean DEFAULT true'),
      ('user_notification_preferences', 'created_at', 'timestamptz DEFAULT now()'),
      ('user_notification_preferences', 'updated_at', 'timestamptz DEFAULT now()'),
      ('group_notification_preferences', 'proposal_notifications', 'boolean'),
      ('group_notification_preferences', 'vote_updates', 'boolean'),
      ('group_notification_preferences', 'confirmations', 'boolean'),
      ('group_notification_preferences', 'event_reminders', 'boolean'),
      ('group_notification_preferences', 'notification_level', $$varchar(20) DEFAULT 'all'
        CONSTRAINT group_notification_level CHECK (notification_level IN ('all', 'important', 'muted'))$$),
      ('groups', 'name', $$text NOT NULL DEFAULT ''$$), ('groups', 'created_by', 'uuid'),
      ('group_members', 'created_at', 'timestamptz DEFAULT now()'),
      ('event_proposals', 'group_id', 'uuid'), ('event_proposals', 'created_by', 'uuid'),
      ('event_proposals', 'title', $$text NOT NULL DEFAULT ''$$), ('event_proposals', 'deadline', 'timestamptz'),
      ('event_proposals', 'status', $$text NOT NULL DEFAULT 'open'$$),
      ('event_proposals', 'visibility', $$text NOT NULL DEFAULT 'shared_with_name'$$),
      ('event_proposals', 'options_version', 'integer NOT NULL DEFAULT 1'),
      ('event_proposals', 'created_at', 'timestamptz DEFAULT now()'),
      ('event_proposals', 'updated_at', 'timestamptz DEFAULT now()'),
      ('proposal_options', 'starts_at', 'timestamptz'), ('proposal_options', 'ends_at', 'timestamptz'),
      ('proposal_options', 'created_at', 'timestamptz DEFAULT now()'),
      -- LockItIn's own people vote on a proposal, and not on its options.
      ('proposal_votes', 'option_id', 'uuid'), ('proposal_votes', 'created_at', 'timestamptz DEFAULT now()'),
      ('proposal_votes', 'updated_at', 'timestamptz DEFAULT now()'),
      ('events', 'group_id', 'uuid'), ('events', 'proposal_id', 'uuid'), ('events', 'option_id', 'uuid'),
      ('events', 'created_by', 'uuid'), ('events', 'title', $$text NOT NULL DEFAULT ''$$), ('events', 'location', 'text'),
      ('events', 'location_latitude', 'double precision'), ('events', 'location_longitude', 'double precision'),
      ('events', 'starts_at', 'timestamptz'), ('events', 'ends_at', 'timestamptz'),
      ('events', 'status', $$text NOT NULL DEFAULT 'confirmed'$$),
      ('events', 'visibility', $$text NOT NULL DEFAULT 'shared_with_name'$$),
      ('events', 'is_tracked', 'boolean NOT NULL DEFAULT true'), ('events', 'created_at', 'timestamptz DEFAULT now()'),
      ('friend_requests', 'status', $$text NOT NULL DEFAULT 'pending'$$),
      ('friend_requests', 'created_at', 'timestamptz DEFAULT now()'),
      ('friend_requests', 'updated_at', 'timestamptz DEFAULT now()'),
      ('group_invites', 'inviter_id', 'uuid'), ('group_invites', 'status', $$text NOT NULL DEFAULT 'pending'$$),
      ('group_invites', 'created_at', 'timestamptz DEFAULT now()'),
      ('group_invites', 'updated_at', 'timestamptz DEFAULT now()')
    ) AS v (tab, col, definition)
    JOIN pg_class AS c ON c.oid = to_regclass(v.tab) AND c.relkind IN ('r', 'p')
    WHERE c.oid <> ALL (others) AND NOT EXISTS (
      SELECT FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = v.col AND NOT a.attisdropped)
    GROUP BY c.oid
  LOOP
    EXECUTE format('ALTER TABLE %s %s', place.tab, place.changes);
    -- For new entries: what is there already has no end.
    IF place.changes LIKE '%ADD COLUMN expires_at %' THEN
      EXECUTE format('ALTER TABLE %s ALTER COLUMN expires_at SET DEFAULT now() + interval ''30 days''', place.tab);
    END IF;
    -- As in the table that is made here: a person has one vote on an option.
    IF place.tab = to_regclass('proposal_votes') AND place.changes LIKE '%ADD COLUMN option_id %' THEN
      EXECUTE format('ALTER TABLE %s ADD UNIQUE (option_id, user_id)', place.tab);
    END IF;
    -- A device that is there was registered when its row was made: what a provider says of an earlier time still counts.
    IF place.changes LIKE '%ADD COLUMN registered_at %' THEN
      EXECUTE format('UPDATE %s SET registered_at = created_at WHERE created_at < registered_at', place.tab);
    END IF;
  END LOOP;

  -- Fluent gives ids and times no default.
  FOR place IN
    SELECT a.attrelid::regclass AS tab, a.attname AS col,
      CASE a.atttypid WHEN 'uuid'::regtype THEN 'gen_random_uuid()' ELSE 'now()' END AS value
    FROM pg_attribute AS a
    WHERE a.attrelid = ANY (ARRAY(
        SELECT to_regclass(name)::oid FROM unnest(ARRAY['device_tokens', 'project_member_preferences',
          'notifications', 'user_notification_preferences', 'group_notification_preferences']) AS t (name)))
      AND NOT a.atthasdef AND NOT a.attisdropped
      AND (a.attname = 'id' AND a.atttypid = 'uuid'::regtype
        OR a.attname = 'created_at' AND a.atttypid = 'timestamptz'::regtype)
  LOOP
    EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT %s', place.tab, place.col, place.value);
  END LOOP;

  -- Checks that know fewer platforms than ours.
  FOR place IN
    SELECT c.conname FROM pg_constraint AS c JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attname = 'platform'
    WHERE c.conrelid = to_regclass('device_tokens') AND c.contype = 'c' AND c.conkey = ARRAY[a.attnum]
      AND position('visionos' IN pg_get_constraintdef(c.oid)) = 0
  LOOP
    EXECUTE format('ALTER TABLE device_tokens DROP CONSTRAINT %I', place.conname);
    ALTER TABLE device_tokens DROP CONSTRAINT IF EXISTS valid_platform, ADD CONSTRAINT valid_platform CHECK (
      lower(platform) IN ('ios', 'ipados', 'macos', 'watchos', 'tvos', 'visionos', 'android', 'web')) NOT VALID;
  END LOOP;
END
$body$;

-- LockItIn calls the token `device_token`, and has a row for each person who ever had the device. Here a token belongs to
-- the last of them; the rows of the others stay, without it.
CREATE OR REPLACE FUNCTION push_same_token() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF TG_OP = 'INSERT' AND NEW.token IS NULL
    OR TG_OP = 'UPDATE' AND NEW.device_token IS DISTINCT FROM OLD.device_token AND NEW.token = OLD.token
  THEN
    UPDATE device_tokens
    SET token = 'superseded ' || id, is_active = false, deactivated_at = push_now(), deactivated_reason = 'unregistered'
    -- Where a person may have the token twice, an earlier row of theirs gives way too; else theirs is updated.
    WHERE token = NEW.device_token AND id <> NEW.id AND (user_id <> NEW.user_id OR NOT EXISTS (
      SELECT FROM pg_index AS x
      WHERE x.indrelid = TG_RELID AND x.indisunique AND ARRAY['device_token', 'user_id'] = ARRAY(
        SELECT a.attname::text FROM pg_attribute AS a
        WHERE a.attrelid = TG_RELID AND a.attnum = ANY (x.indkey) ORDER BY a.attname)));
    NEW.token := NEW.device_token;
  ELSE
    NEW.device_token := NEW.token;
  END IF;
  IF NEW.token IS NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'not_null_violation', TABLE = 'device_tokens', COLUMN = 'device_token',
      MESSAGE = 'A device needs its token, in device_token or in token.';
  END IF;
  RETURN NEW;
END
$$;
REVOKE EXECUTE ON FUNCTION push_same_token FROM PUBLIC;

DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION push_same_token() SET search_path = %I, pg_temp', current_schema());
  IF 1 = (
    SELECT count(*) FROM pg_attribute
    WHERE attrelid = to_regclass('device_tokens') AND attname IN ('device_token', 'token') AND NOT attisdropped)
    AND EXISTS (
      SELECT FROM pg_attribute
      WHERE attrelid = to_regclass('device_tokens') AND attname = 'device_token' AND NOT attisdropped)
  THEN
    ALTER TABLE device_tokens ALTER COLUMN device_token TYPE text, ADD COLUMN token text UNIQUE,
      ADD COLUMN IF NOT EXISTS deactivated_at timestamptz, ADD COLUMN IF NOT EXISTS deactivated_reason text;
    UPDATE device_tokens AS d SET token = d.device_token
    FROM (
      SELECT DISTINCT ON (device_token) id FROM device_tokens
      ORDER BY device_token, is_active IS NOT FALSE DESC, last_used_at DESC NULLS LAST, created_at DESC NULLS LAST
    ) AS last
    WHERE d.id = last.id;
    UPDATE device_tokens
    SET token = 'superseded ' || id, device_token = 'superseded ' || id, is_active = false, deactivated_at = now(),
      deactivated_reason = 'unregistered'
    WHERE token IS NULL;
    ALTER TABLE device_tokens ALTER COLUMN token SET NOT NULL;
    CREATE TRIGGER push_same_token BEFORE INSERT OR UPDATE ON device_tokens
      FOR EACH ROW EXECUTE FUNCTION push_same_token();
  END IF;
END
$$;
