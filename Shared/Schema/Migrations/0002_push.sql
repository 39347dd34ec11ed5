-- What push notifications add to FeedbackKit: switches, devices and the delivery log.

ALTER TABLE users ADD COLUMN IF NOT EXISTS push_notifications_enabled boolean NOT NULL DEFAULT true;
ALTER TABLE users ADD COLUMN IF NOT EXISTS push_notify_new_feedback boolean NOT NULL DEFAULT true;
ALTER TABLE users ADD COLUMN IF NOT EXISTS push_notify_new_comments boolean NOT NULL DEFAULT true;
ALTER TABLE users ADD COLUMN IF NOT EXISTS push_notify_votes boolean NOT NULL DEFAULT true;
ALTER TABLE users ADD COLUMN IF NOT EXISTS push_notify_status_changes boolean NOT NULL DEFAULT true;

ALTER TABLE votes ADD COLUMN IF NOT EXISTS user_email varchar(255);

-- An override that is NULL leaves the decision to the personal switch.
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

CREATE TABLE IF NOT EXISTS device_tokens (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  token text NOT NULL UNIQUE,
  platform varchar(10) NOT NULL,
  app_version varchar(20),
  os_version varchar(20),
  is_active boolean NOT NULL DEFAULT true,
  created_at timestamptz DEFAULT now(),
  last_used_at timestamptz,
  CONSTRAINT valid_platform CHECK (
    lower(platform) IN ('ios', 'ipados', 'macos', 'watchos', 'tvos', 'visionos', 'android', 'web'))
);
-- `bundle_id` is the push topic, NULL for APNS_BUNDLE_ID; `environment` is NULL where nobody said.
ALTER TABLE device_tokens ADD COLUMN IF NOT EXISTS app text NOT NULL DEFAULT 'feedbackkit';
ALTER TABLE device_tokens ADD COLUMN IF NOT EXISTS provider text NOT NULL DEFAULT 'apns'
  CONSTRAINT device_tokens_provider CHECK (provider IN ('apns', 'fcm'));
ALTER TABLE device_tokens ADD COLUMN IF NOT EXISTS environment text
  CONSTRAINT device_tokens_environment CHECK (environment IN ('sandbox', 'production'));
ALTER TABLE device_tokens ADD COLUMN IF NOT EXISTS bundle_id text;
ALTER TABLE device_tokens ADD COLUMN IF NOT EXISTS installation_id text;
ALTER TABLE device_tokens ADD COLUMN IF NOT EXISTS registered_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE device_tokens ADD COLUMN IF NOT EXISTS deactivated_at timestamptz;
ALTER TABLE device_tokens ADD COLUMN IF NOT EXISTS deactivated_reason text;
ALTER TABLE device_tokens ADD COLUMN IF NOT EXISTS last_accepted_at timestamptz;
CREATE INDEX IF NOT EXISTS idx_device_tokens_user_id ON device_tokens (user_id);
CREATE INDEX IF NOT EXISTS idx_device_tokens_active ON device_tokens (user_id, is_active) WHERE is_active = true;

-- One row for every attempt; `status`: sent, failed, token_expired, unknown, deferred.
CREATE TABLE IF NOT EXISTS push_notification_logs (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  device_token_id uuid REFERENCES device_tokens (id) ON DELETE SET NULL,
  notification_type varchar(50) NOT NULL,
  status varchar(20) NOT NULL,
  feedback_id uuid REFERENCES feedbacks (id) ON DELETE SET NULL,
  project_id uuid REFERENCES projects (id) ON DELETE SET NULL,
  payload jsonb,
  error_message text,
  apns_id varchar(100),
  created_at timestamptz DEFAULT now()
);
ALTER TABLE push_notification_logs ADD COLUMN IF NOT EXISTS delivery_id uuid;
ALTER TABLE push_notification_logs ADD COLUMN IF NOT EXISTS attempt integer;
ALTER TABLE push_notification_logs ADD COLUMN IF NOT EXISTS http_status integer;
ALTER TABLE push_notification_logs ADD COLUMN IF NOT EXISTS reason text;
ALTER TABLE push_notification_logs ADD COLUMN IF NOT EXISTS duration_ms integer;
CREATE INDEX IF NOT EXISTS idx_push_logs_user ON push_notification_logs (user_id);
CREATE INDEX IF NOT EXISTS idx_push_logs_status ON push_notification_logs (status);
CREATE INDEX IF NOT EXISTS idx_push_logs_created ON push_notification_logs (created_at);
CREATE INDEX IF NOT EXISTS idx_push_logs_feedback ON push_notification_logs (feedback_id) WHERE feedback_id IS NOT NULL;
