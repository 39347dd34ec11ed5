-- Compatible
-- JSON: user_notification_preferences.quiet_hours_days, notification_settings.quiet_hours_days
-- Knows: notification_mutes by user_id, scope, target, muted_until
-- Hours by weekday, and mutes that end by themselves.

-- Weekdays with quiet hours of their own: {"saturday": {"start": "23:30", "end": "10:00"}}. They begin on that day. Equal
-- ends mean that the day has none; a day that is not there has those of `quiet_hours_start` and `quiet_hours_end`.
CREATE OR REPLACE FUNCTION push_are_quiet_days(days jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN jsonb_typeof(days) = 'object'
  AND days - ARRAY['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] = '{}'
  AND NOT EXISTS (
    SELECT FROM jsonb_each(CASE jsonb_typeof(days) WHEN 'object' THEN days END) d
    WHERE (jsonb_typeof(d.value) = 'object'
      AND jsonb_typeof(d.value -> 'start') = 'string' AND d.value ->> 'start' ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'
      AND jsonb_typeof(d.value -> 'end') = 'string' AND d.value ->> 'end' ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$') IS NOT TRUE);
ALTER TABLE user_notification_preferences
  ADD COLUMN IF NOT EXISTS quiet_hours_days jsonb
    CONSTRAINT user_notification_preferences_days CHECK (push_are_quiet_days(quiet_hours_days));
ALTER TABLE notification_settings
  ADD COLUMN IF NOT EXISTS quiet_hours_days jsonb
    CONSTRAINT notification_settings_days CHECK (push_are_quiet_days(quiet_hours_days));

-- What a person wants to hear nothing of until `muted_until`: it waits until then. `target` is empty for the person as a
-- whole, else the app's name, or the id in lower case.
DO $$
BEGIN
  IF to_regclass('notification_mutes') IS NOT NULL AND NOT EXISTS (
    SELECT FROM pg_constraint
    WHERE conrelid = to_regclass('notification_mutes') AND conname = 'notification_mutes_scope')
  THEN
    RAISE EXCEPTION 'notification_mutes is the app''s own table, and so is about something else: give it another name.'
      USING ERRCODE = 'duplicate_table';
  END IF;
END
$$;
CREATE TABLE IF NOT EXISTS notification_mutes (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  scope text NOT NULL
    CONSTRAINT notification_mutes_scope CHECK (scope IN ('person', 'app', 'project', 'group', 'proposal')),
  target text NOT NULL DEFAULT '' CONSTRAINT notification_mutes_target CHECK ((scope = 'person') = (target = '')),
  muted_until timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT push_now(),
  PRIMARY KEY (user_id, scope, target)
);

ALTER TABLE held_notifications
  DROP CONSTRAINT IF EXISTS held_notifications_reason,
  ADD CONSTRAINT held_notifications_reason CHECK (
    reason IN ('batched', 'quiet_hours', 'muted', 'rate_limited', 'snoozed'));

-- A push that was late may have been put off to the end of quiet hours or a mute; these are few.
CREATE INDEX IF NOT EXISTS idx_deliveries_put_off ON deliveries (user_id)
  WHERE state = 'queued' AND reason IN ('quiet_hours', 'muted');

-- As before, for what a mute holds, too, and for pushes that were put off: the gates are asked when they are taken. One that
-- a sender has is left out. Nothing is inserted there, which wakes the function that sends.
CREATE OR REPLACE FUNCTION push_ask_again(person uuid) RETURNS void LANGUAGE sql
BEGIN ATOMIC
  WITH freed AS (
    UPDATE deliveries w SET not_before = push_now(), updated_at = push_now()
    WHERE w.id = ANY (ARRAY(
      SELECT d.id FROM deliveries d
      WHERE d.user_id = person AND d.state = 'queued' AND d.reason IN ('quiet_hours', 'muted')
        AND d.lease_id IS NULL AND d.not_before > push_now()
        AND EXISTS (SELECT FROM users u WHERE u.id = d.user_id)
        AND EXISTS (SELECT FROM notifications n WHERE n.id = d.notification_id)
      FOR NO KEY UPDATE OF d SKIP LOCKED))
  )
  INSERT INTO deliveries (notification_id, device_token_id, user_id, app, not_before, expires_at, created_at, updated_at)
  SELECT o.notification_id, o.device_token_id, o.user_id, o.app, o.not_before, o.expires_at, o.created_at, o.updated_at
  FROM deliveries o WHERE false;
  WITH held AS (
    DELETE FROM held_notifications h
    WHERE h.user_id = person AND h.reason IN ('quiet_hours', 'muted', 'rate_limited') AND h.held_until > h.held_since
      AND EXISTS (SELECT FROM users u WHERE u.id = h.user_id)
      AND EXISTS (SELECT FROM notifications n WHERE n.id = h.notification_id)
    RETURNING h.*
  )
  INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)
  SELECT held.notification_id, held.user_id, held.app, held.reason, held.held_since, held.held_since FROM held;
END;
SELECT push_close_to_clients('notification_mutes', 'push_ask_again');
CREATE OR REPLACE TRIGGER push_settings_changed AFTER INSERT OR UPDATE OR DELETE ON notification_mutes
  FOR EACH ROW EXECUTE FUNCTION push_settings_changed();
