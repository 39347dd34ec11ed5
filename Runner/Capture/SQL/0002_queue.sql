-- What the queue needs to be trusted: history, crashes, wake-ups, pauses, several runners, a bell for each lane.

-- Ids go on from a number that grows with the time, so that they never come twice: not even in a database whose runner
-- schema was dropped and made anew, while functions remember the ids of events that they have handled.
DO $$
BEGIN
  FOR lane IN 0..15 LOOP
    EXECUTE format(
      'SELECT setval(%L, greatest(last_value, (extract(epoch FROM clock_timestamp() - ''2026-01-01Z'') * 1000)::bigint))'
      ' FROM runner.lane_%s', format('runner.lane_%s', lane), lane);
  END LOOP;
END $$;

-- Crashes of an event's process count apart from its failures: after two it runs alone, after three it is dead.
ALTER TABLE runner.retries ADD COLUMN crashes integer NOT NULL DEFAULT 0;
ALTER TABLE runner.dead_letters ADD COLUMN crashes integer NOT NULL DEFAULT 0;

-- The id of the event that this one repeats, see `runner rerun`.
ALTER TABLE runner.events ADD COLUMN replayedfrom text;
ALTER TABLE runner.retries ADD COLUMN replayedfrom text;
ALTER TABLE runner.dead_letters ADD COLUMN replayedfrom text;

-- The doorbell of each lane: a runner that is awake holds the lock of its lanes, and commits then need no NOTIFY.
-- Nor is there one while no runner lives: it would make commits queue up for nobody.
CREATE FUNCTION runner.ring(lanes smallint[]) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  lane smallint;
BEGIN
  FOREACH lane IN ARRAY lanes LOOP
    IF pg_try_advisory_xact_lock_shared(7265826, lane) THEN
      IF NOT EXISTS (SELECT FROM runner.leases WHERE expires_at > clock_timestamp()) THEN RETURN; END IF;
      PERFORM pg_notify('runner_events', '');
      RETURN;
    END IF;
  END LOOP;
END $$;

DROP FUNCTION runner.ring();

