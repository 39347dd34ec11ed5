-- Compatible
-- Knows: unread_rules by app, kind, function
-- Knows: unread_checks by notification_id, check_at
-- Knows: unread_notifications by notification_id, function
-- Knows: unread_settings by user_id, app, is_enabled
-- What becomes of a notification that stays unread: a function of the app gets it, once.

DO $$
DECLARE
  others text := (
    SELECT string_agg(name, ', ')
    FROM unnest(ARRAY['unread_rules', 'unread_checks', 'unread_notifications', 'unread_settings']) name
    WHERE to_regclass(name) IS NOT NULL AND NOT EXISTS (
      SELECT FROM pg_policy WHERE polrelid = to_regclass(name) AND polname = 'push_servers'));
BEGIN
  IF others IS NOT NULL THEN
    RAISE EXCEPTION '% is the app''s own table, and so is about something else: give it another name.', others
      USING ERRCODE = 'duplicate_table';
  END IF;
END
$$;

-- What `kinds` of functions.json says. `unread-check` writes it, and again every few hours; what no runner has confirmed
-- for a day goes. Without a row, nothing below happens.
CREATE TABLE IF NOT EXISTS unread_rules (
  app text NOT NULL,
  kind text NOT NULL,
  function text NOT NULL,
  after_seconds integer NOT NULL CONSTRAINT unread_rules_after CHECK (after_seconds > 0),
  confirmed_at timestamptz NOT NULL,
  PRIMARY KEY (app, kind)
);

-- A notification of a kind with a rule. `check_at` is when it is looked at; NULL once that is decided for good. `reason`
-- is why it waits or why the function does not get it.
CREATE TABLE IF NOT EXISTS unread_checks (
  notification_id uuid PRIMARY KEY REFERENCES notifications (id) ON DELETE CASCADE,
  function text NOT NULL,
  after_seconds integer NOT NULL,
  check_at timestamptz,
  reason text,
  decided_at timestamptz
);
CREATE INDEX IF NOT EXISTS idx_unread_checks_due ON unread_checks (check_at) WHERE check_at IS NOT NULL;

-- What a function gets: each row is an event for the function that it names, and says for ever that it got it.
CREATE TABLE IF NOT EXISTS unread_notifications (
  notification_id uuid PRIMARY KEY REFERENCES notifications (id) ON DELETE CASCADE,
  function text NOT NULL,
  app text NOT NULL,
  user_id uuid NOT NULL,
  email text,
  name text,
  type text NOT NULL,
  title text NOT NULL,
  body text NOT NULL,
  data jsonb NOT NULL,
  link text,
  language text NOT NULL,
  notified_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL
);

-- Whether a person wants what such functions tell. A person without a row wants it.
CREATE TABLE IF NOT EXISTS unread_settings (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  app text NOT NULL,
  is_enabled boolean NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT push_now(),
  PRIMARY KEY (user_id, app)
);

CREATE OR REPLACE FUNCTION push_watch_unread() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF EXISTS (SELECT FROM born n JOIN unread_rules r ON r.app = n.app AND r.kind = lower(n.type)) THEN
    INSERT INTO unread_checks (notification_id, function, after_seconds, check_at)
    SELECT n.id, r.function, r.after_seconds,
      coalesce(n.created_at, push_now()) + make_interval(secs => r.after_seconds)
    FROM born n JOIN unread_rules r ON r.app = n.app AND r.kind = lower(n.type)
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END
$$;
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION push_watch_unread() SET search_path = %I, pg_temp', current_schema());
END
$$;
SELECT push_close_to_clients('unread_rules', VARIADIC '{}'::regproc[]);
SELECT push_close_to_clients('unread_checks', 'push_watch_unread');
SELECT push_close_to_clients('unread_notifications', VARIADIC '{}'::regproc[]);
SELECT push_close_to_clients('unread_settings', VARIADIC '{}'::regproc[]);
CREATE OR REPLACE TRIGGER push_watch_unread AFTER INSERT ON notifications REFERENCING NEW TABLE AS born
  FOR EACH STATEMENT EXECUTE FUNCTION push_watch_unread();
