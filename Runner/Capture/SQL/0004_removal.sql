-- Takes events out of the queue that have ended: ranges of ids, with the durations of all of them in one array and where
-- those of each range begin.
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
