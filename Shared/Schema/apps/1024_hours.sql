-- Compatible
-- Hours by weekday, and mutes that end by themselves.

-- Weekdays with quiet hours of their own: {"saturday": {"start": "23:30", "end": "10:00"}}. They begin on that day. Equal
-- ends mean that the day has none; a day that is not there has those of `quiet_hours_start` and `quiet_hours_end`.
CREATE OR REPLACE FUNCTION push_are_quiet_days(days jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN jsonb_typeof(days) = 'object'
  AND days - ARRAY['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] = '{}'
  AND NOT jsonb_path_exists(
    days, '$.* ? (@.type() != "object" || !(exists(@.start ? (@ like_regex "^([01][0-9]|2[0-3]):[0-5][0-9]$"))
      && exists(@.end ? (@ like_regex "^([01][0-9]|2[0-3]):[0-5][0-9]$"))))');
ALTER TABLE user_notification_preferences
  ADD COLUMN IF NOT EXISTS quiet_hours_days jsonb
    CONSTRAINT user_notification_preferences_days CHECK (push_are_quiet_days(quiet_hours_days));
ALTER TABLE notification_settings
  ADD COLUMN IF NOT EXISTS quiet_hours_days jsonb
    CONSTRAINT notification_settings_days CHECK (push_are_quiet_days(quiet_hours_days));

-- What a person wants to hear nothing of until `muted_until`: it waits until then. `target` is empty for the person as a
-- whole, else the app's name, or the id in lower case.
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

-- As before, for what a mute holds, too.
CREATE OR REPLACE FUNCTION push_ask_again(person uuid) RETURNS void LANGUAGE sql
BEGIN ATOMIC
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
