-- Replaces: 0006_bundles
-- The runners that live, and who reads which lane.

-- Runners with different functions share a database: those with the same ones are a group, which has leases of its own
-- for all lanes and runs only events of its functions. '' is the group of all functions of the default bundle. Functions
-- that are not known, of runners of an earlier version, are all. Lanes are shared out evenly among the runners of a group.
CREATE TABLE runner.runners (
  owner uuid PRIMARY KEY,
  holder integer NOT NULL,
  name text NOT NULL,
  expires_at timestamptz NOT NULL,
  grp text NOT NULL DEFAULT '',
  functions text[]
);
CREATE SEQUENCE runner.holders AS integer CYCLE;

-- The epoch grows with every change of hands: a runner that writes with an old one is refused.
CREATE TABLE runner.leases (
  grp text NOT NULL DEFAULT '',
  lane smallint NOT NULL,
  epoch bigint NOT NULL DEFAULT 0,
  owner uuid,
  holder integer,
  expires_at timestamptz NOT NULL DEFAULT '-infinity',
  PRIMARY KEY (grp, lane)
) WITH (fillfactor = 50);
INSERT INTO runner.leases (lane) SELECT generate_series(0, 15);

-- Says that a runner lives, prolongs its lanes, and takes what is free up to its share: a lease that has run out, or
-- whose session is gone. Returns the lanes that it now holds, how many a runner's share is, and the functions of other
-- groups. Fails with RU002 while a runner of another group has one of its functions.
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

-- Gives lanes back, so that another runner need not wait; all of them where none is named.
CREATE FUNCTION runner.release(me uuid, lanes smallint[] DEFAULT NULL) RETURNS void
LANGUAGE sql VOLATILE
AS $$
  UPDATE runner.leases AS l SET owner = NULL, expires_at = '-infinity'
  WHERE l.owner = me AND (lanes IS NULL OR l.lane = ANY (lanes));
  DELETE FROM runner.runners AS r WHERE r.owner = me AND lanes IS NULL;
$$;

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
