-- The runner's tables, functions and triggers as the version before 0005_partitions made them, for two bundles: its four
-- migrations without their comments, and the tables of an app.

CREATE TABLE runner.clock (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  "offset" interval NOT NULL DEFAULT '0',
  rebased integer NOT NULL DEFAULT 0
);
INSERT INTO runner.clock DEFAULT VALUES;

CREATE FUNCTION runner.now() RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT clock_timestamp() + "offset" FROM runner.clock $$;

CREATE FUNCTION runner.set_stamp(is_virtual boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  EXECUTE format('CREATE OR REPLACE FUNCTION runner.stamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS %L',
    CASE WHEN is_virtual
      THEN 'SELECT pg_catalog.clock_timestamp() OPERATOR(pg_catalog.+) "offset" FROM runner.clock'
      ELSE 'SELECT pg_catalog.clock_timestamp()' END);
END $$;
DO $$ BEGIN PERFORM runner.set_stamp(false); END $$;

CREATE FUNCTION runner.follow_clock() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM runner.set_stamp(NEW."offset" <> '0');
  RETURN NULL;
END $$;
CREATE TRIGGER follow_clock AFTER UPDATE ON runner.clock FOR EACH ROW
WHEN ((OLD."offset" = '0') <> (NEW."offset" = '0')) EXECUTE FUNCTION runner.follow_clock();
REVOKE ALL ON FUNCTION runner.set_stamp(boolean), runner.follow_clock() FROM PUBLIC;

CREATE TABLE runner.events (
  lane smallint NOT NULL,
  id bigint NOT NULL,
  function text NOT NULL,
  key text,
  event_id text,
  at timestamptz NOT NULL DEFAULT runner.now(),
  actor text,
  traceparent text,
  source text,
  type text,
  op text,
  table_schema text,
  table_name text,
  record jsonb,
  old_record jsonb,
  data jsonb,
  replayedfrom text,
  PRIMARY KEY (lane, id)
) WITH (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 100000, vacuum_truncate = off,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 2000
);

CREATE TABLE runner.retries (
  LIKE runner.events INCLUDING DEFAULTS,
  attempt integer NOT NULL,
  crashes integer NOT NULL DEFAULT 0,
  run_at timestamptz NOT NULL,
  code text NOT NULL,
  error text NOT NULL,
  progress bigint NOT NULL DEFAULT 0,
  counted_from integer NOT NULL DEFAULT 0,
  PRIMARY KEY (lane, id)
);
CREATE INDEX retries_due ON runner.retries (run_at);

CREATE TABLE runner.dead_letters (
  LIKE runner.events INCLUDING DEFAULTS,
  attempts integer NOT NULL,
  crashes integer NOT NULL DEFAULT 0,
  code text NOT NULL,
  error text NOT NULL,
  died_at timestamptz NOT NULL DEFAULT runner.now(),
  PRIMARY KEY (lane, id)
);

CREATE TABLE runner.signals (function text NOT NULL) WITH (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
  vacuum_truncate = off
);

CREATE TABLE runner.wakeups (
  function text PRIMARY KEY,
  at timestamptz NOT NULL
);

DO $$
BEGIN
  FOR lane IN 0..15 LOOP
    EXECUTE format('CREATE SEQUENCE runner.lane_%s AS bigint CACHE 1', lane);
    PERFORM setval(format('runner.lane_%s', lane)::regclass,
      (extract(epoch FROM clock_timestamp() - '2026-01-01Z') * 1000)::bigint);
  END LOOP;
END $$;

CREATE FUNCTION runner.lane(function text, key text) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT (pg_catalog.hashtextextended(
  (function OPERATOR(pg_catalog.||) '/') OPERATOR(pg_catalog.||) key, 0) OPERATOR(pg_catalog.&) 15)::smallint $$;

CREATE FUNCTION runner.next_id(lane smallint) RETURNS bigint
LANGUAGE sql VOLATILE
AS $$ SELECT CASE WHEN pg_current_xact_id() IS NOT NULL THEN nextval((ARRAY[
  'runner.lane_0', 'runner.lane_1', 'runner.lane_2', 'runner.lane_3', 'runner.lane_4', 'runner.lane_5',
  'runner.lane_6', 'runner.lane_7', 'runner.lane_8', 'runner.lane_9', 'runner.lane_10', 'runner.lane_11',
  'runner.lane_12', 'runner.lane_13', 'runner.lane_14', 'runner.lane_15']::regclass[])[lane + 1]) END $$;

CREATE FUNCTION runner.rings() RETURNS boolean
LANGUAGE sql STABLE
AS $$ SELECT pg_catalog.current_setting('max_prepared_transactions') OPERATOR(pg_catalog.=) '0' $$;

CREATE FUNCTION runner.ring(lanes smallint[]) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  lane smallint;
BEGIN
  IF NOT runner.rings() THEN RETURN; END IF;
  FOREACH lane IN ARRAY lanes LOOP
    IF pg_try_advisory_lock_shared(7265826, lane) THEN
      PERFORM pg_advisory_unlock_shared(7265826, lane);
    ELSE
      PERFORM pg_notify('runner_events', '');
      RETURN;
    END IF;
  END LOOP;
END $$;

CREATE FUNCTION runner.draw(lane smallint) RETURNS bigint
LANGUAGE sql VOLATILE
AS $$ SELECT CASE
  WHEN pg_catalog.pg_try_advisory_lock_shared(7265826, lane)
    AND pg_catalog.pg_advisory_unlock_shared(7265826, lane)
    OR NOT runner.rings()
    OR pg_catalog.pg_notify('runner_events', '') IS NOT NULL
  THEN pg_catalog.nextval((ARRAY[
    'runner.lane_0', 'runner.lane_1', 'runner.lane_2', 'runner.lane_3', 'runner.lane_4', 'runner.lane_5',
    'runner.lane_6', 'runner.lane_7', 'runner.lane_8', 'runner.lane_9', 'runner.lane_10', 'runner.lane_11',
    'runner.lane_12', 'runner.lane_13', 'runner.lane_14', 'runner.lane_15']::pg_catalog.regclass[])[
      lane OPERATOR(pg_catalog.+) 1])
END $$;

CREATE FUNCTION runner.enqueue(
  function text, key text, event_id text, source text, type text, data jsonb, traceparent text DEFAULT NULL
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  chosen smallint := runner.lane(function, coalesce(key, event_id));
BEGIN
  PERFORM pg_current_xact_id();
  INSERT INTO runner.events (lane, id, function, key, event_id, source, type, data, traceparent)
  VALUES (chosen, runner.next_id(chosen), function, key, event_id, source, type, data, traceparent);
  PERFORM runner.ring(ARRAY[chosen]);
END $$;

CREATE FUNCTION runner.rerun(original runner.events, original_id text) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  chosen smallint := runner.lane(original.function, coalesce(original.key, original_id));
  fresh bigint;
BEGIN
  PERFORM pg_current_xact_id();
  fresh := runner.next_id(chosen);
  original.lane := chosen;
  original.id := fresh;
  original.event_id := NULL;
  original.at := runner.now();
  original.replayedfrom := original_id;
  INSERT INTO runner.events SELECT (original).*;
  PERFORM runner.ring(ARRAY[chosen]);
  RETURN chosen || '.' || fresh;
END $$;

CREATE FUNCTION runner.remove(
  lanes smallint[], lows bigint[], highs bigint[], positions integer[], durations bigint[]
) RETURNS TABLE (event runner.events, duration_us bigint)
LANGUAGE plpgsql VOLATILE
AS $$
BEGIN
  FOR n IN 1..cardinality(lanes) LOOP
    RETURN QUERY
      DELETE FROM runner.events AS e WHERE e.lane = lanes[n] AND e.id BETWEEN lows[n] AND highs[n]
      RETURNING e, durations[positions[n] + (e.id - lows[n])::integer];
  END LOOP;
END $$;

CREATE FUNCTION runner.remove(
  lanes smallint[], lows bigint[], highs bigint[], positions integer[], written timestamptz[], durations bigint[]
) RETURNS TABLE (event runner.events, duration_us bigint)
LANGUAGE plpgsql VOLATILE
AS $$
BEGIN
  FOR n IN 1..cardinality(lanes) LOOP
    RETURN QUERY
      DELETE FROM runner.events AS e
      WHERE e.lane = lanes[n] AND e.id BETWEEN lows[n] AND highs[n]
        AND e.at <= written[positions[n] + (e.id - lows[n])::integer]
      RETURNING e, durations[positions[n] + (e.id - lows[n])::integer];
  END LOOP;
END $$;

CREATE FUNCTION runner.redact(document jsonb, members text[]) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
  IF jsonb_typeof(document) IS DISTINCT FROM 'object' THEN
    RETURN document;
  END IF;
  RETURN document
    || coalesce((SELECT jsonb_object_agg(m, NULL::jsonb) FROM unnest(members) AS m WHERE document ? m), '{}')
    || coalesce((
      SELECT jsonb_object_agg(m, runner.redact(document -> m, members)) FROM unnest(ARRAY['record', 'old_record']) AS m
      WHERE jsonb_typeof(document -> m) = 'object' AND m <> ALL (members)), '{}');
END $$;

INSERT INTO runner.migrations (name) VALUES ('runner/0001_events');

CREATE TABLE runner.runners (
  owner uuid PRIMARY KEY,
  holder integer NOT NULL,
  name text NOT NULL,
  expires_at timestamptz NOT NULL,
  grp text NOT NULL DEFAULT '',
  functions text[]
);
CREATE SEQUENCE runner.holders AS integer CYCLE;

CREATE TABLE runner.leases (
  grp text NOT NULL DEFAULT '',
  lane smallint NOT NULL,
  epoch bigint NOT NULL DEFAULT 0,
  owner uuid,
  holder integer,
  expires_at timestamptz NOT NULL DEFAULT '-infinity',
  PRIMARY KEY (grp, lane)
) WITH (fillfactor = 50);
INSERT INTO runner.leases (lane) SELECT generate_series(0, 15);

CREATE FUNCTION runner.hold(
  me uuid, my_holder integer, my_name text, lifetime interval, my_group text DEFAULT '', my_functions text[] DEFAULT NULL
) RETURNS TABLE (lane smallint, epoch bigint, share integer, elsewhere text[])
LANGUAGE plpgsql VOLATILE
AS $$
#variable_conflict use_column
DECLARE
  part integer;
  others text[];
  other runner.runners;
  joins boolean := NOT EXISTS (
    SELECT FROM runner.runners AS r WHERE r.owner = me AND r.expires_at > clock_timestamp() AND r.grp = my_group
      AND r.functions IS NOT DISTINCT FROM my_functions);
BEGIN
  IF joins THEN PERFORM pg_advisory_xact_lock(7265825, 1); END IF;
  DELETE FROM runner.runners AS r
  WHERE r.owner <> me AND (r.expires_at < clock_timestamp() OR pg_try_advisory_xact_lock(7265827, r.holder));
  IF joins THEN
    SELECT r.* INTO other FROM runner.runners AS r
    WHERE r.grp <> my_group AND r.owner <> me
      AND (r.functions IS NULL OR my_functions IS NULL OR r.functions && my_functions)
    ORDER BY r.owner LIMIT 1;
    IF FOUND THEN
      RAISE EXCEPTION 'the runner "%" has %', other.name, coalesce(
        array_to_string(ARRAY(SELECT unnest(my_functions) INTERSECT SELECT unnest(other.functions) ORDER BY 1), ', '),
        'all functions') USING ERRCODE = 'RU002';
    END IF;
    UPDATE runner.leases AS l SET owner = NULL, epoch = l.epoch + 1, expires_at = '-infinity'
    WHERE l.grp <> my_group AND l.owner IS NOT NULL
      AND NOT EXISTS (SELECT FROM runner.runners AS r WHERE r.owner = l.owner);
    DELETE FROM runner.leases AS l
    WHERE l.grp NOT IN ('', my_group) AND NOT EXISTS (SELECT FROM runner.runners AS r WHERE r.grp = l.grp);
    INSERT INTO runner.leases (grp, lane) SELECT my_group, generate_series(0, 15) ON CONFLICT DO NOTHING;
  END IF;
  INSERT INTO runner.runners (owner, holder, name, expires_at, grp, functions)
  VALUES (me, my_holder, my_name, clock_timestamp() + lifetime, my_group, my_functions)
  ON CONFLICT (owner) DO UPDATE
  SET expires_at = excluded.expires_at, grp = excluded.grp, functions = excluded.functions;
  SELECT ceil(16.0 / count(*)) INTO part FROM runner.runners AS r WHERE r.grp = my_group;
  others := ARRAY(SELECT DISTINCT unnest(r.functions) FROM runner.runners AS r WHERE r.grp <> my_group);
  UPDATE runner.leases AS l SET expires_at = clock_timestamp() + lifetime WHERE l.owner = me;
  UPDATE runner.leases AS l
  SET owner = me, holder = my_holder, epoch = l.epoch + 1, expires_at = clock_timestamp() + lifetime
  FROM (
    SELECT f.lane FROM runner.leases AS f
    WHERE f.grp = my_group AND (f.owner IS NULL OR f.expires_at < clock_timestamp()
      OR f.owner <> me AND pg_try_advisory_xact_lock(7265827, f.holder))
    ORDER BY f.lane
    LIMIT greatest(0, part - (SELECT count(*) FROM runner.leases AS h WHERE h.owner = me))
    FOR UPDATE SKIP LOCKED
  ) AS free
  WHERE l.grp = my_group AND l.lane = free.lane;
  RETURN QUERY SELECT l.lane, l.epoch, part, others FROM runner.leases AS l WHERE l.owner = me ORDER BY l.lane;
  IF NOT FOUND THEN
    RETURN QUERY SELECT NULL::smallint, NULL::bigint, part, others;
  END IF;
END $$;

CREATE FUNCTION runner.release(me uuid, lanes smallint[] DEFAULT NULL) RETURNS void
LANGUAGE sql VOLATILE
AS $$
  UPDATE runner.leases AS l SET owner = NULL, expires_at = '-infinity'
  WHERE l.owner = me AND (lanes IS NULL OR l.lane = ANY (lanes));
  DELETE FROM runner.runners AS r WHERE r.owner = me AND lanes IS NULL;
$$;

CREATE FUNCTION runner.fence(owner uuid, lanes smallint[], epochs bigint[]) RETURNS void
LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
  held integer;
BEGIN
  SELECT count(*) INTO held FROM (
    SELECT 1 FROM runner.leases AS l JOIN unnest(lanes, epochs) AS mine (lane, epoch) USING (lane, epoch)
    WHERE l.owner = fence.owner FOR SHARE OF l
  ) AS locked;
  IF held <> cardinality(lanes) THEN
    RAISE EXCEPTION 'the lanes have another owner' USING ERRCODE = 'RU001';
  END IF;
END $$;

INSERT INTO runner.migrations (name) VALUES ('runner/0002_leases');

CREATE TABLE runner.schedules (
  name text PRIMARY KEY,
  bundle text NOT NULL DEFAULT 'default',
  function text,
  expression text NOT NULL,
  timezone text NOT NULL,
  overlap text,
  catchup text,
  since timestamptz NOT NULL,
  last_scheduled_time timestamptz,
  next_at timestamptz,
  paused_at timestamptz
);

CREATE TABLE runner.schedule_fires (
  schedule text NOT NULL,
  scheduled_time timestamptz NOT NULL,
  event_id text NOT NULL,
  fired_at timestamptz NOT NULL DEFAULT runner.now(),
  manual boolean NOT NULL DEFAULT false,
  skipped text,
  PRIMARY KEY (schedule, scheduled_time, event_id)
);
CREATE UNIQUE INDEX schedule_fires_once ON runner.schedule_fires (schedule, scheduled_time) WHERE NOT manual;

CREATE FUNCTION runner.fire(
  name text, scheduled_time timestamptz, event_id text, type text, data jsonb, next_at timestamptz
) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  entry runner.schedules;
  origin text := '/schedules/' || fire.name;
  chosen text;
  reason text;
BEGIN
  SELECT * INTO entry FROM runner.schedules AS s WHERE s.name = fire.name FOR UPDATE;
  IF NOT FOUND OR entry.paused_at IS NOT NULL
    OR fire.scheduled_time <= greatest(entry.last_scheduled_time, date_trunc('second', entry.since))
  THEN
    RETURN 'void';
  END IF;
  chosen := CASE WHEN entry.overlap <> 'allow' THEN entry.name END;
  INSERT INTO runner.schedule_fires (schedule, scheduled_time, event_id, skipped)
  SELECT entry.name, fire.scheduled_time, fire.event_id, CASE WHEN entry.overlap = 'skip' AND (
    EXISTS (SELECT 1 FROM runner.events AS e
      WHERE e.lane = runner.lane(entry.function, chosen) AND e.function = entry.function AND e.source = origin)
    OR EXISTS (SELECT 1 FROM runner.retries AS r
      WHERE r.lane = runner.lane(entry.function, chosen) AND r.function = entry.function AND r.source = origin)
    ) THEN 'overlap' END
  ON CONFLICT DO NOTHING RETURNING skipped INTO reason;
  IF NOT FOUND THEN RETURN 'void'; END IF;
  UPDATE runner.schedules AS s SET last_scheduled_time = fire.scheduled_time, next_at = fire.next_at
  WHERE s.name = entry.name;
  DELETE FROM runner.schedule_fires AS f
  WHERE f.schedule = entry.name AND f.scheduled_time < fire.scheduled_time - interval '7 days'
    AND f.scheduled_time < (SELECT o.scheduled_time FROM runner.schedule_fires AS o WHERE o.schedule = entry.name
      ORDER BY o.scheduled_time DESC OFFSET 100 LIMIT 1);
  IF reason IS NOT NULL THEN RETURN reason; END IF;
  PERFORM runner.enqueue(entry.function, chosen, fire.event_id, origin, fire.type, fire.data);
  RETURN 'fired';
END $$;

CREATE TABLE runner.history (
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz NOT NULL,
  lane smallint,
  id bigint,
  event_id text,
  function text NOT NULL,
  key text,
  kind text NOT NULL,
  at timestamptz NOT NULL,
  attempt integer NOT NULL,
  code text NOT NULL,
  exit_status smallint,
  duration_us bigint NOT NULL,
  error text
) PARTITION BY RANGE (recorded_at);
CREATE INDEX history_place ON runner.history (lane, id) WHERE id IS NOT NULL;
CREATE INDEX history_event ON runner.history (event_id) WHERE event_id IS NOT NULL;
CREATE TABLE runner.history_default PARTITION OF runner.history DEFAULT;

CREATE TABLE runner.payloads (
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  LIKE runner.events
) PARTITION BY RANGE (recorded_at);
ALTER TABLE runner.payloads ALTER lane DROP NOT NULL, ALTER id DROP NOT NULL;
CREATE INDEX payloads_place ON runner.payloads (lane, id) WHERE id IS NOT NULL;
CREATE INDEX payloads_event ON runner.payloads (event_id) WHERE event_id IS NOT NULL;
CREATE TABLE runner.payloads_default PARTITION OF runner.payloads DEFAULT;

CREATE FUNCTION runner.rotate(history_days integer, payload_hours integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' SET "TimeZone" = 'UTC'
AS $$
DECLARE
  parent text;
  day date;
  old text;
BEGIN
  FOREACH parent IN ARRAY ARRAY['history', 'payloads'] LOOP
    FOR day IN SELECT current_date + n FROM generate_series(0, 1) AS n LOOP
      IF to_regclass(format('runner.%s_%s', parent, to_char(day, 'YYYYMMDD'))) IS NULL THEN
        BEGIN
          EXECUTE format('CREATE TABLE runner.%s_%s PARTITION OF runner.%s FOR VALUES FROM (%L) TO (%L)',
            parent, to_char(day, 'YYYYMMDD'), parent, day, day + 1);
        EXCEPTION WHEN check_violation THEN
          NULL; -- The day has begun in the default partition, because nobody called in time: it stays there.
        END;
      END IF;
    END LOOP;
    EXECUTE format('DELETE FROM runner.%s_default WHERE recorded_at < clock_timestamp() - make_interval(days => %s)',
      parent, history_days);
    FOR old IN
      SELECT c.relname FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
      WHERE i.inhparent = format('runner.%s', parent)::regclass AND c.relname ~ '_[0-9]{8}$'
        AND to_date(right(c.relname, 8), 'YYYYMMDD') + 1 <= clock_timestamp()
          - CASE parent WHEN 'history' THEN make_interval(days => history_days)
            ELSE make_interval(hours => payload_hours) END
    LOOP
      EXECUTE format('DROP TABLE runner.%I', old);
    END LOOP;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION runner.rotate(integer, integer) FROM PUBLIC;

INSERT INTO runner.migrations (name) VALUES ('runner/0003_schedules');

CREATE TABLE runner.triggers (
  table_schema text NOT NULL,
  table_name text NOT NULL,
  name text NOT NULL,
  definition text NOT NULL,
  bundle text NOT NULL DEFAULT 'default',
  generation integer NOT NULL DEFAULT 0,
  version integer NOT NULL DEFAULT 0,
  functions text[] NOT NULL DEFAULT '{}',
  subscriptions jsonb,
  PRIMARY KEY (table_schema, table_name, name)
);

CREATE FUNCTION runner.guard_triggers() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF current_setting('runner.knows_bundles', true) IS DISTINCT FROM 'on' THEN
    RAISE EXCEPTION 'a later version of the runner made the triggers of this database: only that one may change them'
      USING ERRCODE = '55000';
  END IF;
  RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE TRIGGER guard_triggers BEFORE INSERT OR UPDATE OR DELETE ON runner.triggers
FOR EACH ROW EXECUTE FUNCTION runner.guard_triggers();
REVOKE ALL ON FUNCTION runner.guard_triggers() FROM PUBLIC;

CREATE FUNCTION runner.notify_trigger() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF NOT runner.rings() THEN
    INSERT INTO runner.signals VALUES (TG_ARGV[0]);
  ELSIF pg_try_advisory_xact_lock_shared(7265826, 16 + (hashtext(TG_ARGV[0]) & 1023)) THEN
    PERFORM pg_notify('runner_notify', TG_ARGV[0]);
  END IF;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION runner.notify_trigger() FROM PUBLIC;

CREATE FUNCTION runner.is_document(image record) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM to_jsonb(image);
  RETURN true;
EXCEPTION WHEN OTHERS THEN
  RETURN false;
END $$;

CREATE FUNCTION runner.is_plain(table_name text, column_name text DEFAULT NULL) RETURNS boolean
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
  WITH RECURSIVE types AS (
    SELECT a.atttypid AS oid FROM pg_attribute AS a
    WHERE a.attrelid = to_regclass(table_name) AND a.attnum > 0 AND NOT a.attisdropped
      AND (column_name IS NULL OR a.attname = column_name)
    UNION
    SELECT inner_oid FROM types JOIN pg_type AS t USING (oid)
      CROSS JOIN unnest(ARRAY[t.typelem, t.typbasetype]) AS inner_oid
    WHERE inner_oid <> 0
  )
  SELECT to_regclass(table_name) IS NOT NULL AND NOT EXISTS (
    SELECT FROM types JOIN pg_type AS t USING (oid)
    WHERE t.typtype = 'c' OR EXISTS (
      SELECT FROM pg_cast AS c JOIN pg_proc AS p ON p.oid = c.castfunc JOIN pg_language AS l ON l.oid = p.prolang
      WHERE c.castsource = t.oid AND p.oid >= 16384 AND l.lanname NOT IN ('internal', 'c')))
$$;

CREATE FUNCTION runner.document(value anyelement) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$ BEGIN RETURN to_jsonb(value); END $$;

CREATE FUNCTION runner.text(value anyelement) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$ BEGIN RETURN value::text; END $$;

INSERT INTO runner.migrations (name) VALUES ('runner/0004_triggers');

CREATE TABLE t (id int PRIMARY KEY, v text);
CREATE TABLE u (id int PRIMARY KEY, lane text, note text);
CREATE TABLE p (id int PRIMARY KEY, lane text) PARTITION BY RANGE (id);
CREATE TABLE p1 PARTITION OF p DEFAULT;
SET runner.knows_bundles = 'on';

CREATE OR REPLACE FUNCTION runner."public.t.runner_delete"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
AS '
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting(''TimeZone'');
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) ''UTC'' THEN
    PERFORM pg_catalog.set_config(''TimeZone'', ''UTC'', true);
  END IF;
  INSERT INTO runner.events
    (lane, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT o.lane, runner.draw(o.lane), ''f''::pg_catalog.text, o.key,
    NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting(''app.user_id'', true) OPERATOR(pg_catalog.<>) '''' THEN pg_catalog.current_setting(''app.user_id'', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting(''app.traceparent'', true) OPERATOR(pg_catalog.<>) '''' THEN pg_catalog.current_setting(''app.traceparent'', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''DELETE''::pg_catalog.text,
    ''public''::pg_catalog.text,
    ''t''::pg_catalog.text,
    NULL::pg_catalog.jsonb,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''id'', CASE WHEN runner.is_plain(''"public"."t"'', ''id'') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain(''"public"."t"'') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN ''true''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.lane(''f'', m.key), pg_catalog.floor(pg_catalog.random() OPERATOR(pg_catalog.*) 16)::smallint) AS lane, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "v") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''"public"."t"'', ''v'') THEN "v"::pg_catalog.text ELSE runner.text("v") END), 0) AS size, CASE WHEN runner.is_plain(''"public"."t"'', ''id'') THEN "id"::pg_catalog.text ELSE runner.text("id") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o;
  IF runner_zone OPERATOR(pg_catalog.<>) ''UTC'' THEN
    PERFORM pg_catalog.set_config(''TimeZone'', runner_zone, true);
  END IF;
  RETURN NULL;
