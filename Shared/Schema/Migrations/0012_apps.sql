-- What every app can do: settings for its people, and notifications that it inserts itself.

-- How a person wants to be told by one app; LockItIn has a table of its own.
CREATE TABLE IF NOT EXISTS notification_settings (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  app text NOT NULL,
  is_enabled boolean NOT NULL DEFAULT true,
  -- Kind names with true or false; a kind that is not there follows its default.
  switches jsonb NOT NULL DEFAULT '{}',
  sound text,
  timezone text,
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
  updated_at timestamptz DEFAULT now(),
  PRIMARY KEY (user_id, app)
);
ALTER TABLE user_notification_preferences ADD COLUMN IF NOT EXISTS hourly_limit integer
  CONSTRAINT user_notification_preferences_limit CHECK (hourly_limit > 0);
ALTER TABLE user_notification_preferences ADD COLUMN IF NOT EXISTS critical_alerts boolean DEFAULT false;

-- Names that apps use in rows of their own: what it is about, and another name for the body. The title may be left out
-- where the kind has one.
ALTER TABLE notifications ALTER COLUMN title DROP NOT NULL;
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS entity_id text;
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS message text;

-- For the daily cleanup.
CREATE INDEX IF NOT EXISTS idx_notifications_unread_expiry ON notifications (expires_at) WHERE is_read IS NOT TRUE;
CREATE INDEX IF NOT EXISTS idx_notifications_read_created ON notifications (created_at) WHERE is_read;
CREATE INDEX IF NOT EXISTS idx_notification_interactions_created ON notification_interactions (created_at);
