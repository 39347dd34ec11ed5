-- Needs device_tokens: id, user_id
-- Changes device_tokens by push-delivery, devices: is_active 'false'
-- Changes device_tokens by push-delivery, devices: environment 'sandbox' 'production'
-- How a person is reached: devices, and tokens of providers and of the API.

-- Devices -------------------------------------------------------------------------------------------------------------

CREATE TABLE IF NOT EXISTS device_tokens (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  token text NOT NULL UNIQUE,
  platform varchar(10) NOT NULL,
  app_version varchar(20),
  os_version text,
  is_active boolean NOT NULL DEFAULT true,
  created_at timestamptz DEFAULT push_now(),
  last_used_at timestamptz,
  registered_at timestamptz NOT NULL DEFAULT push_now(),
  CONSTRAINT valid_platform CHECK (
    lower(platform) IN ('ios', 'ipados', 'macos', 'watchos', 'tvos', 'visionos', 'android', 'web'))
);

-- `bundle_id` is the push topic, NULL for APNS_BUNDLE_ID; `environment` is NULL where nobody said.
-- `held_until` and `throttles`, how often in a row: what 429 asked for. `quiet_pushes`: the last pushes that show nothing.
-- `acceptances` grows whenever a push was accepted: an answer to a push that was taken before says nothing against the
-- device. `badge` is the number that it was sent last, NULL where nobody knows.
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
  ADD COLUMN IF NOT EXISTS acceptances bigint NOT NULL DEFAULT 0,
  ADD COLUMN IF NOT EXISTS badge integer;

-- What an answer says of a device changes no column of any index: with room on their pages it touches the table alone. A
-- push to everybody changes each device of a page in a moment, in which none of the earlier rows can go.
ALTER TABLE device_tokens SET (fillfactor = 50);
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
    NEW.registered_at := push_now();
    NEW.deactivated_at := NULL;
    NEW.deactivated_reason := NULL;
  END IF;
  RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER push_register_device BEFORE UPDATE OF token, user_id ON device_tokens
  FOR EACH ROW EXECUTE FUNCTION push_register_device();

-- An app that registers its device has just been installed, or was opened and may have set its badge.
CREATE OR REPLACE FUNCTION push_unknown_badge() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.token, NEW.user_id, NEW.app, NEW.registered_at) IS DISTINCT FROM
    (OLD.token, OLD.user_id, OLD.app, OLD.registered_at)
  THEN
    NEW.badge := NULL;
  END IF;
  RETURN NEW;
END
$$;
-- After push_register_device, which stamps the registration.
CREATE OR REPLACE TRIGGER push_unknown_badge BEFORE UPDATE OF token, user_id, app, registered_at ON device_tokens
  FOR EACH ROW EXECUTE FUNCTION push_unknown_badge();

-- Two spellings of a token --------------------------------------------------------------------------------------------

-- A device belongs to who registered it last. Apps write rows themselves, in a case of their own, and look for them in it:
-- what they wrote stays as it is, and the row in another case gets no more pushes.
--
-- A phone that is written down in two spellings by one statement keeps the row that was registered last: each of these rows
-- is there when the trigger runs for the other. Of rows of one time it is the one that was written last. What an earlier
-- statement wrote is ended, whenever it says that it was registered.
CREATE OR REPLACE FUNCTION push_end_twins() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  -- The other row may be another person's, whom nobody but the owner of the table sees.
  WITH twins AS (
    SELECT t.id, row_number() OVER (
      ORDER BY t.xmin = n.xmin AND t.cmin = n.cmin DESC, t.registered_at DESC, t.created_at DESC NULLS LAST, t.ctid DESC
    ) AS place
    FROM device_tokens n, device_tokens t
    WHERE n.id = NEW.id AND n.is_active IS NOT FALSE AND t.is_active IS NOT FALSE AND t.provider = 'apns'
      AND (t.token = lower(NEW.token) OR lower(t.token) = lower(NEW.token) AND t.token <> lower(t.token))
  )
  UPDATE device_tokens t
  SET is_active = false, deactivated_at = push_now(), deactivated_reason = 'unregistered'
  FROM twins WHERE t.id = twins.id AND twins.place > 1;
  RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION push_end_twins FROM PUBLIC;

-- The twins that are there: the one that was registered last stays.
WITH twins AS (
  SELECT t.id, row_number() OVER (PARTITION BY lower(t.token) ORDER BY t.registered_at DESC, t.id) AS place
  FROM device_tokens t
  WHERE t.is_active IS NOT FALSE AND t.provider = 'apns' AND t.token ~ '^[0-9A-Fa-f]+$'
    AND lower(t.token) IN (
      SELECT lower(o.token) FROM device_tokens o WHERE o.provider = 'apns' AND o.token <> lower(o.token))
)
UPDATE device_tokens t
SET is_active = false, deactivated_at = now(), deactivated_reason = 'unregistered'
FROM twins WHERE t.id = twins.id AND twins.place > 1;

