-- Schedules, and the history of all that has ended.

-- Schedules -----------------------------------------------------------------------------------------------------------

-- Several runners may work: an occurrence is one row and fires once.
--
-- `next_at` says when it is due next, `paused_at` whether somebody has paused it. `since` is moved when it is resumed:
-- nothing that came due meanwhile is made up.
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

-- Every occurrence that was fired or left out, and every fire by hand. A regular one is there once.
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

-- History -------------------------------------------------------------------------------------------------------------

-- Attempts that have ended, one row each. `at` and `ended_at` are the events' clock (runner.now()), `recorded_at` is
-- real time and decides which day's partition a row is in; days are dropped, rows are never deleted.
-- `event_id` is NULL where it is partition.id. `partition` and `id` are NULL for calls over HTTP, which do not wait in the
-- queue.
CREATE TABLE runner.history (
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz NOT NULL,
  partition smallint,
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
CREATE INDEX history_place ON runner.history (partition, id) WHERE id IS NOT NULL;
CREATE INDEX history_event ON runner.history (event_id) WHERE event_id IS NOT NULL;
CREATE TABLE runner.history_default PARTITION OF runner.history DEFAULT;

-- The whole events of finished ones, for `runner resend` and `runner export`; kept for a day.
CREATE TABLE runner.payloads (
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  LIKE runner.events
) PARTITION BY RANGE (recorded_at);
ALTER TABLE runner.payloads ALTER partition DROP NOT NULL, ALTER id DROP NOT NULL;
CREATE INDEX payloads_place ON runner.payloads (partition, id) WHERE id IS NOT NULL;
CREATE INDEX payloads_event ON runner.payloads (event_id) WHERE event_id IS NOT NULL;
CREATE TABLE runner.payloads_default PARTITION OF runner.payloads DEFAULT;

-- Makes the partitions of today and tomorrow and drops the days that are over; called every hour. It has the rights of its
-- owner: who serves need not be able to make tables.
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
