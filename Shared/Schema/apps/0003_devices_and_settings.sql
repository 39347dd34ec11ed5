-- Replaces: 0002_push, 0007_provider_tokens, 0017_api_tokens, 0018_preferences, 0030_devices, 0033_unmuting
-- How a person is reached, and how they want to be told: devices, switches, settings and tokens.

-- Switches -----------------------------------------------------------------------------------------------------------

ALTER TABLE users
  ADD COLUMN IF NOT EXISTS push_notifications_enabled boolean NOT NULL DEFAULT true,
  ADD COLUMN IF NOT EXISTS push_notify_new_feedback boolean NOT NULL DEFAULT true,
  ADD COLUMN IF NOT EXISTS push_notify_new_comments boolean NOT NULL DEFAULT true,
  ADD COLUMN IF NOT EXISTS push_notify_votes boolean NOT NULL DEFAULT true,
  ADD COLUMN IF NOT EXISTS push_notify_status_changes boolean NOT NULL DEFAULT true;

ALTER TABLE votes ADD COLUMN IF NOT EXISTS user_email varchar(255);

-- FeedbackKit, for each project. An override that is NULL leaves the decision to the personal switch.
CREATE TABLE IF NOT EXISTS project_member_preferences (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  push_notify_new_feedback boolean,
  push_notify_new_comments boolean,
  push_notify_votes boolean,
  push_notify_status_changes boolean,
  push_muted boolean NOT NULL DEFAULT false,
  email_notify_new_feedback boolean,
  email_notify_new_comments boolean,
  email_muted boolean NOT NULL DEFAULT false,
  created_at timestamptz DEFAULT now(),
  updated_at timestamptz DEFAULT now(),
  CONSTRAINT unique_user_project UNIQUE (user_id, project_id)
);
CREATE INDEX IF NOT EXISTS idx_project_member_prefs_project ON project_member_preferences (project_id);

-- LockItIn, for each person.
CREATE TABLE IF NOT EXISTS user_notification_preferences (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL UNIQUE REFERENCES users (id) ON DELETE CASCADE,
  notifications_enabled boolean DEFAULT true,
  proposal_notifications boolean DEFAULT true,
  vote_updates boolean DEFAULT true,
  conflict_alerts boolean DEFAULT true,
  friend_requests boolean DEFAULT true,
  event_reminders boolean DEFAULT true,
  group_updates boolean DEFAULT true,
  notification_sound varchar(50) DEFAULT 'default',
  haptic_feedback boolean DEFAULT true,
  quiet_hours_enabled boolean DEFAULT false,
  quiet_hours_start time,
  quiet_hours_end time,
  timezone varchar(100),
  summary_notifications_enabled boolean DEFAULT true,
  created_at timestamptz DEFAULT now(),
  updated_at timestamptz DEFAULT now()
);
-- Kinds that share a switch in the app can each have their own; NULL follows the shared one, or the kind's default.
-- `quiet_hours_summary` says whether what waited for the end of quiet hours is told in one push; NULL
-- follows the app's default.
ALTER TABLE user_notification_preferences
  ADD COLUMN IF NOT EXISTS voting_deadline boolean,
  ADD COLUMN IF NOT EXISTS vote_cast boolean,
  ADD COLUMN IF NOT EXISTS confirmations boolean,
  ADD COLUMN IF NOT EXISTS day_before_reminders boolean,
  ADD COLUMN IF NOT EXISTS memory_prompts boolean,
  ADD COLUMN IF NOT EXISTS hourly_limit integer
    CONSTRAINT user_notification_preferences_limit CHECK (hourly_limit > 0),
  ADD COLUMN IF NOT EXISTS critical_alerts boolean DEFAULT false,
  ADD COLUMN IF NOT EXISTS quiet_hours_summary boolean;

-- LockItIn, for each group.
-- Overrides are NULL unless chosen: a row made for its level alone must not switch on what the person switched off.
CREATE TABLE IF NOT EXISTS group_notification_preferences (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  group_id uuid NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
  notification_level varchar(20) DEFAULT 'all'
    CONSTRAINT group_notification_level CHECK (notification_level IN ('all', 'important', 'muted')),
  proposal_notifications boolean,
  vote_updates boolean,
  confirmations boolean,
  event_reminders boolean,
  UNIQUE (user_id, group_id)
);
-- `updated_at` is when a person last changed what they want to hear of a group. `level_before_mute` is the level that a
-- muted group had, and comes back with; NULL while the group is not muted.
ALTER TABLE group_notification_preferences
  ADD COLUMN IF NOT EXISTS voting_deadline boolean,
  ADD COLUMN IF NOT EXISTS vote_cast boolean,
  ADD COLUMN IF NOT EXISTS day_before_reminders boolean,
  ADD COLUMN IF NOT EXISTS updated_at timestamptz,
  ADD COLUMN IF NOT EXISTS level_before_mute varchar(20)
    CONSTRAINT group_notification_level_before_mute CHECK (level_before_mute IN ('all', 'important'));
