-- Needs notifications: id, user_id, type
-- Writes notifications: type 'badge', title '', is_read true, is_archived true
-- Writes notifications by feedback-created: type 'new_feedback', title 255 letters, body 500 letters
-- Writes notifications by comment-added: type 'new_comment', title 255 letters, body 500 letters
-- Writes notifications by vote-cast: type 'new_vote', title 255 letters, body 500 letters
-- Writes notifications by status-changed: type 'status_change', title 255 letters, body 500 letters
-- Writes notifications by proposal-created: type 'proposal_created', title 255 letters, body 500 letters
-- Writes notifications by proposal-reminder: type 'proposal_reminder', title 255 letters, body 500 letters
-- Writes notifications by proposal-vote-cast: type 'vote_cast' 'vote_count_update', title 255 letters, body 500 letters
-- Writes notifications by proposal-vote-cast: type 'vote_count', title '', is_read true, is_archived true
-- Writes notifications by proposal-updated: type 'proposal_updated', title 255 letters, body 500 letters
-- Writes notifications by event-confirmed: type 'event_confirmed', title 255 letters, body 500 letters
-- Writes notifications by event-reminder: type 'event_day_before' 'time_to_leave', title 255 letters, body 500 letters
-- Writes notifications by event-reminder: type 'event_starting_soon' 'memory_prompt', title 255 letters, body 500 letters
-- Writes notifications by conflict-detected: type 'conflict_alert', title 255 letters, body 500 letters
-- Writes notifications by friend-requested: type 'friend_request', title 255 letters, body 500 letters
-- Writes notifications by group-invited: type 'group_invite', title 255 letters, body 500 letters
-- Writes notifications by analyze-for-notification: type 'smart_notification', title 255 letters, body 500 letters
-- Writes notifications by release-held: type 'quiet_summary', title 255 letters, body 500 letters, is_read true
-- Changes notifications: is_read 'true'
-- Changes notifications: is_archived 'true'
-- Removes from notifications: origin = 'function' AND type IN ('badge', 'vote_count', 'quiet_summary')
-- Removes from notifications: origin = 'function' AND (is_gone OR merged_into IS NOT NULL)
-- The inbox: what people were told, and what is to be told.

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
  created_at timestamptz DEFAULT push_now(),
  expires_at timestamptz DEFAULT push_now() + interval '30 days',
  updated_at timestamptz DEFAULT push_now()
);
DO $$
BEGIN
  IF push_knows('friend_requests', 'requester_id', 'recipient_id') THEN
    ALTER TABLE notifications
      ADD COLUMN IF NOT EXISTS friend_request_id uuid REFERENCES friend_requests (id) ON DELETE CASCADE;
  END IF;
END
$$;
-- What it is about, and how it is told. Apps insert rows themselves: `entity_id` and `message` are names of theirs for what
-- it is about and for the body, and the title may be left out where the kind has one.
-- `expires_at` ends the inbox entry; the push's own end is `deliveries.expires_at`.
-- `payload` is the encoded push, `{"aps":{` first and without a badge; NULL where nothing is sent.
-- `source` and `source_event_id` name the event that `function` was told of.
-- `variant` is what somebody read, NULL where nothing was tried out. `traceparent` is the W3C trace context of the run
-- that has decided it, where traces are wanted: its pushes belong to it.
ALTER TABLE notifications
  ADD COLUMN IF NOT EXISTS app text NOT NULL DEFAULT 'feedbackkit',
  ADD COLUMN IF NOT EXISTS origin text NOT NULL DEFAULT 'earlier',
  ADD COLUMN IF NOT EXISTS subject_id text,
  ADD COLUMN IF NOT EXISTS entity_id text,
  ADD COLUMN IF NOT EXISTS message text,
  ADD COLUMN IF NOT EXISTS project_id uuid,
  ADD COLUMN IF NOT EXISTS feedback_id uuid REFERENCES feedbacks (id) ON DELETE CASCADE,
  ADD COLUMN IF NOT EXISTS event_id uuid REFERENCES events (id) ON DELETE CASCADE,
  ADD COLUMN IF NOT EXISTS friend_request_id uuid,
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
  ADD COLUMN IF NOT EXISTS variant text,
  ADD COLUMN IF NOT EXISTS traceparent text;
