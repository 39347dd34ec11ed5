-- Replaces: 0001_runner, 0004_removal, 0007_progress, 0008_identity
-- The runner's own tables: its clock, and the events that wait. Nothing in here knows what the bundle's functions do.
--
-- Advisory locks have two numbers. The first says what they are for, as `AdvisoryLock` in Swift does:
--   7265825  changing the schema (0), and building indexes or joining a group (1)
--   7265826  a runner sleeps: it holds the number of each of its lanes, and commits wake it
--   7265827  a runner lives: its session holds the runner's number (`holder`) until it ends

-- Clock --------------------------------------------------------------------------------------------------------------

-- Domain time is the database's clock plus this offset; leases and time limits never use it. `rebased` is how often
-- stamps were moved back to real time: occurrences after that have other ids than those before.
CREATE TABLE runner.clock (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  "offset" interval NOT NULL DEFAULT '0',
  rebased integer NOT NULL DEFAULT 0
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

-- Tables -------------------------------------------------------------------------------------------------------------

-- Waiting events. A row is never updated: a trigger or runner.enqueue() inserts it, the runner that holds its lane reads
-- it, and deletes it when its function is done with it. `replayedfrom` is the id of the event that this one repeats.
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

-- Events that failed and will be tried again. Crashes of an event's process count apart from its failures: after two it
-- runs alone, after three it is dead. `progress` is the highest count that an attempt has reported. Attempts before
-- `counted_from`, and crashes before it, count no more: a later one got further than all before.
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

-- Events that are not tried again, until somebody replays or purges them.
CREATE TABLE runner.dead_letters (
  LIKE runner.events INCLUDING DEFAULTS,
  attempts integer NOT NULL,
  crashes integer NOT NULL DEFAULT 0,
  code text NOT NULL,
  error text NOT NULL,
  died_at timestamptz NOT NULL DEFAULT runner.now(),
  PRIMARY KEY (lane, id)
);

-- What notified functions are told where no NOTIFY is sent: a runner takes the rows when it polls.
CREATE TABLE runner.signals (function text NOT NULL) WITH (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
  vacuum_truncate = off
);

-- When a notified function asked to be run.
CREATE TABLE runner.wakeups (
  function text PRIMARY KEY,
  at timestamptz NOT NULL
);

-- Lanes and ids ------------------------------------------------------------------------------------------------------

-- Sixteen lanes, each with a sequence of its own: an id is drawn only after the transaction has its number, so that a
-- gap in a lane's ids can be told from an id that is still to come. The sequences begin at a number that grows with the
-- time, so that ids never come twice: not even in a database whose runner schema was dropped and made again, while
-- functions remember the ids of events that they have handled.
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

-- Draws an id. The transaction gets its number before.
CREATE FUNCTION runner.next_id(lane smallint) RETURNS bigint
LANGUAGE sql VOLATILE
AS $$ SELECT CASE WHEN pg_current_xact_id() IS NOT NULL THEN nextval((ARRAY[
  'runner.lane_0', 'runner.lane_1', 'runner.lane_2', 'runner.lane_3', 'runner.lane_4', 'runner.lane_5',
  'runner.lane_6', 'runner.lane_7', 'runner.lane_8', 'runner.lane_9', 'runner.lane_10', 'runner.lane_11',
  'runner.lane_12', 'runner.lane_13', 'runner.lane_14', 'runner.lane_15']::regclass[])[lane + 1]) END $$;

-- Waking a runner ----------------------------------------------------------------------------------------------------

-- PostgreSQL refuses to prepare a transaction that has executed NOTIFY. Where the server allows prepared transactions
-- (max_prepared_transactions, which only a restart changes), writers therefore wake nobody, and runners poll.
CREATE FUNCTION runner.rings() RETURNS boolean
LANGUAGE sql STABLE
AS $$ SELECT pg_catalog.current_setting('max_prepared_transactions') OPERATOR(pg_catalog.=) '0' $$;

-- Wakes the runner of the lanes. One that sleeps holds the lock of its lanes, and only commits that find it taken
-- NOTIFY. One that is awake looks by itself, and where none lives nobody is woken. The lock is let go at once: a
-- transaction that goes on does not keep a runner from its sleep.
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

-- Wakes the lane's runner and draws an id. For triggers: both become part of their query, where a call of runner.ring()
-- would cost a fifth of what they cost. Who changed a row has a transaction number.
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

-- Into the queue and out of it ---------------------------------------------------------------------------------------

-- Adds one event. Triggers insert their rows themselves, in the same way.
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

-- Adds an event that has ended, or a dead letter, again: as a new one that says which it repeats.
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

-- Removes events that have ended: ranges of ids, with the durations of all of them in one array and where those of each
-- range begin.
--
-- Range by range: one statement for all would keep, from a time when the queue was empty, a plan that walks over it.
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

-- Removes events that were read in an earlier session, each only if it is the one that was read: a server that comes back
-- from an older state draws the same ids again, for events that are written later. `written` are the times of all of
-- them, like `durations`; `runner clock realtime --rebase` may have moved one back since it was read.
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
