-- Keeps: push_notification_logs
-- Writes push_notification_logs by push-delivery: status 'sent', notification_type 'badge', attempt 1, http_status 200
-- Writes push_notification_logs by push-delivery: status 'failed', notification_type 'badge', reason 'x', error_message 'x'
-- Writes push_notification_logs by push-delivery: status 'token_expired'/'failed', reason 'x', error_message 'x'
-- Writes push_notification_logs by push-delivery: status 'unknown'/'failed', reason 'x', error_message 'x'
-- Writes push_notification_logs by push-delivery: status 'deferred'/'failed', reason 'x', error_message 'x'
-- The log of attempts: one row for every attempt; `status`: sent, failed, token_expired, unknown, deferred.

-- Ours is kept by day: days are dropped whole, and an attempt is written without a look at other tables. The rows that a
-- line names may be deleted at any moment: a line about a person goes with the person; a feedback, a project or a device
-- that is gone is still named.
CREATE TABLE IF NOT EXISTS push_notification_logs (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL,
  device_token_id uuid,
  notification_type varchar(50) NOT NULL,
  status varchar(20) NOT NULL,
  feedback_id uuid,
  project_id uuid,
  payload jsonb,
  error_message text,
  apns_id varchar(100),
  created_at timestamptz DEFAULT push_now(),
  delivery_id uuid,
  attempt integer,
  http_status integer,
  reason text,
  duration_ms integer
) PARTITION BY RANGE (created_at);

-- Takes what no day takes.
DO $$
BEGIN
  IF (SELECT relkind = 'p' FROM pg_class WHERE oid = 'push_notification_logs'::regclass)
    AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhparent = 'push_notification_logs'::regclass)
  THEN
    CREATE TABLE push_notification_logs_default PARTITION OF push_notification_logs DEFAULT;
    CREATE INDEX idx_push_logs_created ON push_notification_logs_default (created_at);
  END IF;
END
$$;
CREATE INDEX IF NOT EXISTS idx_push_logs_user ON push_notification_logs (user_id);
-- Of an app's log: in ours only that partition has it, see above.
CREATE INDEX IF NOT EXISTS idx_push_logs_created ON push_notification_logs (created_at);

-- Whether the log is ours, with its days.
CREATE OR REPLACE FUNCTION push_owns_log() RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM pg_inherits
    WHERE inhparent = 'push_notification_logs'::regclass AND inhrelid = to_regclass('push_notification_logs_default'))
$$;

-- An app's log --------------------------------------------------------------------------------------------------------

-- A log that an app has made itself gets the columns that it lacks, and keeps its keys. An attempt names only what is there:
-- what goes at that moment is no longer named, and where it must be, there is no line. Nothing waits for that: who deletes
-- it has locked more.
DO $body$
DECLARE
  kept regclass := 'push_notification_logs'::regclass;
  names text[] := ARRAY['user_id', 'device_token_id', 'notification_type', 'status', 'feedback_id', 'project_id', 'payload',
    'error_message', 'apns_id', 'created_at', 'delivery_id', 'attempt', 'http_status', 'reason', 'duration_ms'];
  always text[] := ARRAY['user_id', 'device_token_id', 'notification_type', 'status', 'created_at', 'delivery_id'];
  part record;
  fits text := '';
  unfit text[];
  is_short boolean;
