-- Compatible
-- Keeps: push_notification_logs
-- What an app has made itself stays as it has made it: its log, its rows, and columns that only its own code fills.

-- The log ------------------------------------------------------------------------------------------------------------

-- Whether the log is ours, with its days. Another one has the trigger that fits attempts into it.
CREATE OR REPLACE FUNCTION push_owns_log() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT NOT EXISTS (
    SELECT FROM pg_trigger WHERE tgrelid = 'push_notification_logs'::regclass AND tgname = 'push_fit_attempt')
$$;

-- `runner migrate` has set the app's log aside before the first migration, and here it is put back. It gets the columns
-- that it lacks, and keeps its keys. An attempt names only what is there: what goes at that moment is no longer named, and
-- where it must be, there is no line. Nothing waits for that: who deletes it has locked more.
DO $body$
DECLARE
  kept regclass := to_regclass('runner.push_notification_logs');
  names text[] := ARRAY['user_id', 'device_token_id', 'notification_type', 'status', 'feedback_id', 'project_id', 'payload',
    'error_message', 'apns_id', 'created_at', 'delivery_id', 'attempt', 'http_status', 'reason', 'duration_ms'];
  always text[] := ARRAY['user_id', 'device_token_id', 'notification_type', 'status', 'created_at', 'delivery_id'];
  clients text := (
    SELECT string_agg(quote_ident(rolname), ', ') FROM pg_roles WHERE rolname IN ('anon', 'authenticated'));
  part record;
  fits text := '';
  unfit text[];
  is_short boolean;
