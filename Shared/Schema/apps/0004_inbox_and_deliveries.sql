-- Replaces: 0004_notifications, 0008_delivery_states, 0009_fcm, 0011_calm, 0012_apps, 0015_analyses, 0016_explained
-- Replaces: 0019_inbox, 0020_actions, 0022_probes, 0023_unsettled, 0031_quiet_summary
-- Who was told what, what is on its way, what waits, and why somebody was not told.

-- Notifications ------------------------------------------------------------------------------------------------------

CREATE TABLE IF NOT EXISTS notifications (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  type varchar(50) NOT NULL,
  title varchar(255),
  body varchar(500),
  data jsonb DEFAULT '{}',
  proposal_id uuid REFERENCES event_proposals (id) ON DELETE CASCADE,
  is_read boolean DEFAULT false,
  is_archived boolean DEFAULT false,
  created_at timestamptz DEFAULT now(),
  expires_at timestamptz DEFAULT now() + interval '30 days',
  updated_at timestamptz DEFAULT now()
);
-- What it is about, and how it is told. Apps insert rows themselves: `entity_id` and `message` are names of theirs for what
-- it is about and for the body, and the title may be left out where the kind has one.
-- `expires_at` ends the inbox entry; the push's own end is `deliveries.expires_at`.
-- `payload` is the encoded push, `{"aps":{` first and without a badge; NULL where nothing is sent.
-- `source` and `source_event_id` name the event that `function` was told of.
-- `variant` is what somebody read, NULL where nothing was tried out.
ALTER TABLE notifications
  ALTER COLUMN title DROP NOT NULL,
  ADD COLUMN IF NOT EXISTS app text NOT NULL DEFAULT 'feedbackkit',
  ADD COLUMN IF NOT EXISTS origin text NOT NULL DEFAULT 'app',
  ADD COLUMN IF NOT EXISTS subject_id text,
  ADD COLUMN IF NOT EXISTS entity_id text,
  ADD COLUMN IF NOT EXISTS message text,
  ADD COLUMN IF NOT EXISTS project_id uuid,
  ADD COLUMN IF NOT EXISTS feedback_id uuid REFERENCES feedbacks (id) ON DELETE CASCADE,
  ADD COLUMN IF NOT EXISTS event_id uuid REFERENCES events (id) ON DELETE CASCADE,
  ADD COLUMN IF NOT EXISTS friend_request_id uuid REFERENCES friend_requests (id) ON DELETE CASCADE,
  ADD COLUMN IF NOT EXISTS importance text NOT NULL DEFAULT 'normal'
    CONSTRAINT notifications_importance CHECK (importance IN ('passive', 'normal', 'actionRequired', 'urgent')),
  ADD COLUMN IF NOT EXISTS counts_for_badge boolean NOT NULL DEFAULT true,
  ADD COLUMN IF NOT EXISTS payload text,
  ADD COLUMN IF NOT EXISTS push_type text NOT NULL DEFAULT 'alert',
  ADD COLUMN IF NOT EXISTS priority smallint NOT NULL DEFAULT 10,
  ADD COLUMN IF NOT EXISTS collapse_id text,
  ADD COLUMN IF NOT EXISTS function text,
  ADD COLUMN IF NOT EXISTS source text,
  ADD COLUMN IF NOT EXISTS source_event_id text,
  ADD COLUMN IF NOT EXISTS dedupe_key text,
  ADD COLUMN IF NOT EXISTS variant text;

-- `pushed_at` is when deliveries were made; `push_expires_at` when a push would be pointless.
-- `window_ends_at` stands on a notification after which others of its family about `family_subject` are gathered;
-- `actor` says who or what is counted when they are merged, `merged_into` what they are merged into, and `summary_id` the
-- notification whose push told of this one and others after quiet hours.
ALTER TABLE notifications
  ADD COLUMN IF NOT EXISTS pushed_at timestamptz,
  ADD COLUMN IF NOT EXISTS push_expires_at timestamptz,
  ADD COLUMN IF NOT EXISTS recipient_reason text,
  ADD COLUMN IF NOT EXISTS family text,
  ADD COLUMN IF NOT EXISTS family_subject text,
  ADD COLUMN IF NOT EXISTS family_name text,
  ADD COLUMN IF NOT EXISTS window_ends_at timestamptz,
  ADD COLUMN IF NOT EXISTS opener_id uuid,
  ADD COLUMN IF NOT EXISTS actor text,
  ADD COLUMN IF NOT EXISTS actor_name text,
  ADD COLUMN IF NOT EXISTS merged_into uuid,
  ADD COLUMN IF NOT EXISTS summary_id uuid;

-- A push that shows nothing is no inbox entry: a badge alone is `{"aps":{}`, its number is put in when it is sent.
ALTER TABLE notifications
  DROP CONSTRAINT IF EXISTS notifications_quiet,
  ADD CONSTRAINT notifications_quiet CHECK (
    NOT counts_for_badge OR (push_type = 'background' OR starts_with(payload, '{"aps":{}')) IS NOT TRUE) NOT VALID;

