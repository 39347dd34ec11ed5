-- Who was told what, what is on its way, and why somebody was not told.

CREATE TABLE IF NOT EXISTS notifications (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  type varchar(50) NOT NULL,
  title varchar(255) NOT NULL,
  body varchar(500),
  data jsonb DEFAULT '{}',
  proposal_id uuid REFERENCES event_proposals (id) ON DELETE CASCADE,
  is_read boolean DEFAULT false,
  is_archived boolean DEFAULT false,
  created_at timestamptz DEFAULT now(),
  expires_at timestamptz DEFAULT now() + interval '30 days',
  updated_at timestamptz DEFAULT now()
);
-- `expires_at` ends the inbox entry; the push's own end is `deliveries.expires_at`.
-- `payload` is the encoded push, `{"aps":{` first and without a badge; NULL where nothing is sent.
-- `source` and `source_event_id` name the event that `function` was told of.
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS app text NOT NULL DEFAULT 'feedbackkit';
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS origin text NOT NULL DEFAULT 'app';
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS subject_id text;
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS project_id uuid;
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS feedback_id uuid REFERENCES feedbacks (id) ON DELETE CASCADE;
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS importance text NOT NULL DEFAULT 'normal'
  CONSTRAINT notifications_importance CHECK (importance IN ('passive', 'normal', 'actionRequired', 'urgent'));
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS counts_for_badge boolean NOT NULL DEFAULT true;
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS payload text;
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS push_type text NOT NULL DEFAULT 'alert';
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS priority smallint NOT NULL DEFAULT 10;
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS collapse_id text;
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS function text;
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS source text;
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS source_event_id text;
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS dedupe_key text;
CREATE INDEX IF NOT EXISTS idx_notifications_user_created ON notifications (user_id, created_at DESC);
CREATE INDEX IF NOT EXISTS idx_notifications_badge ON notifications (user_id, app)
  WHERE counts_for_badge AND is_read IS NOT TRUE AND is_archived IS NOT TRUE;
CREATE INDEX IF NOT EXISTS idx_notifications_feedback ON notifications (feedback_id) WHERE feedback_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_notifications_proposal ON notifications (proposal_id) WHERE proposal_id IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS idx_notifications_dedupe ON notifications (user_id, app, dedupe_key)
  WHERE dedupe_key IS NOT NULL;

CREATE TABLE IF NOT EXISTS deliveries (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  notification_id uuid NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
  device_token_id uuid NOT NULL REFERENCES device_tokens (id) ON DELETE CASCADE,
  user_id uuid NOT NULL,
  app text NOT NULL,
  provider text NOT NULL DEFAULT 'apns',
  state text NOT NULL DEFAULT 'queued'
    CONSTRAINT deliveries_state CHECK (state IN ('queued', 'accepted', 'rejected', 'expired', 'unknown')),
  not_before timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  lease_until timestamptz,
  lease_id uuid,
  attempts integer NOT NULL DEFAULT 0,
  reason text,
  apns_id text,
  accepted_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  UNIQUE (notification_id, device_token_id)
);
CREATE INDEX IF NOT EXISTS idx_deliveries_due ON deliveries (not_before) WHERE state = 'queued';
CREATE INDEX IF NOT EXISTS idx_deliveries_device ON deliveries (device_token_id);

-- `reason` says why somebody was not told and is NULL for `notify`; `recipient_reason` says why they were asked about.
CREATE TABLE IF NOT EXISTS decisions (
  function text NOT NULL,
  source text NOT NULL,
  event_id text NOT NULL,
  user_id uuid NOT NULL,
  subject_id text NOT NULL,
  kind text NOT NULL,
  decision text NOT NULL CONSTRAINT decisions_decision CHECK (decision IN ('notify', 'suppress')),
  reason text,
  recipient_reason text NOT NULL,
  notification_id uuid,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (function, source, event_id, user_id, subject_id)
);
CREATE INDEX IF NOT EXISTS idx_decisions_created ON decisions (created_at);

-- `result` is what the function answered, `progress` how far a large fan-out has come that has no result yet.
CREATE TABLE IF NOT EXISTS handled_events (
  function text NOT NULL,
  source text NOT NULL,
  event_id text NOT NULL,
  result text,
  progress text,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (function, source, event_id)
);
CREATE INDEX IF NOT EXISTS idx_handled_events_created ON handled_events (created_at);

-- The row to lock before reading what else a person was told lately; `all_read_at` is their last mark-all-as-read.
CREATE TABLE IF NOT EXISTS notification_state (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  app text NOT NULL,
  all_read_at timestamptz,
  PRIMARY KEY (user_id, app)
);

-- What a person is looking at.
CREATE TABLE IF NOT EXISTS user_activity (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  app text NOT NULL,
  subject_id text NOT NULL,
  seen_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, app)
);
