-- Replaces: 0021_row_security, 0032_roles
-- Row-level security. A back-end may let people's own queries in, under the role `push_app` or one that inherits it: each
-- sees and changes what the API would show and change for them. The owner of the tables is bound by none of this.

-- Who asks. Where PostgREST has verified a token, it is the `sub` of that token, and nobody where that is no person's id:
-- what the back-end has set counts only without a token.
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
  WHERE p.id = push_may_vote.id AND p.status = 'open' AND p.deadline > now() AND push_in_group(p.group_id));

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
      OR lower(r.user_email) = lower(u.email) AND NOT EXISTS (SELECT FROM users i WHERE i.id = push_uuid(r.user_id))));
END
$$;

REVOKE EXECUTE ON FUNCTION push_in_project, push_in_group, push_sees_proposal, push_may_vote, push_sees_event FROM PUBLIC;

-- Every table but FeedbackKit's own is closed to roles that work for one person, whatever rights they were given; any
-- other role goes on with the rights it has. A table that somebody else has closed already keeps their policies alone.
-- Supabase's default privileges give every table and view to everybody: tables that are closed need none of it, and views
-- show what their owner sees.
DO $$
DECLARE
  tables text[] := ARRAY[
    'analyses', 'api_tokens', 'badge_losses', 'decisions', 'deliveries', 'device_tokens', 'event_attendees',
    'event_conflicts', 'event_proposals', 'events', 'experiments', 'friend_requests', 'group_invites', 'group_members',
    'group_notification_preferences', 'groups', 'handled_events', 'held_notifications', 'notification_actions',
    'notification_interactions', 'notification_rechecks', 'notification_settings', 'notification_state', 'notifications',
    'project_member_preferences', 'proposal_leads', 'proposal_options', 'proposal_votes', 'push_notification_logs',
    'push_provider_tokens', 'user_activity', 'user_notification_preferences'];
  clients text := (
    SELECT string_agg(quote_ident(rolname), ', ') FROM pg_roles WHERE rolname IN ('anon', 'authenticated'));
  part record;
BEGIN
  FOR part IN
    SELECT c.oid::regclass AS name, c.relkind AS kind FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND (
      c.relkind = 'r' AND c.relname = ANY (tables) AND NOT c.relrowsecurity
      OR c.relkind = 'v' AND starts_with(c.relname, 'push_'))
    ORDER BY c.relname
  LOOP
    IF part.kind = 'r' THEN
      EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', part.name);
      EXECUTE format('CREATE POLICY push_servers ON %s USING (push_is_server())', part.name);
    END IF;
    IF clients IS NOT NULL THEN EXECUTE format('REVOKE ALL ON %s FROM %s', part.name, clients); END IF;
  END LOOP;
END
$$;

-- Lets `push_app` in. Who makes the role after this migration runs it once; running it again changes nothing.
CREATE OR REPLACE FUNCTION push_admit_app() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  own text := 'user_id = (SELECT push_person())';
  -- What was answered stays answered.
  open text := ' AND status = ''pending''';
  answered text := ' AND status IN (''accepted'', ''declined'')';
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

  -- A token can be written, and never read.
  GRANT
    SELECT (id, user_id, app, platform, provider, app_version, os_version, environment, bundle_id, installation_id,
      is_active, created_at, last_used_at, registered_at, deactivated_at, deactivated_reason),
    INSERT (id, user_id, token, app, platform, provider, app_version, os_version, environment, bundle_id,
      installation_id, created_at),
    UPDATE (app_version, os_version, environment, bundle_id, installation_id), DELETE
    ON device_tokens TO push_app;
  GRANT SELECT, UPDATE (is_read, is_archived) ON notifications TO push_app;
  GRANT SELECT, INSERT, UPDATE, DELETE ON project_member_preferences, notification_settings,
    user_notification_preferences, group_notification_preferences, user_activity, event_attendees TO push_app;
  GRANT SELECT ON notification_state TO push_app;
  GRANT SELECT, UPDATE (status) ON friend_requests, group_invites TO push_app;
  GRANT SELECT, INSERT, UPDATE (vote, updated_at), DELETE ON proposal_votes TO push_app;
  GRANT EXECUTE ON FUNCTION push_in_project, push_in_group, push_sees_proposal, push_may_vote, push_sees_event
    TO push_app;
END
$$;
REVOKE EXECUTE ON FUNCTION push_admit_app FROM PUBLIC;

-- Lets a person of `push_app` write a device down again: ON CONFLICT (token) asks for the right to read the token, which
-- lets them see those of their own devices. Who made the role after this migration runs it once.
CREATE OR REPLACE FUNCTION push_admit_devices() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  GRANT SELECT (token), UPDATE (token, user_id, app, platform, provider) ON device_tokens TO push_app;
END
$$;
REVOKE EXECUTE ON FUNCTION push_admit_devices FROM PUBLIC;

-- Functions with the rights of their owner look for tables here and nowhere else, whatever search_path their caller has.
DO $$
DECLARE
  routine text;
BEGIN
  FOREACH routine IN ARRAY ARRAY['push_stamp_vote()', 'push_note_unvoted(uuid, uuid, uuid)', 'push_note_loss()',
    'push_settings_changed()', 'push_follow_device()', 'push_end_twins()', 'push_in_project(uuid)']
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', routine, current_schema());
  END LOOP;
END
$$;

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'push_app') THEN
    BEGIN
      CREATE ROLE push_app NOLOGIN;
    EXCEPTION
      WHEN insufficient_privilege THEN
        RAISE NOTICE '% may not make the role push_app. Once it is there, run %.', current_user,
          'SELECT push_admit_app(), push_admit_devices()';
      -- Roles belong to the server: another of its databases was migrated at the same moment.
      WHEN duplicate_object OR unique_violation THEN NULL;
    END;
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'push_app') THEN PERFORM push_admit_app(), push_admit_devices(); END IF;
END
$$;

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
