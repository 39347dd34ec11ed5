-- Compatible
-- Knows: activity_settings by user_id, app, is_enabled
-- Whether a person wants an app's Live Activities.

DO $$
BEGIN
  IF to_regclass('activity_settings') IS NOT NULL AND NOT EXISTS (
    SELECT FROM pg_policy WHERE polrelid = to_regclass('activity_settings') AND polname = 'push_servers')
  THEN
    RAISE EXCEPTION 'activity_settings is the app''s own table, and so is about something else: give it another name.'
      USING ERRCODE = 'duplicate_table';
  END IF;
END
$$;

-- A person without a row wants them.
CREATE TABLE IF NOT EXISTS activity_settings (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  app text NOT NULL,
  is_enabled boolean NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT push_now(),
  PRIMARY KEY (user_id, app)
);
SELECT push_close_to_clients('activity_settings', VARIADIC '{}'::regproc[]);