CREATE OR REPLACE FUNCTION runner.enqueue(
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

-- The runners that live. Lanes are shared out evenly among them.
CREATE TABLE runner.runners (
  owner uuid PRIMARY KEY,
  holder integer NOT NULL,
  name text NOT NULL,
  expires_at timestamptz NOT NULL
);

DROP FUNCTION runner.acquire(uuid, integer, interval);
DROP FUNCTION runner.renew(uuid, interval);

-- Says that a runner lives, prolongs its lanes, and takes what is free up to its share: a lease that has run out, or
-- whose session is gone. Returns the lanes that it now holds, and how many a runner's share is.
CREATE FUNCTION runner.hold(me uuid, my_holder integer, my_name text, lifetime interval)
RETURNS TABLE (lane smallint, epoch bigint, share integer)
LANGUAGE plpgsql VOLATILE
AS $$
#variable_conflict use_column
DECLARE
  part integer;
BEGIN
  INSERT INTO runner.runners VALUES (me, my_holder, my_name, clock_timestamp() + lifetime)
  ON CONFLICT (owner) DO UPDATE SET expires_at = excluded.expires_at;
  DELETE FROM runner.runners AS r
  WHERE r.owner <> me AND (r.expires_at < clock_timestamp() OR pg_try_advisory_xact_lock(7265827, r.holder));
  SELECT ceil(16.0 / count(*)) INTO part FROM runner.runners;
  UPDATE runner.leases AS l SET expires_at = clock_timestamp() + lifetime WHERE l.owner = me;
  UPDATE runner.leases AS l
  SET owner = me, holder = my_holder, epoch = l.epoch + 1, expires_at = clock_timestamp() + lifetime
  FROM (
    SELECT f.lane FROM runner.leases AS f
    WHERE f.owner IS NULL OR f.expires_at < clock_timestamp()
      OR f.owner <> me AND pg_try_advisory_xact_lock(7265827, f.holder)
    ORDER BY f.lane
    LIMIT greatest(0, part - (SELECT count(*) FROM runner.leases AS h WHERE h.owner = me))
    FOR UPDATE SKIP LOCKED
  ) AS free
  WHERE l.lane = free.lane;
  RETURN QUERY SELECT l.lane, l.epoch, part FROM runner.leases AS l WHERE l.owner = me ORDER BY l.lane;
  IF NOT FOUND THEN
    RETURN QUERY SELECT NULL::smallint, NULL::bigint, part;
  END IF;
END $$;

-- Gives lanes back, so that another runner need not wait; all of them where none is named.
DROP FUNCTION runner.release(uuid);
CREATE FUNCTION runner.release(me uuid, lanes smallint[] DEFAULT NULL) RETURNS void
LANGUAGE sql VOLATILE
AS $$
  UPDATE runner.leases AS l SET owner = NULL, expires_at = '-infinity'
  WHERE l.owner = me AND (lanes IS NULL OR l.lane = ANY (lanes));
  DELETE FROM runner.runners AS r WHERE r.owner = me AND lanes IS NULL;
$$;

-- Attempts that have ended, one row each. `at` and `ended_at` are the events' clock (runner.now()), `recorded_at` is
-- real time and decides which day's partition a row is in; days are dropped, rows are never deleted.
-- `event_id` is NULL where it is lane.id. `lane` and `id` are NULL for calls over HTTP, which stand in no line.
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

-- The whole events of finished ones, for `runner rerun` and `runner record`; kept for a day.
CREATE TABLE runner.payloads (
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  LIKE runner.events
) PARTITION BY RANGE (recorded_at);
ALTER TABLE runner.payloads ALTER lane DROP NOT NULL, ALTER id DROP NOT NULL;
CREATE INDEX payloads_place ON runner.payloads (lane, id) WHERE id IS NOT NULL;
CREATE INDEX payloads_event ON runner.payloads (event_id) WHERE event_id IS NOT NULL;
CREATE TABLE runner.payloads_default PARTITION OF runner.payloads DEFAULT;

-- Makes the partitions of today and tomorrow and drops the days that are over; called every hour.
CREATE FUNCTION runner.rotate(history_days integer, payload_hours integer) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' SET "TimeZone" = 'UTC'
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

-- When a notified function asked to be run.
CREATE TABLE runner.wakeups (
  function text PRIMARY KEY,
  at timestamptz NOT NULL
);

-- Schedules: when each is due next, and whether somebody has paused it. `since` is moved when it is resumed: nothing
-- that came due meanwhile is made up.
ALTER TABLE runner.schedules
  ADD COLUMN function text, ADD COLUMN overlap text, ADD COLUMN catchup text,
  ADD COLUMN next_at timestamptz, ADD COLUMN paused_at timestamptz;
ALTER TABLE runner.schedule_fires
  ADD COLUMN manual boolean NOT NULL DEFAULT false, ADD COLUMN skipped text;

-- Schedules ---------------------------------------------------------------------------------------------------------

-- Every occurrence that was fired or left out, and every fire by hand. A regular one is there once.
ALTER TABLE runner.schedule_fires DROP CONSTRAINT schedule_fires_pkey, ADD COLUMN event_id text;
UPDATE runner.schedule_fires
SET event_id = schedule || '@' || to_char(scheduled_time AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
ALTER TABLE runner.schedule_fires
  ADD PRIMARY KEY (schedule, scheduled_time, event_id), ALTER fired_at SET DEFAULT runner.now();
CREATE UNIQUE INDEX schedule_fires_once ON runner.schedule_fires (schedule, scheduled_time) WHERE NOT manual;

-- Puts an occurrence in line and says what became of it: 'fired'; 'overlap', when it was left out because an earlier
-- one has not ended; 'void', when another runner has fired it, or the schedule was paused, resumed or changed meanwhile.
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
  -- The lock comes first, so that the statements after it see what another runner has fired.
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
  -- A week is kept, and a hundred of those that are rare.
  DELETE FROM runner.schedule_fires AS f
  WHERE f.schedule = entry.name AND f.scheduled_time < fire.scheduled_time - interval '7 days'
    AND f.scheduled_time < (SELECT o.scheduled_time FROM runner.schedule_fires AS o WHERE o.schedule = entry.name
      ORDER BY o.scheduled_time DESC OFFSET 100 LIMIT 1);
  IF reason IS NOT NULL THEN RETURN reason; END IF;
  PERFORM runner.enqueue(entry.function, chosen, fire.event_id, origin, fire.type, fire.data);
  RETURN 'fired';
END $$;

-- How often stamps were moved back to real time: occurrences after that have other ids than those before.
ALTER TABLE runner.clock ADD COLUMN rebased integer NOT NULL DEFAULT 0;

-- Commands -----------------------------------------------------------------------------------------------------------

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

-- Puts an event that has ended, or a dead letter, in line again: as a new one that says which it repeats.
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
-- The transaction gets its number before the id is drawn: all inserts draw their ids here.
CREATE OR REPLACE FUNCTION runner.next_id(lane smallint) RETURNS bigint
LANGUAGE sql VOLATILE
AS $$ SELECT CASE WHEN pg_current_xact_id() IS NOT NULL THEN nextval((ARRAY[
  'runner.lane_0', 'runner.lane_1', 'runner.lane_2', 'runner.lane_3', 'runner.lane_4', 'runner.lane_5',
  'runner.lane_6', 'runner.lane_7', 'runner.lane_8', 'runner.lane_9', 'runner.lane_10', 'runner.lane_11',
  'runner.lane_12', 'runner.lane_13', 'runner.lane_14', 'runner.lane_15']::regclass[])[lane + 1]) END $$;

-- Draws an id and rings the lane's bell, if a runner lives to hear it. For triggers: both become part of their query,
-- where a call of runner.ring() would cost a fifth of what they cost.
CREATE FUNCTION runner.draw(lane smallint, attended boolean) RETURNS bigint
LANGUAGE sql VOLATILE
AS $$ SELECT CASE
  WHEN pg_try_advisory_xact_lock_shared(7265826, lane) AND attended AND pg_notify('runner_events', '') IS NULL THEN NULL
  ELSE runner.next_id(lane)
END $$;

-- Whether PostgreSQL can make a document of a row. That must not fail the statement that wrote the row.
CREATE FUNCTION runner.is_document(image record) RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
  PERFORM to_jsonb(image);
  RETURN true;
EXCEPTION WHEN OTHERS THEN
  RETURN false;
END $$;

-- The doorbell of a notified function: the runner that runs it holds the lock while it will look once more anyhow.
CREATE OR REPLACE FUNCTION runner.notify_trigger() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF pg_try_advisory_xact_lock_shared(7265826, 16 + (hashtext(TG_ARGV[0]) & 1023)) THEN
    PERFORM pg_notify('runner_notify', TG_ARGV[0]);
  END IF;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION runner.notify_trigger() FROM PUBLIC;