BEGIN
  IF push_owns_log() THEN RETURN; END IF;
  ALTER TABLE push_notification_logs
    ADD COLUMN IF NOT EXISTS user_id uuid, ADD COLUMN IF NOT EXISTS device_token_id uuid,
    ADD COLUMN IF NOT EXISTS notification_type text, ADD COLUMN IF NOT EXISTS status text,
    ADD COLUMN IF NOT EXISTS feedback_id uuid, ADD COLUMN IF NOT EXISTS project_id uuid,
    ADD COLUMN IF NOT EXISTS payload jsonb, ADD COLUMN IF NOT EXISTS error_message text,
    ADD COLUMN IF NOT EXISTS apns_id text, ADD COLUMN IF NOT EXISTS created_at timestamptz,
    ADD COLUMN IF NOT EXISTS delivery_id uuid, ADD COLUMN IF NOT EXISTS attempt integer,
    ADD COLUMN IF NOT EXISTS http_status integer, ADD COLUMN IF NOT EXISTS reason text,
    ADD COLUMN IF NOT EXISTS duration_ms integer;

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
      WHEN t.typcategory = 'S' AND u.is_id THEN 'gen_random_uuid()::text'
      WHEN u.is_key OR EXISTS (
        SELECT FROM pg_constraint c WHERE c.conrelid = kept AND c.contype = 'f' AND a.attnum = ANY (c.conkey)) THEN NULL
      WHEN t.typname IN ('json', 'jsonb') THEN quote_literal('{}')
      WHEN t.typname = 'uuid' THEN 'NEW.user_id'
      ELSE CASE t.typcategory
        WHEN 'S' THEN quote_literal('') WHEN 'B' THEN 'false' WHEN 'N' THEN '0' WHEN 'A' THEN quote_literal('{}')
        WHEN 'D' THEN 'push_now()' WHEN 'T' THEN quote_literal('0')
      END
    END AS filling, u.is_key AND a.atttypid IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype) AS is_number
    FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
    CROSS JOIN LATERAL (
      SELECT EXISTS (
        SELECT FROM pg_index i WHERE i.indrelid = kept AND i.indisunique AND a.attnum = ANY (i.indkey)) AS is_key,
        a.attname = 'id' AND (a.atttypmod < 0 OR a.atttypmod >= 40) AS is_id
    ) u
    WHERE a.attrelid = kept AND a.attnum > 0 AND NOT a.attisdropped AND a.attnotnull AND a.attname <> ALL (always)
      AND (a.attname = ANY (names) OR NOT a.atthasdef AND a.attidentity = '')
    ORDER BY a.attnum
  LOOP
    IF part.filling IS NULL THEN
      RAISE EXCEPTION 'push_notification_logs.% must have a value, and not every attempt to send a push has one: %',
        part.name, format('ALTER TABLE push_notification_logs ALTER COLUMN %I %s', part.name,
          CASE WHEN part.is_number THEN 'ADD GENERATED BY DEFAULT AS IDENTITY' ELSE 'DROP NOT NULL' END)
        USING ERRCODE = 'invalid_table_definition';
    END IF;
    fits := fits || format(E'  IF NEW.%1$I IS NULL THEN NEW.%1$I := %2$s; END IF;\n', part.name, part.filling);
  END LOOP;
  -- A check of the app's may know fewer statuses: then such an attempt has failed, and `reason` says how.
  SELECT format_type(a.atttypid, a.atttypmod) AS type,
    string_agg(format('DROP CONSTRAINT %I, ', c.conname), '') FILTER (WHERE c.conname IS NOT NULL) AS drops,
    coalesce(string_agg(format('(%s) IS NOT FALSE', pg_get_expr(c.conbin, c.conrelid)), ' AND ')
      FILTER (WHERE c.conname IS NOT NULL), 'true') AS checks
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
  EXECUTE format(E'CREATE OR REPLACE FUNCTION push_fit_attempt() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = %I, pg_temp AS $$\nBEGIN\n%s  RETURN NEW;\nEND\n$$', current_schema(), fits);
  CREATE OR REPLACE TRIGGER push_fit_attempt BEFORE INSERT ON push_notification_logs
    FOR EACH ROW WHEN (NEW.delivery_id IS NOT NULL) EXECUTE FUNCTION push_fit_attempt();
END
$body$;

-- What goes with a person ---------------------------------------------------------------------------------------------

-- A session that writes an attempt holds the delivery. Deleting the person deletes their deliveries first, by foreign keys,
-- whose triggers run before this one: it sees each line that was written until then, and none follows. In an app's log each
-- line follows the keys of the table. Those of ours go with their person also where no key says so.
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
REVOKE EXECUTE ON FUNCTION push_forget_attempts FROM PUBLIC;
CREATE OR REPLACE TRIGGER push_forget_attempts AFTER DELETE ON users
  FOR EACH ROW EXECUTE FUNCTION push_forget_attempts();
CREATE OR REPLACE TRIGGER push_forget_all_attempts AFTER TRUNCATE ON users
  FOR EACH STATEMENT EXECUTE FUNCTION push_forget_attempts();

-- The days ------------------------------------------------------------------------------------------------------------

-- Makes the days from the one of `moment` to the seventh after it that are missing; answers with how many. Days that the
-- default partition has rows of stay there. It is read once for all of them, and not at all where nothing is to be made.
-- Clients of Supabase have rights on each new table, and a publication for all tables asks for an identity: without one, a
-- person could not be deleted.
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

-- The partitions that end at a time or earlier. An app's log may have partitions, too, which nobody else makes or drops.
CREATE OR REPLACE FUNCTION push_log_days_until(moment timestamptz) RETURNS SETOF regclass
LANGUAGE sql STABLE SET "TimeZone" = 'UTC' SET "DateStyle" = 'ISO' AS $$
  SELECT c.oid::regclass FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = 'push_notification_logs'::regclass AND push_owns_log()
    AND substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''([^'']+)''\)')::timestamptz <= moment
  ORDER BY c.relname
$$;

-- Drops the days that ended at a time or earlier; answers with how many.
CREATE OR REPLACE FUNCTION push_drop_log_days(moment timestamptz) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  part regclass;
  dropped integer := 0;
BEGIN
  IF NOT has_table_privilege(session_user, 'push_notification_logs', 'DELETE') THEN RETURN 0; END IF;
  FOR part IN SELECT push_log_days_until(push_drop_log_days.moment) LOOP
    EXECUTE format('DROP TABLE %s', part);
    dropped := dropped + 1;
  END LOOP;
  RETURN dropped;
END
$$;

-- Deletes rows that are older and in no day, but no more than `most`; answers with how many. Of an app's log it deletes what
-- we have written, the latest first: older lines are the app's.
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

-- A log that has rows gets its days from the daily cleaning.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM push_notification_logs) THEN PERFORM push_make_log_days(now()); END IF;
END
$$;
