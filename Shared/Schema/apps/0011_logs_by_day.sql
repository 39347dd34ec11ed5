-- Compatible
-- The log of attempts is kept by day: days are dropped whole, and an attempt is written without a look at other tables.

-- The rows that a log line names may be deleted at any moment. A line about a person goes with the person; a feedback, a
-- project or a device that is gone is still named.
DO $$
DECLARE
  part record;
BEGIN
  FOR part IN
    SELECT c.conname AS name FROM pg_constraint c
    JOIN pg_attribute a ON a.attrelid = c.conrelid AND c.conkey = ARRAY[a.attnum]
    WHERE c.conrelid = 'push_notification_logs'::regclass AND c.contype = 'f'
      AND a.attname IN ('user_id', 'device_token_id', 'feedback_id', 'project_id')
  LOOP
    EXECUTE format('ALTER TABLE push_notification_logs DROP CONSTRAINT %I', part.name);
  END LOOP;
END
$$;
DROP INDEX IF EXISTS idx_push_logs_status, idx_push_logs_feedback;

-- Locks what results of deliveries are written to, and never waits: what somebody else has is left out. An app deletes rows
-- with all that hangs on them in an order of its own: a session that held one of them while it waited for another could
-- deadlock with that. push_hold_deliveries is for senders of the version before.
CREATE OR REPLACE FUNCTION push_hold_answered(ids uuid[])
RETURNS TABLE (delivery_id uuid, place tid, registered_at timestamptz, acceptances bigint)
LANGUAGE sql VOLATILE ROWS 100
BEGIN ATOMIC
  SELECT d.id, d.ctid, t.registered_at, t.acceptances
  FROM unnest(push_hold_answered.ids) AS i (id)
  CROSS JOIN LATERAL (
    SELECT d.id, d.ctid, d.device_token_id FROM deliveries d WHERE d.id = i.id FOR NO KEY UPDATE OF d SKIP LOCKED
  ) d
  CROSS JOIN LATERAL (
    SELECT t.registered_at, t.acceptances FROM device_tokens t WHERE t.id = d.device_token_id
    FOR NO KEY UPDATE OF t SKIP LOCKED
  ) t;
END;

-- A session that writes an attempt holds the delivery. Deleting the person deletes their deliveries first, by foreign keys,
-- whose triggers run before this one: it sees each line that was written until then, and none follows.
CREATE OR REPLACE FUNCTION push_forget_attempts() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    TRUNCATE push_notification_logs;
  ELSE
    DELETE FROM push_notification_logs WHERE user_id = OLD.id;
  END IF;
  RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER push_forget_attempts AFTER DELETE ON users
  FOR EACH ROW EXECUTE FUNCTION push_forget_attempts();
CREATE OR REPLACE TRIGGER push_forget_all_attempts AFTER TRUNCATE ON users
  FOR EACH STATEMENT EXECUTE FUNCTION push_forget_attempts();

-- A push to everybody changes each device of a page in a moment, in which none of the earlier rows can go.
ALTER TABLE device_tokens SET (fillfactor = 50);

-- The days -----------------------------------------------------------------------------------------------------------

-- Runners of the version before go on until they are started again, and their cleanup takes rows by their place, which is
-- one row of each partition: it must not begin.
CREATE OR REPLACE FUNCTION push_keep_attempts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('application_name') = 'notification-cleanup' AND pg_trigger_depth() = 1 THEN
    RAISE object_not_in_prerequisite_state
    USING MESSAGE = 'This notification-cleanup is of a version that does not know the partitions of the log.';
  END IF;
  RETURN NULL;
END
$$;

-- The log becomes a table of days. What is there stays where it is, in the partition that takes what no day takes, and is
-- not read for that. Where an app has built something of its own on the table, it stays one table, and its rows are deleted
-- one by one.
DO $$
DECLARE
  log regclass := 'push_notification_logs'::regclass;
  attempts text := pg_get_viewdef('push_attempts_last_hour'::regclass);
  part record;
