-- What is written of a row does not depend on who wrote it. Earlier runners must not go on beside the triggers that this
-- version makes: they take the rows of a partition for too large.

-- Whether nothing of the users' runs when a column of a table, or any where none is named, is written as text or JSON,
-- and no name is written that depends on the search_path. Only then may that happen under the one of a writer. It is read
-- when a query is planned, which is done again when the table is altered.
CREATE OR REPLACE FUNCTION runner.is_plain(table_name text, column_name text DEFAULT NULL) RETURNS boolean
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
  WITH RECURSIVE types AS (
    SELECT a.atttypid AS oid FROM pg_attribute AS a
    WHERE a.attrelid = to_regclass(table_name) AND a.attnum > 0 AND NOT a.attisdropped
      AND (column_name IS NULL OR a.attname = column_name)
    UNION
    SELECT inner_oid FROM types JOIN pg_type AS t USING (oid)
      CROSS JOIN unnest(ARRAY[t.typelem, t.typbasetype]) AS inner_oid
    WHERE inner_oid <> 0
  )
  SELECT to_regclass(table_name) IS NOT NULL AND NOT EXISTS (
    SELECT FROM types JOIN pg_type AS t USING (oid)
    WHERE t.typtype = 'c' OR t.typnamespace = 'pg_catalog'::regnamespace AND starts_with(t.typname::text, 'reg')
      OR EXISTS (
        SELECT FROM pg_cast AS c JOIN pg_proc AS p ON p.oid = c.castfunc JOIN pg_language AS l ON l.oid = p.prolang
        WHERE c.castsource = t.oid AND p.oid >= 16384 AND l.lanname NOT IN ('internal', 'c')))
$$;

-- Names are quoted where they have to be.
ALTER FUNCTION runner.document(anyelement) SET quote_all_identifiers = off;
ALTER FUNCTION runner.text(anyelement) SET quote_all_identifiers = off;
