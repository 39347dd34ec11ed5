-- Row-level security. A back-end may let people's own queries in, under the role `push_app` or one that inherits it: each
-- sees and changes what the API would show and change for them. The owner of the tables is bound by none of this.

-- Who asks ------------------------------------------------------------------------------------------------------------

-- Where PostgREST has verified a token, it is the `sub` of that token, and nobody where that is no person's id: what the
-- back-end has set counts only without a token.
CREATE OR REPLACE FUNCTION push_person() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN coalesce(current_setting('request.jwt.claims', true), '') = ''
  THEN push_uuid(current_setting('app.user_id', true))
  ELSE push_uuid(current_setting('request.jwt.claims', true)::jsonb ->> 'sub') END;

-- Whether the role works for everybody, as one that had rights before did: it is not, and does not inherit, a role that
-- works for one person. `anon` and `authenticated` are Supabase's.
-- It is said to be immutable so that the planner asks it and indexes can find a person's rows: plans for tables with
-- policies are made again when the role changes.
CREATE OR REPLACE FUNCTION push_is_server() RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN NOT EXISTS (
  SELECT FROM pg_catalog.pg_roles r
  WHERE r.rolname IN ('push_app', 'anon', 'authenticated') AND pg_has_role(r.oid, 'USAGE'));

-- What the person belongs to. These look into tables that are closed to `push_app`, and say nothing about anybody else.
-- Their bodies are bound to the tables here and now: no search_path of a caller can put others in their place.
CREATE OR REPLACE FUNCTION push_in_group(id uuid) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER
RETURN EXISTS (SELECT FROM group_members m WHERE m.group_id = push_in_group.id AND m.user_id = push_person());

CREATE OR REPLACE FUNCTION push_sees_proposal(id uuid) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER
RETURN EXISTS (SELECT FROM event_proposals p WHERE p.id = push_sees_proposal.id AND push_in_group(p.group_id));

CREATE OR REPLACE FUNCTION push_may_vote(id uuid) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER
RETURN EXISTS (
  SELECT FROM event_proposals p
  WHERE p.id = push_may_vote.id AND p.status = 'open' AND p.deadline > push_now() AND push_in_group(p.group_id));

CREATE OR REPLACE FUNCTION push_sees_event(id uuid) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER
RETURN EXISTS (SELECT FROM events e WHERE e.id = push_sees_event.id AND push_in_group(e.group_id));

-- Whom a project concerns: its owner, its members, and who submitted a feedback in it or voted for one, which pushes
-- tell them of. A row of the SDK's is a person's by its id, else by its address.
CREATE OR REPLACE FUNCTION push_in_project(project uuid) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM projects p WHERE p.id = push_in_project.project AND p.owner_id = push_person()
    UNION ALL
    SELECT FROM project_members m WHERE m.project_id = push_in_project.project AND m.user_id = push_person()
    UNION ALL
    SELECT FROM users u CROSS JOIN (
      SELECT f.user_id, f.user_email FROM feedbacks f WHERE f.project_id = push_in_project.project
      UNION ALL
      SELECT v.user_id, v.user_email FROM votes v JOIN feedbacks f ON f.id = v.feedback_id
      WHERE f.project_id = push_in_project.project
    ) r
    WHERE u.id = push_person() AND (push_uuid(r.user_id) = u.id
      OR lower(r.user_email COLLATE "C") = lower(u.email COLLATE "C")
        AND EXISTS (SELECT FROM push_account(r.user_email) a WHERE a.id = u.id)
        AND NOT EXISTS (SELECT FROM users i WHERE i.id = push_uuid(r.user_id))));
END
$$;

REVOKE EXECUTE ON FUNCTION push_in_project, push_in_group, push_sees_proposal, push_may_vote, push_sees_event FROM PUBLIC;

-- Who is kept out -----------------------------------------------------------------------------------------------------

