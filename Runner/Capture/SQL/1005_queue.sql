-- Into the queue and out of it, and who reads which partition.

-- Events --------------------------------------------------------------------------------------------------------------

-- Adds one event. Triggers insert their rows themselves, in the same way.
CREATE FUNCTION runner.enqueue(
  function text, key text, event_id text, source text, type text, data jsonb, traceparent text DEFAULT NULL
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  chosen smallint;
BEGIN
  -- The number of partitions stays what it is from here on.
  LOCK TABLE runner.events IN ROW EXCLUSIVE MODE;
  chosen := runner.partition(function, coalesce(key, event_id));
  PERFORM pg_current_xact_id();
  INSERT INTO runner.events (partition, id, function, key, event_id, source, type, data, traceparent)
  VALUES (chosen, runner.next_id(chosen), function, key, event_id, source, type, data, traceparent);
  PERFORM runner.notify(ARRAY[chosen]);
END $$;

-- Adds an event that has ended, or a dead letter, again: as a new one that says which it repeats.
CREATE FUNCTION runner.rerun(original runner.events, original_id text) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  chosen smallint;
  fresh bigint;
BEGIN
  LOCK TABLE runner.events IN ROW EXCLUSIVE MODE;
  chosen := runner.partition(original.function, coalesce(original.key, original_id));
  PERFORM pg_current_xact_id();
  fresh := runner.next_id(chosen);
  original.partition := chosen;
  original.id := fresh;
  original.event_id := NULL;
  original.at := runner.now();
  original.replayedfrom := original_id;
  INSERT INTO runner.events SELECT (original).*;
  PERFORM runner.notify(ARRAY[chosen]);
  RETURN chosen || '.' || fresh;
END $$;

-- Removes events that have ended: ranges of ids, with the durations of all of them in one array and where those of each
-- range begin.
--
-- Range by range: one statement for all would keep, from a time when the queue was empty, a plan that walks over it.
CREATE FUNCTION runner.remove(
  partitions smallint[], lows bigint[], highs bigint[], positions integer[], durations bigint[]
) RETURNS TABLE (event runner.events, duration_us bigint)
LANGUAGE plpgsql VOLATILE
AS $$
BEGIN
  FOR n IN 1..cardinality(partitions) LOOP
    RETURN QUERY
      DELETE FROM runner.events AS e WHERE e.partition = partitions[n] AND e.id BETWEEN lows[n] AND highs[n]
      RETURNING e, durations[positions[n] + (e.id - lows[n])::integer];
  END LOOP;
END $$;

-- Removes events that were read in an earlier session, each only if it is the one that was read: a server that comes back
-- from an older state draws the same ids again, for events that are written later. `written` are the times of all of
-- them, like `durations`.
CREATE FUNCTION runner.remove(
  partitions smallint[], lows bigint[], highs bigint[], positions integer[], written timestamptz[], durations bigint[]
) RETURNS TABLE (event runner.events, duration_us bigint)
LANGUAGE plpgsql VOLATILE
AS $$
BEGIN
  FOR n IN 1..cardinality(partitions) LOOP
    RETURN QUERY
      DELETE FROM runner.events AS e
      WHERE e.partition = partitions[n] AND e.id BETWEEN lows[n] AND highs[n]
        AND e.at <= written[positions[n] + (e.id - lows[n])::integer]
      RETURNING e, durations[positions[n] + (e.id - lows[n])::integer];
  END LOOP;
END $$;

-- Puts an occurrence in the queue and says what became of it: 'fired'; 'overlap', when it was left out because an earlier
-- one has not ended; 'void', when another runner has fired it, or the schedule was paused, resumed or changed meanwhile.
-- A schedule whose `since` is in the future was made by a clock that was ahead: its occurrences fire all the same.
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
    OR fire.scheduled_time <= greatest(entry.last_scheduled_time,
      CASE WHEN entry.since <= runner.now() + interval '1 minute' THEN date_trunc('second', entry.since) END)
  THEN
    RETURN 'void';
  END IF;
  chosen := CASE WHEN entry.overlap <> 'allow' THEN entry.name END;
  INSERT INTO runner.schedule_fires (schedule, scheduled_time, event_id, skipped)
  SELECT entry.name, fire.scheduled_time, fire.event_id, CASE WHEN entry.overlap = 'skip' AND (
    EXISTS (SELECT 1 FROM runner.events AS e
      WHERE e.partition = runner.partition(entry.function, chosen) AND e.function = entry.function AND e.source = origin)
    OR EXISTS (SELECT 1 FROM runner.retries AS r
      WHERE r.partition = runner.partition(entry.function, chosen) AND r.function = entry.function AND r.source = origin)
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

-- Leases --------------------------------------------------------------------------------------------------------------

-- Says that a runner lives, prolongs its partitions, and takes what is free up to its share: a lease that has run out,
-- or whose session is gone. Returns the partitions that it now holds, how many a runner's share is, and the functions of
-- other groups. Fails with RU002 while a runner of another group has one of its functions.
CREATE FUNCTION runner.hold(
  me uuid, my_holder integer, my_name text, lifetime interval, my_group text DEFAULT '', my_functions text[] DEFAULT NULL
) RETURNS TABLE (partition smallint, epoch bigint, share integer, elsewhere text[])
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
  -- Who joins sees all who have joined before.
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
    -- A runner of another group that seems to be gone, and is not, settles nothing more before it has joined again.
    UPDATE runner.leases AS l SET owner = NULL, epoch = l.epoch + 1, expires_at = '-infinity'
    WHERE l.grp <> my_group AND l.owner IS NOT NULL
      AND NOT EXISTS (SELECT FROM runner.runners AS r WHERE r.owner = l.owner);
    DELETE FROM runner.leases AS l
    WHERE l.grp NOT IN ('', my_group) AND NOT EXISTS (SELECT FROM runner.runners AS r WHERE r.grp = l.grp);
    INSERT INTO runner.leases (grp, partition) SELECT my_group, generate_series(0, runner.partitions() - 1)
    ON CONFLICT DO NOTHING;
  END IF;
  INSERT INTO runner.runners (owner, holder, name, expires_at, grp, functions)
  VALUES (me, my_holder, my_name, clock_timestamp() + lifetime, my_group, my_functions)
  ON CONFLICT (owner) DO UPDATE
  SET expires_at = excluded.expires_at, grp = excluded.grp, functions = excluded.functions;
  SELECT ceil(runner.partitions()::numeric / count(*)) INTO part FROM runner.runners AS r WHERE r.grp = my_group;
  others := ARRAY(SELECT DISTINCT unnest(r.functions) FROM runner.runners AS r WHERE r.grp <> my_group);
  UPDATE runner.leases AS l SET expires_at = clock_timestamp() + lifetime WHERE l.owner = me;
  UPDATE runner.leases AS l
  SET owner = me, holder = my_holder, epoch = l.epoch + 1, expires_at = clock_timestamp() + lifetime
  FROM (
    SELECT f.partition FROM runner.leases AS f
    WHERE f.grp = my_group AND (f.owner IS NULL OR f.expires_at < clock_timestamp()
      OR f.owner <> me AND pg_try_advisory_xact_lock(7265827, f.holder))
    ORDER BY f.partition
    LIMIT greatest(0, part - (SELECT count(*) FROM runner.leases AS h WHERE h.owner = me))
    FOR UPDATE SKIP LOCKED
  ) AS free
  WHERE l.grp = my_group AND l.partition = free.partition;
  RETURN QUERY SELECT l.partition, l.epoch, part, others FROM runner.leases AS l WHERE l.owner = me ORDER BY l.partition;
  IF NOT FOUND THEN
    RETURN QUERY SELECT NULL::smallint, NULL::bigint, part, others;
  END IF;
END $$;

-- Gives partitions back, so that another runner need not wait; all of them where none is named.
CREATE FUNCTION runner.release(me uuid, partitions smallint[] DEFAULT NULL) RETURNS void
LANGUAGE sql VOLATILE
AS $$
  UPDATE runner.leases AS l SET owner = NULL, expires_at = '-infinity'
  WHERE l.owner = me AND (partitions IS NULL OR l.partition = ANY (partitions));
  DELETE FROM runner.runners AS r WHERE r.owner = me AND partitions IS NULL;
$$;

-- Begins every transaction that ends events: fails unless the partitions still belong to that owner under that epoch,
-- and keeps them from changing hands until the transaction is over. FOR KEY SHARE would not: it lets an epoch change.
CREATE FUNCTION runner.fence(owner uuid, partitions smallint[], epochs bigint[]) RETURNS void
LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
  held integer;
BEGIN
  SELECT count(*) INTO held FROM (
    SELECT 1 FROM runner.leases AS l JOIN unnest(partitions, epochs) AS mine (partition, epoch) USING (partition, epoch)
    WHERE l.owner = fence.owner FOR SHARE OF l
  ) AS locked;
  IF held <> cardinality(partitions) THEN
    RAISE EXCEPTION 'the partitions have another owner' USING ERRCODE = 'RU001';
  END IF;
END $$;
