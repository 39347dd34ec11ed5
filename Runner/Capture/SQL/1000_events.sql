-- The runner's own tables: its clock, and the events that wait. Nothing in here knows what the bundle's functions do.
--
-- Advisory locks have two numbers. The first says what they are for, as `AdvisoryLock` in Swift does:
--   7265825  changing the schema (0), and building indexes or joining a group (1)
--   7265826  a runner sleeps: it holds the number of each of its partitions, and commits wake it
--   7265827  a runner lives: its session holds the runner's number (`holder`) until it ends

-- Clock ---------------------------------------------------------------------------------------------------------------

-- Domain time is the database's clock plus this offset; leases and time limits never use it.
CREATE TABLE runner.clock (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  "offset" interval NOT NULL DEFAULT '0'
);
INSERT INTO runner.clock DEFAULT VALUES;

CREATE FUNCTION runner.now() RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT clock_timestamp() + "offset" FROM runner.clock $$;

-- Makes runner.stamp(), the time that events are stamped with: real time, without a look at the clock's row, for as long
-- as the row says nothing. Triggers run with the writer's search_path, because setting another one costs a sixth of all
-- they do: what becomes part of their queries names its schemas, operators included.
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

-- Sessions that have planned with the function as it was plan again.
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

-- Tables --------------------------------------------------------------------------------------------------------------

-- Waiting events. A row is never updated: a trigger or runner.enqueue() inserts it, the runner that holds its partition
-- reads it, and deletes it when its function is done with it. `replayedfrom` is the id of the event that this one repeats.
CREATE TABLE runner.events (
  partition smallint NOT NULL,
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
  PRIMARY KEY (partition, id)
) WITH (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 100000, vacuum_truncate = off,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 2000
);

-- Events that failed and will be tried again. Crashes of an event's process count apart from its failures: after two it
-- runs alone, after three it is dead. `progress` is the highest count that an attempt has reported. Attempts before
-- `counted_from`, and crashes before it, count no more: a later one got further than all before.
--
-- `noted_at` is when a retry or a wake-up was noted: one that was noted in the future is by a clock that was ahead, and its
-- time counts from now.
CREATE TABLE runner.retries (
  LIKE runner.events INCLUDING DEFAULTS,
  attempt integer NOT NULL,
  crashes integer NOT NULL DEFAULT 0,
  run_at timestamptz NOT NULL,
  code text NOT NULL,
  error text NOT NULL,
  progress bigint NOT NULL DEFAULT 0,
  counted_from integer NOT NULL DEFAULT 0,
  noted_at timestamptz DEFAULT runner.now(),
  PRIMARY KEY (partition, id)
);
CREATE INDEX retries_due ON runner.retries (run_at);

-- Events that are not tried again, until somebody replays or purges them.
CREATE TABLE runner.dead_letters (
  LIKE runner.events INCLUDING DEFAULTS,
  attempts integer NOT NULL,
  crashes integer NOT NULL DEFAULT 0,
  code text NOT NULL,
  error text NOT NULL,
  died_at timestamptz NOT NULL DEFAULT runner.now(),
  PRIMARY KEY (partition, id)
);

-- What notified functions are told where no NOTIFY is sent: a runner takes the rows when it polls.
CREATE TABLE runner.signals (function text NOT NULL) WITH (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
  vacuum_truncate = off
);
-- Signals for functions that nobody runs now are not in the way of the others', nor are the places of those that were
-- taken.
CREATE INDEX signals_function ON runner.signals (function);

-- When a notified function asked to be run.
CREATE TABLE runner.wakeups (
  function text PRIMARY KEY,
  at timestamptz NOT NULL,
  noted_at timestamptz DEFAULT runner.now()
);

-- For commands --------------------------------------------------------------------------------------------------------

-- What commands show: the members named are null, also in the rows of a webhook's body. Their values stay in here.
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