-- Closes a table, and functions, to the clients of Supabase: only servers use them.
CREATE OR REPLACE FUNCTION push_close_to_clients(tab regclass, VARIADIC functions regproc[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  clients text := (
    SELECT string_agg(quote_ident(rolname), ', ') FROM pg_roles WHERE rolname IN ('anon', 'authenticated'));
  routine regproc;
  counter regclass;
BEGIN
  IF NOT (SELECT relrowsecurity FROM pg_class WHERE oid = tab) THEN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', tab);
    EXECUTE format('CREATE POLICY push_servers ON %s USING (push_is_server())', tab);
  END IF;
  IF clients IS NOT NULL THEN
    EXECUTE format('REVOKE ALL ON %s FROM %s', tab, clients);
    FOR counter IN
      SELECT d.objid::regclass FROM pg_depend d JOIN pg_class c ON c.oid = d.objid AND c.relkind = 'S'
      WHERE d.refobjid = tab AND d.deptype IN ('a', 'i')
    LOOP
      EXECUTE format('REVOKE ALL ON SEQUENCE %s FROM %s', counter, clients);
    END LOOP;
  END IF;
  FOREACH routine IN ARRAY functions LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM %s', routine, concat_ws(', ', 'PUBLIC', clients));
  END LOOP;
END
$$;
REVOKE EXECUTE ON FUNCTION push_close_to_clients FROM PUBLIC;

-- Every table that was made here is closed to roles that work for one person, whatever rights they were given; any other
-- role goes on with the rights it has. A table that was there before is the app's own, and keeps its rights and policies.
-- Supabase's default privileges give every table, view, sequence and function to everybody: tables that are closed need
-- none of it, and views show what their owner sees.
DO $$
DECLARE
  tables text[] := ARRAY[
    'analyses', 'api_tokens', 'badge_losses', 'comments', 'decisions', 'deliveries', 'device_tokens', 'event_attendees',
    'event_conflicts', 'event_proposals', 'events', 'experiments', 'feedbacks', 'friend_requests', 'group_invites',
    'group_members', 'group_notification_preferences', 'groups', 'handled_events', 'held_notifications', 'held_people',
    'notification_actions', 'notification_interactions', 'notification_rechecks', 'notification_settings',
    'notification_state', 'notifications', 'project_member_preferences', 'project_members', 'projects',
    'proposal_leads', 'proposal_lost_votes', 'proposal_options', 'proposal_votes', 'push_gone_people',
    'push_notification_logs', 'push_notification_logs_default', 'push_provider_tokens', 'push_providers', 'seen_requests',
    'stale_entries', 'user_activity', 'user_notification_preferences', 'user_tokens', 'users', 'votes'];
  clients text := (
    SELECT string_agg(quote_ident(rolname), ', ') FROM pg_roles WHERE rolname IN ('anon', 'authenticated'));
  found text[] := '{}';
  part record;
BEGIN
  IF to_regclass('push_found_tables') IS NOT NULL THEN found := ARRAY(SELECT f.name FROM push_found_tables f); END IF;
  FOR part IN
    SELECT c.oid::regclass AS name, c.relkind AS kind FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND (
      c.relkind IN ('r', 'p') AND c.relname = ANY (tables) AND c.relname <> ALL (found) AND NOT c.relrowsecurity
      OR c.relkind = 'v' AND starts_with(c.relname, 'push_'))
    ORDER BY c.relname
  LOOP
    IF part.kind <> 'v' THEN
      PERFORM push_close_to_clients(part.name, 'push_close_to_clients');
    ELSIF clients IS NOT NULL THEN
      EXECUTE format('REVOKE ALL ON %s FROM %s', part.name, clients);
    END IF;
  END LOOP;
END
$$;
DROP TABLE IF EXISTS push_found_tables;

-- Functions with the rights of their owner look for tables here and nowhere else, whatever search_path their caller has;
-- those whose body is bound to the tables do so anyway. They are for nobody whom no one has let in, so that a role that
-- comes later gets none of them: servers that write deliveries call some, which ask for the rights of who calls them.
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
  FOR part IN
    SELECT p.oid::regprocedure AS name, p.prosqlbody IS NULL AS is_text, p.proname IN (
        'push_hold_people', 'push_make_log_days', 'push_drop_log_days', 'push_delete_logs') AS is_for_servers
    FROM pg_proc p
    WHERE p.pronamespace = current_schema()::regnamespace AND p.prosecdef AND starts_with(p.proname, 'push_')
  LOOP
    IF part.is_text THEN
      EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', part.name, current_schema());
    END IF;
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM %s', part.name, concat_ws(', ', 'PUBLIC', clients));
    IF part.is_for_servers AND servers IS NOT NULL THEN
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', part.name, servers);
    END IF;
  END LOOP;
END
$$;

-- Who is let in -------------------------------------------------------------------------------------------------------

-- Lets `push_app` into the tables that are closed here, and into none of the app's own. Who makes the role after this
-- migration runs it once; running it again changes nothing.
CREATE OR REPLACE FUNCTION push_admit_app() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  own text := 'user_id = (SELECT push_person())';
  -- What was answered stays answered.
  open text := ' AND status = ''pending''';
  answered text := ' AND status IN (''accepted'', ''declined'')';
  closed regclass[] := ARRAY(SELECT p.polrelid::regclass FROM pg_policy p WHERE p.polname = 'push_servers');
  rule record;
BEGIN
  FOR rule IN
    SELECT * FROM (VALUES
      ('device_tokens', 'ALL', own),
      ('notifications', 'SELECT', own),
      ('notifications', 'UPDATE', own),
      ('project_member_preferences', 'ALL', own || ' AND push_in_project(project_id)'),
      ('notification_settings', 'ALL', own),
      ('user_notification_preferences', 'ALL', own),
      ('group_notification_preferences', 'ALL', own || ' AND push_in_group(group_id)'),
      ('user_activity', 'ALL', own),
      ('notification_state', 'SELECT', own),
      ('event_attendees', 'ALL', own || ' AND push_sees_event(event_id)'),
      ('friend_requests', 'SELECT', '(SELECT push_person()) IN (requester_id, recipient_id)'),
      ('friend_requests', 'UPDATE', 'recipient_id = (SELECT push_person())' || open),
      ('group_invites', 'SELECT', '(SELECT push_person()) IN (inviter_id, invitee_id)'),
      ('group_invites', 'UPDATE', 'invitee_id = (SELECT push_person())' || open),
      ('proposal_votes', 'SELECT', 'push_sees_proposal(proposal_id)'),
      ('proposal_votes', 'INSERT', own || ' AND push_may_vote(proposal_id)'),
      ('proposal_votes', 'UPDATE', own || ' AND push_may_vote(proposal_id)'),
      ('proposal_votes', 'DELETE', own || ' AND push_may_vote(proposal_id)')
    ) AS rules (name, command, rows)
    WHERE to_regclass(rules.name) = ANY (closed)
  LOOP
    IF EXISTS (
      SELECT FROM pg_policy p
      WHERE p.polrelid = to_regclass(rule.name) AND p.polname = 'push_app_' || lower(rule.command))
    THEN
      CONTINUE;
    END IF;
    EXECUTE format(
      'CREATE POLICY %I ON %I FOR %s TO push_app %s (%s)', 'push_app_' || lower(rule.command), rule.name, rule.command,
      CASE rule.command WHEN 'INSERT' THEN 'WITH CHECK' ELSE 'USING' END, rule.rows)
      || CASE WHEN right(rule.rows, length(open)) = open
        THEN format(' WITH CHECK (%s)', replace(rule.rows, open, answered)) ELSE '' END;
  END LOOP;

  FOR rule IN
    SELECT * FROM (VALUES
      -- A device that is written down again has ON CONFLICT (token), which asks for the right to read the token: a person
      -- sees those of their own devices.
      ('device_tokens', 'SELECT (id, user_id, token, app, platform, provider, app_version, os_version, environment,
          bundle_id, installation_id, is_active, created_at, last_used_at, registered_at, deactivated_at,
          deactivated_reason),
        INSERT (id, user_id, token, app, platform, provider, app_version, os_version, environment, bundle_id,
          installation_id, created_at),
        UPDATE (token, user_id, app, platform, provider, app_version, os_version, environment, bundle_id,
          installation_id),
        DELETE'),
      ('notifications', 'SELECT, UPDATE (is_read, is_archived)'),
      ('project_member_preferences', 'SELECT, INSERT, UPDATE, DELETE'),
      ('notification_settings', 'SELECT, INSERT, UPDATE, DELETE'),
      ('user_notification_preferences', 'SELECT, INSERT, UPDATE, DELETE'),
      ('group_notification_preferences', 'SELECT, INSERT, UPDATE, DELETE'),
      ('user_activity', 'SELECT, INSERT, UPDATE, DELETE'),
      ('event_attendees', 'SELECT, INSERT, UPDATE, DELETE'),
      ('notification_state', 'SELECT'),
      ('friend_requests', 'SELECT, UPDATE (status)'),
      ('group_invites', 'SELECT, UPDATE (status)'),
      ('proposal_votes', 'SELECT, INSERT, UPDATE (vote, updated_at), DELETE')
    ) AS rights (name, list)
    WHERE to_regclass(rights.name) = ANY (closed)
  LOOP
    EXECUTE format('GRANT %s ON %I TO push_app', rule.list, rule.name);
  END LOOP;
  GRANT EXECUTE ON FUNCTION push_in_project, push_in_group, push_sees_proposal, push_may_vote, push_sees_event
    TO push_app;
END
$$;
REVOKE EXECUTE ON FUNCTION push_admit_app FROM PUBLIC;

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'push_app') THEN
    BEGIN
      CREATE ROLE push_app NOLOGIN;
    EXCEPTION
      WHEN insufficient_privilege THEN
        RAISE NOTICE '% may not make the role push_app. Once it is there, run %.', current_user,
          'SELECT push_admit_app()';
      -- Roles belong to the server: another of its databases was migrated at the same moment.
      WHEN duplicate_object OR unique_violation THEN NULL;
    END;
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'push_app') THEN PERFORM push_admit_app(); END IF;
END
$$;