-- `origin` is `earlier` for what was there before: the cleaning leaves it alone. A column of the app's is not ours to change.
DO $$
BEGIN
  IF 'earlier' = (
    SELECT substring(pg_get_expr(d.adbin, d.adrelid) FROM '^''(\w+)''::text$')
    FROM pg_attribute a JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = 'notifications'::regclass AND a.attname = 'origin')
  THEN
    ALTER TABLE notifications ALTER COLUMN origin SET DEFAULT 'app';
  END IF;
END
$$;

-- `pushed_at` is when deliveries were made; `push_expires_at` when a push would be pointless.
-- `window_ends_at` stands on a notification after which others of its family about `family_subject` are gathered;
-- `actor` says who or what is counted when they are merged, `merged_into` what they are merged into, and `summary_id` the
-- notification whose push told of this one and others after quiet hours.
-- `phone_text` is what the phone still says of a notification whose words in the inbox were corrected: its title and body.
-- `is_gone` is a notification that left the inbox because it is no longer true. The next push of its subject takes its
-- place on the phone.
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
  ADD COLUMN IF NOT EXISTS summary_id uuid,
  ADD COLUMN IF NOT EXISTS phone_text text[],
  ADD COLUMN IF NOT EXISTS is_gone boolean NOT NULL DEFAULT false;

-- A push that shows nothing is no inbox entry: a badge alone is `{"aps":{}`, its number is put in when it is sent.
ALTER TABLE notifications
  DROP CONSTRAINT IF EXISTS notifications_quiet,
  ADD CONSTRAINT notifications_quiet CHECK (
    NOT counts_for_badge OR (push_type = 'background' OR starts_with(payload, '{"aps":{}')) IS NOT TRUE) NOT VALID;

-- Indexes -------------------------------------------------------------------------------------------------------------

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
-- What may have to be corrected when an act about a feedback is taken back.
CREATE INDEX IF NOT EXISTS idx_notifications_feedback_unread ON notifications (feedback_id)
  WHERE feedback_id IS NOT NULL AND is_read IS NOT TRUE AND is_archived IS NOT TRUE;
-- Pushes of a badge alone; `data` has the badge as it was when they were made.
CREATE INDEX IF NOT EXISTS idx_notifications_badge_pushes ON notifications (user_id, app)
  WHERE type = 'badge' AND origin = 'function';
-- What one notification tells in place of others.
CREATE INDEX IF NOT EXISTS idx_notifications_merged_into ON notifications (merged_into) WHERE merged_into IS NOT NULL;
-- What somebody was told last of what a feedback's status, or the option that leads, is.
CREATE INDEX IF NOT EXISTS idx_notifications_states ON notifications (user_id, subject_id, created_at)
  WHERE family IN ('statuses', 'leads');
-- A person with many pushes a day: the last one of a family about a subject is found among them at once.
CREATE INDEX IF NOT EXISTS idx_notifications_threads
  ON notifications (user_id, app, family, family_subject, pushed_at, id) WHERE pushed_at IS NOT NULL AND family IS NOT NULL;
-- Days of the rates, see push_rates_by_kind.
CREATE INDEX IF NOT EXISTS idx_notifications_day ON notifications (((created_at AT TIME ZONE 'UTC')::date));
-- For the daily cleanup.
CREATE INDEX IF NOT EXISTS idx_notifications_unread_expiry ON notifications (expires_at) WHERE is_read IS NOT TRUE;
CREATE INDEX IF NOT EXISTS idx_notifications_read_created ON notifications (created_at) WHERE is_read;