END';
REVOKE ALL ON FUNCTION runner."public.t.runner_delete"() FROM PUBLIC;
CREATE TRIGGER "runner_delete" AFTER DELETE ON "public"."t"
REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.t.runner_delete"();
CREATE OR REPLACE FUNCTION runner."public.t.runner_insert"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
AS '
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting(''TimeZone'');
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) ''UTC'' THEN
    PERFORM pg_catalog.set_config(''TimeZone'', ''UTC'', true);
  END IF;
  INSERT INTO runner.events
    (lane, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.lane, runner.draw(n.lane), ''f''::pg_catalog.text, n.key,
    NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting(''app.user_id'', true) OPERATOR(pg_catalog.<>) '''' THEN pg_catalog.current_setting(''app.user_id'', true) END,
    CASE WHEN pg_catalog.current_setting(''app.traceparent'', true) OPERATOR(pg_catalog.<>) '''' THEN pg_catalog.current_setting(''app.traceparent'', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''INSERT''::pg_catalog.text,
    ''public''::pg_catalog.text,
    ''t''::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''id'', CASE WHEN runner.is_plain(''"public"."t"'', ''id'') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''"public"."t"'') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN ''true''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.lane(''f'', m.key), pg_catalog.floor(pg_catalog.random() OPERATOR(pg_catalog.*) 16)::smallint) AS lane, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "v") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''"public"."t"'', ''v'') THEN "v"::pg_catalog.text ELSE runner.text("v") END), 0) AS size, CASE WHEN runner.is_plain(''"public"."t"'', ''id'') THEN "id"::pg_catalog.text ELSE runner.text("id") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n;
  IF runner_zone OPERATOR(pg_catalog.<>) ''UTC'' THEN
    PERFORM pg_catalog.set_config(''TimeZone'', runner_zone, true);
  END IF;
  RETURN NULL;