BEGIN
  IF kept IS NULL THEN RETURN; END IF;
  DROP VIEW push_attempts_last_hour;
  DROP TABLE push_notification_logs;
  EXECUTE format('ALTER TABLE %s SET SCHEMA %I', kept, current_schema());
  ALTER TABLE push_notification_logs
    ADD COLUMN IF NOT EXISTS user_id uuid, ADD COLUMN IF NOT EXISTS device_token_id uuid,
    ADD COLUMN IF NOT EXISTS notification_type text, ADD COLUMN IF NOT EXISTS status text,
    ADD COLUMN IF NOT EXISTS feedback_id uuid, ADD COLUMN IF NOT EXISTS project_id uuid,
    ADD COLUMN IF NOT EXISTS payload jsonb, ADD COLUMN IF NOT EXISTS error_message text,
    ADD COLUMN IF NOT EXISTS apns_id text, ADD COLUMN IF NOT EXISTS created_at timestamptz,
    ADD COLUMN IF NOT EXISTS delivery_id uuid, ADD COLUMN IF NOT EXISTS attempt integer,
    ADD COLUMN IF NOT EXISTS http_status integer, ADD COLUMN IF NOT EXISTS reason text,
    ADD COLUMN IF NOT EXISTS duration_ms integer;
  CREATE INDEX IF NOT EXISTS idx_push_logs_user ON push_notification_logs (user_id);
  CREATE INDEX IF NOT EXISTS idx_push_logs_created ON push_notification_logs (created_at);

  FOR part IN
    SELECT a.attname AS name, a.attnotnull AS is_needed, format('%I.%I', n.nspname, p.relname) AS parent, k.attname AS key
    FROM pg_constraint c
    JOIN pg_attribute a ON a.attrelid = c.conrelid AND c.conkey = ARRAY[a.attnum]
    JOIN pg_attribute k ON k.attrelid = c.confrelid AND c.confkey = ARRAY[k.attnum]
    JOIN pg_class p ON p.oid = c.confrelid JOIN pg_namespace n ON n.oid = p.relnamespace
    WHERE c.conrelid = kept AND c.contype = 'f' AND a.attname = ANY (names)
    ORDER BY a.attnum
  LOOP
    fits := fits || format(
      E'  IF NEW.%1$I IS NOT NULL THEN\n    PERFORM FROM %2$s r WHERE r.%3$I = NEW.%1$I FOR KEY SHARE NOWAIT;\n'
      || E'    IF NOT FOUND THEN %4$s; END IF;\n  END IF;\n',
      part.name, part.parent, part.key,
      CASE WHEN part.is_needed THEN 'RETURN NULL' ELSE format('NEW.%I := NULL', part.name) END);
  END LOOP;
  FOR part IN
    SELECT a.attname AS name, CASE
      WHEN a.atttypid = 'uuid'::regtype AND u.is_key THEN 'gen_random_uuid()'
      WHEN u.is_key OR EXISTS (
        SELECT FROM pg_constraint c WHERE c.conrelid = kept AND c.contype = 'f' AND a.attnum = ANY (c.conkey)) THEN NULL
      WHEN t.typname IN ('json', 'jsonb') THEN quote_literal('{}')
      WHEN t.typname = 'uuid' THEN 'NEW.user_id'
      ELSE CASE t.typcategory
        WHEN 'S' THEN quote_literal('') WHEN 'B' THEN 'false' WHEN 'N' THEN '0' WHEN 'A' THEN quote_literal('{}')
        WHEN 'D' THEN 'push_now()' WHEN 'T' THEN quote_literal('0')
      END
    END AS filling
    FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
    CROSS JOIN LATERAL (
      SELECT EXISTS (
        SELECT FROM pg_index i WHERE i.indrelid = kept AND i.indisunique AND a.attnum = ANY (i.indkey)) AS is_key
    ) u
    WHERE a.attrelid = kept AND a.attnum > 0 AND NOT a.attisdropped AND a.attnotnull AND a.attname <> ALL (always)
      AND (a.attname = ANY (names) OR NOT a.atthasdef AND a.attidentity = '')
    ORDER BY a.attnum
  LOOP
    IF part.filling IS NULL THEN
      RAISE EXCEPTION 'push_notification_logs.% must have a value, and not every attempt to send a push has one: %',
        part.name, format('ALTER TABLE push_notification_logs ALTER COLUMN %I DROP NOT NULL', part.name)
        USING ERRCODE = 'invalid_table_definition';
    END IF;
    fits := fits || format(E'  IF NEW.%1$I IS NULL THEN NEW.%1$I := %2$s; END IF;\n', part.name, part.filling);
  END LOOP;
  -- A check of the app's may know fewer statuses: then such an attempt has failed, and `reason` says how.
  SELECT format_type(a.atttypid, a.atttypmod) AS type, string_agg(format('DROP CONSTRAINT %I, ', c.conname), '') AS drops,
    coalesce(string_agg(format('(%s) IS NOT FALSE', pg_get_expr(c.conbin, c.conrelid)), ' AND '), 'true') AS checks
  INTO part
  FROM pg_attribute a
  LEFT JOIN pg_constraint c ON c.conrelid = kept AND c.contype = 'c' AND c.conkey = ARRAY[a.attnum]
  WHERE a.attrelid = kept AND a.attname = 'status' GROUP BY 1;
  EXECUTE format('SELECT array_agg(s.word) FILTER (WHERE NOT (%2$s)), bool_or(s.status::text <> s.word)
    FROM (SELECT w AS word, w::%1$s AS status FROM unnest($1) w) s', part.type, part.checks)
  INTO unfit, is_short USING ARRAY['sent', 'failed', 'token_expired', 'unknown', 'deferred'];
  IF is_short OR NOT unfit <@ ARRAY['token_expired', 'unknown', 'deferred'] THEN
    RAISE EXCEPTION 'push_notification_logs.status has to take the words sent, failed and token_expired: %',
      format('ALTER TABLE push_notification_logs %sALTER COLUMN status TYPE text', part.drops)
      USING ERRCODE = 'invalid_table_definition';
  END IF;
  IF unfit IS NOT NULL THEN
    fits := fits || format(E'  IF NEW.status = ANY (%L) THEN NEW.status := ''failed''; END IF;\n', unfit);
  END IF;
  EXECUTE format(E'CREATE FUNCTION push_fit_attempt() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = %I, pg_temp AS $$\nBEGIN\n%s  RETURN NEW;\nEND\n$$', current_schema(), fits);
  CREATE TRIGGER push_fit_attempt BEFORE INSERT ON push_notification_logs
    FOR EACH ROW WHEN (NEW.delivery_id IS NOT NULL) EXECUTE FUNCTION push_fit_attempt();

  CREATE VIEW push_attempts_last_hour AS
  SELECT status AS outcome, coalesce(reason, '') AS reason, count(*) AS value
  FROM push_notification_logs WHERE created_at > now() - interval '1 hour' AND delivery_id IS NOT NULL
  GROUP BY 1, 2;
  IF clients IS NOT NULL THEN EXECUTE format('REVOKE ALL ON push_attempts_last_hour FROM %s', clients); END IF;
  -- A table that the app has closed itself keeps its own rules.
  PERFORM push_close_to_clients(c.oid, 'push_fit_attempt') FROM pg_class c
  WHERE c.oid = CASE
    WHEN (SELECT relrowsecurity FROM pg_class WHERE oid = kept) THEN 'deliveries'::regclass ELSE kept END;
END
$body$;

-- In an app's log each line follows the keys of the table. Those of ours go with their person also where no key says so.
CREATE OR REPLACE FUNCTION push_forget_attempts() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF NOT push_owns_log() THEN
    DELETE FROM push_notification_logs
    WHERE delivery_id IS NOT NULL AND CASE TG_OP WHEN 'TRUNCATE' THEN true ELSE user_id = OLD.id END;
  ELSIF TG_OP = 'TRUNCATE' THEN
    TRUNCATE push_notification_logs;
  ELSE
    DELETE FROM push_notification_logs WHERE user_id = OLD.id;
  END IF;
  RETURN NULL;
END
$$;

-- An app's log may have partitions, too, which nobody else makes or drops.
CREATE OR REPLACE FUNCTION push_log_days_until(moment timestamptz) RETURNS SETOF regclass
LANGUAGE sql STABLE SET "TimeZone" = 'UTC' SET "DateStyle" = 'ISO' AS $$
  SELECT c.oid::regclass FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = 'push_notification_logs'::regclass AND push_owns_log()
    AND substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''([^'']+)''\)')::timestamptz <= moment
  ORDER BY c.relname