CREATE INDEX IF NOT EXISTS idx_group_notification_preferences_group ON group_notification_preferences (group_id);

CREATE OR REPLACE FUNCTION push_note_level() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.notification_level IS DISTINCT FROM 'muted' THEN
    NEW.level_before_mute := NULL;
  ELSIF OLD.notification_level IN ('all', 'important') THEN
    NEW.level_before_mute := OLD.notification_level;
  END IF;
  RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER push_note_level BEFORE UPDATE OF notification_level ON group_notification_preferences
  FOR EACH ROW EXECUTE FUNCTION push_note_level();

-- The other apps. What people may write themselves must not keep a function from telling others.
-- `quiet_hours_summary` is as above.
CREATE TABLE IF NOT EXISTS notification_settings (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  app text NOT NULL,
  is_enabled boolean NOT NULL DEFAULT true,
  -- Kind names with true or false; a kind that is not there follows its default.
  switches jsonb NOT NULL DEFAULT '{}'
    CONSTRAINT notification_settings_switches CHECK (
      jsonb_typeof(switches) = 'object' AND NOT jsonb_path_exists(switches, '$.* ? (@.type() != "boolean")')),
  sound text CONSTRAINT notification_settings_sound CHECK (char_length(sound) <= 50),
  timezone text CONSTRAINT notification_settings_timezone CHECK (char_length(timezone) <= 100),
  quiet_hours_enabled boolean NOT NULL DEFAULT false,
  quiet_hours_start time,
  quiet_hours_end time,
  hourly_limit integer CONSTRAINT notification_settings_limit CHECK (hourly_limit > 0),
  max_analyses_per_hour integer CONSTRAINT notification_settings_analyses CHECK (max_analyses_per_hour > 0),
  fallback_strategy text CONSTRAINT notification_settings_fallback
    CHECK (fallback_strategy IN ('simple_rules', 'notify_all', 'suppress_all')),
  haptic_feedback boolean NOT NULL DEFAULT true,
  critical_alerts boolean NOT NULL DEFAULT false,
  summary_notifications boolean NOT NULL DEFAULT true,
  quiet_hours_summary boolean,
  updated_at timestamptz DEFAULT now(),
  PRIMARY KEY (user_id, app)
);

-- Devices ------------------------------------------------------------------------------------------------------------

CREATE TABLE IF NOT EXISTS device_tokens (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  token text NOT NULL UNIQUE,
  platform varchar(10) NOT NULL,
  app_version varchar(20),
  os_version text,
  is_active boolean NOT NULL DEFAULT true,
  created_at timestamptz DEFAULT now(),
  last_used_at timestamptz,
  registered_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT valid_platform CHECK (
    lower(platform) IN ('ios', 'ipados', 'macos', 'watchos', 'tvos', 'visionos', 'android', 'web'))
);
-- `bundle_id` is the push topic, NULL for APNS_BUNDLE_ID; `environment` is NULL where nobody said.
-- `held_until` and `throttles`, how often in a row: what 429 asked for. `quiet_pushes`: the last pushes that show nothing.
-- `acceptances` grows whenever a push was accepted: an answer to a push that was taken before says nothing against the
-- device.
ALTER TABLE device_tokens
  ADD COLUMN IF NOT EXISTS app text NOT NULL DEFAULT 'feedbackkit',
  ADD COLUMN IF NOT EXISTS provider text NOT NULL DEFAULT 'apns'
    CONSTRAINT device_tokens_provider CHECK (provider IN ('apns', 'fcm')),
  ADD COLUMN IF NOT EXISTS environment text
    CONSTRAINT device_tokens_environment CHECK (environment IN ('sandbox', 'production')),
  ADD COLUMN IF NOT EXISTS bundle_id text,
  ADD COLUMN IF NOT EXISTS installation_id text,
  ADD COLUMN IF NOT EXISTS deactivated_at timestamptz,
  ADD COLUMN IF NOT EXISTS deactivated_reason text,
  ADD COLUMN IF NOT EXISTS last_accepted_at timestamptz,
  ADD COLUMN IF NOT EXISTS held_until timestamptz,
  ADD COLUMN IF NOT EXISTS throttles integer NOT NULL DEFAULT 0,
  ADD COLUMN IF NOT EXISTS quiet_pushes timestamptz[] NOT NULL DEFAULT '{}',
  ADD COLUMN IF NOT EXISTS acceptances bigint NOT NULL DEFAULT 0;
