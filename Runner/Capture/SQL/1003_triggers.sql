-- The triggers that `runner migrate` makes, and what they call.

-- What was made, so that what functions.json no longer asks for can be removed. Several bundles, and several versions of
-- one, share a database: `generation` is the capture SQL's, `version` the bundle's, and a runner that knows neither so
-- high leaves the trigger alone. `functions` are those that it makes events for, `subscriptions` what each wants; NULL
-- where an earlier version of the runner made it, and only the names are known.
CREATE TABLE runner.triggers (
  table_schema text NOT NULL,
  table_name text NOT NULL,
  name text NOT NULL,
  definition text NOT NULL,
  bundle text NOT NULL DEFAULT 'default',
  generation integer NOT NULL DEFAULT 0,
  version integer NOT NULL DEFAULT 0,
  functions text[] NOT NULL DEFAULT '{}',
  subscriptions jsonb,
  PRIMARY KEY (table_schema, table_name, name)
);

-- Whether PostgreSQL can make a document of a row. That must not fail the statement that wrote the row.
CREATE FUNCTION runner.is_document(image record) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM to_jsonb(image);
  RETURN true;
EXCEPTION WHEN OTHERS THEN
  RETURN false;
END $$;

-- Whether nothing of the users' runs when a column of a table, or any where none is named, is written as text or JSON,
-- and no name is written that depends on the search_path. Only then may that happen under the one of a writer. It is read
-- when a query is planned, which is done again when the table is altered.
CREATE FUNCTION runner.is_plain(table_name text, column_name text DEFAULT NULL) RETURNS boolean
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

-- What is not plain is written in these. Names are quoted where they have to be, whatever the writer's settings are.
CREATE FUNCTION runner.document(value anyelement) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off
AS $$ BEGIN RETURN to_jsonb(value); END $$;

CREATE FUNCTION runner.text(value anyelement) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off
AS $$ BEGIN RETURN value::text; END $$;