$$;

CREATE OR REPLACE FUNCTION push_make_log_days(moment timestamptz) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET "TimeZone" = 'UTC' AS $$
DECLARE
  remainder regclass := (
    SELECT partdefid FROM pg_partitioned_table
    WHERE partrelid = 'push_notification_logs'::regclass AND partdefid <> 0 AND push_owns_log());
  clients text := (
    SELECT string_agg(quote_ident(rolname), ', ') FROM pg_roles WHERE rolname IN ('anon', 'authenticated'));
  today date := push_make_log_days.moment::date;
  latest timestamptz;
  missing date[];
  day date;
BEGIN
  IF remainder IS NULL OR NOT has_table_privilege(session_user, 'push_notification_logs', 'DELETE') THEN RETURN 0; END IF;
  EXECUTE format('SELECT max(created_at) FROM %s', remainder) INTO latest;
  SELECT array_agg(d ORDER BY d) INTO missing FROM (
    SELECT today + n AS d FROM generate_series(0, 7) AS n
  ) AS days
  WHERE (latest IS NULL OR d > latest::date) AND to_regclass(to_char(d, '"push_notification_logs_"YYYYMMDD')) IS NULL;
  IF missing IS NULL THEN RETURN 0; END IF;
  EXECUTE format('ALTER TABLE %s ADD CONSTRAINT push_logs_before CHECK (created_at < %L)', remainder,
    missing[1]::timestamptz);
  FOREACH day IN ARRAY missing LOOP
    EXECUTE format('CREATE TABLE %I (LIKE push_notification_logs INCLUDING ALL)',
      to_char(day, '"push_notification_logs_"YYYYMMDD'));
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', to_char(day, '"push_notification_logs_"YYYYMMDD'));
    EXECUTE format('ALTER TABLE %I REPLICA IDENTITY FULL', to_char(day, '"push_notification_logs_"YYYYMMDD'));
    IF clients IS NOT NULL THEN
      EXECUTE format('REVOKE ALL ON %I FROM %s', to_char(day, '"push_notification_logs_"YYYYMMDD'), clients);
    END IF;
    EXECUTE format('CREATE INDEX ON %I USING brin (created_at) WITH (pages_per_range = 16, autosummarize = on)',
      to_char(day, '"push_notification_logs_"YYYYMMDD'));
    EXECUTE format('ALTER TABLE push_notification_logs ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
      to_char(day, '"push_notification_logs_"YYYYMMDD'), day::timestamptz, (day + 1)::timestamptz);
  END LOOP;
  EXECUTE format('ALTER TABLE %s DROP CONSTRAINT push_logs_before', remainder);
  RETURN cardinality(missing);
