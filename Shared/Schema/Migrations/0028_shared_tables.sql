-- Compatible: an older runner goes on as before.

-- Tables that apps write to while we do.

-- What writes about a push needs rows that an app may delete at any moment, with all that hangs on them, in an order of its
-- own. A session that holds one of those rows while it waits for another can deadlock with that.

-- Locks all that results of deliveries are written to or refer to, and never waits: what somebody else has is left out.
-- The rows of the app are locked as a foreign key would lock them, by the right of the tables' owner, and only for a
-- session that may write deliveries itself.
CREATE OR REPLACE FUNCTION push_hold_deliveries(ids uuid[])
RETURNS TABLE (delivery_id uuid, registered_at timestamptz, acceptances bigint)
LANGUAGE sql VOLATILE SECURITY DEFINER ROWS 100
BEGIN ATOMIC
  SELECT d.id, t.registered_at, t.acceptances
  FROM unnest(push_hold_deliveries.ids) AS i (id)
  CROSS JOIN LATERAL (
    SELECT d.id, d.user_id, d.notification_id, d.device_token_id FROM deliveries d WHERE d.id = i.id
    FOR NO KEY UPDATE OF d SKIP LOCKED
  ) d
  CROSS JOIN LATERAL (
    SELECT t.registered_at, t.acceptances FROM device_tokens t WHERE t.id = d.device_token_id
    FOR NO KEY UPDATE OF t SKIP LOCKED
  ) t
  CROSS JOIN LATERAL (SELECT u.id FROM users u WHERE u.id = d.user_id FOR KEY SHARE OF u SKIP LOCKED) u
  JOIN notifications n ON n.id = d.notification_id
  LEFT JOIN LATERAL (
    SELECT f.id FROM feedbacks f WHERE f.id = n.feedback_id FOR KEY SHARE OF f SKIP LOCKED
  ) f ON true
  LEFT JOIN LATERAL (
    SELECT p.id FROM projects p WHERE p.id = n.project_id FOR KEY SHARE OF p SKIP LOCKED
  ) p ON true
  WHERE has_table_privilege(session_user, 'deliveries'::regclass, 'UPDATE') AND (f.id IS NOT NULL OR n.feedback_id IS NULL)
    AND (p.id IS NOT NULL OR NOT EXISTS (SELECT FROM projects x WHERE x.id = n.project_id));
END;

-- Keeps people from being deleted before anything that hangs on them is locked; answers with those who are there.
CREATE OR REPLACE FUNCTION push_hold_people(ids uuid[]) RETURNS SETOF uuid
LANGUAGE sql VOLATILE SECURITY DEFINER ROWS 100
BEGIN ATOMIC
  SELECT u.id FROM users u
  WHERE u.id = ANY (push_hold_people.ids) AND has_table_privilege(session_user, 'notifications'::regclass, 'INSERT')
  ORDER BY u.id FOR KEY SHARE OF u;
END;

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

-- Lets a person of `push_app` write a device down again: ON CONFLICT (token) asks for the right to read the token, which
-- lets them see those of their own devices. Who made the role after this migration runs it once.
CREATE OR REPLACE FUNCTION push_admit_devices() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  GRANT SELECT (token), UPDATE (token, user_id, app, platform, provider) ON device_tokens TO push_app;
END
$$;
REVOKE EXECUTE ON FUNCTION push_admit_devices FROM PUBLIC;

DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION push_follow_device() SET search_path = %I, pg_temp', current_schema());
  PERFORM push_follow_devices();
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'push_app') THEN PERFORM push_admit_devices(); END IF;
END
$$;
