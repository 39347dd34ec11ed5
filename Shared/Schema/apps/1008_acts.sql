-- What people do, and what it changes for others.

-- What people do ------------------------------------------------------------------------------------------------------

-- What the apps report, append-only. The device is no foreign key: its row may go, what happened stays.
CREATE TABLE IF NOT EXISTS notification_interactions (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  notification_id uuid NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
  device_token_id uuid,
  event text NOT NULL CONSTRAINT notification_interactions_event CHECK (event IN ('opened', 'acted')),
  action text NOT NULL DEFAULT '',
  occurred_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS idx_notification_interactions_once ON notification_interactions (
  notification_id, event, action, coalesce(device_token_id, '00000000-0000-0000-0000-000000000000'));
-- For the daily cleanup.
CREATE INDEX IF NOT EXISTS idx_notification_interactions_created ON notification_interactions (created_at);

-- What people chose on their notifications, one row for each act. MessageAI's back-end subscribes to it for replies, read
-- marks and verdicts: messages are its own.
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

-- The row to lock before reading what else a person was told lately; `all_read_at` is their last mark-all-as-read.
CREATE TABLE IF NOT EXISTS notification_state (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  app text NOT NULL,
  all_read_at timestamptz,
  PRIMARY KEY (user_id, app)
);

-- What LockItIn asked of a person when they marked everything as read: the badge counts what else is asked. A time
-- would not tell: an app may write a row before that moment which comes, or asks again, after it.
CREATE TABLE IF NOT EXISTS seen_requests (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- A proposal, a friend request or an invitation.
  subject_id uuid NOT NULL,
  -- Of a proposal: other options ask again.
  options_changed_at timestamptz,
  PRIMARY KEY (user_id, subject_id)
);
CREATE INDEX IF NOT EXISTS idx_seen_requests_subject ON seen_requests (subject_id);

-- What a person is looking at.
CREATE TABLE IF NOT EXISTS user_activity (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  app text NOT NULL,
  subject_id text NOT NULL,
  seen_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, app)
);

-- What it changes -----------------------------------------------------------------------------------------------------

-- A row for each person whose badge may have changed although nobody is told of it: `action-completed` compares it with the
-- numbers on their devices. Something was deleted that the badge counted, or is counted again; a push that would have carried
-- the number did not go out, or was not even made. The transaction that changes it writes the row: afterwards nobody can say
-- who had not voted on a proposal that is gone. From `ends_at` on it would not have counted.
CREATE TABLE IF NOT EXISTS badge_losses (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL,
  app text NOT NULL,
  ends_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT push_now()
);

-- Entries of the inbox that may say what is no longer true: an act that they tell of was taken back, or its row is gone.
-- `release-held` corrects them. A row refers to nothing, and is only added here: an app that deletes rows waits for
-- nobody.
CREATE TABLE IF NOT EXISTS stale_entries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  notification_id uuid NOT NULL,
  user_id uuid NOT NULL,
  app text NOT NULL
);
