-- What a writer pays for capture. Triggers run with the writer's search_path, because setting another one costs a sixth
-- of all they do: what becomes part of their queries names its schemas, operators included.

-- The time that events are stamped with: real time, without a look at the clock's row, for as long as it says nothing.
CREATE FUNCTION runner.set_stamp(is_virtual boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  EXECUTE format('CREATE OR REPLACE FUNCTION runner.stamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS %L',
    CASE WHEN is_virtual
      THEN 'SELECT pg_catalog.clock_timestamp() OPERATOR(pg_catalog.+) "offset" FROM runner.clock'
      ELSE 'SELECT pg_catalog.clock_timestamp()' END);
END $$;
SELECT runner.set_stamp("offset" <> '0') FROM runner.clock;

-- Sessions that have planned with the function as it was plan anew.
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

CREATE OR REPLACE FUNCTION runner.lane(function text, key text) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT (pg_catalog.hashtextextended(
  (function OPERATOR(pg_catalog.||) '/') OPERATOR(pg_catalog.||) key, 0) OPERATOR(pg_catalog.&) 15)::smallint $$;

-- The doorbell of each lane: a runner that sleeps holds the lock of its lanes, and only commits that find it taken
-- NOTIFY. One that is awake looks by itself, and where none lives nobody is rung. The lock is let go at once: a
-- transaction that goes on does not keep a runner from its sleep, see Doorbell.
CREATE OR REPLACE FUNCTION runner.ring(lanes smallint[]) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  lane smallint;
BEGIN
  FOREACH lane IN ARRAY lanes LOOP
    IF pg_try_advisory_lock_shared(7265826, lane) THEN
      PERFORM pg_advisory_unlock_shared(7265826, lane);
    ELSE
      PERFORM pg_notify('runner_events', '');
      RETURN;
    END IF;
  END LOOP;
END $$;

-- Rings the lane's bell and draws an id, as part of a trigger's query: who changed a row has a transaction number.
DROP FUNCTION runner.draw(smallint, boolean);
CREATE FUNCTION runner.draw(lane smallint) RETURNS bigint
LANGUAGE sql VOLATILE
AS $$ SELECT CASE
  WHEN pg_catalog.pg_try_advisory_lock_shared(7265826, lane)
    AND pg_catalog.pg_advisory_unlock_shared(7265826, lane)
    OR pg_catalog.pg_notify('runner_events', '') IS NOT NULL
  THEN pg_catalog.nextval((ARRAY[
    'runner.lane_0', 'runner.lane_1', 'runner.lane_2', 'runner.lane_3', 'runner.lane_4', 'runner.lane_5',
    'runner.lane_6', 'runner.lane_7', 'runner.lane_8', 'runner.lane_9', 'runner.lane_10', 'runner.lane_11',
    'runner.lane_12', 'runner.lane_13', 'runner.lane_14', 'runner.lane_15']::pg_catalog.regclass[])[
      lane OPERATOR(pg_catalog.+) 1])
END $$;

-- Whether nothing of the users' runs when a column of a table, or any where none is named, is written as text or JSON.
-- Only then may that happen under the search_path of a writer. It is read when a query is planned, which is done anew
-- when the table is altered.
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

-- What is not plain is written in these.
CREATE FUNCTION runner.document(value anyelement) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$ BEGIN RETURN to_jsonb(value); END $$;

CREATE FUNCTION runner.text(value anyelement) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$ BEGIN RETURN value::text; END $$;

ALTER FUNCTION runner.is_document(record) SET search_path = pg_catalog, pg_temp;
