-- Several bundles, and several versions of one, share a database: triggers and schedules say whose they are.

-- Whether runners that do not know a migration may go on beside it: its first line then begins "-- Compatible".
ALTER TABLE runner.migrations ADD COLUMN breaks_older boolean NOT NULL DEFAULT true;

-- `generation` is the capture SQL's, `version` the bundle's: who knows neither so high leaves the trigger alone.
-- `functions` are those that it makes events for, `subscriptions` what each wants; NULL where an earlier version of the
-- runner made it, and only the names are known.
ALTER TABLE runner.triggers
  ADD COLUMN bundle text NOT NULL DEFAULT 'default',
  ADD COLUMN generation integer NOT NULL DEFAULT 0,
  ADD COLUMN version integer NOT NULL DEFAULT 0,
  ADD COLUMN functions text[] NOT NULL DEFAULT '{}',
  ADD COLUMN subscriptions jsonb;
UPDATE runner.triggers AS t SET functions = ARRAY(
  SELECT DISTINCT m[1] FROM regexp_matches(
    t.definition, $$(?:runner\.draw\([no]\.lane\), ''|runner\.notify_trigger\(')([a-z0-9-]+)'$$, 'g') AS m ORDER BY 1);

-- A version of the runner that knows no bundles removes what its functions.json does not ask for. One that knows them
-- says so in its transaction.
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

ALTER TABLE runner.schedules ADD COLUMN bundle text NOT NULL DEFAULT 'default';

-- Days of history are made and dropped with the rights of their owner: who serves need not be able to make tables.
ALTER FUNCTION runner.rotate(integer, integer) SECURITY DEFINER;
REVOKE ALL ON FUNCTION runner.rotate(integer, integer) FROM PUBLIC;

-- Runners with different functions share a database: those with the same ones are a group, which has leases of its own
-- for all lanes and runs only events of its functions. '' is the group of all functions of the default bundle. Functions
-- that are not known, of runners of an earlier version, are all.
ALTER TABLE runner.runners ADD COLUMN grp text NOT NULL DEFAULT '', ADD COLUMN functions text[];
ALTER TABLE runner.leases
  ADD COLUMN grp text NOT NULL DEFAULT '', DROP CONSTRAINT leases_pkey, ADD PRIMARY KEY (grp, lane);

-- Says that a runner lives, prolongs its lanes, and takes what is free up to its share: a lease that has run out, or
-- whose session is gone. Returns the lanes that it now holds, how many a runner's share is, and the functions of other
-- groups. Fails with RU002 while a runner of another group has one of its functions.
DROP FUNCTION runner.hold(uuid, integer, text, interval);
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
