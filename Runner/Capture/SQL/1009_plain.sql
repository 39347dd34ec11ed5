-- Compatible
-- The same answer as before, at a twentieth of the price. It is asked for each column when a session first writes to a table:
-- those of `feedbacks` had cost each new session 20 ms.
CREATE OR REPLACE FUNCTION runner.is_plain(table_name text, column_name text DEFAULT NULL) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  place CONSTANT oid := to_regclass(table_name);
  types oid[];
BEGIN
  IF place IS NULL THEN
    RETURN false;
  END IF;
  -- PostgreSQL's own types that consist of no other, where nobody has added a cast: nearly every column.
  types := ARRAY(
    SELECT t.oid FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
    WHERE a.attrelid = place AND a.attnum > 0 AND NOT a.attisdropped
      AND (column_name IS NULL OR a.attname = column_name)
      AND (t.oid >= 16384 OR t.typelem <> 0 OR t.typbasetype <> 0 OR t.typtype = 'c'
        OR starts_with(t.typname::text, 'reg')
        OR EXISTS (SELECT FROM pg_cast AS c WHERE c.castsource = t.oid AND c.castfunc >= 16384)));
  IF types = '{}' THEN
    RETURN true;
  END IF;
  RETURN NOT EXISTS (
    WITH RECURSIVE all_types AS (
      SELECT unnest(types) AS oid
      UNION
      SELECT inner_oid FROM all_types JOIN pg_type AS t USING (oid)
        CROSS JOIN unnest(ARRAY[t.typelem, t.typbasetype]) AS inner_oid
      WHERE inner_oid <> 0
    )
    SELECT FROM all_types JOIN pg_type AS t USING (oid)
    WHERE t.typtype = 'c' OR t.typnamespace = 'pg_catalog'::regnamespace AND starts_with(t.typname::text, 'reg')
      OR EXISTS (
        SELECT FROM pg_cast AS c JOIN pg_proc AS p ON p.oid = c.castfunc JOIN pg_language AS l ON l.oid = p.prolang
        WHERE c.castsource = t.oid AND p.oid >= 16384 AND l.lanname NOT IN ('internal', 'c')));
END $$;
