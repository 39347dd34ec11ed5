-- People who stand in another table than `users`, as those of Supabase stand in `auth.users`. `users` follows that table: it
-- has the same people with the same ids, and who is deleted there is deleted here, with all that hangs on them. So is
-- who only stays marked as deleted, where functions.json says how.

-- Lets go of a person who is marked so. A table of the app's may keep their row: then they are told nothing. The app's own
-- statement does not fail by it, nor its commit, at which some keys are checked first.
CREATE OR REPLACE FUNCTION push_let_go(person uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    WITH RECURSIVE emptied AS (
      SELECT 'users'::regclass::oid AS tab
      UNION
      SELECT f.conrelid FROM emptied e JOIN pg_constraint f ON f.confrelid = e.tab
      WHERE f.contype = 'f' AND f.confdeltype = 'c'
    )
    SELECT FROM emptied e JOIN pg_constraint f ON f.confrelid = e.tab
    WHERE f.contype = 'f' AND f.condeferrable AND f.confdeltype = 'a')
  THEN
    DELETE FROM users u WHERE u.id = push_let_go.person;
  END IF;
  IF EXISTS (SELECT FROM users u WHERE u.id = push_let_go.person) THEN
    RAISE EXCEPTION 'A key or trigger of the app keeps them.';
  END IF;
EXCEPTION WHEN OTHERS THEN
  RAISE WARNING '% stays in users, and is told nothing', push_let_go.person USING DETAIL = SQLERRM;
  INSERT INTO push_gone_people (user_id) SELECT u.id FROM users u WHERE u.id = push_let_go.person ON CONFLICT DO NOTHING;
END
$$;
REVOKE EXECUTE ON FUNCTION push_let_go FROM PUBLIC;