END';
REVOKE ALL ON FUNCTION runner."public.t.runner_insert"() FROM PUBLIC;
CREATE TRIGGER "runner_insert" AFTER INSERT ON "public"."t"
REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.t.runner_insert"();
CREATE TRIGGER "runner_notify_f" AFTER INSERT ON "public"."t"
FOR EACH STATEMENT EXECUTE FUNCTION runner.notify_trigger('f');
CREATE OR REPLACE FUNCTION runner."public.t.runner_update"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
AS '
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting(''TimeZone'');
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) ''UTC'' THEN
    PERFORM pg_catalog.set_config(''TimeZone'', ''UTC'', true);
  END IF;
  INSERT INTO runner.events
    (lane, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.lane, runner.draw(n.lane), ''f''::pg_catalog.text, n.key,
    NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting(''app.user_id'', true) OPERATOR(pg_catalog.<>) '''' THEN pg_catalog.current_setting(''app.user_id'', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting(''app.traceparent'', true) OPERATOR(pg_catalog.<>) '''' THEN pg_catalog.current_setting(''app.traceparent'', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''UPDATE''::pg_catalog.text,
    ''public''::pg_catalog.text,
    ''t''::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''id'', CASE WHEN runner.is_plain(''"public"."t"'', ''id'') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''"public"."t"'') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''id'', CASE WHEN runner.is_plain(''"public"."t"'', ''id'') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain(''"public"."t"'') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL OR o.image IS NOT DISTINCT FROM NULL THEN ''true''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.lane(''f'', m.key), pg_catalog.floor(pg_catalog.random() OPERATOR(pg_catalog.*) 16)::smallint) AS lane, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "v") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''"public"."t"'', ''v'') THEN "v"::pg_catalog.text ELSE runner.text("v") END), 0) AS size, CASE WHEN runner.is_plain(''"public"."t"'', ''id'') THEN "id"::pg_catalog.text ELSE runner.text("id") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n
    FULL JOIN (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key_0
      FROM (SELECT ''''::pg_catalog.text AS "id", ''''::pg_catalog.text AS "v") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''"public"."t"'', ''v'') THEN "v"::pg_catalog.text ELSE runner.text("v") END), 0) AS size, CASE WHEN runner.is_plain(''"public"."t"'', ''id'') THEN "id"::pg_catalog.text ELSE runner.text("id") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o ON n.place OPERATOR(pg_catalog.=) o.place
    WHERE (n.image OPERATOR(pg_catalog.*=) o.image) IS NOT TRUE;
  IF runner_zone OPERATOR(pg_catalog.<>) ''UTC'' THEN
    PERFORM pg_catalog.set_config(''TimeZone'', runner_zone, true);
  END IF;
  RETURN NULL;
END';
REVOKE ALL ON FUNCTION runner."public.t.runner_update"() FROM PUBLIC;
CREATE TRIGGER "runner_update" AFTER UPDATE ON "public"."t"
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.t.runner_update"();
CREATE OR REPLACE FUNCTION runner."public.p.runner_insert_other"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
AS '
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting(''TimeZone'');
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) ''UTC'' THEN
    PERFORM pg_catalog.set_config(''TimeZone'', ''UTC'', true);
  END IF;
  INSERT INTO runner.events
    (lane, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.lane, runner.draw(n.lane), ''g''::pg_catalog.text, n.key,
    NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting(''app.user_id'', true) OPERATOR(pg_catalog.<>) '''' THEN pg_catalog.current_setting(''app.user_id'', true) END,
    CASE WHEN pg_catalog.current_setting(''app.traceparent'', true) OPERATOR(pg_catalog.<>) '''' THEN pg_catalog.current_setting(''app.traceparent'', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''INSERT''::pg_catalog.text,
    TG_TABLE_SCHEMA::pg_catalog.text,
    TG_TABLE_NAME::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''id'', CASE WHEN runner.is_plain(''"public"."p"'', ''id'') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''"public"."p"'') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN ''true''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.lane(''g'', m.key), pg_catalog.floor(pg_catalog.random() OPERATOR(pg_catalog.*) 16)::smallint) AS lane, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "lane") AS absent
      CROSS JOIN (SELECT NEW.* FROM (SELECT) AS one LEFT JOIN "public"."p" AS altered ON false) AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''"public"."p"'', ''lane'') THEN "lane"::pg_catalog.text ELSE runner.text("lane") END), 0) AS size, CASE WHEN runner.is_plain(''"public"."p"'', ''lane'') THEN "lane"::pg_catalog.text ELSE runner.text("lane") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n;
  IF runner_zone OPERATOR(pg_catalog.<>) ''UTC'' THEN
    PERFORM pg_catalog.set_config(''TimeZone'', runner_zone, true);
  END IF;
  RETURN NULL;