-- What an answer says of a device changes no column of any index: with room on their pages it touches the table alone.
ALTER TABLE device_tokens SET (fillfactor = 75);
CREATE INDEX IF NOT EXISTS idx_device_tokens_user_id ON device_tokens (user_id);
CREATE INDEX IF NOT EXISTS idx_device_tokens_active ON device_tokens (user_id, is_active) WHERE is_active = true;
-- Tokens with a capital letter, which are few.
CREATE INDEX IF NOT EXISTS idx_device_tokens_case ON device_tokens (lower(token))
  WHERE provider = 'apns' AND token <> lower(token);

-- Who may not say whether a device is active registers it by writing it down.
CREATE OR REPLACE FUNCTION push_register_device() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT has_column_privilege(TG_RELID, 'is_active', 'UPDATE') THEN
    NEW.is_active := true;
    NEW.registered_at := now();
    NEW.deactivated_at := NULL;
    NEW.deactivated_reason := NULL;
  END IF;
  RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER push_register_device BEFORE UPDATE OF token, user_id ON device_tokens
  FOR EACH ROW EXECUTE FUNCTION push_register_device();

-- A text as a UUID, NULL where it is none: the SDK's `user_id` may be anything.
CREATE OR REPLACE FUNCTION push_uuid(value text) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN value ~ '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$' THEN value::uuid
  END
$$;

-- Mugshot keeps its devices in a table of its own, `user_devices`, with `user_id` and `push_token`. Each row there is a
-- device here; what its person is told goes to it. A token belongs to one person, the last who had it written down.
CREATE OR REPLACE FUNCTION push_take_device(device jsonb, registered timestamptz) RETURNS void LANGUAGE sql AS $$
  INSERT INTO device_tokens AS d (user_id, token, app, platform, provider, environment, bundle_id, created_at, registered_at)
  SELECT u.id, device ->> 'push_token', 'mugshot', coalesce(p.name, 'iOS'),
    CASE p.name WHEN 'Android' THEN 'fcm' ELSE 'apns' END,
    CASE lower(device ->> 'environment')
      WHEN 'production' THEN 'production' WHEN 'sandbox' THEN 'sandbox' WHEN 'development' THEN 'sandbox'
    END, device ->> 'bundle_id', registered, registered
  FROM users AS u LEFT JOIN unnest(
    ARRAY['iOS', 'iPadOS', 'macOS', 'watchOS', 'tvOS', 'visionOS', 'Android', 'web']
  ) AS p (name) ON lower(p.name) = lower(device ->> 'platform')
  WHERE u.id = push_uuid(device ->> 'user_id') AND device ->> 'push_token' <> ''
  ON CONFLICT (token) DO UPDATE SET
    user_id = excluded.user_id, app = excluded.app, platform = excluded.platform, provider = excluded.provider,
    environment = coalesce(excluded.environment, d.environment), bundle_id = coalesce(excluded.bundle_id, d.bundle_id),
    is_active = true, deactivated_at = NULL, deactivated_reason = NULL, registered_at = excluded.registered_at
$$;

CREATE OR REPLACE FUNCTION push_follow_device() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF TG_OP = 'DELETE' OR TG_OP = 'UPDATE' AND (OLD.user_id, OLD.push_token) IS DISTINCT FROM (NEW.user_id, NEW.push_token)
  THEN
    UPDATE device_tokens SET is_active = false, deactivated_at = now(), deactivated_reason = 'unregistered'
    WHERE token = OLD.push_token AND user_id = push_uuid(OLD.user_id::text) AND app = 'mugshot' AND is_active;
  END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM push_take_device(to_jsonb(NEW), now()); END IF;
  RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION push_follow_device FROM PUBLIC;

