-- What the migrations of the plan for pushes (§11.2) add to feedbackkit.sql, and what the server has written since.
CREATE TABLE device_tokens (
  id uuid PRIMARY KEY, user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE, token text NOT NULL,
  platform text NOT NULL, app_version text, os_version text, is_active boolean NOT NULL DEFAULT true,
  created_at timestamptz, last_used_at timestamptz, CONSTRAINT "uq:device_tokens.token" UNIQUE (token));
CREATE TABLE project_member_preferences (
  id uuid PRIMARY KEY, user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE, push_notify_new_feedback boolean,
  push_notify_new_comments boolean, push_notify_votes boolean, push_notify_status_changes boolean,
  push_muted boolean NOT NULL, email_notify_new_feedback boolean, email_notify_new_comments boolean,
  email_muted boolean NOT NULL, created_at timestamptz, updated_at timestamptz,
  CONSTRAINT "uq:project_member_preferences.user_id+project_member_preferences.project_id" UNIQUE (user_id, project_id));
CREATE TABLE push_notification_logs (
  id uuid PRIMARY KEY, user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  device_token_id uuid REFERENCES device_tokens (id) ON DELETE SET NULL, notification_type text NOT NULL,
  status text NOT NULL, feedback_id uuid REFERENCES feedbacks (id) ON DELETE SET NULL,
  project_id uuid REFERENCES projects (id) ON DELETE SET NULL, payload jsonb, error_message text, apns_id text,
  created_at timestamptz);
ALTER TABLE users
  ADD COLUMN push_notifications_enabled boolean NOT NULL DEFAULT true,
  ADD COLUMN push_notify_new_feedback boolean NOT NULL DEFAULT true,
  ADD COLUMN push_notify_new_comments boolean NOT NULL DEFAULT true,
  ADD COLUMN push_notify_votes boolean NOT NULL DEFAULT true,
  ADD COLUMN push_notify_status_changes boolean NOT NULL DEFAULT true;
ALTER TABLE votes ADD COLUMN user_email text;

INSERT INTO _fluent_migrations
SELECT gen_random_uuid(), 'App.' || name, 2, now(), now() FROM unnest(ARRAY['CreateDeviceToken',
  'CreateProjectMemberPreference', 'CreatePushNotificationLog', 'AddUserPushNotificationSettings', 'AddVoteUserEmail'])
  AS m (name);
INSERT INTO device_tokens VALUES
  ('dd000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', repeat('a1', 32), 'iOS', '1.0', '18.0',
   true, now() - interval '90 days', NULL),
  ('dd000000-0000-4000-8000-000000000002', 'a0000000-0000-4000-8000-000000000002', repeat('a2', 32), 'macOS', NULL, NULL,
   true, NULL, NULL);
INSERT INTO project_member_preferences (id, user_id, project_id, push_muted, email_muted, push_notify_votes)
VALUES ('b2000000-0000-4000-8000-000000000002', 'a0000000-0000-4000-8000-000000000002',
  'b0000000-0000-4000-8000-000000000001', false, false, false);
INSERT INTO push_notification_logs (id, user_id, device_token_id, notification_type, status, feedback_id, project_id,
  created_at)
VALUES ('1c000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001',
  'dd000000-0000-4000-8000-000000000001', 'new_feedback', 'sent', 'c0000000-0000-4000-8000-000000000001',
  'b0000000-0000-4000-8000-000000000001', now() - interval '40 days');
