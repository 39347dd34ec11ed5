-- Changes group_notification_preferences by preferences, unsubscribe: notification_level 'all' 'important' 'muted'
-- How people want to be told: switches and settings.

-- FeedbackKit ---------------------------------------------------------------------------------------------------------

ALTER TABLE users
  ADD COLUMN IF NOT EXISTS push_notifications_enabled boolean NOT NULL DEFAULT true,
  ADD COLUMN IF NOT EXISTS push_notify_new_feedback boolean NOT NULL DEFAULT true,
  ADD COLUMN IF NOT EXISTS push_notify_new_comments boolean NOT NULL DEFAULT true,
  ADD COLUMN IF NOT EXISTS push_notify_votes boolean NOT NULL DEFAULT true,
  ADD COLUMN IF NOT EXISTS push_notify_status_changes boolean NOT NULL DEFAULT true;

-- For each project. An override that is NULL leaves the decision to the personal switch.
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
  created_at timestamptz DEFAULT push_now(),
  updated_at timestamptz DEFAULT push_now(),
  CONSTRAINT unique_user_project UNIQUE (user_id, project_id)
);
CREATE INDEX IF NOT EXISTS idx_project_member_prefs_project ON project_member_preferences (project_id);

-- LockItIn ------------------------------------------------------------------------------------------------------------

-- For each person.
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
  created_at timestamptz DEFAULT push_now(),
  updated_at timestamptz DEFAULT push_now()
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

-- For each group. Overrides are NULL unless chosen: a row made for its level alone must not switch on what the person
-- switched off.
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

-- The other apps ------------------------------------------------------------------------------------------------------

-- What people may write themselves must not keep a function from telling others. `quiet_hours_summary` is as above.
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
  updated_at timestamptz DEFAULT push_now(),
  PRIMARY KEY (user_id, app)
);
