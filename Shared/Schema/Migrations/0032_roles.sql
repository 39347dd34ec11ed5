-- Compatible: an older runner goes on as before.

-- Who asks. Where PostgREST has verified a token, it is the `sub` of that token, and nobody where that is no person's id:
-- what the back-end has set counts only without a token.
CREATE OR REPLACE FUNCTION push_person() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN coalesce(current_setting('request.jwt.claims', true), '') = ''
  THEN push_uuid(current_setting('app.user_id', true))
  ELSE push_uuid(current_setting('request.jwt.claims', true)::jsonb ->> 'sub') END;

-- Supabase's default privileges give every sequence and every function to everybody. `anon` and `authenticated` need
-- neither the sequences of tables that are closed to them nor functions with the rights of their owner. Servers that write
-- deliveries go on calling these.
DO $$
DECLARE
  clients text := (
    SELECT string_agg(quote_ident(rolname), ', ') FROM pg_roles WHERE rolname IN ('anon', 'authenticated'));
  servers text := (
    SELECT string_agg(DISTINCT quote_ident(r.rolname), ', ')
    FROM pg_roles r JOIN pg_class c ON c.oid = 'deliveries'::regclass
    WHERE r.oid <> c.relowner AND r.rolname NOT IN ('anon', 'authenticated') AND (
      r.rolname = 'service_role'
      OR EXISTS (
        SELECT FROM aclexplode(c.relacl) a WHERE a.grantee = r.oid AND a.privilege_type = 'UPDATE')));
  part record;
BEGIN
  IF clients IS NULL THEN
    RETURN;
  END IF;
  FOR part IN
    SELECT s.oid::regclass AS name
    FROM pg_class s
    JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = s.oid AND d.deptype IN ('a', 'i')
    JOIN pg_policy p ON p.polrelid = d.refobjid AND p.polname = 'push_servers'
    WHERE s.relkind = 'S' AND d.refclassid = 'pg_class'::regclass
  LOOP
    EXECUTE format('REVOKE ALL ON SEQUENCE %s FROM %s', part.name, clients);
  END LOOP;
  FOR part IN
    SELECT p.oid::regprocedure AS name, p.proname
    FROM pg_proc p
    WHERE p.pronamespace = current_schema()::regnamespace AND p.prosecdef AND starts_with(p.proname, 'push_')
  LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC, %s', part.name, clients);
    IF servers IS NOT NULL AND part.proname IN ('push_hold_deliveries', 'push_hold_people') THEN
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', part.name, servers);
    END IF;
  END LOOP;
END
$$;