-- Pages of a person's entries, the newest first, all or unread, without a walk over the others. Read and unread entries are
-- two lists, which a page of all merges. Those that have ended are passed in the index.
CREATE INDEX IF NOT EXISTS idx_notifications_inbox ON notifications (
  user_id, app, (coalesce(is_read, false)), created_at DESC, id DESC, (coalesce(expires_at, 'infinity')))
  WHERE is_archived IS NOT TRUE;

-- LockItIn's inbox has sections, which are lists of kinds.
CREATE INDEX IF NOT EXISTS idx_notifications_inbox_kind ON notifications (
  user_id, lower(type), (coalesce(is_read, false)), created_at DESC, id DESC, (coalesce(expires_at, 'infinity')))
  WHERE app = 'lockitin' AND is_archived IS NOT TRUE;

-- An app's own notifications ------------------------------------------------------------------------------------------

-- A badge counts from the moment the product came. Entries that an app has written before count only where the app's own
-- columns call them unread. `counts_for_badge` is older than this transaction in a database that was migrated before: its
-- numbers stay as they are.
DO $$
DECLARE
  made boolean := (
    SELECT xmin = pg_current_xact_id()::xid FROM pg_attribute
    WHERE attrelid = 'notifications'::regclass AND attname = 'counts_for_badge');
  own text := (
    SELECT string_agg(CASE attname WHEN 'read_at' THEN 'n.read_at IS NULL' ELSE format('n.%I IS NOT TRUE', attname) END,
      ' AND ')
    FROM pg_attribute
    WHERE attrelid = 'notifications'::regclass AND NOT attisdropped AND (attname = 'read_at'
      OR attname IN ('read', 'seen', 'is_seen') AND atttypid = 'boolean'::regtype));
  -- Ours has a default that was made just now.
  has_read boolean := NOT EXISTS (
    SELECT FROM pg_attribute a JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = 'notifications'::regclass AND a.attname = 'is_read' AND d.xmin = pg_current_xact_id()::xid);
BEGIN
  IF NOT made OR own IS NULL AND has_read THEN RETURN; END IF;
  EXECUTE format('UPDATE notifications n SET counts_for_badge = false WHERE is_read IS NOT TRUE AND (%s) IS NOT TRUE',
    coalesce(own, 'false'));
END
$$;

-- An inbox that was there before without an `is_read` of its own: what it has counts as read, unless a column of the app's
-- says that it is unread. From now on that column and `is_read` say the same.
DO $body$
DECLARE
  is_new boolean := (
    SELECT xmin = pg_current_xact_id()::xid FROM pg_attribute
    WHERE attrelid = 'notifications'::regclass AND attname = 'counts_for_badge');
  -- Ours has a default that was made just now.
  is_ours boolean := EXISTS (
    SELECT FROM pg_attribute a JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = 'notifications'::regclass AND a.attname = 'is_read' AND d.xmin = pg_current_xact_id()::xid);
  own name;
  is_time boolean;
  unread text;