-- Takes the devices over, and from then on each change. Who makes the table after this migration runs it once; running
-- it again changes nothing.
CREATE OR REPLACE FUNCTION push_follow_devices() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF 2 > (
      SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p')
      WHERE a.attrelid = to_regclass('user_devices') AND a.attname IN ('user_id', 'push_token') AND NOT a.attisdropped)
    OR to_regclass('user_devices') IS NULL
    OR EXISTS (SELECT FROM pg_trigger WHERE tgrelid = to_regclass('user_devices') AND tgname = 'push_follow_device')
  THEN
    RETURN;
  END IF;
  CREATE TRIGGER push_follow_device AFTER INSERT OR UPDATE OR DELETE ON user_devices
    FOR EACH ROW EXECUTE FUNCTION push_follow_device();
  PERFORM push_take_device(to_jsonb(u), coalesce((to_jsonb(u) ->> 'created_at')::timestamptz, now()))
  FROM user_devices AS u
  ORDER BY to_jsonb(u) ->> 'updated_at' NULLS FIRST, to_jsonb(u) ->> 'created_at' NULLS FIRST;
END
$$;
REVOKE EXECUTE ON FUNCTION push_follow_devices FROM PUBLIC;

DO $$ BEGIN PERFORM push_follow_devices(); END $$;

-- A device belongs to who registered it last. Apps write rows themselves, in a case of their own, and look for them in it:
-- what they wrote stays as it is, and the row in another case gets no more pushes.
CREATE OR REPLACE FUNCTION push_end_twins() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  -- The other row may be another person's, whom nobody but the owner of the table sees.
  UPDATE device_tokens t
  SET is_active = false, deactivated_at = now(), deactivated_reason = 'unregistered'
  WHERE t.is_active AND t.provider = 'apns' AND t.id <> NEW.id
    AND (t.token = lower(NEW.token) OR lower(t.token) = lower(NEW.token) AND t.token <> lower(t.token));
  RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION push_end_twins FROM PUBLIC;

-- The twins that are there: the one that was registered last stays.
WITH twins AS (
  SELECT t.id, row_number() OVER (PARTITION BY lower(t.token) ORDER BY t.registered_at DESC, t.id) AS place
  FROM device_tokens t
  WHERE t.is_active AND t.provider = 'apns' AND t.token ~ '^[0-9A-Fa-f]+$'
    AND lower(t.token) IN (
      SELECT lower(o.token) FROM device_tokens o WHERE o.provider = 'apns' AND o.token <> lower(o.token))
)
UPDATE device_tokens t
SET is_active = false, deactivated_at = now(), deactivated_reason = 'unregistered'
FROM twins WHERE t.id = twins.id AND twins.place > 1;

CREATE OR REPLACE TRIGGER push_end_twins_of_new AFTER INSERT ON device_tokens FOR EACH ROW
  WHEN (NEW.is_active AND NEW.provider = 'apns' AND NEW.token ~ '^[0-9A-Fa-f]+$')
  EXECUTE FUNCTION push_end_twins();
CREATE OR REPLACE TRIGGER push_end_twins_of_renewed AFTER UPDATE OF token, is_active, registered_at, provider
  ON device_tokens FOR EACH ROW
  WHEN (NEW.is_active AND NEW.provider = 'apns'
    AND (NEW.token, NEW.is_active, NEW.registered_at, NEW.provider)
      IS DISTINCT FROM (OLD.token, OLD.is_active, OLD.registered_at, OLD.provider)
    AND NEW.token ~ '^[0-9A-Fa-f]+$')
  EXECUTE FUNCTION push_end_twins();

-- Tokens of providers and of the API ---------------------------------------------------------------------------------

-- The tokens by which APNs knows a team, shared by all processes that send: one is made where each of them would make
-- its own. They are bearer tokens, good for an hour: only the role of push-delivery may read them.
-- `issued_at` is that of the token; both are NULL before the first one.
CREATE TABLE IF NOT EXISTS push_provider_tokens (
  team_id text NOT NULL,
  key_id text NOT NULL,
  environment text NOT NULL
    CONSTRAINT push_provider_tokens_environment CHECK (environment IN ('sandbox', 'production')),
  token text,
  issued_at timestamptz,
  PRIMARY KEY (team_id, key_id, environment)
);
REVOKE ALL ON push_provider_tokens FROM PUBLIC;

-- Bearer tokens of the API, as their SHA-256 in hexadecimal digits; FeedbackKit's own stand in user_tokens.
CREATE TABLE IF NOT EXISTS api_tokens (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  token_hash text NOT NULL UNIQUE,
  -- What it is for.
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_api_tokens_user ON api_tokens (user_id);