CREATE INDEX IF NOT EXISTS idx_notifications_user_created ON notifications (user_id, created_at DESC);
CREATE INDEX IF NOT EXISTS idx_notifications_badge ON notifications (user_id, app)
  WHERE counts_for_badge AND is_read IS NOT TRUE AND is_archived IS NOT TRUE;
CREATE INDEX IF NOT EXISTS idx_notifications_feedback ON notifications (feedback_id) WHERE feedback_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_notifications_proposal ON notifications (proposal_id) WHERE proposal_id IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS idx_notifications_dedupe ON notifications (user_id, app, dedupe_key)
  WHERE dedupe_key IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_notifications_event ON notifications (event_id) WHERE event_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_notifications_friend_request ON notifications (friend_request_id)
  WHERE friend_request_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_notifications_pushed ON notifications (user_id, app, pushed_at)
  WHERE pushed_at IS NOT NULL;
-- What may have to leave the inbox when a proposal closes.
CREATE INDEX IF NOT EXISTS idx_notifications_proposal_unread ON notifications (proposal_id)
  WHERE proposal_id IS NOT NULL AND is_read IS NOT TRUE AND is_archived IS NOT TRUE;
-- Pushes of a badge alone; `data` has the badge as it was when they were made.
CREATE INDEX IF NOT EXISTS idx_notifications_badge_pushes ON notifications (user_id, app)
  WHERE type = 'badge' AND origin = 'function';
-- What one notification tells in place of others.
CREATE INDEX IF NOT EXISTS idx_notifications_merged_into ON notifications (merged_into) WHERE merged_into IS NOT NULL;
-- What somebody was told last of what a feedback's status, or the option that leads, is.
CREATE INDEX IF NOT EXISTS idx_notifications_states ON notifications (user_id, subject_id, created_at)
  WHERE family IN ('statuses', 'leads');
-- Days of the rates, see push_rates_by_kind.
CREATE INDEX IF NOT EXISTS idx_notifications_day ON notifications (((created_at AT TIME ZONE 'UTC')::date));
-- For the daily cleanup.
CREATE INDEX IF NOT EXISTS idx_notifications_unread_expiry ON notifications (expires_at) WHERE is_read IS NOT TRUE;
CREATE INDEX IF NOT EXISTS idx_notifications_read_created ON notifications (created_at) WHERE is_read;

-- The inbox: pages of a person's entries, the newest first, all or unread, without a walk over the others. Read and unread
-- entries are two lists, which a page of all merges. Those that have ended are passed in the index.
CREATE INDEX IF NOT EXISTS idx_notifications_inbox ON notifications (
  user_id, app, (coalesce(is_read, false)), created_at DESC, id DESC, (coalesce(expires_at, 'infinity')))
  WHERE is_archived IS NOT TRUE;

-- LockItIn's inbox has sections, which are lists of kinds.
CREATE INDEX IF NOT EXISTS idx_notifications_inbox_kind ON notifications (
  user_id, lower(type), (coalesce(is_read, false)), created_at DESC, id DESC, (coalesce(expires_at, 'infinity')))
  WHERE app = 'lockitin' AND is_archived IS NOT TRUE;

-- Deliveries ---------------------------------------------------------------------------------------------------------

