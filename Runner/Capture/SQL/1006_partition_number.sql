-- Another number of partitions, and with it of runners that share the events: a power of two, at most 256.
--
-- Nobody writes, settles or joins meanwhile. What waits moves to its partition in the order of its ids, which is that of
-- each key, and keeps the id by which its function may know it. All leases end: what a runner has in hand it may not
-- settle, and it runs again under its id.
CREATE FUNCTION runner.set_partitions(number integer) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF number NOT BETWEEN 1 AND 256 OR number & (number - 1) <> 0 THEN
    RAISE EXCEPTION 'the number of partitions has to be a power of two, at most 256' USING ERRCODE = '22023';
  END IF;
  -- In the order in which others lock them.
  LOCK TABLE runner.runners, runner.leases, runner.dead_letters, runner.retries, runner.events IN EXCLUSIVE MODE;
  IF number = runner.partitions() THEN RETURN; END IF;
  PERFORM runner.define_partitions(number);
  WITH waiting AS (
    SELECT tableoid AS place, partition, id, function, key FROM runner.events
    UNION ALL SELECT tableoid, partition, id, function, key FROM runner.retries
    UNION ALL SELECT tableoid, partition, id, function, key FROM runner.dead_letters
  ), moving AS (
    SELECT w.place, w.partition, w.id, t.target FROM waiting AS w CROSS JOIN LATERAL (
      SELECT coalesce(runner.partition(w.function, w.key), (w.partition & (number - 1))::smallint) AS target OFFSET 0
    ) AS t
    WHERE t.target <> w.partition ORDER BY w.id
  ), moved AS MATERIALIZED (
    SELECT m.place, m.partition, m.id, m.target, runner.next_id(m.target) AS fresh, m.partition || '.' || m.id AS name
    FROM moving AS m
  ), events AS (
    UPDATE runner.events AS e SET partition = m.target, id = m.fresh, event_id = coalesce(e.event_id, m.name)
    FROM moved AS m WHERE m.place = e.tableoid AND m.partition = e.partition AND m.id = e.id
  ), retries AS (
    UPDATE runner.retries AS e SET partition = m.target, id = m.fresh, event_id = coalesce(e.event_id, m.name)
    FROM moved AS m WHERE m.place = e.tableoid AND m.partition = e.partition AND m.id = e.id
  ), dead_letters AS (
    UPDATE runner.dead_letters AS e SET partition = m.target, id = m.fresh, event_id = coalesce(e.event_id, m.name)
    FROM moved AS m WHERE m.place = e.tableoid AND m.partition = e.partition AND m.id = e.id
  )
  UPDATE runner.history AS e SET partition = m.target, id = m.fresh, event_id = coalesce(e.event_id, m.name)
  FROM moved AS m WHERE m.partition = e.partition AND m.id = e.id;
  -- Epochs grow, also of partitions that come back later.
  UPDATE runner.leases AS l SET owner = NULL, holder = NULL, expires_at = '-infinity', epoch = g.epoch + 1
  FROM (SELECT grp, max(epoch) AS epoch FROM runner.leases GROUP BY grp) AS g WHERE g.grp = l.grp;
  DELETE FROM runner.leases WHERE partition >= number;
  INSERT INTO runner.leases (grp, partition, epoch)
  SELECT g.grp, n, g.epoch FROM (SELECT grp, max(epoch) AS epoch FROM runner.leases GROUP BY grp) AS g,
    generate_series(0, number - 1) AS n
  ON CONFLICT DO NOTHING;
  PERFORM pg_notify('runner_control', 'partitions');
END $$;
REVOKE ALL ON FUNCTION runner.set_partitions(integer) FROM PUBLIC;