BEGIN
  IF NOT is_new OR NOT is_ours THEN RETURN; END IF;
  SELECT attname, atttypid = 'timestamptz'::regtype INTO own, is_time FROM pg_attribute
  WHERE attrelid = 'notifications'::regclass AND NOT attisdropped
    AND (attname = 'read_at' AND atttypid = 'timestamptz'::regtype
      OR attname IN ('read', 'seen', 'is_seen') AND atttypid = 'boolean'::regtype)
  ORDER BY attname <> 'read_at', attname LIMIT 1;
  unread := CASE WHEN own IS NULL THEN 'false' WHEN is_time THEN 'read_at IS NULL' ELSE format('%I IS NOT TRUE', own) END;
  EXECUTE format('UPDATE notifications SET is_read = true WHERE NOT (%s)', unread);
  IF own IS NULL THEN RETURN; END IF;
  EXECUTE format(
    E'CREATE OR REPLACE FUNCTION push_same_reading() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_read boolean := NEW.%1$I IS %2$s;
BEGIN
  IF NEW.is_read IS NOT DISTINCT FROM is_read THEN RETURN NEW; END IF;
  IF TG_OP = ''INSERT'' AND is_read OR TG_OP = ''UPDATE'' AND is_read <> (OLD.%1$I IS %2$s) THEN
    NEW.is_read := is_read;
  ELSE
    NEW.%1$I := %3$s;
  END IF;
  RETURN NEW;
END
$$', own, CASE WHEN is_time THEN 'NOT NULL' ELSE 'TRUE' END,
    CASE WHEN is_time THEN 'CASE WHEN NEW.is_read THEN push_now() END' ELSE 'coalesce(NEW.is_read, false)' END);
  EXECUTE format('ALTER FUNCTION push_same_reading() SET search_path = %I, pg_temp', current_schema());
  CREATE OR REPLACE TRIGGER push_same_reading BEFORE INSERT OR UPDATE ON notifications
    FOR EACH ROW EXECUTE FUNCTION push_same_reading();
END
$body$;

-- Functions write entries of their own, a badge alone among them, without the columns that only the app knows. Where such a
-- column must have a value, they get the empty one of its type, or the person's id; the app's own rows are asked for it as
-- before. A column that names a row of another table, or whose values are unique, may be NULL from now on.
DO $body$
DECLARE
  part record;
  fills text := '';
BEGIN
  FOR part IN
    SELECT a.attname AS name, CASE
      WHEN t.typname IN ('json', 'jsonb') THEN quote_literal('{}')
      WHEN EXISTS (
        SELECT FROM pg_constraint c
        WHERE c.conrelid = a.attrelid AND c.contype = 'f' AND a.attnum = ANY (c.conkey)
          AND c.confrelid IS DISTINCT FROM to_regclass('users')) THEN NULL
      WHEN EXISTS (
        SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisunique AND a.attnum = ANY (i.indkey)) THEN NULL
      WHEN t.typname = 'uuid' THEN 'NEW.user_id'
      WHEN t.typname = 'bytea' THEN quote_literal('')
      WHEN t.typtype = 'e' THEN (
        SELECT quote_literal(e.enumlabel) FROM pg_enum e WHERE e.enumtypid = t.oid ORDER BY e.enumsortorder LIMIT 1)
      ELSE CASE t.typcategory
        WHEN 'S' THEN quote_literal('') WHEN 'B' THEN 'false' WHEN 'N' THEN '0' WHEN 'A' THEN quote_literal('{}')
        WHEN 'D' THEN 'push_now()' WHEN 'T' THEN quote_literal('0')
      END
    END AS filling
    FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
    WHERE a.attrelid = 'notifications'::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attnotnull
      AND NOT a.atthasdef AND a.attidentity = '' AND a.attname NOT IN ('id', 'user_id', 'type')
    ORDER BY a.attnum
  LOOP
    IF part.filling IS NULL THEN
      EXECUTE format('ALTER TABLE notifications ALTER COLUMN %I DROP NOT NULL', part.name);
    ELSE
      fills := fills || format(E'  IF NEW.%1$I IS NULL THEN NEW.%1$I := %2$s; END IF;\n', part.name, part.filling);
    END IF;
  END LOOP;
  IF fills = '' THEN RETURN; END IF;
  EXECUTE format(
    E'CREATE OR REPLACE FUNCTION push_fill_entry() RETURNS trigger LANGUAGE plpgsql AS $$\nBEGIN\n%s  RETURN NEW;\nEND\n$$',
    fills);
  EXECUTE format('ALTER FUNCTION push_fill_entry() SET search_path = %I, pg_temp', current_schema());
  CREATE OR REPLACE TRIGGER push_fill_entry BEFORE INSERT ON notifications
    FOR EACH ROW WHEN (NEW.origin = 'function') EXECUTE FUNCTION push_fill_entry();
END
$body$;