-- `probe_environment` is the environment that is left for a delivery to try: the other one has refused the device's token,
-- as it was registered at `probe_registered_at`. `unsettled` is how often in a row it was taken to be sent without an
-- answer being written down: its lease is longer each time. `refusals` is how often in a row the database has refused an
-- answer to it.
--
-- A lease, and what an answer says of a device, change no column of any index: with room on their pages they touch the
-- tables alone (measured: 120 µs of the server's time for a claim and its settlement without the room, 80 with it).
-- Finished deliveries leave dead entries at the front of idx_deliveries_due, which every claim passes until a vacuum.
CREATE TABLE IF NOT EXISTS deliveries (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  notification_id uuid NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
  device_token_id uuid NOT NULL REFERENCES device_tokens (id) ON DELETE CASCADE,
  user_id uuid NOT NULL,
  app text NOT NULL,
  provider text NOT NULL DEFAULT 'apns',
  state text NOT NULL DEFAULT 'queued'
    CONSTRAINT deliveries_state CHECK (
      state IN ('queued', 'accepted', 'rejected', 'expired', 'unknown', 'opened', 'acted')),
  not_before timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  lease_until timestamptz,
  lease_id uuid,
  attempts integer NOT NULL DEFAULT 0,
  unsettled integer NOT NULL DEFAULT 0,
  refusals integer NOT NULL DEFAULT 0,
  probe_environment text
    CONSTRAINT deliveries_probe_environment CHECK (probe_environment IN ('sandbox', 'production')),
  probe_registered_at timestamptz,
  reason text,
  apns_id text,
  accepted_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  UNIQUE (notification_id, device_token_id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 10000);
CREATE INDEX IF NOT EXISTS idx_deliveries_due ON deliveries (not_before) WHERE state = 'queued';
CREATE INDEX IF NOT EXISTS idx_deliveries_device ON deliveries (device_token_id);
CREATE INDEX IF NOT EXISTS idx_deliveries_settled ON deliveries (updated_at, state) WHERE state <> 'queued';
-- Deliveries of a provider that a process does not serve are counted and expire without a walk over everybody else's.
CREATE INDEX IF NOT EXISTS idx_deliveries_fcm ON deliveries (not_before) WHERE state = 'queued' AND provider = 'fcm';

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
ALTER TABLE push_notification_logs
  ADD COLUMN IF NOT EXISTS delivery_id uuid,
  ADD COLUMN IF NOT EXISTS attempt integer,
  ADD COLUMN IF NOT EXISTS http_status integer,
  ADD COLUMN IF NOT EXISTS reason text,
  ADD COLUMN IF NOT EXISTS duration_ms integer;
CREATE INDEX IF NOT EXISTS idx_push_logs_user ON push_notification_logs (user_id);
CREATE INDEX IF NOT EXISTS idx_push_logs_status ON push_notification_logs (status);
CREATE INDEX IF NOT EXISTS idx_push_logs_created ON push_notification_logs (created_at);
CREATE INDEX IF NOT EXISTS idx_push_logs_feedback ON push_notification_logs (feedback_id) WHERE feedback_id IS NOT NULL;

-- What is decided ----------------------------------------------------------------------------------------------------

-- `reason` says why somebody was not told and is NULL for `notify`; `recipient_reason` says why they were asked about.
-- `variant` is what somebody read, or would have read; NULL where nothing was tried out. `facts` is what the decision was
-- made from, since settings change later: it has only what is not so with most people, and is NULL where nothing is. The
-- gates can be asked again from it.
CREATE TABLE IF NOT EXISTS decisions (
  function text NOT NULL,
  source text NOT NULL,
  event_id text NOT NULL,
  user_id uuid NOT NULL,
  subject_id text NOT NULL,
  kind text NOT NULL,
  decision text NOT NULL CONSTRAINT decisions_decision CHECK (decision IN ('notify', 'hold', 'suppress')),
  reason text,
  recipient_reason text NOT NULL,
  notification_id uuid,
  app text NOT NULL DEFAULT 'feedbackkit',
  variant text,
  facts jsonb,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (function, source, event_id, user_id, subject_id)
);
CREATE INDEX IF NOT EXISTS idx_decisions_created ON decisions (created_at);
CREATE INDEX IF NOT EXISTS idx_decisions_day ON decisions (((created_at AT TIME ZONE 'UTC')::date));

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

-- What waits, and until when; a row goes when its notification is sent, merged or given up.
CREATE TABLE IF NOT EXISTS held_notifications (
  notification_id uuid PRIMARY KEY REFERENCES notifications (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  app text NOT NULL,
  reason text NOT NULL CONSTRAINT held_notifications_reason CHECK (
    reason IN ('batched', 'quiet_hours', 'rate_limited', 'snoozed')),
  held_until timestamptz NOT NULL,
  held_since timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_held_notifications_until ON held_notifications (held_until);
CREATE INDEX IF NOT EXISTS idx_held_notifications_user ON held_notifications (user_id);

-- What was decided when something that waited came due, one row each time.
CREATE TABLE IF NOT EXISTS notification_rechecks (
  notification_id uuid NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
  decision text NOT NULL
    CONSTRAINT notification_rechecks_decision CHECK (
      decision IN ('notify', 'merge', 'summarize', 'hold', 'suppress')),
  reason text,
  facts jsonb,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (notification_id, created_at)
);

-- Texts of a kind that are tried out against each other, each with an equal share of the people.
-- While a row is on, the variants that a kind has are used; without one, everybody reads its usual text.
CREATE TABLE IF NOT EXISTS experiments (
  app text NOT NULL,
  kind text NOT NULL,
  is_on boolean NOT NULL DEFAULT true,
  PRIMARY KEY (app, kind)
);

-- What MessageAI has judged for whom, which a person wants only so often an hour.
-- `source` and `event_id` name the call; `reason` says why the person was not told at once, and is NULL where they were.
CREATE TABLE IF NOT EXISTS analyses (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  message_id text NOT NULL,
  conversation_id text NOT NULL,
  priority text NOT NULL,
  source text NOT NULL,
  event_id text NOT NULL,
  reason text,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, message_id)
);
CREATE INDEX IF NOT EXISTS idx_analyses_user_created ON analyses (user_id, created_at);
CREATE INDEX IF NOT EXISTS idx_analyses_event ON analyses (event_id);
CREATE INDEX IF NOT EXISTS idx_analyses_created ON analyses (created_at);

-- What people do -----------------------------------------------------------------------------------------------------

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

-- What a person is looking at.
CREATE TABLE IF NOT EXISTS user_activity (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  app text NOT NULL,
  subject_id text NOT NULL,
  seen_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, app)
);

-- Badges that fall because something was deleted: one row for each person whose badge may have counted it, written by the
-- transaction that deletes it. Afterwards nobody can say who had not voted on a proposal that is gone.
-- `asked_at` is compared with the person's last mark-all-as-read; from `ends_at` on it would not have counted.
CREATE TABLE IF NOT EXISTS badge_losses (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL,
  app text NOT NULL,
  asked_at timestamptz,
  ends_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
