-- Compatible: an older runner goes on as before.
-- What waited for the end of somebody's quiet hours may be told in one push.

-- Whether the person wants that; NULL is what is usual in the app.
ALTER TABLE notification_settings ADD COLUMN IF NOT EXISTS quiet_hours_summary boolean;
ALTER TABLE user_notification_preferences ADD COLUMN IF NOT EXISTS quiet_hours_summary boolean;

-- The notification whose push told of this one and others.
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS summary_id uuid;

ALTER TABLE notification_rechecks DROP CONSTRAINT IF EXISTS notification_rechecks_decision;
ALTER TABLE notification_rechecks ADD CONSTRAINT notification_rechecks_decision
  CHECK (decision IN ('notify', 'merge', 'summarize', 'hold', 'suppress')) NOT VALID;