-- Makes it so, as "people" of functions.json says, which `runner migrate` passes on: `table`, `id`, and `email`, `name`,
-- `verified` and `deleted` as expressions over its columns. Answers with what is done, or with NULL where nothing is to be
-- done; `looks` changes nothing. Running it again changes nothing; a trigger or key that is lost is made again, and who has
-- come meanwhile is taken over.
CREATE OR REPLACE FUNCTION push_follow_people(people jsonb, looks boolean DEFAULT false) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  source regclass := to_regclass(people ->> 'table');
  own regclass := 'users'::regclass;
  key name := coalesce(people ->> 'id', 'id');
  facts text := format(
    'person.%1$I, nullif((%2$s)::text, ''''), coalesce(nullif((%3$s)::text, ''''), ''''), coalesce((%4$s)::boolean, false)',
    key, coalesce(people ->> 'email', 'NULL'), coalesce(people ->> 'name', 'NULL'), coalesce(people ->> 'verified', 'true'));
  gone text := format('(%s)::boolean IS TRUE', coalesce(people ->> 'deleted', 'false'));
  change text := 'ON CONFLICT (id) DO UPDATE
      SET email = excluded.email, name = excluded.name, is_email_verified = excluded.is_email_verified
      WHERE (u.email, u.name, u.is_email_verified)
        IS DISTINCT FROM (excluded.email, excluded.name, excluded.is_email_verified)';
  body text := format('
BEGIN
  IF (SELECT %3$s FROM (SELECT NEW.*) AS person) THEN
    PERFORM push_let_go(NEW.%4$I);
    RETURN NULL;
  END IF;
  INSERT INTO users AS u (id, email, name, is_email_verified) SELECT %1$s FROM (SELECT NEW.*) AS person
  %2$s;
  DELETE FROM push_gone_people WHERE user_id = NEW.%4$I;
  RETURN NULL;
EXCEPTION WHEN OTHERS THEN
  -- Nobody fails to sign up because of what is noted beside it.
  RAISE WARNING ''users does not follow %% of %%'', NEW.%4$I, TG_RELID::regclass USING DETAIL = SQLERRM;
  BEGIN
    INSERT INTO users (id, name) VALUES (NEW.%4$I, '''') ON CONFLICT DO NOTHING;
    DELETE FROM push_gone_people WHERE user_id = NEW.%4$I;
  EXCEPTION WHEN OTHERS THEN
    RAISE WARNING ''users lacks %%'', NEW.%4$I USING DETAIL = SQLERRM;
  END;
  RETURN NULL;
END
', facts, change, gone, key);
  keyed regclass := (SELECT c.confrelid FROM pg_constraint c WHERE c.conrelid = own AND c.conname = 'push_people');
  follows regclass := coalesce(keyed, (
    SELECT t.tgrelid FROM pg_trigger t WHERE t.tgname = 'push_follow_person' AND NOT t.tgisinternal LIMIT 1));
  strangers bigint;
BEGIN
  IF source IS NULL THEN
    RAISE EXCEPTION 'functions.json: people: there is no table %', people ->> 'table' USING ERRCODE = 'undefined_table';
  END IF;
  IF NOT looks THEN PERFORM push_follow_devices(); END IF;
  IF source = own THEN
    IF follows IS NULL THEN RETURN NULL; END IF;
  ELSIF source = keyed AND EXISTS (
    SELECT FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
    WHERE t.tgrelid = source AND t.tgname = 'push_follow_person' AND t.tgenabled IN ('O', 'A') AND p.prosrc = body
      AND p.pronamespace = current_schema()::regnamespace)
  THEN
    RETURN NULL;
  ELSIF NOT EXISTS (
    SELECT FROM pg_attribute a JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisunique AND i.indpred IS NULL
      AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum
    WHERE a.attrelid = source AND a.attname = key AND a.atttypid = 'uuid'::regtype)
  THEN
    RAISE EXCEPTION 'functions.json: people: %.% is no uuid with a unique index', source, key
      USING ERRCODE = 'invalid_table_definition';
  END IF;
  IF looks THEN
    RETURN CASE WHEN source = own THEN format('users follows %s no more', follows) ELSE format('users follows %s', source) END;
  END IF;

  IF follows IS NOT NULL THEN
    -- With its trigger, which only the owner of that table could drop: Supabase's is another role's.
    DROP FUNCTION IF EXISTS push_follow_person CASCADE;
    ALTER TABLE users DROP CONSTRAINT IF EXISTS push_people;
  END IF;
  -- Who is still marked so is let go of again below.
  DELETE FROM push_gone_people;
  IF source = own THEN RETURN format('users follows %s no more', follows); END IF;
  EXECUTE format('SELECT count(*) FROM users u WHERE NOT EXISTS (SELECT FROM %s p WHERE p.%I = u.id)', source, key)
  INTO strangers;
  IF strangers > 0 THEN
    RAISE EXCEPTION 'users has % people who are not in %', strangers, source
      USING ERRCODE = 'foreign_key_violation', HINT = 'Delete or copy them, or say "users" in "people" of functions.json.';
  END IF;
  -- An address may be missing there, and may stand there twice.
  ALTER TABLE users ALTER COLUMN email DROP NOT NULL, DROP CONSTRAINT IF EXISTS users_email_key;
  EXECUTE format(
    'ALTER TABLE users ADD CONSTRAINT push_people FOREIGN KEY (id) REFERENCES %s (%I) ON DELETE CASCADE ON UPDATE CASCADE',
    source, key);
  EXECUTE format('CREATE OR REPLACE FUNCTION push_follow_person() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = %I, pg_temp AS %L', current_schema(), body);
  EXECUTE format('REVOKE EXECUTE ON FUNCTION push_follow_person FROM %s', concat_ws(', ', 'PUBLIC', (
    SELECT string_agg(quote_ident(rolname), ', ') FROM pg_roles WHERE rolname IN ('anon', 'authenticated'))));
  EXECUTE format('CREATE TRIGGER push_follow_person AFTER INSERT OR UPDATE ON %s
    FOR EACH ROW EXECUTE FUNCTION push_follow_person()', source);
  EXECUTE format(
    'SELECT count(push_let_go(u.id)) FROM users u WHERE u.id IN (SELECT person.%I FROM %s AS person WHERE %s)',
    key, source, gone);
  EXECUTE format('INSERT INTO users AS u (id, email, name, is_email_verified) SELECT %s FROM %s AS person WHERE NOT %s %s',
    facts, source, gone, change);
  -- Devices of people who were not here are taken over now.
  IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = to_regclass('user_devices') AND tgname = 'push_follow_device') THEN
    PERFORM push_take_device(to_jsonb(d), coalesce((to_jsonb(d) ->> 'created_at')::timestamptz, push_now()))
    FROM user_devices AS d
    WHERE NOT EXISTS (SELECT FROM device_tokens t WHERE t.token = to_jsonb(d) ->> 'push_token')
    ORDER BY to_jsonb(d) ->> 'updated_at' NULLS FIRST, to_jsonb(d) ->> 'created_at' NULLS FIRST;
  END IF;
  RETURN format('users follows %s', source);
END
$$;
REVOKE EXECUTE ON FUNCTION push_follow_people FROM PUBLIC;

-- What functions.json says is read here as in the trigger, and as it was checked.
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION push_follow_people(jsonb, boolean) SET search_path = %I, pg_temp', current_schema());
END
$$;
