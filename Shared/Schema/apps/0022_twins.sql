-- Compatible
-- A phone that is written down in two spellings by one statement keeps the row that was registered last: each of these rows
-- is there when the trigger runs for the other. Of rows of one time it is the one that was written last. What an earlier
-- statement wrote is ended, whenever it says that it was registered.
CREATE OR REPLACE FUNCTION push_end_twins() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  -- The other row may be another person's, whom nobody but the owner of the table sees.
  WITH twins AS (
    SELECT t.id, row_number() OVER (
      ORDER BY t.xmin = n.xmin AND t.cmin = n.cmin DESC, t.registered_at DESC, t.created_at DESC NULLS LAST, t.ctid DESC
    ) AS place
    FROM device_tokens n, device_tokens t
    WHERE n.id = NEW.id AND n.is_active AND t.is_active AND t.provider = 'apns'
      AND (t.token = lower(NEW.token) OR lower(t.token) = lower(NEW.token) AND t.token <> lower(t.token))
  )
  UPDATE device_tokens t
  SET is_active = false, deactivated_at = push_now(), deactivated_reason = 'unregistered'
  FROM twins WHERE t.id = twins.id AND twins.place > 1;
  RETURN NULL;
END
$$;
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION push_end_twins() SET search_path = %I, pg_temp', current_schema());
END
$$;
