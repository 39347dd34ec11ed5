-- Replaces: 0003_writers, 0005_prepared
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

-- Whether nothing of the users' runs when a column of a table, or any where none is named, is written as text or JSON.
-- Only then may that happen under the search_path of a writer. It is read when a query is planned, which is done again
-- when the table is altered.
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
    WHERE t.typtype = 'c' OR EXISTS (
      SELECT FROM pg_cast AS c JOIN pg_proc AS p ON p.oid = c.castfunc JOIN pg_language AS l ON l.oid = p.prolang
      WHERE c.castsource = t.oid AND p.oid >= 16384 AND l.lanname NOT IN ('internal', 'c')))
$$;

-- What is not plain is written in these.
CREATE FUNCTION runner.document(value anyelement) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$ BEGIN RETURN to_jsonb(value); END $$;

CREATE FUNCTION runner.text(value anyelement) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$ BEGIN RETURN value::text; END $$;