BEGIN
  IF (SELECT relkind <> 'r' OR relispartition OR relhassubclass OR relpersistence <> 'p' FROM pg_class WHERE oid = log)
    OR EXISTS (SELECT FROM pg_constraint WHERE confrelid = log OR conrelid = log AND contype IN ('f', 'u', 'x', 't'))
    OR EXISTS (SELECT FROM pg_trigger WHERE tgrelid = log AND NOT tgisinternal)
    OR EXISTS (SELECT FROM pg_policy WHERE polrelid = log AND polname <> 'push_servers')
    OR EXISTS (SELECT FROM pg_publication_rel WHERE prrelid = log)
    OR EXISTS (
      SELECT FROM pg_attribute
      WHERE attrelid = log AND attnum > 0 AND NOT attisdropped AND (attidentity <> '' OR attacl IS NOT NULL
        OR attname = 'created_at' AND atttypid <> 'timestamptz'::regtype))
    OR EXISTS (
      SELECT FROM pg_depend d LEFT JOIN pg_rewrite r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid
      WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = log
        AND (d.classid = 'pg_proc'::regclass OR r.ev_class <> to_regclass('push_attempts_last_hour')))
  THEN
    RETURN;
  END IF;
  ALTER TABLE push_notification_logs RENAME TO push_notification_logs_default;
  CREATE TABLE push_notification_logs (
    LIKE push_notification_logs_default INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED INCLUDING STORAGE
  ) PARTITION BY RANGE (created_at);
  EXECUTE 'CREATE OR REPLACE VIEW push_attempts_last_hour AS ' || attempts;
  -- It has the rights of the one before, and none that every new table gets.
  FOR part IN
    SELECT DISTINCT a.grantee FROM pg_class c, aclexplode(c.relacl) a
    WHERE c.oid = 'push_notification_logs'::regclass AND a.grantee <> c.relowner
  LOOP
    EXECUTE format('REVOKE ALL ON push_notification_logs FROM %s',
      CASE part.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(part.grantee)) END);
  END LOOP;
  FOR part IN
    SELECT r.rolname AS owner, a.grantee, a.privilege_type AS may, a.is_grantable, c.relrowsecurity
    FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
    LEFT JOIN LATERAL aclexplode(c.relacl) a ON a.grantee <> c.relowner
    WHERE c.oid = log
  LOOP
    IF part.owner <> current_user THEN
      EXECUTE format('ALTER TABLE push_notification_logs OWNER TO %I', part.owner);
    END IF;
    IF part.relrowsecurity THEN ALTER TABLE push_notification_logs ENABLE ROW LEVEL SECURITY; END IF;
    IF part.may IS NOT NULL THEN
      EXECUTE format('GRANT %s ON push_notification_logs TO %s%s', part.may,
        CASE part.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(part.grantee)) END,
        CASE WHEN part.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END);
    END IF;
  END LOOP;
  IF EXISTS (SELECT FROM pg_policy WHERE polrelid = log) THEN
    CREATE POLICY push_servers ON push_notification_logs USING (push_is_server());
  END IF;
  ALTER INDEX idx_push_logs_user RENAME TO idx_push_logs_default_user;
  CREATE INDEX idx_push_logs_user ON push_notification_logs (user_id);
  ALTER TABLE push_notification_logs ATTACH PARTITION push_notification_logs_default DEFAULT;
  CREATE TRIGGER push_keep_attempts BEFORE DELETE ON push_notification_logs
    FOR EACH STATEMENT EXECUTE FUNCTION push_keep_attempts();
END
$$;

-- Makes the days from the one of `moment` to the seventh after it that are missing; answers with how many. Days that the
-- default partition has rows of stay there. It is read once for all of them, and not at all where nothing is to be made.
-- Clients of Supabase have rights on each new table, and a publication for all tables asks for an identity: without one, a
-- person could not be deleted.
CREATE OR REPLACE FUNCTION push_make_log_days(moment timestamptz) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET "TimeZone" = 'UTC' AS $$
DECLARE
  remainder regclass := (
    SELECT partdefid FROM pg_partitioned_table WHERE partrelid = 'push_notification_logs'::regclass AND partdefid <> 0);
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

-- The partitions that end at a time or earlier.
CREATE OR REPLACE FUNCTION push_log_days_until(moment timestamptz) RETURNS SETOF regclass
LANGUAGE sql STABLE SET "TimeZone" = 'UTC' SET "DateStyle" = 'ISO' AS $$
  SELECT c.oid::regclass FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = 'push_notification_logs'::regclass
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

-- Deletes rows that are older and in no day, in the default partition or in a table without days, but no more than `most`;
-- answers with how many.
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
  EXECUTE format('DELETE FROM ONLY %s WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ONLY %1$s WHERE created_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))', place)
  USING push_delete_logs.moment, push_delete_logs.most;
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN deleted;
END
$$;

-- Functions with the rights of their owner look for tables here and nowhere else. They ask for the rights of who calls them;
-- those of Supabase's clients may not call them.
DO $$
DECLARE
  clients text := (
    SELECT string_agg(quote_ident(rolname), ', ') FROM pg_roles WHERE rolname IN ('anon', 'authenticated'));
  servers text := (
    SELECT string_agg(DISTINCT quote_ident(r.rolname), ', ')
    FROM pg_roles r JOIN pg_class c ON c.oid = 'push_notification_logs'::regclass
    WHERE r.oid <> c.relowner AND r.rolname NOT IN ('anon', 'authenticated') AND EXISTS (
      SELECT FROM aclexplode(c.relacl) a WHERE a.grantee = r.oid AND a.privilege_type = 'DELETE'));
  routine text;
BEGIN
  FOREACH routine IN ARRAY ARRAY['push_forget_attempts()', 'push_make_log_days(timestamptz)',
    'push_drop_log_days(timestamptz)', 'push_delete_logs(timestamptz, integer)']
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', routine, current_schema());
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC%s', routine, coalesce(', ' || clients, ''));
    IF servers IS NOT NULL THEN EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', routine, servers); END IF;
  END LOOP;
END
$$;

-- A log that has rows gets its days from the daily cleaning.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM push_notification_logs) THEN PERFORM push_make_log_days(now()); END IF;
END
$$;
