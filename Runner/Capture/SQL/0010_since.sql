-- Compatible
-- A schedule whose `since` is in the future was made by a clock that was ahead: its occurrences fire all the same.

-- Puts an occurrence in the queue and says what became of it: 'fired'; 'overlap', when it was left out because an earlier
-- one has not ended; 'void', when another runner has fired it, or the schedule was paused, resumed or changed meanwhile.
CREATE OR REPLACE FUNCTION runner.fire(
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
