-- Partitions: which one an event is in, its id, and waking the runner that reads it.

-- PostgreSQL refuses to prepare a transaction that has executed NOTIFY. Where the server allows prepared transactions
-- (max_prepared_transactions, which only a restart changes), writers therefore wake nobody, and runners poll.
CREATE FUNCTION runner.notifies() RETURNS boolean
LANGUAGE sql STABLE
AS $$ SELECT pg_catalog.current_setting('max_prepared_transactions') OPERATOR(pg_catalog.=) '0' $$;

-- The partition of an event -------------------------------------------------------------------------------------------

-- Each partition has a sequence of its own: an id is drawn only after the transaction has its number, so that a gap in a
-- partition's ids can be told from an id that is still to come. The sequences begin at a number that grows with the time,
-- so that ids never come twice: not even in a database whose runner schema was dropped and made again, while functions
-- remember the ids of events that they have handled.
--
-- Makes the sequences, runner.partitions(), which says how many there are, and what draws their ids. All of it becomes part
-- of a trigger's query: writers look nothing up, and sessions that have planned with the functions as they were plan again.
-- A sequence stays when there are fewer partitions, so that its ids never come twice; one that is new begins above all.
CREATE FUNCTION runner.define_partitions(number integer) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  sequences text;
  highest bigint := greatest((extract(epoch FROM clock_timestamp() - '2026-01-01Z') * 1000)::bigint, (
    SELECT max(last_value) FROM pg_sequences WHERE schemaname = 'runner' AND sequencename ~ '^partition_[0-9]+$'));
BEGIN
  FOR partition IN 0..number - 1 LOOP
    CONTINUE WHEN to_regclass(format('runner.partition_%s', partition)) IS NOT NULL;
    EXECUTE format('CREATE SEQUENCE runner.partition_%s AS bigint CACHE 1', partition);
    PERFORM setval(format('runner.partition_%s', partition)::regclass, highest);
  END LOOP;
  sequences := (
    SELECT string_agg(quote_literal('runner.partition_' || n), ', ' ORDER BY n)
    FROM generate_series(0, number - 1) AS n);
  EXECUTE format(
    'CREATE OR REPLACE FUNCTION runner.partitions() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS %L',
    'SELECT ' || number);
  -- The transaction gets its number before it draws.
  EXECUTE format(
    'CREATE OR REPLACE FUNCTION runner.next_id(partition smallint) RETURNS bigint LANGUAGE sql VOLATILE AS %L',
    format('SELECT CASE WHEN pg_current_xact_id() IS NOT NULL
  THEN nextval((ARRAY[%s]::regclass[])[partition + 1]) END', sequences));
  -- Wakes the partition's runner before it draws. For triggers: a call of runner.notify() would cost a fifth of what
  -- they cost. Who changed a row has a transaction number.
  EXECUTE format(
    'CREATE OR REPLACE FUNCTION runner.draw(partition smallint) RETURNS bigint LANGUAGE sql VOLATILE AS %L',
    format('SELECT CASE
  WHEN pg_catalog.pg_try_advisory_lock_shared(7265826, partition)
    AND pg_catalog.pg_advisory_unlock_shared(7265826, partition)
    OR NOT runner.notifies()
    OR pg_catalog.pg_notify(''runner_events'', '''') IS NOT NULL
  THEN pg_catalog.nextval((ARRAY[%s]::pg_catalog.regclass[])[partition OPERATOR(pg_catalog.+) 1])
END', sequences));
END $$;
REVOKE ALL ON FUNCTION runner.define_partitions(integer) FROM PUBLIC;

DO $$ BEGIN PERFORM runner.define_partitions(16); END $$;

CREATE FUNCTION runner.partition(function text, key text) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT (pg_catalog.hashtextextended((function OPERATOR(pg_catalog.||) '/') OPERATOR(pg_catalog.||) key, 0)
  OPERATOR(pg_catalog.&) (runner.partitions() OPERATOR(pg_catalog.-) 1))::smallint $$;

-- For an event without a key.
CREATE FUNCTION runner.random_partition() RETURNS smallint
LANGUAGE sql VOLATILE
AS $$ SELECT pg_catalog.floor(pg_catalog.random() OPERATOR(pg_catalog.*) runner.partitions())::smallint $$;

-- Waking a runner -----------------------------------------------------------------------------------------------------

-- Wakes the runner of the partitions. One that sleeps holds the lock of its partitions, and only commits that find it
-- taken NOTIFY. One that is awake looks by itself, and where none lives nobody is woken. The lock is let go at once: a
-- transaction that goes on does not keep a runner from its sleep.
CREATE FUNCTION runner.notify(partitions smallint[]) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  partition smallint;
BEGIN
  IF NOT runner.notifies() THEN RETURN; END IF;
  FOREACH partition IN ARRAY partitions LOOP
    IF pg_try_advisory_lock_shared(7265826, partition) THEN
      PERFORM pg_advisory_unlock_shared(7265826, partition);
    ELSE
      PERFORM pg_notify('runner_events', '');
      RETURN;
    END IF;
  END LOOP;
END $$;

-- Wakes a notified function. The runner that runs it holds the lock while it will look once more anyhow. Numbers below
-- 256 are partitions.
CREATE FUNCTION runner.notify_trigger() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF NOT runner.notifies() THEN
    INSERT INTO runner.signals VALUES (TG_ARGV[0]);
  ELSIF pg_try_advisory_xact_lock_shared(7265826, 256 + (hashtext(TG_ARGV[0]) & 1023)) THEN
    PERFORM pg_notify('runner_notify', TG_ARGV[0]);
  END IF;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION runner.notify_trigger() FROM PUBLIC;