END
$$;

-- Of an app's log it deletes what we have written, the latest first: older lines are the app's.
CREATE OR REPLACE FUNCTION push_delete_logs(moment timestamptz, most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  place regclass := coalesce((
    SELECT nullif(partdefid, 0) FROM pg_partitioned_table WHERE partrelid = 'push_notification_logs'::regclass),
    'push_notification_logs'::regclass);
  deleted integer;
BEGIN
  IF NOT has_table_privilege(session_user, 'push_notification_logs', 'DELETE') THEN
    RAISE insufficient_privilege USING MESSAGE = 'permission denied for table push_notification_logs';
  END IF;
  IF push_owns_log() THEN
    EXECUTE format('DELETE FROM ONLY %s WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ONLY %1$s WHERE created_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))', place)
    USING push_delete_logs.moment, push_delete_logs.most;
  ELSE
    DELETE FROM push_notification_logs l USING (
      SELECT o.tableoid, o.ctid FROM push_notification_logs o
      WHERE o.created_at < push_delete_logs.moment AND o.delivery_id IS NOT NULL
      ORDER BY o.created_at DESC LIMIT push_delete_logs.most FOR UPDATE SKIP LOCKED
    ) AS old
    WHERE l.tableoid = old.tableoid AND l.ctid = old.ctid;
  END IF;
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN deleted;
END
$$;

DO $$
DECLARE
  routine text;
BEGIN
  FOREACH routine IN ARRAY ARRAY['push_forget_attempts()', 'push_make_log_days(timestamptz)',
    'push_delete_logs(timestamptz, integer)']
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', routine, current_schema());
  END LOOP;
END
$$;

-- What is read ---------------------------------------------------------------------------------------------------------

-- An inbox that was there before has no `is_read` of its own: what it has counts as read, unless a column of the app's says
-- that it is unread. `origin` says `earlier` then, and the cleaning leaves it alone. From now on that column and `is_read`
-- say the same.
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
  EXECUTE format('UPDATE notifications SET is_read = true, origin = ''earlier'' WHERE NOT (%s)', unread);
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

-- What only the app's code fills -----------------------------------------------------------------------------------------

-- An app's own table of preferences may have pushes only.
ALTER TABLE project_member_preferences
  ADD COLUMN IF NOT EXISTS push_notify_new_feedback boolean,
  ADD COLUMN IF NOT EXISTS push_notify_new_comments boolean,
  ADD COLUMN IF NOT EXISTS push_notify_votes boolean,
  ADD COLUMN IF NOT EXISTS push_notify_status_changes boolean,
  ADD COLUMN IF NOT EXISTS push_muted boolean NOT NULL DEFAULT false,
  ADD COLUMN IF NOT EXISTS email_notify_new_feedback boolean,
  ADD COLUMN IF NOT EXISTS email_notify_new_comments boolean,
  ADD COLUMN IF NOT EXISTS email_muted boolean NOT NULL DEFAULT false,
  ADD COLUMN IF NOT EXISTS created_at timestamptz,
  ADD COLUMN IF NOT EXISTS updated_at timestamptz;

-- The same for LockItIn's.
ALTER TABLE user_notification_preferences
  ADD COLUMN IF NOT EXISTS notifications_enabled boolean DEFAULT true,
  ADD COLUMN IF NOT EXISTS proposal_notifications boolean DEFAULT true,
  ADD COLUMN IF NOT EXISTS vote_updates boolean DEFAULT true,
  ADD COLUMN IF NOT EXISTS conflict_alerts boolean DEFAULT true,
  ADD COLUMN IF NOT EXISTS friend_requests boolean DEFAULT true,
  ADD COLUMN IF NOT EXISTS event_reminders boolean DEFAULT true,
  ADD COLUMN IF NOT EXISTS group_updates boolean DEFAULT true,
  ADD COLUMN IF NOT EXISTS notification_sound varchar(50) DEFAULT 'default',
  ADD COLUMN IF NOT EXISTS haptic_feedback boolean DEFAULT true,
  ADD COLUMN IF NOT EXISTS quiet_hours_enabled boolean DEFAULT false,
  ADD COLUMN IF NOT EXISTS quiet_hours_start time,
  ADD COLUMN IF NOT EXISTS quiet_hours_end time,
  ADD COLUMN IF NOT EXISTS timezone varchar(100),
  ADD COLUMN IF NOT EXISTS summary_notifications_enabled boolean DEFAULT true,
  ADD COLUMN IF NOT EXISTS created_at timestamptz DEFAULT push_now(),
  ADD COLUMN IF NOT EXISTS updated_at timestamptz DEFAULT push_now();
ALTER TABLE group_notification_preferences
  ADD COLUMN IF NOT EXISTS notification_level varchar(20) DEFAULT 'all'
    CONSTRAINT group_notification_level CHECK (notification_level IN ('all', 'important', 'muted')),
  ADD COLUMN IF NOT EXISTS proposal_notifications boolean,
  ADD COLUMN IF NOT EXISTS vote_updates boolean,
  ADD COLUMN IF NOT EXISTS confirmations boolean,
  ADD COLUMN IF NOT EXISTS event_reminders boolean;

-- Functions write rows of these tables without the columns that they do not know, or need not change. Where such a column
-- must have a value and has no default, it gets one: what we would have said, or the empty value of its type.
DO $$
DECLARE
  part record;
BEGIN
  FOR part IN
    SELECT a.attrelid::regclass AS tab, a.attname AS col, coalesce(
      CASE WHEN t.typcategory = 'B' THEN CASE
        WHEN a.attname IN ('is_active', 'notifications_enabled', 'haptic_feedback', 'summary_notifications_enabled')
          OR a.attname ~ '^(push_notify|email_notify)_' OR a.attrelid <> 'device_tokens'::regclass AND a.attname IN (
            'proposal_notifications', 'vote_updates', 'conflict_alerts', 'friend_requests', 'event_reminders',
            'group_updates', 'confirmations') THEN 'true'
        ELSE 'false' END
      END,
      CASE a.attname
        WHEN 'notification_level' THEN quote_literal('all') WHEN 'notification_sound' THEN quote_literal('default')
        WHEN 'timezone' THEN quote_literal('UTC') WHEN 'quiet_hours_start' THEN quote_literal('22:00')
        WHEN 'quiet_hours_end' THEN quote_literal('08:00')
      END,
      CASE WHEN t.typname IN ('json', 'jsonb') THEN quote_literal('{}') ELSE CASE t.typcategory
        WHEN 'S' THEN quote_literal('') WHEN 'N' THEN '0' WHEN 'A' THEN quote_literal('{}') WHEN 'D' THEN 'push_now()'
        WHEN 'T' THEN quote_literal('0') END
      END) AS value
    FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
    WHERE a.attrelid IN ('device_tokens'::regclass, 'project_member_preferences'::regclass,
        'user_notification_preferences'::regclass, 'group_notification_preferences'::regclass)
      AND a.attnum > 0 AND NOT a.attisdropped AND a.attnotnull AND NOT a.atthasdef AND a.attidentity = ''
      AND a.attname NOT IN ('id', 'user_id', 'project_id', 'group_id', 'token', 'device_token', 'platform')
      AND t.typtype = 'b' AND t.typname <> 'uuid'
      AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisunique AND a.attnum = ANY (i.indkey))
      AND NOT EXISTS (
        SELECT FROM pg_constraint c WHERE c.conrelid = a.attrelid AND c.contype = 'f' AND a.attnum = ANY (c.conkey))
  LOOP
    IF part.value IS NOT NULL THEN
      EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT %s', part.tab, part.col, part.value);
    END IF;
  END LOOP;
END
$$;
