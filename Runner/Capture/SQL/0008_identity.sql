-- Takes events out of the queue that have ended and were read in an earlier session, each only if it is the one that was
-- read: a server that comes back from an older state draws the same ids again, for events that are written later. `written`
-- are the times of all of them, like `durations`; `runner clock realtime --rebase` may have moved one back since it was
-- read.
CREATE FUNCTION runner.remove(
  lanes smallint[], lows bigint[], highs bigint[], positions integer[], written timestamptz[], durations bigint[]
) RETURNS TABLE (event runner.events, duration_us bigint)
LANGUAGE plpgsql VOLATILE
AS $$
BEGIN
  FOR n IN 1..cardinality(lanes) LOOP
    RETURN QUERY
      DELETE FROM runner.events AS e
      WHERE e.lane = lanes[n] AND e.id BETWEEN lows[n] AND highs[n]
        AND e.at <= written[positions[n] + (e.id - lows[n])::integer]
      RETURNING e, durations[positions[n] + (e.id - lows[n])::integer];
  END LOOP;
END $$;
