-- What people chose on their notifications, and notifications that are sent again.

-- One row for each act. MessageAI's back-end subscribes to it for replies, read marks and verdicts: messages are its own.
-- `reported_at` is the act's time by the device's clock, as it was reported; the same time again is the same act.
CREATE TABLE IF NOT EXISTS notification_actions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  notification_id uuid NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  app text NOT NULL,
  action text NOT NULL,
  -- Of a reply.
  text text CONSTRAINT notification_actions_text CHECK (char_length(text) BETWEEN 1 AND 4000),
  -- As they stand in the notification's `data`.
  conversation_id text,
  message_id text,
  -- When a snoozed notification was to be sent again.
  snoozed_until timestamptz,
  reported_at timestamptz,
  created_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS idx_notification_actions_once ON notification_actions (
  notification_id, action, md5(coalesce(text, '')), reported_at);
CREATE INDEX IF NOT EXISTS idx_notification_actions_user ON notification_actions (user_id);

-- Wider than it was: the rows that are there satisfy it, and are not read.
ALTER TABLE held_notifications DROP CONSTRAINT IF EXISTS held_notifications_reason;
ALTER TABLE held_notifications ADD CONSTRAINT held_notifications_reason CHECK (
  reason IN ('batched', 'quiet_hours', 'rate_limited', 'snoozed')) NOT VALID;