END';
REVOKE ALL ON FUNCTION runner."public.p.runner_insert_other"() FROM PUBLIC;
CREATE TRIGGER "runner_insert_other" AFTER INSERT ON "public"."p"
FOR EACH ROW EXECUTE FUNCTION runner."public.p.runner_insert_other"();
CREATE OR REPLACE FUNCTION runner."public.p.runner_update_other"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
AS '
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting(''TimeZone'');
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) ''UTC'' THEN
    PERFORM pg_catalog.set_config(''TimeZone'', ''UTC'', true);
  END IF;
  INSERT INTO runner.events
    (lane, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.lane, runner.draw(n.lane), ''g''::pg_catalog.text, n.key,
    NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting(''app.user_id'', true) OPERATOR(pg_catalog.<>) '''' THEN pg_catalog.current_setting(''app.user_id'', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting(''app.traceparent'', true) OPERATOR(pg_catalog.<>) '''' THEN pg_catalog.current_setting(''app.traceparent'', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''UPDATE''::pg_catalog.text,
    TG_TABLE_SCHEMA::pg_catalog.text,
    TG_TABLE_NAME::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''id'', CASE WHEN runner.is_plain(''"public"."p"'', ''id'') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''"public"."p"'') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''id'', CASE WHEN runner.is_plain(''"public"."p"'', ''id'') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain(''"public"."p"'') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL OR o.image IS NOT DISTINCT FROM NULL THEN ''true''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.lane(''g'', m.key), pg_catalog.floor(pg_catalog.random() OPERATOR(pg_catalog.*) 16)::smallint) AS lane, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "lane") AS absent
      CROSS JOIN (SELECT NEW.* FROM (SELECT) AS one LEFT JOIN "public"."p" AS altered ON false) AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''"public"."p"'', ''lane'') THEN "lane"::pg_catalog.text ELSE runner.text("lane") END), 0) AS size, CASE WHEN runner.is_plain(''"public"."p"'', ''lane'') THEN "lane"::pg_catalog.text ELSE runner.text("lane") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n
    CROSS JOIN (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key_0
      FROM (SELECT ''''::pg_catalog.text AS "id", ''''::pg_catalog.text AS "lane") AS absent
      CROSS JOIN (SELECT OLD.* FROM (SELECT) AS one LEFT JOIN "public"."p" AS altered ON false) AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''"public"."p"'', ''lane'') THEN "lane"::pg_catalog.text ELSE runner.text("lane") END), 0) AS size, CASE WHEN runner.is_plain(''"public"."p"'', ''lane'') THEN "lane"::pg_catalog.text ELSE runner.text("lane") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o
    WHERE (n.image OPERATOR(pg_catalog.*=) o.image) IS NOT TRUE;
  IF runner_zone OPERATOR(pg_catalog.<>) ''UTC'' THEN
    PERFORM pg_catalog.set_config(''TimeZone'', runner_zone, true);
  END IF;
  RETURN NULL;
