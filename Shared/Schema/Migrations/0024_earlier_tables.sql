-- Tables that were there before this schema, made by an app's own migrations: they lack what ours have.

-- Fluent gives ids and times no default.
DO $$
DECLARE
  place record;
BEGIN
  FOR place IN
    SELECT a.attrelid::regclass AS tab, a.attname AS col,
      CASE a.atttypid WHEN 'uuid'::regtype THEN 'gen_random_uuid()' ELSE 'now()' END AS value
    FROM pg_attribute AS a
    WHERE a.attrelid = ANY (ARRAY['device_tokens', 'project_member_preferences', 'push_notification_logs',
        'notifications', 'notification_settings', 'user_notification_preferences', 'group_notification_preferences'
      ]::regclass[])
      AND NOT a.atthasdef AND NOT a.attisdropped
      AND (a.attname = 'id' AND a.atttypid = 'uuid'::regtype
        OR a.attname = 'created_at' AND a.atttypid = 'timestamptz'::regtype)
  LOOP
    EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT %s', place.tab, place.col, place.value);
  END LOOP;
END $$;

-- A device that was there before `registered_at` was registered when its row was made: what a provider says of an earlier
-- time still counts.
DO $$
DECLARE
  added timestamptz := now();
BEGIN
  IF to_regclass('runner.migrations') IS NOT NULL THEN
    SELECT coalesce(max(m.applied_at), added) INTO added FROM runner.migrations AS m WHERE m.name = 'apps/0002_push';
  END IF;
  UPDATE device_tokens SET registered_at = created_at WHERE created_at < registered_at AND registered_at <= added;
END $$;

-- Checks that know fewer platforms than ours.
DO $$
DECLARE
  old name;
BEGIN
  FOR old IN
    SELECT c.conname FROM pg_constraint AS c JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attname = 'platform'
    WHERE c.conrelid = 'device_tokens'::regclass AND c.contype = 'c' AND c.conkey = ARRAY[a.attnum]
      AND position('visionos' IN pg_get_constraintdef(c.oid)) = 0
  LOOP
    EXECUTE format('ALTER TABLE device_tokens DROP CONSTRAINT %I', old);
    EXECUTE 'ALTER TABLE device_tokens DROP CONSTRAINT IF EXISTS valid_platform';
    ALTER TABLE device_tokens ADD CONSTRAINT valid_platform CHECK (
      lower(platform) IN ('ios', 'ipados', 'macos', 'watchos', 'tvos', 'visionos', 'android', 'web')) NOT VALID;
  END LOOP;
END $$;

-- ProcessInfo.operatingSystemVersionString is longer than 20 characters: "Version 18.0 (Build 22A3354)".
ALTER TABLE device_tokens ALTER COLUMN os_version TYPE text;
