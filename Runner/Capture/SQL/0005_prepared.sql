-- PostgreSQL refuses to prepare a transaction that has executed NOTIFY. Where the server allows prepared transactions
-- (max_prepared_transactions, which only a restart changes), writers therefore ring nobody, and runners poll.
CREATE FUNCTION runner.rings() RETURNS boolean
LANGUAGE sql STABLE
AS $$ SELECT pg_catalog.current_setting('max_prepared_transactions') OPERATOR(pg_catalog.=) '0' $$;

CREATE OR REPLACE FUNCTION runner.ring(lanes smallint[]) RETURNS void
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

CREATE OR REPLACE FUNCTION runner.draw(lane smallint) RETURNS bigint
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

-- What notified functions are told where no NOTIFY is sent: a runner takes the rows when it polls.
CREATE TABLE runner.signals (function text NOT NULL) WITH (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
  vacuum_truncate = off
);

CREATE OR REPLACE FUNCTION runner.notify_trigger() RETURNS trigger
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
