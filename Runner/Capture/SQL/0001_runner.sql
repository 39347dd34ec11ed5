-- The runner's own tables. Nothing in here knows what the bundle's functions do.
CREATE SCHEMA IF NOT EXISTS runner;

-- The clock. Domain time is the database's clock plus this offset; leases and time limits never use it.
CREATE TABLE runner.clock (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  "offset" interval NOT NULL DEFAULT '0'
);
INSERT INTO runner.clock DEFAULT VALUES;

CREATE FUNCTION runner.now() RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT clock_timestamp() + "offset" FROM runner.clock $$;

-- Waiting events. A row is never updated: it is inserted by a trigger or by runner.enqueue(), read by the runner that
-- holds its lane, and deleted when its function is done with it.
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
  PRIMARY KEY (lane, id)
) WITH (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 100000, vacuum_truncate = off,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 2000
);

-- Sixteen lanes, each with a sequence of its own: an id is drawn only after the transaction has its number, so that a
-- gap in a lane's ids can be told from an id that is still to come (see LaneCursor).
DO $$
BEGIN
  FOR lane IN 0..15 LOOP
    EXECUTE format('CREATE SEQUENCE runner.lane_%s AS bigint CACHE 1', lane);
  END LOOP;
END $$;

CREATE FUNCTION runner.lane(function text, key text) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT (hashtextextended(function || '/' || key, 0) & 15)::smallint $$;

CREATE FUNCTION runner.next_id(lane smallint) RETURNS bigint
LANGUAGE sql VOLATILE
AS $$ SELECT nextval((ARRAY[
  'runner.lane_0', 'runner.lane_1', 'runner.lane_2', 'runner.lane_3', 'runner.lane_4', 'runner.lane_5',
  'runner.lane_6', 'runner.lane_7', 'runner.lane_8', 'runner.lane_9', 'runner.lane_10', 'runner.lane_11',
  'runner.lane_12', 'runner.lane_13', 'runner.lane_14', 'runner.lane_15']::regclass[])[lane + 1]) $$;

-- The doorbell: a runner that is awake holds the lock and is not rung, so that commits need no NOTIFY under load.
CREATE FUNCTION runner.ring() RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF pg_try_advisory_xact_lock_shared(7265826, 1) THEN
    PERFORM pg_notify('runner_events', '');
  END IF;
END $$;

-- Puts one event in line. Triggers insert their rows themselves, in the same way.
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
  PERFORM runner.ring();
END $$;

-- Events that failed and will be tried again.
CREATE TABLE runner.retries (
  LIKE runner.events INCLUDING DEFAULTS,
  attempt integer NOT NULL,
  run_at timestamptz NOT NULL,
  code text NOT NULL,
  error text NOT NULL,
  PRIMARY KEY (lane, id)
);
CREATE INDEX retries_due ON runner.retries (run_at);

-- Events that are not tried again, until somebody replays or purges them.
CREATE TABLE runner.dead_letters (
  LIKE runner.events INCLUDING DEFAULTS,
  attempts integer NOT NULL,
  code text NOT NULL,
  error text NOT NULL,
  died_at timestamptz NOT NULL DEFAULT runner.now(),
  PRIMARY KEY (lane, id)
);

-- Who reads which lane. The epoch grows with every change of hands: whoever writes with an old one is refused.
CREATE TABLE runner.leases (
  lane smallint PRIMARY KEY,
  epoch bigint NOT NULL DEFAULT 0,
  owner uuid,
  holder integer,
  expires_at timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50);
INSERT INTO runner.leases (lane) SELECT generate_series(0, 15);
CREATE SEQUENCE runner.holders AS integer CYCLE;

-- Takes every lane that is free: its lease has run out, or the session that held it is gone.
CREATE FUNCTION runner.acquire(owner uuid, holder integer, lifetime interval)
RETURNS TABLE (lane smallint, epoch bigint)
LANGUAGE sql VOLATILE
AS $$
  UPDATE runner.leases AS l
  SET owner = acquire.owner, holder = acquire.holder, epoch = l.epoch + 1, expires_at = clock_timestamp() + lifetime
  FROM (
    SELECT f.lane FROM runner.leases AS f
    WHERE f.owner IS NULL OR f.expires_at < clock_timestamp()
      OR f.owner <> acquire.owner AND pg_try_advisory_xact_lock(7265827, f.holder)
    ORDER BY f.lane FOR UPDATE SKIP LOCKED
  ) AS free
  WHERE l.lane = free.lane
  RETURNING l.lane, l.epoch
$$;

CREATE FUNCTION runner.renew(owner uuid, lifetime interval) RETURNS bigint
LANGUAGE sql VOLATILE
AS $$
  WITH renewed AS (
    UPDATE runner.leases AS l SET expires_at = clock_timestamp() + lifetime WHERE l.owner = renew.owner RETURNING 1
  )
  SELECT count(*) FROM renewed
$$;

CREATE FUNCTION runner.release(owner uuid) RETURNS void
LANGUAGE sql VOLATILE
AS $$ UPDATE runner.leases AS l SET owner = NULL, expires_at = '-infinity' WHERE l.owner = release.owner $$;

-- Begins every transaction that ends events: fails unless the lanes still belong to that owner under that epoch, and
-- keeps them from changing hands until the transaction is over. FOR KEY SHARE would not: it lets an epoch change.
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

-- Schedules and their occurrences. However many runners, an occurrence is one row and fires once.
CREATE TABLE runner.schedules (
  name text PRIMARY KEY,
  expression text NOT NULL,
  timezone text NOT NULL,
  since timestamptz NOT NULL,
  last_scheduled_time timestamptz
);
CREATE TABLE runner.schedule_fires (
  schedule text NOT NULL,
  scheduled_time timestamptz NOT NULL,
  fired_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (schedule, scheduled_time)
);

-- The triggers that `runner migrate` made, so that it can take away what functions.json no longer asks for.
CREATE TABLE runner.triggers (
  table_schema text NOT NULL,
  table_name text NOT NULL,
  name text NOT NULL,
  definition text NOT NULL,
  PRIMARY KEY (table_schema, table_name, name)
);

CREATE FUNCTION runner.notify_trigger() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM pg_notify('runner_notify', TG_ARGV[0]);
  RETURN NULL;
END $$;