END';
REVOKE ALL ON FUNCTION runner."public.p.runner_update_other"() FROM PUBLIC;
CREATE TRIGGER "runner_update_other" AFTER UPDATE ON "public"."p"
FOR EACH ROW EXECUTE FUNCTION runner."public.p.runner_update_other"();
CREATE OR REPLACE FUNCTION runner."public.u.runner_delete_other"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
AS E'
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting(''TimeZone'');
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) ''UTC'' THEN
    PERFORM pg_catalog.set_config(''TimeZone'', ''UTC'', true);
  END IF;
  INSERT INTO runner.events
    (lane, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT o.lane, runner.draw(o.lane), ''g''::pg_catalog.text, o.key,
    NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting(''app.user_id'', true) OPERATOR(pg_catalog.<>) '''' THEN pg_catalog.current_setting(''app.user_id'', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting(''app.traceparent'', true) OPERATOR(pg_catalog.<>) '''' THEN pg_catalog.current_setting(''app.traceparent'', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''DELETE''::pg_catalog.text,
    ''public''::pg_catalog.text,
    ''u''::pg_catalog.text,
    NULL::pg_catalog.jsonb,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''id'', CASE WHEN runner.is_plain(''"public"."u"'', ''id'') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain(''"public"."u"'') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN ''true''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.lane(''g'', m.key), pg_catalog.floor(pg_catalog.random() OPERATOR(pg_catalog.*) 16)::smallint) AS lane, m.key_0, m.filter_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "lane", E''a\\\\b''''(SELECT runner.lane(''''x''''), INSERT INTO runner.events
    (lane, id, "''::pg_catalog.text AS "note") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''"public"."u"'', ''note'') THEN "note"::pg_catalog.text ELSE runner.text("note") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''"public"."u"'', ''lane'') THEN "lane"::pg_catalog.text ELSE runner.text("lane") END), 0) AS size, CASE WHEN runner.is_plain(''"public"."u"'', ''lane'') THEN "lane"::pg_catalog.text ELSE runner.text("lane") END AS key, "id" AS key_0, CASE WHEN runner.is_plain(''"public"."u"'', ''note'') THEN "note"::pg_catalog.text ELSE runner.text("note") END COLLATE pg_catalog."C" AS filter_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o WHERE (o.filter_0 OPERATOR(pg_catalog.=) E''a\\\\b''''(SELECT runner.lane(''''x''''), INSERT INTO runner.events
    (lane, id, "'') IS TRUE;
  IF runner_zone OPERATOR(pg_catalog.<>) ''UTC'' THEN
    PERFORM pg_catalog.set_config(''TimeZone'', runner_zone, true);
  END IF;
  RETURN NULL;
END';
REVOKE ALL ON FUNCTION runner."public.u.runner_delete_other"() FROM PUBLIC;
CREATE TRIGGER "runner_delete_other" AFTER DELETE ON "public"."u"
REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.u.runner_delete_other"();
CREATE OR REPLACE FUNCTION runner."public.u.runner_insert_other"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
AS E'
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting(''TimeZone'');
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) ''UTC'' THEN
    PERFORM pg_catalog.set_config(''TimeZone'', ''UTC'', true);
  END IF;
  INSERT INTO runner.events
    (lane, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.lane, runner.draw(n.lane), ''g''::pg_catalog.text, n.key,
    NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting(''app.user_id'', true) OPERATOR(pg_catalog.<>) '''' THEN pg_catalog.current_setting(''app.user_id'', true) END,
    CASE WHEN pg_catalog.current_setting(''app.traceparent'', true) OPERATOR(pg_catalog.<>) '''' THEN pg_catalog.current_setting(''app.traceparent'', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''INSERT''::pg_catalog.text,
    ''public''::pg_catalog.text,
    ''u''::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''id'', CASE WHEN runner.is_plain(''"public"."u"'', ''id'') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''"public"."u"'') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN ''true''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.lane(''g'', m.key), pg_catalog.floor(pg_catalog.random() OPERATOR(pg_catalog.*) 16)::smallint) AS lane, m.key_0, m.filter_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "lane", E''a\\\\b''''(SELECT runner.lane(''''x''''), INSERT INTO runner.events
    (lane, id, "''::pg_catalog.text AS "note") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''"public"."u"'', ''note'') THEN "note"::pg_catalog.text ELSE runner.text("note") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''"public"."u"'', ''lane'') THEN "lane"::pg_catalog.text ELSE runner.text("lane") END), 0) AS size, CASE WHEN runner.is_plain(''"public"."u"'', ''lane'') THEN "lane"::pg_catalog.text ELSE runner.text("lane") END AS key, "id" AS key_0, CASE WHEN runner.is_plain(''"public"."u"'', ''note'') THEN "note"::pg_catalog.text ELSE runner.text("note") END COLLATE pg_catalog."C" AS filter_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n WHERE (n.filter_0 OPERATOR(pg_catalog.=) E''a\\\\b''''(SELECT runner.lane(''''x''''), INSERT INTO runner.events
    (lane, id, "'') IS TRUE;
  IF runner_zone OPERATOR(pg_catalog.<>) ''UTC'' THEN
    PERFORM pg_catalog.set_config(''TimeZone'', runner_zone, true);
  END IF;
  RETURN NULL;
END';
REVOKE ALL ON FUNCTION runner."public.u.runner_insert_other"() FROM PUBLIC;
CREATE TRIGGER "runner_insert_other" AFTER INSERT ON "public"."u"
REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.u.runner_insert_other"();

INSERT INTO runner.triggers (table_schema, table_name, name, definition, bundle, generation, version, functions, subscriptions)
VALUES ('public', 't', 'runner_delete', '', 'default', 1, 0, '{f}', '[{"key": "id", "columns": [], "filters": [], "function": "f", "ownWrites": true}]');
INSERT INTO runner.triggers (table_schema, table_name, name, definition, bundle, generation, version, functions, subscriptions)
VALUES ('public', 't', 'runner_insert', '', 'default', 1, 0, '{f}', '[{"key": "id", "columns": [], "filters": [], "function": "f", "ownWrites": true}]');
INSERT INTO runner.triggers (table_schema, table_name, name, definition, bundle, generation, version, functions, subscriptions)
VALUES ('public', 't', 'runner_notify_f', '', 'default', 1, 0, '{f}', '[]');
INSERT INTO runner.triggers (table_schema, table_name, name, definition, bundle, generation, version, functions, subscriptions)
VALUES ('public', 't', 'runner_update', '', 'default', 1, 0, '{f}', '[{"key": "id", "columns": [], "filters": [], "function": "f", "ownWrites": true}]');
INSERT INTO runner.triggers (table_schema, table_name, name, definition, bundle, generation, version, functions, subscriptions)
VALUES ('public', 'p', 'runner_insert_other', '', 'other', 1, 0, '{g}', '[{"key": "lane", "columns": [], "filters": [], "function": "g", "ownWrites": true}]');
INSERT INTO runner.triggers (table_schema, table_name, name, definition, bundle, generation, version, functions, subscriptions)
VALUES ('public', 'p', 'runner_update_other', '', 'other', 1, 0, '{g}', '[{"key": "lane", "columns": [], "filters": [], "function": "g", "ownWrites": true}]');
INSERT INTO runner.triggers (table_schema, table_name, name, definition, bundle, generation, version, functions, subscriptions)
VALUES ('public', 'u', 'runner_delete_other', '', 'other', 1, 0, '{g}', E'[{"key": "lane", "columns": [], "filters": [{"note": "a\\\\b''(SELECT runner.lane(''x''), INSERT INTO runner.events\\n    (lane, id, \\""}], "function": "g", "ownWrites": true}]');
INSERT INTO runner.triggers (table_schema, table_name, name, definition, bundle, generation, version, functions, subscriptions)
VALUES ('public', 'u', 'runner_insert_other', '', 'other', 1, 0, '{g}', E'[{"key": "lane", "columns": [], "filters": [{"note": "a\\\\b''(SELECT runner.lane(''x''), INSERT INTO runner.events\\n    (lane, id, \\""}], "function": "g", "ownWrites": true}]');
RESET runner.knows_bundles;