CREATE OR REPLACE TRIGGER push_end_twins_of_new AFTER INSERT ON device_tokens FOR EACH ROW
  WHEN (NEW.is_active IS NOT FALSE AND NEW.provider = 'apns' AND NEW.token ~ '^[0-9A-Fa-f]+$')
  EXECUTE FUNCTION push_end_twins();
CREATE OR REPLACE TRIGGER push_end_twins_of_renewed AFTER UPDATE OF token, is_active, registered_at, provider
  ON device_tokens FOR EACH ROW
  WHEN (NEW.is_active IS NOT FALSE AND NEW.provider = 'apns'
    AND (NEW.token, NEW.is_active, NEW.registered_at, NEW.provider)
      IS DISTINCT FROM (OLD.token, OLD.is_active, OLD.registered_at, OLD.provider)
    AND NEW.token ~ '^[0-9A-Fa-f]+$')
  EXECUTE FUNCTION push_end_twins();

-- Devices of Mugshot --------------------------------------------------------------------------------------------------

-- Mugshot keeps its devices in a table of its own, `user_devices`, with `user_id` and `push_token`. Each row there is a
-- device here; what its person is told goes to it. A token belongs to one person, the last who had it written down. One of
-- another app takes over neither its topic nor its version nor its installation.
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
    environment = coalesce(excluded.environment, d.environment),
    bundle_id = coalesce(excluded.bundle_id, CASE WHEN d.app = excluded.app THEN d.bundle_id END),
    app_version = CASE WHEN d.app = excluded.app THEN d.app_version END,
    installation_id = CASE WHEN d.app = excluded.app THEN d.installation_id END,
    is_active = true, deactivated_at = NULL, deactivated_reason = NULL, registered_at = excluded.registered_at
$$;
REVOKE EXECUTE ON FUNCTION push_take_device FROM PUBLIC;

CREATE OR REPLACE FUNCTION push_follow_device() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF TG_OP = 'DELETE' OR TG_OP = 'UPDATE' AND (OLD.user_id, OLD.push_token) IS DISTINCT FROM (NEW.user_id, NEW.push_token)
  THEN
    UPDATE device_tokens SET is_active = false, deactivated_at = push_now(), deactivated_reason = 'unregistered'
    WHERE token = OLD.push_token AND user_id = push_uuid(OLD.user_id::text) AND app = 'mugshot'
      AND is_active IS NOT FALSE;
  END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM push_take_device(to_jsonb(NEW), push_now()); END IF;
  RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION push_follow_device FROM PUBLIC;

-- Takes the devices over, and from then on each change. Who makes the table after this migration runs it once; running
-- it again changes nothing, unless its trigger is lost or disabled: then it is made again, and what was written meanwhile is
-- taken over.
CREATE OR REPLACE FUNCTION push_follow_devices() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF 2 > (
      SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p')
      WHERE a.attrelid = to_regclass('user_devices') AND a.attname IN ('user_id', 'push_token') AND NOT a.attisdropped)
    OR to_regclass('user_devices') IS NULL
    OR EXISTS (
      SELECT FROM pg_trigger
      WHERE tgrelid = to_regclass('user_devices') AND tgname = 'push_follow_device' AND tgenabled IN ('O', 'A'))
  THEN
    RETURN;
  END IF;
  CREATE OR REPLACE TRIGGER push_follow_device AFTER INSERT OR UPDATE OR DELETE ON user_devices
    FOR EACH ROW EXECUTE FUNCTION push_follow_device();
  PERFORM push_take_device(to_jsonb(u), coalesce((to_jsonb(u) ->> 'created_at')::timestamptz, push_now()))
  FROM user_devices AS u
  WHERE NOT EXISTS (
    SELECT FROM device_tokens d WHERE d.token = to_jsonb(u) ->> 'push_token'
      AND d.registered_at >= coalesce(to_jsonb(u) ->> 'updated_at', to_jsonb(u) ->> 'created_at')::timestamptz)
  ORDER BY to_jsonb(u) ->> 'updated_at' NULLS FIRST, to_jsonb(u) ->> 'created_at' NULLS FIRST;
END
$$;
REVOKE EXECUTE ON FUNCTION push_follow_devices FROM PUBLIC;

DO $$ BEGIN PERFORM push_follow_devices(); END $$;

-- Tokens of providers and of the API ----------------------------------------------------------------------------------

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
