--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: runner; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA runner;


--
-- Name: push_account(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_account(address text) RETURNS TABLE(id uuid)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  SELECT u.id FROM users u
  WHERE lower(u.email COLLATE "C") = lower(address COLLATE "C") AND push_is_verified(to_jsonb(u))
  ORDER BY u.email = address DESC, u.id LIMIT 1
$$;


--
-- Name: push_admit_app(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_admit_app() RETURNS void
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: push_now(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_now() RETURNS timestamp with time zone
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF has_schema_privilege(to_regnamespace('runner'), 'USAGE') THEN
    IF has_table_privilege(to_regclass('runner.clock'), 'SELECT') THEN
      RETURN now() + (SELECT c."offset" FROM runner.clock c);
    END IF;
  END IF;
  RETURN now();
END
$$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: held_notifications; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.held_notifications (
    notification_id uuid NOT NULL,
    user_id uuid NOT NULL,
    app text NOT NULL,
    reason text NOT NULL,
    held_until timestamp with time zone NOT NULL,
    held_since timestamp with time zone NOT NULL,
    CONSTRAINT held_notifications_reason CHECK ((reason = ANY (ARRAY['batched'::text, 'quiet_hours'::text, 'rate_limited'::text, 'snoozed'::text])))
);


--
-- Name: notifications; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notifications (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    type character varying(50) NOT NULL,
    title character varying(255),
    body character varying(500),
    data jsonb DEFAULT '{}'::jsonb,
    proposal_id uuid,
    is_read boolean DEFAULT false,
    is_archived boolean DEFAULT false,
    created_at timestamp with time zone DEFAULT public.push_now(),
    expires_at timestamp with time zone DEFAULT (public.push_now() + '30 days'::interval),
    updated_at timestamp with time zone DEFAULT public.push_now(),
    friend_request_id uuid,
    app text DEFAULT 'feedbackkit'::text NOT NULL,
    origin text DEFAULT 'app'::text NOT NULL,
    subject_id text,
    entity_id text,
    message text,
    project_id uuid,
    feedback_id uuid,
    event_id uuid,
    importance text DEFAULT 'normal'::text NOT NULL,
    counts_for_badge boolean DEFAULT true NOT NULL,
    payload text,
    push_type text DEFAULT 'alert'::text NOT NULL,
    priority smallint DEFAULT 10 NOT NULL,
    collapse_id text,
    function text,
    source text,
    source_event_id text,
    dedupe_key text,
    variant text,
    traceparent text,
    pushed_at timestamp with time zone,
    push_expires_at timestamp with time zone,
    recipient_reason text,
    family text,
    family_subject text,
    family_name text,
    window_ends_at timestamp with time zone,
    opener_id uuid,
    actor text,
    actor_name text,
    merged_into uuid,
    summary_id uuid,
    phone_text text[],
    is_gone boolean DEFAULT false NOT NULL,
    CONSTRAINT notifications_importance CHECK ((importance = ANY (ARRAY['passive'::text, 'normal'::text, 'actionRequired'::text, 'urgent'::text])))
);


--
-- Name: users; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.users (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    password_hash text DEFAULT ''::text NOT NULL,
    is_admin boolean DEFAULT false NOT NULL,
    notify_new_feedback boolean DEFAULT true NOT NULL,
    notify_new_comments boolean DEFAULT true NOT NULL,
    is_email_verified boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT public.push_now(),
    updated_at timestamp with time zone DEFAULT public.push_now(),
    push_notifications_enabled boolean DEFAULT true NOT NULL,
    push_notify_new_feedback boolean DEFAULT true NOT NULL,
    push_notify_new_comments boolean DEFAULT true NOT NULL,
    push_notify_votes boolean DEFAULT true NOT NULL,
    push_notify_status_changes boolean DEFAULT true NOT NULL
);


--
-- Name: push_ask_again(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_ask_again(person uuid) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 WITH held AS (
          DELETE FROM public.held_notifications h
           WHERE ((h.user_id = push_ask_again.person) AND (h.reason = ANY (ARRAY['quiet_hours'::text, 'rate_limited'::text])) AND (h.held_until > h.held_since) AND (EXISTS ( SELECT
                    FROM public.users u
                   WHERE (u.id = h.user_id))) AND (EXISTS ( SELECT
                    FROM public.notifications n
                   WHERE (n.id = h.notification_id))))
           RETURNING h.notification_id,
             h.user_id,
             h.app,
             h.reason,
             h.held_until,
             h.held_since
         )
  INSERT INTO public.held_notifications (notification_id, user_id, app, reason, held_until, held_since)  SELECT held.notification_id,
             held.user_id,
             held.app,
             held.reason,
             held.held_since,
             held.held_since
            FROM held;
END;


--
-- Name: push_asked(uuid, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_asked(person uuid, moment timestamp with time zone) RETURNS TABLE(id uuid, options_changed_at timestamp with time zone, asked_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  SELECT p.id, p.options_changed_at, greatest(p.created_at, p.options_changed_at)
  FROM group_members m
  JOIN event_proposals p ON p.group_id = m.group_id AND p.status = 'open' AND p.deadline > moment
  WHERE m.user_id = person
    AND NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = person)
  UNION ALL
  SELECT r.id, NULL, r.created_at FROM push_friend_requests() r WHERE r.recipient_id = person AND r.status = 'pending'
  UNION ALL
  SELECT i.id, NULL, i.created_at FROM group_invites i WHERE i.invitee_id = person AND i.status = 'pending'
$$;


--
-- Name: push_badge(uuid, text, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_badge(person uuid, app text, moment timestamp with time zone DEFAULT public.push_now()) RETURNS integer
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT badge FROM push_badges(person, app, moment) $$;


--
-- Name: push_badges(uuid, text, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_badges(person uuid, app text, moment timestamp with time zone) RETURNS TABLE(badge integer)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  SELECT CASE push_badges.app
    WHEN 'lockitin' THEN (
      SELECT count(*) FROM push_asked(person, moment) a
      WHERE NOT EXISTS (
        SELECT FROM seen_requests s
        WHERE s.user_id = person AND s.subject_id = a.id
          AND s.options_changed_at IS NOT DISTINCT FROM a.options_changed_at))
    ELSE (
      SELECT count(*) + coalesce(sum(CASE push_badges.app WHEN 'messageai' THEN (
        SELECT count(*) FROM push_parts(n.id) m WHERE m.is_read IS NOT TRUE) ELSE 0 END), 0)
      FROM notifications n
      WHERE n.user_id = person AND n.app = push_badges.app
        AND n.counts_for_badge AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE
        AND (n.expires_at IS NULL OR n.expires_at > moment))
  END::integer
$$;


--
-- Name: push_close_to_clients(regclass, regproc[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_close_to_clients(tab regclass, VARIADIC functions regproc[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: push_comments(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_comments() RETURNS TABLE(id uuid, feedback_id uuid, user_id text)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT c.id, c.feedback_id, c.user_id::text FROM comments c $$;


--
-- Name: push_counts(public.notifications); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_counts(n public.notifications) RETURNS TABLE(counts boolean)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  SELECT CASE n.family
    WHEN 'votes' THEN EXISTS (
      SELECT FROM votes v WHERE v.feedback_id = n.feedback_id AND v.user_id = n.actor OFFSET 0)
    WHEN 'comments' THEN CASE WHEN push_uuid(n.data ->> 'commentId') IS NULL
      THEN EXISTS (
        SELECT FROM push_comments() c WHERE c.feedback_id = n.feedback_id AND c.user_id = n.actor OFFSET 0)
      ELSE EXISTS (
        SELECT FROM push_comments() c
        WHERE c.id = push_uuid(n.data ->> 'commentId') AND c.feedback_id = n.feedback_id OFFSET 0) END
    WHEN 'new_feedback' THEN EXISTS (
      SELECT FROM feedbacks f WHERE f.id = n.feedback_id AND f.project_id = n.project_id OFFSET 0)
    WHEN 'proposal_votes' THEN EXISTS (
      SELECT FROM proposal_votes v
      JOIN event_proposals p ON p.id = v.proposal_id
      JOIN group_members m ON m.group_id = p.group_id AND m.user_id = v.user_id
      WHERE v.proposal_id = n.proposal_id AND v.user_id = push_uuid(n.actor) OFFSET 0)
    WHEN 'conflicts' THEN EXISTS (
      SELECT FROM event_conflicts c
      JOIN event_proposals p ON p.id = c.proposal_id
      JOIN group_members m ON m.group_id = p.group_id AND m.user_id = c.user_id
      WHERE c.proposal_id = n.proposal_id AND c.user_id = push_uuid(n.actor) AND (
        n.recipient_reason = 'organizer'
        OR c.existing_event_id IS NOT DISTINCT FROM push_uuid(n.data ->> 'existing_event_id')) OFFSET 0)
    ELSE true
  END
$$;


--
-- Name: push_delete_logs(timestamp with time zone, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_delete_logs(moment timestamp with time zone, most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $_$
DECLARE
  place regclass := coalesce((
    SELECT nullif(partdefid, 0) FROM pg_partitioned_table WHERE partrelid = 'push_notification_logs'::regclass),
    'push_notification_logs'::regclass);
  deleted integer;
BEGIN
  IF NOT has_table_privilege(session_user, 'push_notification_logs', 'DELETE') THEN
    RAISE insufficient_privilege USING MESSAGE = 'permission denied for table push_notification_logs';
  END IF;
  IF push_owns_log() THEN
    EXECUTE format('DELETE FROM ONLY %s WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ONLY %1$s WHERE created_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))', place)
    USING push_delete_logs.moment, push_delete_logs.most;
  ELSE
    DELETE FROM push_notification_logs l USING (
      SELECT o.tableoid, o.ctid FROM push_notification_logs o
      WHERE o.created_at < push_delete_logs.moment AND o.delivery_id IS NOT NULL
      ORDER BY o.created_at DESC LIMIT push_delete_logs.most FOR UPDATE SKIP LOCKED
    ) AS old
    WHERE l.tableoid = old.tableoid AND l.ctid = old.ctid;
  END IF;
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN deleted;
END
$_$;


--
-- Name: push_drop_log_days(timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_drop_log_days(moment timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
  part regclass;
  dropped integer := 0;
BEGIN
  IF NOT has_table_privilege(session_user, 'push_notification_logs', 'DELETE') THEN RETURN 0; END IF;
  FOR part IN SELECT push_log_days_until(push_drop_log_days.moment) LOOP
    EXECUTE format('DROP TABLE %s', part);
    dropped := dropped + 1;
  END LOOP;
  RETURN dropped;
END
$$;


--
-- Name: push_eligibilities(public.notifications, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_eligibilities(n public.notifications, moment timestamp with time zone) RETURNS TABLE(eligibility text)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  SELECT CASE
    WHEN n.is_read OR n.is_archived THEN 'handled'
    WHEN EXISTS (SELECT FROM push_gone_people g WHERE g.user_id = n.user_id OFFSET 0) THEN 'gone'
    WHEN n.family IS NOT NULL AND NOT (SELECT counts FROM push_counts(n))
      AND NOT EXISTS (SELECT FROM push_parts(n.id) p CROSS JOIN LATERAL push_counts(p) c WHERE c.counts OFFSET 0)
      THEN 'gone'
    WHEN n.app = 'feedbackkit' AND n.recipient_reason = 'member' AND NOT EXISTS (
      SELECT FROM projects p WHERE p.id = n.project_id AND p.owner_id = n.user_id
      UNION ALL SELECT FROM project_members m WHERE m.project_id = n.project_id AND m.user_id = n.user_id)
      THEN 'not_permitted'
    WHEN n.app = 'feedbackkit' AND n.recipient_reason = 'voter' AND NOT EXISTS (
      SELECT FROM votes v WHERE v.feedback_id = n.feedback_id AND push_uuid(v.user_id) = n.user_id OFFSET 0)
      AND NOT EXISTS (
        SELECT FROM votes v WHERE v.feedback_id = n.feedback_id AND v.user_email IS NOT NULL
          AND lower(v.user_email COLLATE "C") = (SELECT lower(u.email COLLATE "C") FROM users u WHERE u.id = n.user_id)
          AND EXISTS (SELECT FROM push_account(v.user_email) a WHERE a.id = n.user_id OFFSET 0) OFFSET 0)
      THEN 'not_permitted'
    WHEN n.proposal_id IS NOT NULL THEN (
      SELECT CASE
        WHEN NOT EXISTS (
          SELECT FROM group_members m WHERE m.group_id = p.group_id AND m.user_id = n.user_id OFFSET 0)
          THEN 'not_permitted'
        WHEN lower(n.type) = 'conflict_alert'
          THEN CASE WHEN p.status IN ('expired', 'cancelled') THEN 'gone' ELSE 'open' END
        WHEN lower(n.type) IN (
          'proposal_created', 'proposal_reminder', 'proposal_updated', 'vote_cast', 'vote_count_update')
          AND (p.status <> 'open' OR p.deadline <= moment)
          THEN 'handled'
        WHEN lower(n.type) IN ('proposal_created', 'proposal_reminder', 'proposal_updated')
          AND EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = n.user_id OFFSET 0)
          THEN 'handled'
        WHEN lower(n.type) = 'proposal_reminder' AND EXISTS (
          SELECT FROM notifications m
          WHERE m.user_id = n.user_id AND m.app = 'lockitin' AND lower(m.type) = 'proposal_created'
            AND m.is_archived IS NOT TRUE AND m.proposal_id = n.proposal_id AND (
              m.pushed_at > moment - interval '30 minutes'
              OR EXISTS (
                SELECT FROM held_notifications h WHERE h.notification_id = m.id AND h.held_until <= moment OFFSET 0))
          OFFSET 0)
          THEN 'handled'
        WHEN lower(n.type) = 'proposal_updated' AND EXISTS (
          SELECT FROM notifications m
          WHERE m.user_id = n.user_id AND m.app = 'lockitin' AND lower(m.type) = 'proposal_updated'
            AND m.is_archived IS NOT TRUE AND m.proposal_id = n.proposal_id
            AND (m.created_at, m.id) > (n.created_at, n.id) OFFSET 0)
          THEN 'gone'
        WHEN lower(n.type) = 'vote_count_update' AND n.recipient_reason = 'voter'
          AND NOT EXISTS (
            SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = n.user_id OFFSET 0)
          THEN 'handled'
        ELSE 'open'
      END
      FROM event_proposals p WHERE p.id = n.proposal_id)
    WHEN n.event_id IS NOT NULL THEN (
      SELECT CASE
        WHEN e.status = 'cancelled' THEN 'gone'
        WHEN lower(n.type) = 'event_confirmed' AND e.ends_at <= moment THEN 'gone'
        WHEN lower(n.type) = 'memory_prompt' AND (e.is_tracked IS FALSE OR e.ends_at > moment) THEN 'gone'
        WHEN NOT EXISTS (
          SELECT FROM group_members m WHERE m.group_id = e.group_id AND m.user_id = n.user_id OFFSET 0)
          THEN 'not_permitted'
        WHEN n.recipient_reason = 'attendee' AND coalesce(
          (SELECT a.status FROM event_attendees a WHERE a.event_id = e.id AND a.user_id = n.user_id),
          (SELECT v.vote FROM proposal_votes v
            WHERE v.user_id = n.user_id
              AND (v.option_id = e.option_id OR v.option_id IS NULL AND v.proposal_id = e.proposal_id)
            ORDER BY v.updated_at DESC NULLS LAST LIMIT 1), 'no') = 'no'
          THEN 'handled'
        ELSE 'open'
      END
      FROM events e WHERE e.id = n.event_id)
    WHEN n.friend_request_id IS NOT NULL THEN (
      SELECT CASE WHEN r.status = 'pending' THEN 'open' ELSE 'handled' END
      FROM push_friend_requests() r WHERE r.id = n.friend_request_id)
    WHEN n.app = 'lockitin' AND lower(n.type) = 'group_invite' THEN (
      SELECT CASE WHEN bool_or(i.status = 'pending') THEN 'open' ELSE 'handled' END
      FROM group_invites i WHERE i.invitee_id = n.user_id AND i.group_id = push_uuid(n.subject_id))
    ELSE 'open'
  END
$$;


--
-- Name: push_eligibility(public.notifications, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_eligibility(n public.notifications, moment timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT eligibility FROM push_eligibilities(n, moment) $$;


--
-- Name: push_end_twins(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_end_twins() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  -- The other row may be another person's, whom nobody but the owner of the table sees.
  WITH twins AS (
    SELECT t.id, row_number() OVER (
      ORDER BY t.xmin = n.xmin AND t.cmin = n.cmin DESC, t.registered_at DESC, t.created_at DESC NULLS LAST, t.ctid DESC
    ) AS place
    FROM device_tokens n, device_tokens t
    WHERE n.id = NEW.id AND n.is_active IS NOT FALSE AND t.is_active IS NOT FALSE AND t.provider = 'apns'
      AND (t.token = lower(NEW.token) OR lower(t.token) = lower(NEW.token) AND t.token <> lower(t.token))
  )
  UPDATE device_tokens t
  SET is_active = false, deactivated_at = push_now(), deactivated_reason = 'unregistered'
  FROM twins WHERE t.id = twins.id AND twins.place > 1;
  RETURN NULL;
END
$$;


--
-- Name: push_follow_device(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_follow_device() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  IF TG_OP = 'DELETE' OR TG_OP = 'UPDATE' AND (OLD.user_id, OLD.push_token) IS DISTINCT FROM (NEW.user_id, NEW.push_token)
  THEN
    UPDATE device_tokens SET is_active = false, deactivated_at = push_now(), deactivated_reason = 'unregistered'
    WHERE token = OLD.push_token AND user_id = push_uuid(OLD.user_id::text) AND app = 'mugshot'
      AND is_active IS NOT FALSE;
  END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM push_take_device(to_jsonb(NEW), push_now()); END IF;
  RETURN NULL;
END
$$;


--
-- Name: push_follow_devices(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_follow_devices() RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF 2 > (
      SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p')
      WHERE a.attrelid = to_regclass('user_devices') AND a.attname IN ('user_id', 'push_token') AND NOT a.attisdropped)
    OR to_regclass('user_devices') IS NULL
    OR EXISTS (
      SELECT FROM pg_trigger
      WHERE tgrelid = to_regclass('user_devices') AND tgname = 'push_follow_device' AND tgenabled IN ('O', 'A'))
  THEN
    RETURN;
  END IF;
  CREATE OR REPLACE TRIGGER push_follow_device AFTER INSERT OR UPDATE OR DELETE ON user_devices
    FOR EACH ROW EXECUTE FUNCTION push_follow_device();
  PERFORM push_take_device(to_jsonb(u), coalesce((to_jsonb(u) ->> 'created_at')::timestamptz, push_now()))
  FROM user_devices AS u
  WHERE NOT EXISTS (
    SELECT FROM device_tokens d WHERE d.token = to_jsonb(u) ->> 'push_token'
      AND d.registered_at >= coalesce(to_jsonb(u) ->> 'updated_at', to_jsonb(u) ->> 'created_at')::timestamptz)
  ORDER BY to_jsonb(u) ->> 'updated_at' NULLS FIRST, to_jsonb(u) ->> 'created_at' NULLS FIRST;
END
$$;


--
-- Name: push_follow_people(jsonb, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_follow_people(people jsonb, looks boolean DEFAULT false) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $_$
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
$_$;


--
-- Name: push_forget_attempts(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_forget_attempts() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  IF NOT push_owns_log() THEN
    DELETE FROM push_notification_logs
    WHERE delivery_id IS NOT NULL AND CASE TG_OP WHEN 'TRUNCATE' THEN true ELSE user_id = OLD.id END;
  ELSIF TG_OP = 'TRUNCATE' THEN
    TRUNCATE push_notification_logs;
  ELSE
    DELETE FROM push_notification_logs WHERE user_id = OLD.id;
  END IF;
  RETURN NULL;
END
$$;


--
-- Name: push_forget_seen(uuid, uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_forget_seen(subject uuid, person uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
  DELETE FROM seen_requests WHERE ctid = ANY (ARRAY(
    SELECT s.ctid FROM seen_requests s
    WHERE s.subject_id = subject AND s.user_id = coalesce(person, s.user_id) FOR UPDATE SKIP LOCKED))
$$;


--
-- Name: push_friend_requests(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_friend_requests() RETURNS TABLE(id uuid, recipient_id uuid, status text, created_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT r.id, r.recipient_id, r.status::text, r.created_at FROM friend_requests r $$;


--
-- Name: deliveries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.deliveries (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    notification_id uuid NOT NULL,
    device_token_id uuid NOT NULL,
    user_id uuid NOT NULL,
    app text NOT NULL,
    provider text DEFAULT 'apns'::text NOT NULL,
    state text DEFAULT 'queued'::text NOT NULL,
    not_before timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    lease_until timestamp with time zone,
    lease_id uuid,
    attempts integer DEFAULT 0 NOT NULL,
    unsettled integer DEFAULT 0 NOT NULL,
    refusals integer DEFAULT 0 NOT NULL,
    badge integer,
    probe_environment text,
    probe_registered_at timestamp with time zone,
    reason text,
    outage text,
    outage_since timestamp with time zone,
    apns_id text,
    accepted_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT deliveries_probe_environment CHECK ((probe_environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
    CONSTRAINT deliveries_state CHECK ((state = ANY (ARRAY['queued'::text, 'accepted'::text, 'rejected'::text, 'expired'::text, 'unknown'::text, 'opened'::text, 'acted'::text])))
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='10000');


--
-- Name: device_tokens; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.device_tokens (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    token text NOT NULL,
    platform character varying(10) NOT NULL,
    app_version character varying(20),
    os_version text,
    is_active boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone DEFAULT public.push_now(),
    last_used_at timestamp with time zone,
    registered_at timestamp with time zone DEFAULT public.push_now() NOT NULL,
    app text DEFAULT 'feedbackkit'::text NOT NULL,
    provider text DEFAULT 'apns'::text NOT NULL,
    environment text,
    bundle_id text,
    installation_id text,
    deactivated_at timestamp with time zone,
    deactivated_reason text,
    last_accepted_at timestamp with time zone,
    held_until timestamp with time zone,
    throttles integer DEFAULT 0 NOT NULL,
    quiet_pushes timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[] NOT NULL,
    acceptances bigint DEFAULT 0 NOT NULL,
    badge integer,
    CONSTRAINT device_tokens_environment CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
    CONSTRAINT device_tokens_provider CHECK ((provider = ANY (ARRAY['apns'::text, 'fcm'::text]))),
    CONSTRAINT valid_platform CHECK ((lower((platform)::text) = ANY (ARRAY['ios'::text, 'ipados'::text, 'macos'::text, 'watchos'::text, 'tvos'::text, 'visionos'::text, 'android'::text, 'web'::text])))
)
WITH (fillfactor='50');


--
-- Name: push_hold_answered(uuid[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_hold_answered(ids uuid[]) RETURNS TABLE(delivery_id uuid, place tid, registered_at timestamp with time zone, acceptances bigint)
    LANGUAGE sql ROWS 100
    BEGIN ATOMIC
 SELECT d.id,
     d.ctid,
     t.registered_at,
     t.acceptances
    FROM ((unnest(push_hold_answered.ids) i(id)
      CROSS JOIN LATERAL ( SELECT d_1.id,
             d_1.ctid,
             d_1.device_token_id
            FROM public.deliveries d_1
           WHERE (d_1.id = i.id)
          FOR NO KEY UPDATE OF d_1 SKIP LOCKED) d)
      CROSS JOIN LATERAL ( SELECT t_1.registered_at,
             t_1.acceptances
            FROM public.device_tokens t_1
           WHERE (t_1.id = d.device_token_id)
          FOR NO KEY UPDATE OF t_1 SKIP LOCKED) t);
END;


--
-- Name: push_hold_people(uuid[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_hold_people(ids uuid[]) RETURNS SETOF uuid
    LANGUAGE sql SECURITY DEFINER ROWS 100
    BEGIN ATOMIC
 SELECT u.id
    FROM public.users u
   WHERE ((u.id = ANY (push_hold_people.ids)) AND has_table_privilege(SESSION_USER, ('public.notifications'::regclass)::oid, 'INSERT'::text))
   ORDER BY u.id
  FOR KEY SHARE OF u;
END;


--
-- Name: push_uuid(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_uuid(value text) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  SELECT CASE
    WHEN value ~ '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$' THEN value::uuid
  END
$_$;


--
-- Name: push_person(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_person() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN CASE WHEN (COALESCE(current_setting('request.jwt.claims'::text, true), ''::text) = ''::text) THEN public.push_uuid(current_setting('app.user_id'::text, true)) ELSE public.push_uuid(((current_setting('request.jwt.claims'::text, true))::jsonb ->> 'sub'::text)) END;


--
-- Name: group_members; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.group_members (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    group_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text DEFAULT 'member'::text NOT NULL,
    created_at timestamp with time zone DEFAULT public.push_now()
);


--
-- Name: push_in_group(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_in_group(id uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    RETURN (EXISTS (SELECT FROM public.group_members m WHERE ((m.group_id = push_in_group.id) AND (m.user_id = public.push_person()))));


--
-- Name: push_in_project(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_in_project(project uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'public', 'pg_temp'
    AS $$
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


--
-- Name: push_is_server(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_is_server() RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (NOT (EXISTS (SELECT FROM pg_roles r WHERE ((r.rolname = ANY (ARRAY['push_app'::name, 'anon'::name, 'authenticated'::name])) AND pg_has_role(r.oid, 'USAGE'::text)))));


--
-- Name: push_is_verified(jsonb); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_is_verified(person jsonb) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (person ? 'is_email_verified'::text) THEN ((person -> 'is_email_verified'::text) = 'true'::jsonb) WHEN (person ? 'email_verified'::text) THEN ((person -> 'email_verified'::text) = 'true'::jsonb) WHEN (person ? 'email_confirmed_at'::text) THEN ((person -> 'email_confirmed_at'::text) <> 'null'::jsonb) WHEN (person ? 'email_verified_at'::text) THEN ((person -> 'email_verified_at'::text) <> 'null'::jsonb) ELSE true END;


--
-- Name: push_journal(timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_journal(after timestamp with time zone, through timestamp with time zone) RETURNS TABLE("time" timestamp with time zone, function text, line text, minor boolean, person text, kind text, decision text, reason text, title text)
    LANGUAGE sql STABLE
    AS $$
  SELECT w.time, w.function,
    concat_ws(' ', CASE w.decision
      WHEN 'notify' THEN 'told ' || p.person
      WHEN 'merge' THEN 'told ' || p.person || ' with others'
      WHEN 'summarize' THEN 'told ' || p.person
      WHEN 'hold' THEN 'holds for ' || p.person
      ELSE 'did not tell ' || p.person END,
      '"' || n.title || '"', '(' || w.kind || ')',
      CASE WHEN w.decision = 'summarize' THEN 'in one push with others after quiet hours' END)
      || CASE WHEN w.decision IN ('notify', 'merge', 'summarize') THEN '' ELSE coalesce(': ' || w.reason, '') END,
    w.decision = 'suppress', p.person, w.kind, w.decision, w.reason, n.title::text
  FROM (
    SELECT created_at AS time, function::text, user_id, kind::text, decision::text, reason::text, notification_id
    FROM decisions WHERE created_at > after AND created_at <= through
    UNION ALL
    SELECT r.created_at, 'release-held', m.user_id, m.type, r.decision, r.reason, m.id
    FROM notification_rechecks AS r JOIN notifications AS m ON m.id = r.notification_id
    WHERE r.created_at > after AND r.created_at <= through
  ) AS w
  LEFT JOIN users AS u ON u.id = w.user_id
  LEFT JOIN notifications AS n ON n.id = w.notification_id
  CROSS JOIN LATERAL (SELECT coalesce(to_jsonb(u) ->> 'name', w.user_id::text) AS person) AS p
$$;


--
-- Name: push_knows(text, text[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_knows(tab text, VARIADIC cols text[]) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  SELECT cardinality(cols) = (
    SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p')
    WHERE a.attrelid = to_regclass(tab) AND a.attname = ANY (cols) AND NOT a.attisdropped)
$$;


--
-- Name: push_let_go(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_let_go(person uuid) RETURNS void
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: push_log_days_until(timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_log_days_until(moment timestamp with time zone) RETURNS SETOF regclass
    LANGUAGE sql STABLE
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO'
    AS $$
  SELECT c.oid::regclass FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = 'push_notification_logs'::regclass AND push_owns_log()
    AND substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''([^'']+)''\)')::timestamptz <= moment
  ORDER BY c.relname
$$;


--
-- Name: push_make_log_days(timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_make_log_days(moment timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET "TimeZone" TO 'UTC'
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
  remainder regclass := (
    SELECT partdefid FROM pg_partitioned_table
    WHERE partrelid = 'push_notification_logs'::regclass AND partdefid <> 0 AND push_owns_log());
  clients text := (
    SELECT string_agg(quote_ident(rolname), ', ') FROM pg_roles WHERE rolname IN ('anon', 'authenticated'));
  today date := push_make_log_days.moment::date;
  latest timestamptz;
  missing date[];
  day date;
BEGIN
  IF remainder IS NULL OR NOT has_table_privilege(session_user, 'push_notification_logs', 'DELETE') THEN RETURN 0; END IF;
  EXECUTE format('SELECT max(created_at) FROM %s', remainder) INTO latest;
  SELECT array_agg(d ORDER BY d) INTO missing FROM (
    SELECT today + n AS d FROM generate_series(0, 7) AS n
  ) AS days
  WHERE (latest IS NULL OR d > latest::date) AND to_regclass(to_char(d, '"push_notification_logs_"YYYYMMDD')) IS NULL;
  IF missing IS NULL THEN RETURN 0; END IF;
  EXECUTE format('ALTER TABLE %s ADD CONSTRAINT push_logs_before CHECK (created_at < %L)', remainder,
    missing[1]::timestamptz);
  FOREACH day IN ARRAY missing LOOP
    EXECUTE format('CREATE TABLE %I (LIKE push_notification_logs INCLUDING ALL)',
      to_char(day, '"push_notification_logs_"YYYYMMDD'));
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', to_char(day, '"push_notification_logs_"YYYYMMDD'));
    EXECUTE format('ALTER TABLE %I REPLICA IDENTITY FULL', to_char(day, '"push_notification_logs_"YYYYMMDD'));
    IF clients IS NOT NULL THEN
      EXECUTE format('REVOKE ALL ON %I FROM %s', to_char(day, '"push_notification_logs_"YYYYMMDD'), clients);
    END IF;
    EXECUTE format('CREATE INDEX ON %I USING brin (created_at) WITH (pages_per_range = 16, autosummarize = on)',
      to_char(day, '"push_notification_logs_"YYYYMMDD'));
    EXECUTE format('ALTER TABLE push_notification_logs ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
      to_char(day, '"push_notification_logs_"YYYYMMDD'), day::timestamptz, (day + 1)::timestamptz);
  END LOOP;
  EXECUTE format('ALTER TABLE %s DROP CONSTRAINT push_logs_before', remainder);
  RETURN cardinality(missing);
END
$$;


--
-- Name: event_proposals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.event_proposals (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    group_id uuid NOT NULL,
    created_by uuid NOT NULL,
    title text NOT NULL,
    description text,
    deadline timestamp with time zone NOT NULL,
    status text DEFAULT 'open'::text NOT NULL,
    visibility text DEFAULT 'shared_with_name'::text NOT NULL,
    options_version integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT public.push_now(),
    updated_at timestamp with time zone DEFAULT public.push_now(),
    notify_vote_cast boolean,
    location text,
    options_changed_at timestamp with time zone,
    CONSTRAINT event_proposals_status CHECK ((status = ANY (ARRAY['open'::text, 'confirmed'::text, 'expired'::text, 'cancelled'::text]))),
    CONSTRAINT event_proposals_visibility CHECK ((visibility = ANY (ARRAY['shared_with_name'::text, 'busy_only'::text, 'private'::text])))
);


--
-- Name: push_may_vote(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_may_vote(id uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    RETURN (EXISTS (SELECT FROM public.event_proposals p WHERE ((p.id = push_may_vote.id) AND (p.status = 'open'::text) AND (p.deadline > public.push_now()) AND public.push_in_group(p.group_id))));


--
-- Name: push_note_asked_again(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_note_asked_again() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  PERFORM push_forget_seen(NEW.id, NULL);
  RETURN NULL;
END
$$;


--
-- Name: push_note_level(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_note_level() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF NEW.notification_level IS DISTINCT FROM 'muted' THEN
    NEW.level_before_mute := NULL;
  ELSIF OLD.notification_level IN ('all', 'important') THEN
    NEW.level_before_mute := OLD.notification_level;
  END IF;
  RETURN NEW;
END
$$;


--
-- Name: push_note_loss(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_note_loss() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  CASE TG_ARGV[0]
    WHEN 'proposal' THEN PERFORM push_note_unvoted(OLD.group_id, NULL, OLD.id);
    WHEN 'member' THEN PERFORM push_note_unvoted(OLD.group_id, OLD.user_id, NULL);
    WHEN 'request' THEN
      INSERT INTO badge_losses (user_id, app)
      SELECT u.id, 'lockitin' FROM users u
      WHERE u.id = OLD.recipient_id
        AND NOT EXISTS (SELECT FROM seen_requests s WHERE s.user_id = u.id AND s.subject_id = OLD.id);
    WHEN 'invitation' THEN
      INSERT INTO badge_losses (user_id, app)
      SELECT u.id, 'lockitin' FROM users u
      WHERE u.id = OLD.invitee_id
        AND NOT EXISTS (SELECT FROM seen_requests s WHERE s.user_id = u.id AND s.subject_id = OLD.id);
    ELSE
      INSERT INTO badge_losses (user_id, app, ends_at)
      SELECT u.id, OLD.app, OLD.expires_at FROM users u WHERE u.id = OLD.user_id;
  END CASE;
  RETURN OLD;
END
$$;


--
-- Name: push_note_moved(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_note_moved() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  IF TG_ARGV[0] = 'new_feedback' THEN
    INSERT INTO stale_entries (notification_id, user_id, app)
    SELECT coalesce(push_teller(n.id), n.id), n.user_id, n.app FROM notifications n
    WHERE n.feedback_id = NEW.id AND n.family = 'new_feedback';
  ELSE
    PERFORM push_note_stale_of_feedback(OLD.feedback_id, TG_ARGV[0]);
  END IF;
  RETURN NULL;
END
$$;


--
-- Name: push_note_reachable(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_note_reachable() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  IF TG_OP = 'INSERT' OR OLD.last_accepted_at IS NULL OR OLD.badge = 0 THEN
    -- Also of what may have ended: `action-completed` counts.
    IF push_badge(NEW.user_id, NEW.app, '-infinity') IS NOT DISTINCT FROM 0 THEN RETURN NULL; END IF;
  END IF;
  INSERT INTO badge_losses (user_id, app) VALUES (NEW.user_id, NEW.app);
  RETURN NULL;
END
$$;


--
-- Name: push_note_rise(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_note_rise() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  CASE TG_ARGV[0]
    WHEN 'vote' THEN
      PERFORM push_forget_seen(OLD.proposal_id, OLD.user_id);
      INSERT INTO badge_losses (user_id, app, created_at)
      SELECT m.user_id, 'lockitin', push_now() FROM event_proposals p
      JOIN group_members m ON m.group_id = p.group_id AND m.user_id = OLD.user_id
      WHERE p.id = OLD.proposal_id AND p.status = 'open' AND p.deadline > push_now()
        AND NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = m.user_id);
    WHEN 'member' THEN
      PERFORM push_forget_seen(p.id, NEW.user_id) FROM event_proposals p
      WHERE p.group_id = NEW.group_id AND p.status = 'open';
      INSERT INTO badge_losses (user_id, app, created_at)
      SELECT NEW.user_id, 'lockitin', push_now() WHERE EXISTS (
        SELECT FROM event_proposals p
        WHERE p.group_id = NEW.group_id AND p.status = 'open' AND p.deadline > push_now() AND NOT EXISTS (
          SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = NEW.user_id));
    ELSE
      IF NEW.deadline <= push_now() OR OLD.status = 'open' AND OLD.deadline > push_now() THEN RETURN NULL; END IF;
      PERFORM push_forget_seen(NEW.id, NULL);
      -- When it closes again, the badges fall again.
      DELETE FROM handled_events
      WHERE function = 'proposal-expired' AND source = '/proposals'
        AND event_id = NEW.id || '/' || extract(epoch FROM NEW.deadline);
      INSERT INTO badge_losses (user_id, app, created_at)
      SELECT m.user_id, 'lockitin', push_now() FROM group_members m
      WHERE m.group_id = NEW.group_id
        AND NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = NEW.id AND v.user_id = m.user_id);
  END CASE;
  RETURN NULL;
END
$$;


--
-- Name: push_note_seen(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_note_seen() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  DELETE FROM seen_requests WHERE ctid = ANY (ARRAY(
    SELECT s.ctid FROM seen_requests s WHERE s.user_id = NEW.user_id FOR UPDATE SKIP LOCKED));
  INSERT INTO seen_requests (user_id, subject_id, options_changed_at)
  SELECT NEW.user_id, a.id, a.options_changed_at FROM push_asked(NEW.user_id, '-infinity') a
  ON CONFLICT (user_id, subject_id) DO UPDATE SET options_changed_at = excluded.options_changed_at;
  RETURN NULL;
END
$$;


--
-- Name: push_note_stale(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_note_stale() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  CASE TG_ARGV[0]
    WHEN 'votes', 'comments' THEN
      PERFORM push_note_stale_of_feedback(g.feedback_id, TG_ARGV[0]) FROM (SELECT DISTINCT feedback_id FROM gone) g;
      -- Nobody tells them of the status any more.
      IF TG_ARGV[0] = 'votes' THEN
        INSERT INTO stale_entries (notification_id, user_id, app)
        SELECT n.id, n.user_id, n.app
        FROM (
          SELECT g.feedback_id, u.id FROM gone g JOIN users u ON u.id = push_uuid(g.user_id)
          UNION SELECT g.feedback_id, u.id FROM gone g JOIN users u ON lower(u.email) = lower(g.user_email)
        ) g
        JOIN notifications n ON n.user_id = g.id AND n.feedback_id = g.feedback_id
        WHERE n.family = 'statuses' AND n.recipient_reason = 'voter' AND n.merged_into IS NULL
          AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE;
      END IF;
    WHEN 'proposal_votes', 'conflicts' THEN
      PERFORM push_note_stale_of_proposal(g.proposal_id, ARRAY[TG_ARGV[0]])
      FROM (SELECT DISTINCT proposal_id FROM gone) g;
    WHEN 'members' THEN
      PERFORM push_note_stale_of_proposal(p.id, ARRAY['proposal_votes', 'conflicts'])
      FROM (SELECT DISTINCT group_id FROM gone) g JOIN event_proposals p ON p.group_id = g.group_id;
  END CASE;
  RETURN NULL;
END
$$;


--
-- Name: push_note_stale_of_feedback(uuid, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_note_stale_of_feedback(feedback uuid, told text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
  INSERT INTO stale_entries (notification_id, user_id, app)
  SELECT n.id, n.user_id, n.app FROM notifications n
  WHERE n.feedback_id = feedback AND n.family = told AND n.merged_into IS NULL
    AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE
$$;


--
-- Name: push_note_stale_of_proposal(uuid, text[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_note_stale_of_proposal(proposal uuid, told text[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
  INSERT INTO stale_entries (notification_id, user_id, app)
  SELECT n.id, n.user_id, n.app FROM notifications n
  WHERE n.proposal_id = proposal AND n.family = ANY (told) AND n.merged_into IS NULL
    AND (n.is_read IS NOT TRUE OR n.family = 'conflicts') AND n.is_archived IS NOT TRUE
$$;


--
-- Name: push_note_switched_on(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_note_switched_on() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  CASE TG_ARGV[0]
    WHEN 'feedbackkit' THEN INSERT INTO badge_losses (user_id, app) VALUES (OLD.id, 'feedbackkit');
    WHEN 'lockitin' THEN
      INSERT INTO badge_losses (user_id, app) SELECT u.id, 'lockitin' FROM users u WHERE u.id = OLD.user_id;
    ELSE INSERT INTO badge_losses (user_id, app) SELECT u.id, OLD.app FROM users u WHERE u.id = OLD.user_id;
  END CASE;
  RETURN NULL;
END
$$;


--
-- Name: push_note_unpushed(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_note_unpushed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  IF TG_ARGV[0] = 'decision' THEN
    INSERT INTO badge_losses (user_id, app, created_at)
    SELECT u.id, NEW.app, NEW.created_at FROM users u WHERE u.id = NEW.user_id;
  ELSE
    INSERT INTO badge_losses (user_id, app, created_at)
    SELECT n.user_id, n.app, NEW.created_at FROM notifications n
    WHERE n.id = NEW.notification_id AND CASE n.app
      WHEN 'lockitin' THEN lower(n.type) IN ('proposal_created', 'proposal_updated', 'friend_request', 'group_invite')
      ELSE NEW.reason IN (
        'project_muted', 'type_disabled', 'viewing', 'quiet_hours', 'rate_limited', 'expired', 'unencodable') END;
  END IF;
  RETURN NULL;
END
$$;


--
-- Name: push_note_unvoted(uuid, uuid, uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_note_unvoted(member_group uuid, member uuid, proposal uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
  INSERT INTO badge_losses (user_id, app, ends_at)
  SELECT m.user_id, 'lockitin', least(max(p.deadline), timestamptz '294276-12-01 00:00+00') + interval '1 day'
  FROM group_members m
  JOIN users u ON u.id = m.user_id
  JOIN event_proposals p ON p.group_id = m.group_id
  WHERE m.group_id = member_group AND m.user_id = coalesce(member, m.user_id) AND p.id = coalesce(proposal, p.id)
    AND NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = m.user_id)
    AND NOT EXISTS (
      SELECT FROM seen_requests s
      WHERE s.user_id = m.user_id AND s.subject_id = p.id
        AND s.options_changed_at IS NOT DISTINCT FROM p.options_changed_at)
    AND NOT EXISTS (
      SELECT FROM handled_events h
      WHERE h.function = 'proposal-expired' AND h.source = '/proposals'
        AND h.event_id = p.id || '/' || extract(epoch FROM p.deadline))
  GROUP BY m.user_id
$$;


--
-- Name: push_opted_out(text, text, text, jsonb); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_opted_out(reason text, app text, kind text, facts jsonb) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (reason = ANY (ARRAY['disabled'::text, 'project_muted'::text])) THEN true WHEN (reason = 'type_disabled'::text) THEN ((((app = 'lockitin'::text) AND (lower(kind) = ANY (ARRAY['vote_cast'::text, 'event_day_before'::text]))) IS NOT TRUE) OR COALESCE(((facts @> '{"personal": false}'::jsonb) OR ((facts @> '{"override": false}'::jsonb) AND (NOT (facts @> '{"ofProposal": true}'::jsonb)))), false)) ELSE false END;


--
-- Name: push_owns_log(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_owns_log() RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  SELECT EXISTS (
    SELECT FROM pg_inherits
    WHERE inhparent = 'push_notification_logs'::regclass AND inhrelid = to_regclass('push_notification_logs_default'))
$$;


--
-- Name: push_parts(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_parts(teller uuid) RETURNS SETOF public.notifications
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  WITH RECURSIVE parts AS (
    SELECT n.id FROM notifications n WHERE n.merged_into = teller
    UNION
    SELECT n.id FROM parts p
    CROSS JOIN LATERAL (SELECT m.id FROM notifications m WHERE m.merged_into = p.id OFFSET 0) n
  )
  SELECT n.* FROM parts p CROSS JOIN LATERAL (SELECT m.* FROM notifications m WHERE m.id = p.id OFFSET 0) n
$$;


--
-- Name: push_pass_on(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_pass_on() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
  heir uuid;
  teller uuid := coalesce(push_teller(OLD.merged_into), OLD.merged_into);
BEGIN
  IF OLD.merged_into IS NULL THEN
    SELECT n.id INTO heir FROM notifications n JOIN feedbacks f ON f.id = n.feedback_id
    WHERE n.merged_into = OLD.id ORDER BY n.created_at DESC, n.id DESC LIMIT 1;
    teller := heir;
  END IF;
  IF teller IS NULL THEN RETURN NULL; END IF;
  PERFORM set_config('app.own_write', 'on', true);
  UPDATE notifications n
  SET merged_into = nullif(CASE WHEN OLD.merged_into IS NULL THEN heir ELSE OLD.merged_into END, n.id)
  WHERE n.merged_into = OLD.id;
  IF heir IS NOT NULL THEN
    UPDATE notifications n
    SET is_archived = OLD.is_archived, is_read = OLD.is_read, is_gone = OLD.is_gone, phone_text = coalesce(
        OLD.phone_text, CASE WHEN OLD.pushed_at IS NOT NULL THEN ARRAY[OLD.title, OLD.body]::text[] END),
      counts_for_badge = OLD.counts_for_badge, pushed_at = OLD.pushed_at, collapse_id = OLD.collapse_id,
      window_ends_at = OLD.window_ends_at
    WHERE n.id = heir;
  END IF;
  PERFORM set_config('app.own_write', 'off', true);
  INSERT INTO stale_entries (notification_id, user_id, app) VALUES (teller, OLD.user_id, OLD.app);
  RETURN NULL;
END
$$;


--
-- Name: push_queue_person(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_queue_person() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  INSERT INTO held_people AS p (user_id, app, release_at)
  SELECT h.user_id, h.app, min(h.held_until) FROM held h GROUP BY h.user_id, h.app ORDER BY h.user_id, h.app
  ON CONFLICT (user_id, app) DO UPDATE SET release_at = excluded.release_at
    WHERE p.failures = 0 AND p.release_at > excluded.release_at;
  RETURN NULL;
END
$$;


--
-- Name: push_register_device(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_register_device() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF NOT has_column_privilege(TG_RELID, 'is_active', 'UPDATE') THEN
    NEW.is_active := true;
    NEW.registered_at := push_now();
    NEW.deactivated_at := NULL;
    NEW.deactivated_reason := NULL;
  END IF;
  RETURN NEW;
END
$$;


--
-- Name: push_same_token(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_same_token() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  IF TG_OP = 'INSERT' AND NEW.token IS NULL
    OR TG_OP = 'UPDATE' AND NEW.device_token IS DISTINCT FROM OLD.device_token AND NEW.token = OLD.token
  THEN
    UPDATE device_tokens
    SET token = 'superseded ' || id, is_active = false, deactivated_at = push_now(), deactivated_reason = 'unregistered'
    -- Where a person may have the token twice, an earlier row of theirs gives way too; else theirs is updated.
    WHERE token = NEW.device_token AND id <> NEW.id AND (user_id <> NEW.user_id OR NOT EXISTS (
      SELECT FROM pg_index AS x
      WHERE x.indrelid = TG_RELID AND x.indisunique AND ARRAY['device_token', 'user_id'] = ARRAY(
        SELECT a.attname::text FROM pg_attribute AS a
        WHERE a.attrelid = TG_RELID AND a.attnum = ANY (x.indkey) ORDER BY a.attname)));
    NEW.token := NEW.device_token;
  ELSE
    NEW.device_token := NEW.token;
  END IF;
  IF NEW.token IS NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'not_null_violation', TABLE = 'device_tokens', COLUMN = 'device_token',
      MESSAGE = 'A device needs its token, in device_token or in token.';
  END IF;
  RETURN NEW;
END
$$;


--
-- Name: events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.events (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    group_id uuid NOT NULL,
    proposal_id uuid,
    option_id uuid,
    created_by uuid,
    title text NOT NULL,
    location text,
    location_latitude double precision,
    location_longitude double precision,
    starts_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    status text DEFAULT 'confirmed'::text NOT NULL,
    visibility text DEFAULT 'shared_with_name'::text NOT NULL,
    is_tracked boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone DEFAULT public.push_now(),
    updated_at timestamp with time zone DEFAULT public.push_now(),
    CONSTRAINT events_status CHECK ((status = ANY (ARRAY['confirmed'::text, 'cancelled'::text]))),
    CONSTRAINT events_visibility CHECK ((visibility = ANY (ARRAY['shared_with_name'::text, 'busy_only'::text, 'private'::text])))
);


--
-- Name: push_sees_event(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_sees_event(id uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    RETURN (EXISTS (SELECT FROM public.events e WHERE ((e.id = push_sees_event.id) AND public.push_in_group(e.group_id))));


--
-- Name: push_sees_proposal(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_sees_proposal(id uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    RETURN (EXISTS (SELECT FROM public.event_proposals p WHERE ((p.id = push_sees_proposal.id) AND public.push_in_group(p.group_id))));


--
-- Name: push_settings_changed(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_settings_changed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  PERFORM push_ask_again(coalesce(NEW.user_id, OLD.user_id));
  RETURN NULL;
END
$$;


--
-- Name: push_stamp_options(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_stamp_options() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  NEW.options_changed_at := push_now();
  RETURN NEW;
END
$$;


--
-- Name: push_stamp_vote(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_stamp_vote() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  NEW.options_version := (SELECT p.options_version FROM event_proposals p WHERE p.id = NEW.proposal_id);
  RETURN NEW;
END
$$;


--
-- Name: push_take_device(jsonb, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_take_device(device jsonb, registered timestamp with time zone) RETURNS void
    LANGUAGE sql
    AS $$
  INSERT INTO device_tokens AS d (user_id, token, app, platform, provider, environment, bundle_id, created_at, registered_at)
  SELECT u.id, device ->> 'push_token', 'mugshot', coalesce(p.name, 'iOS'),
    CASE p.name WHEN 'Android' THEN 'fcm' ELSE 'apns' END,
    CASE lower(device ->> 'environment')
      WHEN 'production' THEN 'production' WHEN 'sandbox' THEN 'sandbox' WHEN 'development' THEN 'sandbox'
    END, device ->> 'bundle_id', registered, registered
  FROM users AS u LEFT JOIN unnest(
    ARRAY['iOS', 'iPadOS', 'macOS', 'watchOS', 'tvOS', 'visionOS', 'Android', 'web']
  ) AS p (name) ON lower(p.name) = lower(device ->> 'platform')
  WHERE u.id = push_uuid(device ->> 'user_id') AND device ->> 'push_token' <> ''
  ON CONFLICT (token) DO UPDATE SET
    user_id = excluded.user_id, app = excluded.app, platform = excluded.platform, provider = excluded.provider,
    environment = coalesce(excluded.environment, d.environment),
    bundle_id = coalesce(excluded.bundle_id, CASE WHEN d.app = excluded.app THEN d.bundle_id END),
    app_version = CASE WHEN d.app = excluded.app THEN d.app_version END,
    installation_id = CASE WHEN d.app = excluded.app THEN d.installation_id END,
    is_active = true, deactivated_at = NULL, deactivated_reason = NULL, registered_at = excluded.registered_at
$$;


--
-- Name: push_teller(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_teller(part uuid) RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  WITH RECURSIVE tellers AS (
    SELECT n.merged_into AS id, 1 AS step FROM notifications n WHERE n.id = part AND n.merged_into IS NOT NULL
    UNION
    SELECT n.merged_into, t.step + 1 FROM tellers t JOIN notifications n ON n.id = t.id WHERE n.merged_into IS NOT NULL
  )
  SELECT id FROM tellers ORDER BY step DESC LIMIT 1
$$;


--
-- Name: push_unknown_badge(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_unknown_badge() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF (NEW.token, NEW.user_id, NEW.app, NEW.registered_at) IS DISTINCT FROM
    (OLD.token, OLD.user_id, OLD.app, OLD.registered_at)
  THEN
    NEW.badge := NULL;
  END IF;
  RETURN NEW;
END
$$;


--
-- Name: push_vote_lost(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.push_vote_lost() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  INSERT INTO proposal_lost_votes AS l (proposal_id, user_id, options_version)
  SELECT p.id, u.id, max(coalesce(g.options_version, 0))
  FROM gone g JOIN event_proposals p ON p.id = g.proposal_id AND p.status = 'open' JOIN users u ON u.id = g.user_id
  WHERE g.option_id IS NOT NULL AND NOT EXISTS (SELECT FROM proposal_options o WHERE o.id = g.option_id)
  GROUP BY p.id, u.id
  ON CONFLICT (proposal_id, user_id) DO UPDATE SET options_version = excluded.options_version
    WHERE l.options_version < excluded.options_version;
  RETURN NULL;
END
$$;


--
-- Name: define_partitions(integer); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.define_partitions(number integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
DECLARE
  sequences text;
  highest bigint := greatest((extract(epoch FROM clock_timestamp() - '2026-01-01Z') * 1000)::bigint, (
    SELECT max(last_value) FROM pg_sequences WHERE schemaname = 'runner' AND sequencename ~ '^partition_[0-9]+$'));
BEGIN
  FOR partition IN 0..number - 1 LOOP
    CONTINUE WHEN to_regclass(format('runner.partition_%s', partition)) IS NOT NULL;
    EXECUTE format('CREATE SEQUENCE runner.partition_%s AS bigint CACHE 1', partition);
    PERFORM setval(format('runner.partition_%s', partition)::regclass, highest);
  END LOOP;
  sequences := (
    SELECT string_agg(quote_literal('runner.partition_' || n), ', ' ORDER BY n)
    FROM generate_series(0, number - 1) AS n);
  EXECUTE format(
    'CREATE OR REPLACE FUNCTION runner.partitions() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS %L',
    'SELECT ' || number);
  -- The transaction gets its number before it draws.
  EXECUTE format(
    'CREATE OR REPLACE FUNCTION runner.next_id(partition smallint) RETURNS bigint LANGUAGE sql VOLATILE AS %L',
    format('SELECT CASE WHEN pg_current_xact_id() IS NOT NULL
  THEN nextval((ARRAY[%s]::regclass[])[partition + 1]) END', sequences));
  -- Wakes the partition's runner before it draws. For triggers: a call of runner.notify() would cost a fifth of what
  -- they cost. Who changed a row has a transaction number.
  EXECUTE format(
    'CREATE OR REPLACE FUNCTION runner.draw(partition smallint) RETURNS bigint LANGUAGE sql VOLATILE AS %L',
    format('SELECT CASE
  WHEN pg_catalog.pg_try_advisory_lock_shared(7265826, partition)
    AND pg_catalog.pg_advisory_unlock_shared(7265826, partition)
    OR NOT runner.notifies()
    OR pg_catalog.pg_notify(''runner_events'', '''') IS NOT NULL
  THEN pg_catalog.nextval((ARRAY[%s]::pg_catalog.regclass[])[partition OPERATOR(pg_catalog.+) 1])
END', sequences));
END $_$;


--
-- Name: document(anyelement); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.document(value anyelement) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET quote_all_identifiers TO 'off'
    AS $$ BEGIN RETURN to_jsonb(value); END $$;


--
-- Name: draw(smallint); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.draw(partition smallint) RETURNS bigint
    LANGUAGE sql
    AS $$SELECT CASE
  WHEN pg_catalog.pg_try_advisory_lock_shared(7265826, partition)
    AND pg_catalog.pg_advisory_unlock_shared(7265826, partition)
    OR NOT runner.notifies()
    OR pg_catalog.pg_notify('runner_events', '') IS NOT NULL
  THEN pg_catalog.nextval((ARRAY['runner.partition_0', 'runner.partition_1', 'runner.partition_2', 'runner.partition_3', 'runner.partition_4', 'runner.partition_5', 'runner.partition_6', 'runner.partition_7', 'runner.partition_8', 'runner.partition_9', 'runner.partition_10', 'runner.partition_11', 'runner.partition_12', 'runner.partition_13', 'runner.partition_14', 'runner.partition_15']::pg_catalog.regclass[])[partition OPERATOR(pg_catalog.+) 1])
END$$;


--
-- Name: enqueue(text, text, text, text, text, jsonb, text); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.enqueue(function text, key text, event_id text, source text, type text, data jsonb, traceparent text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  chosen smallint;
BEGIN
  -- The number of partitions stays what it is from here on.
  LOCK TABLE runner.events IN ROW EXCLUSIVE MODE;
  chosen := runner.partition(function, coalesce(key, event_id));
  PERFORM pg_current_xact_id();
  INSERT INTO runner.events (partition, id, function, key, event_id, source, type, data, traceparent)
  VALUES (chosen, runner.next_id(chosen), function, key, event_id, source, type, data, traceparent);
  PERFORM runner.notify(ARRAY[chosen]);
END $$;


--
-- Name: fence(uuid, smallint[], bigint[]); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.fence(owner uuid, partitions smallint[], epochs bigint[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
  held integer;
BEGIN
  SELECT count(*) INTO held FROM (
    SELECT 1 FROM runner.leases AS l JOIN unnest(partitions, epochs) AS mine (partition, epoch) USING (partition, epoch)
    WHERE l.owner = fence.owner FOR SHARE OF l
  ) AS locked;
  IF held <> cardinality(partitions) THEN
    RAISE EXCEPTION 'the partitions have another owner' USING ERRCODE = 'RU001';
  END IF;
END $$;


--
-- Name: fire(text, timestamp with time zone, text, text, jsonb, timestamp with time zone); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.fire(name text, scheduled_time timestamp with time zone, event_id text, type text, data jsonb, next_at timestamp with time zone) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
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


--
-- Name: follow_clock(); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.follow_clock() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  PERFORM runner.set_stamp(NEW."offset" <> '0');
  RETURN NULL;
END $$;


--
-- Name: hold(uuid, integer, text, interval, text, text[]); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.hold(me uuid, my_holder integer, my_name text, lifetime interval, my_group text DEFAULT ''::text, my_functions text[] DEFAULT NULL::text[]) RETURNS TABLE(partition smallint, epoch bigint, share integer, elsewhere text[])
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_column
DECLARE
  part integer;
  others text[];
  other runner.runners;
  joins boolean := NOT EXISTS (
    SELECT FROM runner.runners AS r WHERE r.owner = me AND r.expires_at > clock_timestamp() AND r.grp = my_group
      AND r.functions IS NOT DISTINCT FROM my_functions);
BEGIN
  -- Who joins sees all who have joined before.
  IF joins THEN PERFORM pg_advisory_xact_lock(7265825, 1); END IF;
  DELETE FROM runner.runners AS r
  WHERE r.owner <> me AND (r.expires_at < clock_timestamp() OR pg_try_advisory_xact_lock(7265827, r.holder));
  IF joins THEN
    SELECT r.* INTO other FROM runner.runners AS r
    WHERE r.grp <> my_group AND r.owner <> me
      AND (r.functions IS NULL OR my_functions IS NULL OR r.functions && my_functions)
    ORDER BY r.owner LIMIT 1;
    IF FOUND THEN
      RAISE EXCEPTION 'the runner "%" has %', other.name, coalesce(
        array_to_string(ARRAY(SELECT unnest(my_functions) INTERSECT SELECT unnest(other.functions) ORDER BY 1), ', '),
        'all functions') USING ERRCODE = 'RU002';
    END IF;
    -- A runner of another group that seems to be gone, and is not, settles nothing more before it has joined again.
    UPDATE runner.leases AS l SET owner = NULL, epoch = l.epoch + 1, expires_at = '-infinity'
    WHERE l.grp <> my_group AND l.owner IS NOT NULL
      AND NOT EXISTS (SELECT FROM runner.runners AS r WHERE r.owner = l.owner);
    DELETE FROM runner.leases AS l
    WHERE l.grp NOT IN ('', my_group) AND NOT EXISTS (SELECT FROM runner.runners AS r WHERE r.grp = l.grp);
    INSERT INTO runner.leases (grp, partition) SELECT my_group, generate_series(0, runner.partitions() - 1)
    ON CONFLICT DO NOTHING;
  END IF;
  INSERT INTO runner.runners (owner, holder, name, expires_at, grp, functions)
  VALUES (me, my_holder, my_name, clock_timestamp() + lifetime, my_group, my_functions)
  ON CONFLICT (owner) DO UPDATE
  SET expires_at = excluded.expires_at, grp = excluded.grp, functions = excluded.functions;
  SELECT ceil(runner.partitions()::numeric / count(*)) INTO part FROM runner.runners AS r WHERE r.grp = my_group;
  others := ARRAY(SELECT DISTINCT unnest(r.functions) FROM runner.runners AS r WHERE r.grp <> my_group);
  UPDATE runner.leases AS l SET expires_at = clock_timestamp() + lifetime WHERE l.owner = me;
  UPDATE runner.leases AS l
  SET owner = me, holder = my_holder, epoch = l.epoch + 1, expires_at = clock_timestamp() + lifetime
  FROM (
    SELECT f.partition FROM runner.leases AS f
    WHERE f.grp = my_group AND (f.owner IS NULL OR f.expires_at < clock_timestamp()
      OR f.owner <> me AND pg_try_advisory_xact_lock(7265827, f.holder))
    ORDER BY f.partition
    LIMIT greatest(0, part - (SELECT count(*) FROM runner.leases AS h WHERE h.owner = me))
    FOR UPDATE SKIP LOCKED
  ) AS free
  WHERE l.grp = my_group AND l.partition = free.partition;
  RETURN QUERY SELECT l.partition, l.epoch, part, others FROM runner.leases AS l WHERE l.owner = me ORDER BY l.partition;
  IF NOT FOUND THEN
    RETURN QUERY SELECT NULL::smallint, NULL::bigint, part, others;
  END IF;
END $$;


--
-- Name: is_document(record); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.is_document(image record) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  PERFORM to_jsonb(image);
  RETURN true;
EXCEPTION WHEN OTHERS THEN
  RETURN false;
END $$;


--
-- Name: is_plain(text, text); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.is_plain(table_name text, column_name text DEFAULT NULL::text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
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


--
-- Name: next_id(smallint); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.next_id(partition smallint) RETURNS bigint
    LANGUAGE sql
    AS $$SELECT CASE WHEN pg_current_xact_id() IS NOT NULL
  THEN nextval((ARRAY['runner.partition_0', 'runner.partition_1', 'runner.partition_2', 'runner.partition_3', 'runner.partition_4', 'runner.partition_5', 'runner.partition_6', 'runner.partition_7', 'runner.partition_8', 'runner.partition_9', 'runner.partition_10', 'runner.partition_11', 'runner.partition_12', 'runner.partition_13', 'runner.partition_14', 'runner.partition_15']::regclass[])[partition + 1]) END$$;


--
-- Name: notifies(); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.notifies() RETURNS boolean
    LANGUAGE sql STABLE
    AS $$ SELECT pg_catalog.current_setting('max_prepared_transactions') OPERATOR(pg_catalog.=) '0' $$;


--
-- Name: notify(smallint[]); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.notify(partitions smallint[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
  partition smallint;
BEGIN
  IF NOT runner.notifies() THEN RETURN; END IF;
  FOREACH partition IN ARRAY partitions LOOP
    IF pg_try_advisory_lock_shared(7265826, partition) THEN
      PERFORM pg_advisory_unlock_shared(7265826, partition);
    ELSE
      PERFORM pg_notify('runner_events', '');
      RETURN;
    END IF;
  END LOOP;
END $$;


--
-- Name: notify_trigger(); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.notify_trigger() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF NOT runner.notifies() THEN
    INSERT INTO runner.signals VALUES (TG_ARGV[0]);
  ELSIF pg_try_advisory_xact_lock_shared(7265826, 256 + (hashtext(TG_ARGV[0]) & 1023)) THEN
    PERFORM pg_notify('runner_notify', TG_ARGV[0]);
  END IF;
  RETURN NULL;
END $$;


--
-- Name: now(); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.now() RETURNS timestamp with time zone
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT clock_timestamp() + "offset" FROM runner.clock $$;


--
-- Name: partition(text, text); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.partition(function text, key text) RETURNS smallint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT (pg_catalog.hashtextextended((function OPERATOR(pg_catalog.||) '/') OPERATOR(pg_catalog.||) key, 0)
  OPERATOR(pg_catalog.&) (runner.partitions() OPERATOR(pg_catalog.-) 1))::smallint $$;


--
-- Name: partitions(); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.partitions() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$SELECT 16$$;


--
-- Name: public.badge_losses.runner_insert(); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner."public.badge_losses.runner_insert"() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting('TimeZone');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', 'UTC', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting('DateStyle'), 'ISO')
    OR pg_catalog.current_setting('extra_float_digits') OPERATOR(pg_catalog.<>) ALL ('{1,2,3}'::pg_catalog.text[])
    OR pg_catalog.current_setting('IntervalStyle') OPERATOR(pg_catalog.<>) 'postgres'
    OR pg_catalog.current_setting('bytea_output') OPERATOR(pg_catalog.<>) 'hex' THEN
    runner_style := ARRAY[pg_catalog.current_setting('DateStyle'), pg_catalog.current_setting('extra_float_digits'), pg_catalog.current_setting('IntervalStyle'), pg_catalog.current_setting('bytea_output')];
    PERFORM pg_catalog.set_config('DateStyle', 'ISO', true), pg_catalog.set_config('extra_float_digits', '1', true), pg_catalog.set_config('IntervalStyle', 'postgres', true), pg_catalog.set_config('bytea_output', 'hex', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), 'action-completed'::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting('app.user_id', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.user_id', true) END,
    CASE WHEN pg_catalog.current_setting('app.traceparent', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.traceparent', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, 'INSERT'::pg_catalog.text,
    'public'::pg_catalog.text, 'badge_losses'::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."badge_losses"', 'id') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."badge_losses"') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN 'true'::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition('action-completed', m.key), runner.random_partition()) AS partition, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "app", NULL::pg_catalog.text AS "id") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."badge_losses"', 'app') THEN "app"::pg_catalog.text ELSE runner.text("app") END), 0) AS size, NULL::pg_catalog.text AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n;
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config('DateStyle', runner_style[1], true), pg_catalog.set_config('extra_float_digits', runner_style[2], true), pg_catalog.set_config('IntervalStyle', runner_style[3], true), pg_catalog.set_config('bytea_output', runner_style[4], true);
  END IF;
  RETURN NULL;
END$$;


--
-- Name: public.comments.runner_insert(); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner."public.comments.runner_insert"() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting('TimeZone');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', 'UTC', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting('DateStyle'), 'ISO')
    OR pg_catalog.current_setting('extra_float_digits') OPERATOR(pg_catalog.<>) ALL ('{1,2,3}'::pg_catalog.text[])
    OR pg_catalog.current_setting('IntervalStyle') OPERATOR(pg_catalog.<>) 'postgres'
    OR pg_catalog.current_setting('bytea_output') OPERATOR(pg_catalog.<>) 'hex' THEN
    runner_style := ARRAY[pg_catalog.current_setting('DateStyle'), pg_catalog.current_setting('extra_float_digits'), pg_catalog.current_setting('IntervalStyle'), pg_catalog.current_setting('bytea_output')];
    PERFORM pg_catalog.set_config('DateStyle', 'ISO', true), pg_catalog.set_config('extra_float_digits', '1', true), pg_catalog.set_config('IntervalStyle', 'postgres', true), pg_catalog.set_config('bytea_output', 'hex', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), 'comment-added'::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting('app.user_id', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.user_id', true) END,
    CASE WHEN pg_catalog.current_setting('app.traceparent', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.traceparent', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, 'INSERT'::pg_catalog.text,
    'public'::pg_catalog.text, 'comments'::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."comments"', 'id') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."comments"') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN 'true'::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition('comment-added', m.key), runner.random_partition()) AS partition, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "content", NULL::pg_catalog.text AS "feedback_id", NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "user_id") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."comments"', 'content') THEN "content"::pg_catalog.text ELSE runner.text("content") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."comments"', 'user_id') THEN "user_id"::pg_catalog.text ELSE runner.text("user_id") END), 0) AS size, CASE WHEN runner.is_plain('"public"."comments"', 'feedback_id') THEN "feedback_id"::pg_catalog.text ELSE runner.text("feedback_id") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n;
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config('DateStyle', runner_style[1], true), pg_catalog.set_config('extra_float_digits', runner_style[2], true), pg_catalog.set_config('IntervalStyle', runner_style[3], true), pg_catalog.set_config('bytea_output', runner_style[4], true);
  END IF;
  RETURN NULL;
END$$;


--
-- Name: public.event_conflicts.runner_insert(); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner."public.event_conflicts.runner_insert"() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting('TimeZone');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', 'UTC', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting('DateStyle'), 'ISO')
    OR pg_catalog.current_setting('extra_float_digits') OPERATOR(pg_catalog.<>) ALL ('{1,2,3}'::pg_catalog.text[])
    OR pg_catalog.current_setting('IntervalStyle') OPERATOR(pg_catalog.<>) 'postgres'
    OR pg_catalog.current_setting('bytea_output') OPERATOR(pg_catalog.<>) 'hex' THEN
    runner_style := ARRAY[pg_catalog.current_setting('DateStyle'), pg_catalog.current_setting('extra_float_digits'), pg_catalog.current_setting('IntervalStyle'), pg_catalog.current_setting('bytea_output')];
    PERFORM pg_catalog.set_config('DateStyle', 'ISO', true), pg_catalog.set_config('extra_float_digits', '1', true), pg_catalog.set_config('IntervalStyle', 'postgres', true), pg_catalog.set_config('bytea_output', 'hex', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), 'conflict-detected'::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting('app.user_id', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.user_id', true) END,
    CASE WHEN pg_catalog.current_setting('app.traceparent', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.traceparent', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, 'INSERT'::pg_catalog.text,
    'public'::pg_catalog.text, 'event_conflicts'::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."event_conflicts"', 'id') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."event_conflicts"') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN 'true'::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition('conflict-detected', m.key), runner.random_partition()) AS partition, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "conflict_level", NULL::pg_catalog.text AS "existing_title", NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "proposal_id") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_conflicts"', 'existing_title') THEN "existing_title"::pg_catalog.text ELSE runner.text("existing_title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_conflicts"', 'conflict_level') THEN "conflict_level"::pg_catalog.text ELSE runner.text("conflict_level") END), 0) AS size, CASE WHEN runner.is_plain('"public"."event_conflicts"', 'proposal_id') THEN "proposal_id"::pg_catalog.text ELSE runner.text("proposal_id") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n;
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config('DateStyle', runner_style[1], true), pg_catalog.set_config('extra_float_digits', runner_style[2], true), pg_catalog.set_config('IntervalStyle', runner_style[3], true), pg_catalog.set_config('bytea_output', runner_style[4], true);
  END IF;
  RETURN NULL;
END$$;


--
-- Name: public.event_proposals.runner_insert(); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner."public.event_proposals.runner_insert"() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting('TimeZone');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', 'UTC', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting('DateStyle'), 'ISO')
    OR pg_catalog.current_setting('extra_float_digits') OPERATOR(pg_catalog.<>) ALL ('{1,2,3}'::pg_catalog.text[])
    OR pg_catalog.current_setting('IntervalStyle') OPERATOR(pg_catalog.<>) 'postgres'
    OR pg_catalog.current_setting('bytea_output') OPERATOR(pg_catalog.<>) 'hex' THEN
    runner_style := ARRAY[pg_catalog.current_setting('DateStyle'), pg_catalog.current_setting('extra_float_digits'), pg_catalog.current_setting('IntervalStyle'), pg_catalog.current_setting('bytea_output')];
    PERFORM pg_catalog.set_config('DateStyle', 'ISO', true), pg_catalog.set_config('extra_float_digits', '1', true), pg_catalog.set_config('IntervalStyle', 'postgres', true), pg_catalog.set_config('bytea_output', 'hex', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), 'proposal-created'::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting('app.user_id', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.user_id', true) END,
    CASE WHEN pg_catalog.current_setting('app.traceparent', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.traceparent', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, 'INSERT'::pg_catalog.text,
    'public'::pg_catalog.text, 'event_proposals'::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."event_proposals"', 'id') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."event_proposals"') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN 'true'::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition('proposal-created', m.key), runner.random_partition()) AS partition, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "description", NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "location", NULL::pg_catalog.text AS "status", NULL::pg_catalog.text AS "title", NULL::pg_catalog.text AS "visibility") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_proposals"', 'title') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_proposals"', 'description') THEN "description"::pg_catalog.text ELSE runner.text("description") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_proposals"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_proposals"', 'visibility') THEN "visibility"::pg_catalog.text ELSE runner.text("visibility") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_proposals"', 'location') THEN "location"::pg_catalog.text ELSE runner.text("location") END), 0) AS size, CASE WHEN runner.is_plain('"public"."event_proposals"', 'id') THEN "id"::pg_catalog.text ELSE runner.text("id") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n;
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config('DateStyle', runner_style[1], true), pg_catalog.set_config('extra_float_digits', runner_style[2], true), pg_catalog.set_config('IntervalStyle', runner_style[3], true), pg_catalog.set_config('bytea_output', runner_style[4], true);
  END IF;
  RETURN NULL;
END$$;


--
-- Name: public.event_proposals.runner_update(); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner."public.event_proposals.runner_update"() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting('TimeZone');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', 'UTC', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting('DateStyle'), 'ISO')
    OR pg_catalog.current_setting('extra_float_digits') OPERATOR(pg_catalog.<>) ALL ('{1,2,3}'::pg_catalog.text[])
    OR pg_catalog.current_setting('IntervalStyle') OPERATOR(pg_catalog.<>) 'postgres'
    OR pg_catalog.current_setting('bytea_output') OPERATOR(pg_catalog.<>) 'hex' THEN
    runner_style := ARRAY[pg_catalog.current_setting('DateStyle'), pg_catalog.current_setting('extra_float_digits'), pg_catalog.current_setting('IntervalStyle'), pg_catalog.current_setting('bytea_output')];
    PERFORM pg_catalog.set_config('DateStyle', 'ISO', true), pg_catalog.set_config('extra_float_digits', '1', true), pg_catalog.set_config('IntervalStyle', 'postgres', true), pg_catalog.set_config('bytea_output', 'hex', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), 'event-confirmed'::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting('app.user_id', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.user_id', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting('app.traceparent', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.traceparent', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, 'UPDATE'::pg_catalog.text,
    'public'::pg_catalog.text, 'event_proposals'::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."event_proposals"', 'id') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."event_proposals"') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."event_proposals"', 'id') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."event_proposals"') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL OR o.image IS NOT DISTINCT FROM NULL THEN 'true'::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition('event-confirmed', m.key), runner.random_partition()) AS partition, m.key_0, m.column_0
      FROM (SELECT NULL::pg_catalog.text AS "description", NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "location", NULL::pg_catalog.text AS "status", NULL::pg_catalog.text AS "title", NULL::pg_catalog.text AS "visibility") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_proposals"', 'title') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_proposals"', 'description') THEN "description"::pg_catalog.text ELSE runner.text("description") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_proposals"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_proposals"', 'visibility') THEN "visibility"::pg_catalog.text ELSE runner.text("visibility") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_proposals"', 'location') THEN "location"::pg_catalog.text ELSE runner.text("location") END), 0) AS size, CASE WHEN runner.is_plain('"public"."event_proposals"', 'id') THEN "id"::pg_catalog.text ELSE runner.text("id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain('"public"."event_proposals"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n
    FULL JOIN (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key_0, m.column_0
      FROM (SELECT ''::pg_catalog.text AS "description", ''::pg_catalog.text AS "id", ''::pg_catalog.text AS "location", ''::pg_catalog.text AS "status", ''::pg_catalog.text AS "title", ''::pg_catalog.text AS "visibility") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_proposals"', 'title') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_proposals"', 'description') THEN "description"::pg_catalog.text ELSE runner.text("description") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_proposals"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_proposals"', 'visibility') THEN "visibility"::pg_catalog.text ELSE runner.text("visibility") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_proposals"', 'location') THEN "location"::pg_catalog.text ELSE runner.text("location") END), 0) AS size, CASE WHEN runner.is_plain('"public"."event_proposals"', 'id') THEN "id"::pg_catalog.text ELSE runner.text("id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain('"public"."event_proposals"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o ON n.place OPERATOR(pg_catalog.=) o.place
    WHERE (n.column_0 OPERATOR(pg_catalog.=) o.column_0) IS NOT TRUE AND (n.column_0 IS NOT NULL OR o.column_0 IS NOT NULL)
  UNION ALL
  SELECT n.partition, runner.draw(n.partition), 'proposal-updated'::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting('app.user_id', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.user_id', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting('app.traceparent', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.traceparent', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, 'UPDATE'::pg_catalog.text,
    'public'::pg_catalog.text, 'event_proposals'::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."event_proposals"', 'id') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."event_proposals"') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."event_proposals"', 'id') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."event_proposals"') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL OR o.image IS NOT DISTINCT FROM NULL THEN 'true'::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition('proposal-updated', m.key), runner.random_partition()) AS partition, m.key_0, m.column_0
      FROM (SELECT NULL::pg_catalog.text AS "description", NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "location", NULL::pg_catalog.text AS "options_version", NULL::pg_catalog.text AS "status", NULL::pg_catalog.text AS "title", NULL::pg_catalog.text AS "visibility") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_proposals"', 'title') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_proposals"', 'description') THEN "description"::pg_catalog.text ELSE runner.text("description") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_proposals"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_proposals"', 'visibility') THEN "visibility"::pg_catalog.text ELSE runner.text("visibility") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_proposals"', 'location') THEN "location"::pg_catalog.text ELSE runner.text("location") END), 0) AS size, CASE WHEN runner.is_plain('"public"."event_proposals"', 'id') THEN "id"::pg_catalog.text ELSE runner.text("id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain('"public"."event_proposals"', 'options_version') THEN "options_version"::pg_catalog.text ELSE runner.text("options_version") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n
    FULL JOIN (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key_0, m.column_0
      FROM (SELECT ''::pg_catalog.text AS "description", ''::pg_catalog.text AS "id", ''::pg_catalog.text AS "location", ''::pg_catalog.text AS "options_version", ''::pg_catalog.text AS "status", ''::pg_catalog.text AS "title", ''::pg_catalog.text AS "visibility") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_proposals"', 'title') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_proposals"', 'description') THEN "description"::pg_catalog.text ELSE runner.text("description") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_proposals"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_proposals"', 'visibility') THEN "visibility"::pg_catalog.text ELSE runner.text("visibility") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."event_proposals"', 'location') THEN "location"::pg_catalog.text ELSE runner.text("location") END), 0) AS size, CASE WHEN runner.is_plain('"public"."event_proposals"', 'id') THEN "id"::pg_catalog.text ELSE runner.text("id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain('"public"."event_proposals"', 'options_version') THEN "options_version"::pg_catalog.text ELSE runner.text("options_version") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o ON n.place OPERATOR(pg_catalog.=) o.place
    WHERE (n.column_0 OPERATOR(pg_catalog.=) o.column_0) IS NOT TRUE AND (n.column_0 IS NOT NULL OR o.column_0 IS NOT NULL);
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config('DateStyle', runner_style[1], true), pg_catalog.set_config('extra_float_digits', runner_style[2], true), pg_catalog.set_config('IntervalStyle', runner_style[3], true), pg_catalog.set_config('bytea_output', runner_style[4], true);
  END IF;
  RETURN NULL;
END$$;


--
-- Name: public.events.runner_insert(); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner."public.events.runner_insert"() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting('TimeZone');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', 'UTC', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting('DateStyle'), 'ISO')
    OR pg_catalog.current_setting('extra_float_digits') OPERATOR(pg_catalog.<>) ALL ('{1,2,3}'::pg_catalog.text[])
    OR pg_catalog.current_setting('IntervalStyle') OPERATOR(pg_catalog.<>) 'postgres'
    OR pg_catalog.current_setting('bytea_output') OPERATOR(pg_catalog.<>) 'hex' THEN
    runner_style := ARRAY[pg_catalog.current_setting('DateStyle'), pg_catalog.current_setting('extra_float_digits'), pg_catalog.current_setting('IntervalStyle'), pg_catalog.current_setting('bytea_output')];
    PERFORM pg_catalog.set_config('DateStyle', 'ISO', true), pg_catalog.set_config('extra_float_digits', '1', true), pg_catalog.set_config('IntervalStyle', 'postgres', true), pg_catalog.set_config('bytea_output', 'hex', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), 'event-confirmed'::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting('app.user_id', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.user_id', true) END,
    CASE WHEN pg_catalog.current_setting('app.traceparent', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.traceparent', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, 'INSERT'::pg_catalog.text,
    'public'::pg_catalog.text, 'events'::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."events"', 'id') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."events"') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN 'true'::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition('event-confirmed', m.key), runner.random_partition()) AS partition, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "location", NULL::pg_catalog.text AS "status", NULL::pg_catalog.text AS "title", NULL::pg_catalog.text AS "visibility") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."events"', 'title') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."events"', 'location') THEN "location"::pg_catalog.text ELSE runner.text("location") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."events"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."events"', 'visibility') THEN "visibility"::pg_catalog.text ELSE runner.text("visibility") END), 0) AS size, CASE WHEN runner.is_plain('"public"."events"', 'id') THEN "id"::pg_catalog.text ELSE runner.text("id") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n;
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config('DateStyle', runner_style[1], true), pg_catalog.set_config('extra_float_digits', runner_style[2], true), pg_catalog.set_config('IntervalStyle', runner_style[3], true), pg_catalog.set_config('bytea_output', runner_style[4], true);
  END IF;
  RETURN NULL;
END$$;


--
-- Name: public.events.runner_update(); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner."public.events.runner_update"() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting('TimeZone');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', 'UTC', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting('DateStyle'), 'ISO')
    OR pg_catalog.current_setting('extra_float_digits') OPERATOR(pg_catalog.<>) ALL ('{1,2,3}'::pg_catalog.text[])
    OR pg_catalog.current_setting('IntervalStyle') OPERATOR(pg_catalog.<>) 'postgres'
    OR pg_catalog.current_setting('bytea_output') OPERATOR(pg_catalog.<>) 'hex' THEN
    runner_style := ARRAY[pg_catalog.current_setting('DateStyle'), pg_catalog.current_setting('extra_float_digits'), pg_catalog.current_setting('IntervalStyle'), pg_catalog.current_setting('bytea_output')];
    PERFORM pg_catalog.set_config('DateStyle', 'ISO', true), pg_catalog.set_config('extra_float_digits', '1', true), pg_catalog.set_config('IntervalStyle', 'postgres', true), pg_catalog.set_config('bytea_output', 'hex', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), 'event-confirmed'::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting('app.user_id', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.user_id', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting('app.traceparent', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.traceparent', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, 'UPDATE'::pg_catalog.text,
    'public'::pg_catalog.text, 'events'::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."events"', 'id') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."events"') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."events"', 'id') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."events"') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL OR o.image IS NOT DISTINCT FROM NULL THEN 'true'::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition('event-confirmed', m.key), runner.random_partition()) AS partition, m.key_0, m.column_0, m.column_1
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "location", NULL::pg_catalog.text AS "proposal_id", NULL::pg_catalog.text AS "status", NULL::pg_catalog.text AS "title", NULL::pg_catalog.text AS "visibility") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."events"', 'title') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."events"', 'location') THEN "location"::pg_catalog.text ELSE runner.text("location") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."events"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."events"', 'visibility') THEN "visibility"::pg_catalog.text ELSE runner.text("visibility") END), 0) AS size, CASE WHEN runner.is_plain('"public"."events"', 'id') THEN "id"::pg_catalog.text ELSE runner.text("id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain('"public"."events"', 'proposal_id') THEN "proposal_id"::pg_catalog.text ELSE runner.text("proposal_id") END COLLATE pg_catalog."C" AS column_0, CASE WHEN runner.is_plain('"public"."events"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_1
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n
    FULL JOIN (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key_0, m.column_0, m.column_1
      FROM (SELECT ''::pg_catalog.text AS "id", ''::pg_catalog.text AS "location", ''::pg_catalog.text AS "proposal_id", ''::pg_catalog.text AS "status", ''::pg_catalog.text AS "title", ''::pg_catalog.text AS "visibility") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."events"', 'title') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."events"', 'location') THEN "location"::pg_catalog.text ELSE runner.text("location") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."events"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."events"', 'visibility') THEN "visibility"::pg_catalog.text ELSE runner.text("visibility") END), 0) AS size, CASE WHEN runner.is_plain('"public"."events"', 'id') THEN "id"::pg_catalog.text ELSE runner.text("id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain('"public"."events"', 'proposal_id') THEN "proposal_id"::pg_catalog.text ELSE runner.text("proposal_id") END COLLATE pg_catalog."C" AS column_0, CASE WHEN runner.is_plain('"public"."events"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_1
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o ON n.place OPERATOR(pg_catalog.=) o.place
    WHERE (n.column_0 OPERATOR(pg_catalog.=) o.column_0) IS NOT TRUE AND (n.column_0 IS NOT NULL OR o.column_0 IS NOT NULL) OR (n.column_1 OPERATOR(pg_catalog.=) o.column_1) IS NOT TRUE AND (n.column_1 IS NOT NULL OR o.column_1 IS NOT NULL);
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config('DateStyle', runner_style[1], true), pg_catalog.set_config('extra_float_digits', runner_style[2], true), pg_catalog.set_config('IntervalStyle', runner_style[3], true), pg_catalog.set_config('bytea_output', runner_style[4], true);
  END IF;
  RETURN NULL;
END$$;


--
-- Name: public.feedbacks.runner_insert(); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner."public.feedbacks.runner_insert"() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting('TimeZone');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', 'UTC', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting('DateStyle'), 'ISO')
    OR pg_catalog.current_setting('extra_float_digits') OPERATOR(pg_catalog.<>) ALL ('{1,2,3}'::pg_catalog.text[])
    OR pg_catalog.current_setting('IntervalStyle') OPERATOR(pg_catalog.<>) 'postgres'
    OR pg_catalog.current_setting('bytea_output') OPERATOR(pg_catalog.<>) 'hex' THEN
    runner_style := ARRAY[pg_catalog.current_setting('DateStyle'), pg_catalog.current_setting('extra_float_digits'), pg_catalog.current_setting('IntervalStyle'), pg_catalog.current_setting('bytea_output')];
    PERFORM pg_catalog.set_config('DateStyle', 'ISO', true), pg_catalog.set_config('extra_float_digits', '1', true), pg_catalog.set_config('IntervalStyle', 'postgres', true), pg_catalog.set_config('bytea_output', 'hex', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), 'feedback-created'::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting('app.user_id', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.user_id', true) END,
    CASE WHEN pg_catalog.current_setting('app.traceparent', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.traceparent', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, 'INSERT'::pg_catalog.text,
    'public'::pg_catalog.text, 'feedbacks'::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."feedbacks"', 'id') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."feedbacks"') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN 'true'::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition('feedback-created', m.key), runner.random_partition()) AS partition, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "category", NULL::pg_catalog.text AS "description", NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "project_id", NULL::pg_catalog.text AS "rejection_reason", NULL::pg_catalog.text AS "status", NULL::pg_catalog.text AS "title", NULL::pg_catalog.text AS "user_email", NULL::pg_catalog.text AS "user_id") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."feedbacks"', 'title') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."feedbacks"', 'description') THEN "description"::pg_catalog.text ELSE runner.text("description") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."feedbacks"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."feedbacks"', 'category') THEN "category"::pg_catalog.text ELSE runner.text("category") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."feedbacks"', 'user_id') THEN "user_id"::pg_catalog.text ELSE runner.text("user_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."feedbacks"', 'user_email') THEN "user_email"::pg_catalog.text ELSE runner.text("user_email") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."feedbacks"', 'rejection_reason') THEN "rejection_reason"::pg_catalog.text ELSE runner.text("rejection_reason") END), 0) AS size, CASE WHEN runner.is_plain('"public"."feedbacks"', 'project_id') THEN "project_id"::pg_catalog.text ELSE runner.text("project_id") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n;
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config('DateStyle', runner_style[1], true), pg_catalog.set_config('extra_float_digits', runner_style[2], true), pg_catalog.set_config('IntervalStyle', runner_style[3], true), pg_catalog.set_config('bytea_output', runner_style[4], true);
  END IF;
  RETURN NULL;
END$$;


--
-- Name: public.feedbacks.runner_update(); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner."public.feedbacks.runner_update"() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting('TimeZone');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', 'UTC', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting('DateStyle'), 'ISO')
    OR pg_catalog.current_setting('extra_float_digits') OPERATOR(pg_catalog.<>) ALL ('{1,2,3}'::pg_catalog.text[])
    OR pg_catalog.current_setting('IntervalStyle') OPERATOR(pg_catalog.<>) 'postgres'
    OR pg_catalog.current_setting('bytea_output') OPERATOR(pg_catalog.<>) 'hex' THEN
    runner_style := ARRAY[pg_catalog.current_setting('DateStyle'), pg_catalog.current_setting('extra_float_digits'), pg_catalog.current_setting('IntervalStyle'), pg_catalog.current_setting('bytea_output')];
    PERFORM pg_catalog.set_config('DateStyle', 'ISO', true), pg_catalog.set_config('extra_float_digits', '1', true), pg_catalog.set_config('IntervalStyle', 'postgres', true), pg_catalog.set_config('bytea_output', 'hex', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), 'status-changed'::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting('app.user_id', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.user_id', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting('app.traceparent', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.traceparent', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, 'UPDATE'::pg_catalog.text,
    'public'::pg_catalog.text, 'feedbacks'::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."feedbacks"', 'id') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."feedbacks"') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."feedbacks"', 'id') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."feedbacks"') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL OR o.image IS NOT DISTINCT FROM NULL THEN 'true'::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition('status-changed', m.key), runner.random_partition()) AS partition, m.key_0, m.column_0
      FROM (SELECT NULL::pg_catalog.text AS "category", NULL::pg_catalog.text AS "description", NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "rejection_reason", NULL::pg_catalog.text AS "status", NULL::pg_catalog.text AS "title", NULL::pg_catalog.text AS "user_email", NULL::pg_catalog.text AS "user_id") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."feedbacks"', 'title') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."feedbacks"', 'description') THEN "description"::pg_catalog.text ELSE runner.text("description") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."feedbacks"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."feedbacks"', 'category') THEN "category"::pg_catalog.text ELSE runner.text("category") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."feedbacks"', 'user_id') THEN "user_id"::pg_catalog.text ELSE runner.text("user_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."feedbacks"', 'user_email') THEN "user_email"::pg_catalog.text ELSE runner.text("user_email") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."feedbacks"', 'rejection_reason') THEN "rejection_reason"::pg_catalog.text ELSE runner.text("rejection_reason") END), 0) AS size, CASE WHEN runner.is_plain('"public"."feedbacks"', 'id') THEN "id"::pg_catalog.text ELSE runner.text("id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain('"public"."feedbacks"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n
    FULL JOIN (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key_0, m.column_0
      FROM (SELECT ''::pg_catalog.text AS "category", ''::pg_catalog.text AS "description", ''::pg_catalog.text AS "id", ''::pg_catalog.text AS "rejection_reason", ''::pg_catalog.text AS "status", ''::pg_catalog.text AS "title", ''::pg_catalog.text AS "user_email", ''::pg_catalog.text AS "user_id") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."feedbacks"', 'title') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."feedbacks"', 'description') THEN "description"::pg_catalog.text ELSE runner.text("description") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."feedbacks"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."feedbacks"', 'category') THEN "category"::pg_catalog.text ELSE runner.text("category") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."feedbacks"', 'user_id') THEN "user_id"::pg_catalog.text ELSE runner.text("user_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."feedbacks"', 'user_email') THEN "user_email"::pg_catalog.text ELSE runner.text("user_email") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."feedbacks"', 'rejection_reason') THEN "rejection_reason"::pg_catalog.text ELSE runner.text("rejection_reason") END), 0) AS size, CASE WHEN runner.is_plain('"public"."feedbacks"', 'id') THEN "id"::pg_catalog.text ELSE runner.text("id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain('"public"."feedbacks"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o ON n.place OPERATOR(pg_catalog.=) o.place
    WHERE (n.column_0 OPERATOR(pg_catalog.=) o.column_0) IS NOT TRUE AND (n.column_0 IS NOT NULL OR o.column_0 IS NOT NULL);
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config('DateStyle', runner_style[1], true), pg_catalog.set_config('extra_float_digits', runner_style[2], true), pg_catalog.set_config('IntervalStyle', runner_style[3], true), pg_catalog.set_config('bytea_output', runner_style[4], true);
  END IF;
  RETURN NULL;
END$$;


--
-- Name: public.friend_requests.runner_insert(); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner."public.friend_requests.runner_insert"() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting('TimeZone');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', 'UTC', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting('DateStyle'), 'ISO')
    OR pg_catalog.current_setting('extra_float_digits') OPERATOR(pg_catalog.<>) ALL ('{1,2,3}'::pg_catalog.text[])
    OR pg_catalog.current_setting('IntervalStyle') OPERATOR(pg_catalog.<>) 'postgres'
    OR pg_catalog.current_setting('bytea_output') OPERATOR(pg_catalog.<>) 'hex' THEN
    runner_style := ARRAY[pg_catalog.current_setting('DateStyle'), pg_catalog.current_setting('extra_float_digits'), pg_catalog.current_setting('IntervalStyle'), pg_catalog.current_setting('bytea_output')];
    PERFORM pg_catalog.set_config('DateStyle', 'ISO', true), pg_catalog.set_config('extra_float_digits', '1', true), pg_catalog.set_config('IntervalStyle', 'postgres', true), pg_catalog.set_config('bytea_output', 'hex', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), 'friend-requested'::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting('app.user_id', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.user_id', true) END,
    CASE WHEN pg_catalog.current_setting('app.traceparent', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.traceparent', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, 'INSERT'::pg_catalog.text,
    'public'::pg_catalog.text, 'friend_requests'::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."friend_requests"', 'id') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."friend_requests"') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN 'true'::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition('friend-requested', m.key), runner.random_partition()) AS partition, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "recipient_id", NULL::pg_catalog.text AS "status") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."friend_requests"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) AS size, CASE WHEN runner.is_plain('"public"."friend_requests"', 'recipient_id') THEN "recipient_id"::pg_catalog.text ELSE runner.text("recipient_id") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n;
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config('DateStyle', runner_style[1], true), pg_catalog.set_config('extra_float_digits', runner_style[2], true), pg_catalog.set_config('IntervalStyle', runner_style[3], true), pg_catalog.set_config('bytea_output', runner_style[4], true);
  END IF;
  RETURN NULL;
END$$;


--
-- Name: public.friend_requests.runner_update(); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner."public.friend_requests.runner_update"() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting('TimeZone');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', 'UTC', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting('DateStyle'), 'ISO')
    OR pg_catalog.current_setting('extra_float_digits') OPERATOR(pg_catalog.<>) ALL ('{1,2,3}'::pg_catalog.text[])
    OR pg_catalog.current_setting('IntervalStyle') OPERATOR(pg_catalog.<>) 'postgres'
    OR pg_catalog.current_setting('bytea_output') OPERATOR(pg_catalog.<>) 'hex' THEN
    runner_style := ARRAY[pg_catalog.current_setting('DateStyle'), pg_catalog.current_setting('extra_float_digits'), pg_catalog.current_setting('IntervalStyle'), pg_catalog.current_setting('bytea_output')];
    PERFORM pg_catalog.set_config('DateStyle', 'ISO', true), pg_catalog.set_config('extra_float_digits', '1', true), pg_catalog.set_config('IntervalStyle', 'postgres', true), pg_catalog.set_config('bytea_output', 'hex', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), 'action-completed'::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting('app.user_id', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.user_id', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting('app.traceparent', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.traceparent', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, 'UPDATE'::pg_catalog.text,
    'public'::pg_catalog.text, 'friend_requests'::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."friend_requests"', 'id') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."friend_requests"') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."friend_requests"', 'id') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."friend_requests"') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL OR o.image IS NOT DISTINCT FROM NULL THEN 'true'::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition('action-completed', m.key), runner.random_partition()) AS partition, m.key_0, m.column_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "status") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."friend_requests"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) AS size, NULL::pg_catalog.text AS key, "id" AS key_0, CASE WHEN runner.is_plain('"public"."friend_requests"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n
    FULL JOIN (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key_0, m.column_0
      FROM (SELECT ''::pg_catalog.text AS "id", ''::pg_catalog.text AS "status") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."friend_requests"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) AS size, NULL::pg_catalog.text AS key, "id" AS key_0, CASE WHEN runner.is_plain('"public"."friend_requests"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o ON n.place OPERATOR(pg_catalog.=) o.place
    WHERE (n.column_0 OPERATOR(pg_catalog.=) o.column_0) IS NOT TRUE AND (n.column_0 IS NOT NULL OR o.column_0 IS NOT NULL)
  UNION ALL
  SELECT n.partition, runner.draw(n.partition), 'friend-requested'::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting('app.user_id', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.user_id', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting('app.traceparent', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.traceparent', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, 'UPDATE'::pg_catalog.text,
    'public'::pg_catalog.text, 'friend_requests'::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."friend_requests"', 'id') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."friend_requests"') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."friend_requests"', 'id') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."friend_requests"') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL OR o.image IS NOT DISTINCT FROM NULL THEN 'true'::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition('friend-requested', m.key), runner.random_partition()) AS partition, m.key_0, m.column_0, m.filter_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "recipient_id", 'pending'::pg_catalog.text AS "status") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."friend_requests"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) AS size, CASE WHEN runner.is_plain('"public"."friend_requests"', 'recipient_id') THEN "recipient_id"::pg_catalog.text ELSE runner.text("recipient_id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain('"public"."friend_requests"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_0, CASE WHEN runner.is_plain('"public"."friend_requests"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS filter_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n
    FULL JOIN (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key_0, m.column_0
      FROM (SELECT ''::pg_catalog.text AS "id", ''::pg_catalog.text AS "recipient_id", ''::pg_catalog.text AS "status") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."friend_requests"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) AS size, CASE WHEN runner.is_plain('"public"."friend_requests"', 'recipient_id') THEN "recipient_id"::pg_catalog.text ELSE runner.text("recipient_id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain('"public"."friend_requests"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o ON n.place OPERATOR(pg_catalog.=) o.place
    WHERE ((n.column_0 OPERATOR(pg_catalog.=) o.column_0) IS NOT TRUE AND (n.column_0 IS NOT NULL OR o.column_0 IS NOT NULL)) AND (n.filter_0 OPERATOR(pg_catalog.=) 'pending') IS TRUE;
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config('DateStyle', runner_style[1], true), pg_catalog.set_config('extra_float_digits', runner_style[2], true), pg_catalog.set_config('IntervalStyle', runner_style[3], true), pg_catalog.set_config('bytea_output', runner_style[4], true);
  END IF;
  RETURN NULL;
END$$;


--
-- Name: public.group_invites.runner_insert(); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner."public.group_invites.runner_insert"() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting('TimeZone');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', 'UTC', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting('DateStyle'), 'ISO')
    OR pg_catalog.current_setting('extra_float_digits') OPERATOR(pg_catalog.<>) ALL ('{1,2,3}'::pg_catalog.text[])
    OR pg_catalog.current_setting('IntervalStyle') OPERATOR(pg_catalog.<>) 'postgres'
    OR pg_catalog.current_setting('bytea_output') OPERATOR(pg_catalog.<>) 'hex' THEN
    runner_style := ARRAY[pg_catalog.current_setting('DateStyle'), pg_catalog.current_setting('extra_float_digits'), pg_catalog.current_setting('IntervalStyle'), pg_catalog.current_setting('bytea_output')];
    PERFORM pg_catalog.set_config('DateStyle', 'ISO', true), pg_catalog.set_config('extra_float_digits', '1', true), pg_catalog.set_config('IntervalStyle', 'postgres', true), pg_catalog.set_config('bytea_output', 'hex', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), 'group-invited'::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting('app.user_id', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.user_id', true) END,
    CASE WHEN pg_catalog.current_setting('app.traceparent', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.traceparent', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, 'INSERT'::pg_catalog.text,
    'public'::pg_catalog.text, 'group_invites'::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."group_invites"', 'id') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."group_invites"') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN 'true'::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition('group-invited', m.key), runner.random_partition()) AS partition, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "invitee_id", NULL::pg_catalog.text AS "status") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."group_invites"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) AS size, CASE WHEN runner.is_plain('"public"."group_invites"', 'invitee_id') THEN "invitee_id"::pg_catalog.text ELSE runner.text("invitee_id") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n;
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config('DateStyle', runner_style[1], true), pg_catalog.set_config('extra_float_digits', runner_style[2], true), pg_catalog.set_config('IntervalStyle', runner_style[3], true), pg_catalog.set_config('bytea_output', runner_style[4], true);
  END IF;
  RETURN NULL;
END$$;


--
-- Name: public.group_invites.runner_update(); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner."public.group_invites.runner_update"() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting('TimeZone');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', 'UTC', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting('DateStyle'), 'ISO')
    OR pg_catalog.current_setting('extra_float_digits') OPERATOR(pg_catalog.<>) ALL ('{1,2,3}'::pg_catalog.text[])
    OR pg_catalog.current_setting('IntervalStyle') OPERATOR(pg_catalog.<>) 'postgres'
    OR pg_catalog.current_setting('bytea_output') OPERATOR(pg_catalog.<>) 'hex' THEN
    runner_style := ARRAY[pg_catalog.current_setting('DateStyle'), pg_catalog.current_setting('extra_float_digits'), pg_catalog.current_setting('IntervalStyle'), pg_catalog.current_setting('bytea_output')];
    PERFORM pg_catalog.set_config('DateStyle', 'ISO', true), pg_catalog.set_config('extra_float_digits', '1', true), pg_catalog.set_config('IntervalStyle', 'postgres', true), pg_catalog.set_config('bytea_output', 'hex', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), 'action-completed'::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting('app.user_id', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.user_id', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting('app.traceparent', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.traceparent', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, 'UPDATE'::pg_catalog.text,
    'public'::pg_catalog.text, 'group_invites'::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."group_invites"', 'id') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."group_invites"') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."group_invites"', 'id') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."group_invites"') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL OR o.image IS NOT DISTINCT FROM NULL THEN 'true'::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition('action-completed', m.key), runner.random_partition()) AS partition, m.key_0, m.column_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "status") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."group_invites"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) AS size, NULL::pg_catalog.text AS key, "id" AS key_0, CASE WHEN runner.is_plain('"public"."group_invites"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n
    FULL JOIN (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key_0, m.column_0
      FROM (SELECT ''::pg_catalog.text AS "id", ''::pg_catalog.text AS "status") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."group_invites"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) AS size, NULL::pg_catalog.text AS key, "id" AS key_0, CASE WHEN runner.is_plain('"public"."group_invites"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o ON n.place OPERATOR(pg_catalog.=) o.place
    WHERE (n.column_0 OPERATOR(pg_catalog.=) o.column_0) IS NOT TRUE AND (n.column_0 IS NOT NULL OR o.column_0 IS NOT NULL)
  UNION ALL
  SELECT n.partition, runner.draw(n.partition), 'group-invited'::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting('app.user_id', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.user_id', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting('app.traceparent', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.traceparent', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, 'UPDATE'::pg_catalog.text,
    'public'::pg_catalog.text, 'group_invites'::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."group_invites"', 'id') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."group_invites"') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."group_invites"', 'id') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."group_invites"') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL OR o.image IS NOT DISTINCT FROM NULL THEN 'true'::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition('group-invited', m.key), runner.random_partition()) AS partition, m.key_0, m.column_0, m.filter_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "invitee_id", 'pending'::pg_catalog.text AS "status") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."group_invites"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) AS size, CASE WHEN runner.is_plain('"public"."group_invites"', 'invitee_id') THEN "invitee_id"::pg_catalog.text ELSE runner.text("invitee_id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain('"public"."group_invites"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_0, CASE WHEN runner.is_plain('"public"."group_invites"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS filter_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n
    FULL JOIN (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key_0, m.column_0
      FROM (SELECT ''::pg_catalog.text AS "id", ''::pg_catalog.text AS "invitee_id", ''::pg_catalog.text AS "status") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."group_invites"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) AS size, CASE WHEN runner.is_plain('"public"."group_invites"', 'invitee_id') THEN "invitee_id"::pg_catalog.text ELSE runner.text("invitee_id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain('"public"."group_invites"', 'status') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o ON n.place OPERATOR(pg_catalog.=) o.place
    WHERE ((n.column_0 OPERATOR(pg_catalog.=) o.column_0) IS NOT TRUE AND (n.column_0 IS NOT NULL OR o.column_0 IS NOT NULL)) AND (n.filter_0 OPERATOR(pg_catalog.=) 'pending') IS TRUE;
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config('DateStyle', runner_style[1], true), pg_catalog.set_config('extra_float_digits', runner_style[2], true), pg_catalog.set_config('IntervalStyle', runner_style[3], true), pg_catalog.set_config('bytea_output', runner_style[4], true);
  END IF;
  RETURN NULL;
END$$;


--
-- Name: public.notifications.runner_insert(); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner."public.notifications.runner_insert"() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting('TimeZone');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', 'UTC', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting('DateStyle'), 'ISO')
    OR pg_catalog.current_setting('extra_float_digits') OPERATOR(pg_catalog.<>) ALL ('{1,2,3}'::pg_catalog.text[])
    OR pg_catalog.current_setting('IntervalStyle') OPERATOR(pg_catalog.<>) 'postgres'
    OR pg_catalog.current_setting('bytea_output') OPERATOR(pg_catalog.<>) 'hex' THEN
    runner_style := ARRAY[pg_catalog.current_setting('DateStyle'), pg_catalog.current_setting('extra_float_digits'), pg_catalog.current_setting('IntervalStyle'), pg_catalog.current_setting('bytea_output')];
    PERFORM pg_catalog.set_config('DateStyle', 'ISO', true), pg_catalog.set_config('extra_float_digits', '1', true), pg_catalog.set_config('IntervalStyle', 'postgres', true), pg_catalog.set_config('bytea_output', 'hex', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), 'notification-created'::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting('app.user_id', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.user_id', true) END,
    CASE WHEN pg_catalog.current_setting('app.traceparent', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.traceparent', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, 'INSERT'::pg_catalog.text,
    'public'::pg_catalog.text, 'notifications'::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."notifications"', 'id') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."notifications"') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN 'true'::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 65536 OR m.size OPERATOR(pg_catalog.<=) 1048576 AND runner.is_document(r.*) THEN r.* END AS image, m.key, coalesce(runner.partition('notification-created', m.key), runner.random_partition()) AS partition, m.key_0, m.filter_0
      FROM (SELECT NULL::pg_catalog.text AS "actor", NULL::pg_catalog.text AS "actor_name", NULL::pg_catalog.text AS "app", NULL::pg_catalog.text AS "body", NULL::pg_catalog.text AS "collapse_id", NULL::pg_catalog.text AS "data", NULL::pg_catalog.text AS "dedupe_key", NULL::pg_catalog.text AS "entity_id", NULL::pg_catalog.text AS "family", NULL::pg_catalog.text AS "family_name", NULL::pg_catalog.text AS "family_subject", NULL::pg_catalog.text AS "function", NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "importance", NULL::pg_catalog.text AS "message", 'app'::pg_catalog.text AS "origin", NULL::pg_catalog.text AS "payload", NULL::pg_catalog.text AS "phone_text", NULL::pg_catalog.text AS "push_type", NULL::pg_catalog.text AS "recipient_reason", NULL::pg_catalog.text AS "source", NULL::pg_catalog.text AS "source_event_id", NULL::pg_catalog.text AS "subject_id", NULL::pg_catalog.text AS "title", NULL::pg_catalog.text AS "traceparent", NULL::pg_catalog.text AS "type", NULL::pg_catalog.text AS "user_id", NULL::pg_catalog.text AS "variant") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'type') THEN "type"::pg_catalog.text ELSE runner.text("type") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'title') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'body') THEN "body"::pg_catalog.text ELSE runner.text("body") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'app') THEN "app"::pg_catalog.text ELSE runner.text("app") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'origin') THEN "origin"::pg_catalog.text ELSE runner.text("origin") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'subject_id') THEN "subject_id"::pg_catalog.text ELSE runner.text("subject_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'entity_id') THEN "entity_id"::pg_catalog.text ELSE runner.text("entity_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'message') THEN "message"::pg_catalog.text ELSE runner.text("message") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'importance') THEN "importance"::pg_catalog.text ELSE runner.text("importance") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'payload') THEN "payload"::pg_catalog.text ELSE runner.text("payload") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'push_type') THEN "push_type"::pg_catalog.text ELSE runner.text("push_type") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'collapse_id') THEN "collapse_id"::pg_catalog.text ELSE runner.text("collapse_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'function') THEN "function"::pg_catalog.text ELSE runner.text("function") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'source') THEN "source"::pg_catalog.text ELSE runner.text("source") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'source_event_id') THEN "source_event_id"::pg_catalog.text ELSE runner.text("source_event_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'dedupe_key') THEN "dedupe_key"::pg_catalog.text ELSE runner.text("dedupe_key") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'variant') THEN "variant"::pg_catalog.text ELSE runner.text("variant") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'traceparent') THEN "traceparent"::pg_catalog.text ELSE runner.text("traceparent") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'recipient_reason') THEN "recipient_reason"::pg_catalog.text ELSE runner.text("recipient_reason") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'family') THEN "family"::pg_catalog.text ELSE runner.text("family") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'family_subject') THEN "family_subject"::pg_catalog.text ELSE runner.text("family_subject") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'family_name') THEN "family_name"::pg_catalog.text ELSE runner.text("family_name") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'actor') THEN "actor"::pg_catalog.text ELSE runner.text("actor") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'actor_name') THEN "actor_name"::pg_catalog.text ELSE runner.text("actor_name") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.pg_column_size("data"), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.pg_column_size("phone_text"), 0) AS size, CASE WHEN runner.is_plain('"public"."notifications"', 'user_id') THEN "user_id"::pg_catalog.text ELSE runner.text("user_id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain('"public"."notifications"', 'origin') THEN "origin"::pg_catalog.text ELSE runner.text("origin") END COLLATE pg_catalog."C" AS filter_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n WHERE (n.filter_0 OPERATOR(pg_catalog.=) 'app') IS TRUE;
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config('DateStyle', runner_style[1], true), pg_catalog.set_config('extra_float_digits', runner_style[2], true), pg_catalog.set_config('IntervalStyle', runner_style[3], true), pg_catalog.set_config('bytea_output', runner_style[4], true);
  END IF;
  RETURN NULL;
END$$;


--
-- Name: public.notifications.runner_update(); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner."public.notifications.runner_update"() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting('TimeZone');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', 'UTC', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting('DateStyle'), 'ISO')
    OR pg_catalog.current_setting('extra_float_digits') OPERATOR(pg_catalog.<>) ALL ('{1,2,3}'::pg_catalog.text[])
    OR pg_catalog.current_setting('IntervalStyle') OPERATOR(pg_catalog.<>) 'postgres'
    OR pg_catalog.current_setting('bytea_output') OPERATOR(pg_catalog.<>) 'hex' THEN
    runner_style := ARRAY[pg_catalog.current_setting('DateStyle'), pg_catalog.current_setting('extra_float_digits'), pg_catalog.current_setting('IntervalStyle'), pg_catalog.current_setting('bytea_output')];
    PERFORM pg_catalog.set_config('DateStyle', 'ISO', true), pg_catalog.set_config('extra_float_digits', '1', true), pg_catalog.set_config('IntervalStyle', 'postgres', true), pg_catalog.set_config('bytea_output', 'hex', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), 'action-completed'::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting('app.user_id', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.user_id', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting('app.traceparent', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.traceparent', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, 'UPDATE'::pg_catalog.text,
    'public'::pg_catalog.text, 'notifications'::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."notifications"', 'id') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."notifications"') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."notifications"', 'id') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."notifications"') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL OR o.image IS NOT DISTINCT FROM NULL THEN 'true'::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 65536 OR m.size OPERATOR(pg_catalog.<=) 1048576 AND runner.is_document(r.*) THEN r.* END AS image, m.key, coalesce(runner.partition('action-completed', m.key), runner.random_partition()) AS partition, m.key_0, m.column_0, m.column_1
      FROM (SELECT NULL::pg_catalog.text AS "actor", NULL::pg_catalog.text AS "actor_name", NULL::pg_catalog.text AS "app", NULL::pg_catalog.text AS "body", NULL::pg_catalog.text AS "collapse_id", NULL::pg_catalog.text AS "data", NULL::pg_catalog.text AS "dedupe_key", NULL::pg_catalog.text AS "entity_id", NULL::pg_catalog.text AS "family", NULL::pg_catalog.text AS "family_name", NULL::pg_catalog.text AS "family_subject", NULL::pg_catalog.text AS "function", NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "importance", NULL::pg_catalog.text AS "is_archived", NULL::pg_catalog.text AS "is_read", NULL::pg_catalog.text AS "message", NULL::pg_catalog.text AS "origin", NULL::pg_catalog.text AS "payload", NULL::pg_catalog.text AS "phone_text", NULL::pg_catalog.text AS "push_type", NULL::pg_catalog.text AS "recipient_reason", NULL::pg_catalog.text AS "source", NULL::pg_catalog.text AS "source_event_id", NULL::pg_catalog.text AS "subject_id", NULL::pg_catalog.text AS "title", NULL::pg_catalog.text AS "traceparent", NULL::pg_catalog.text AS "type", NULL::pg_catalog.text AS "variant") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'type') THEN "type"::pg_catalog.text ELSE runner.text("type") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'title') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'body') THEN "body"::pg_catalog.text ELSE runner.text("body") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'app') THEN "app"::pg_catalog.text ELSE runner.text("app") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'origin') THEN "origin"::pg_catalog.text ELSE runner.text("origin") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'subject_id') THEN "subject_id"::pg_catalog.text ELSE runner.text("subject_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'entity_id') THEN "entity_id"::pg_catalog.text ELSE runner.text("entity_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'message') THEN "message"::pg_catalog.text ELSE runner.text("message") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'importance') THEN "importance"::pg_catalog.text ELSE runner.text("importance") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'payload') THEN "payload"::pg_catalog.text ELSE runner.text("payload") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'push_type') THEN "push_type"::pg_catalog.text ELSE runner.text("push_type") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'collapse_id') THEN "collapse_id"::pg_catalog.text ELSE runner.text("collapse_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'function') THEN "function"::pg_catalog.text ELSE runner.text("function") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'source') THEN "source"::pg_catalog.text ELSE runner.text("source") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'source_event_id') THEN "source_event_id"::pg_catalog.text ELSE runner.text("source_event_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'dedupe_key') THEN "dedupe_key"::pg_catalog.text ELSE runner.text("dedupe_key") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'variant') THEN "variant"::pg_catalog.text ELSE runner.text("variant") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'traceparent') THEN "traceparent"::pg_catalog.text ELSE runner.text("traceparent") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'recipient_reason') THEN "recipient_reason"::pg_catalog.text ELSE runner.text("recipient_reason") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'family') THEN "family"::pg_catalog.text ELSE runner.text("family") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'family_subject') THEN "family_subject"::pg_catalog.text ELSE runner.text("family_subject") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'family_name') THEN "family_name"::pg_catalog.text ELSE runner.text("family_name") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'actor') THEN "actor"::pg_catalog.text ELSE runner.text("actor") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'actor_name') THEN "actor_name"::pg_catalog.text ELSE runner.text("actor_name") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.pg_column_size("data"), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.pg_column_size("phone_text"), 0) AS size, NULL::pg_catalog.text AS key, "id" AS key_0, CASE WHEN runner.is_plain('"public"."notifications"', 'is_read') THEN "is_read"::pg_catalog.text ELSE runner.text("is_read") END COLLATE pg_catalog."C" AS column_0, CASE WHEN runner.is_plain('"public"."notifications"', 'is_archived') THEN "is_archived"::pg_catalog.text ELSE runner.text("is_archived") END COLLATE pg_catalog."C" AS column_1
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n
    FULL JOIN (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 65536 OR m.size OPERATOR(pg_catalog.<=) 1048576 AND runner.is_document(r.*) THEN r.* END AS image, m.key_0, m.column_0, m.column_1
      FROM (SELECT ''::pg_catalog.text AS "actor", ''::pg_catalog.text AS "actor_name", ''::pg_catalog.text AS "app", ''::pg_catalog.text AS "body", ''::pg_catalog.text AS "collapse_id", ''::pg_catalog.text AS "data", ''::pg_catalog.text AS "dedupe_key", ''::pg_catalog.text AS "entity_id", ''::pg_catalog.text AS "family", ''::pg_catalog.text AS "family_name", ''::pg_catalog.text AS "family_subject", ''::pg_catalog.text AS "function", ''::pg_catalog.text AS "id", ''::pg_catalog.text AS "importance", ''::pg_catalog.text AS "is_archived", ''::pg_catalog.text AS "is_read", ''::pg_catalog.text AS "message", ''::pg_catalog.text AS "origin", ''::pg_catalog.text AS "payload", ''::pg_catalog.text AS "phone_text", ''::pg_catalog.text AS "push_type", ''::pg_catalog.text AS "recipient_reason", ''::pg_catalog.text AS "source", ''::pg_catalog.text AS "source_event_id", ''::pg_catalog.text AS "subject_id", ''::pg_catalog.text AS "title", ''::pg_catalog.text AS "traceparent", ''::pg_catalog.text AS "type", ''::pg_catalog.text AS "variant") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'type') THEN "type"::pg_catalog.text ELSE runner.text("type") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'title') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'body') THEN "body"::pg_catalog.text ELSE runner.text("body") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'app') THEN "app"::pg_catalog.text ELSE runner.text("app") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'origin') THEN "origin"::pg_catalog.text ELSE runner.text("origin") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'subject_id') THEN "subject_id"::pg_catalog.text ELSE runner.text("subject_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'entity_id') THEN "entity_id"::pg_catalog.text ELSE runner.text("entity_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'message') THEN "message"::pg_catalog.text ELSE runner.text("message") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'importance') THEN "importance"::pg_catalog.text ELSE runner.text("importance") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'payload') THEN "payload"::pg_catalog.text ELSE runner.text("payload") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'push_type') THEN "push_type"::pg_catalog.text ELSE runner.text("push_type") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'collapse_id') THEN "collapse_id"::pg_catalog.text ELSE runner.text("collapse_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'function') THEN "function"::pg_catalog.text ELSE runner.text("function") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'source') THEN "source"::pg_catalog.text ELSE runner.text("source") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'source_event_id') THEN "source_event_id"::pg_catalog.text ELSE runner.text("source_event_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'dedupe_key') THEN "dedupe_key"::pg_catalog.text ELSE runner.text("dedupe_key") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'variant') THEN "variant"::pg_catalog.text ELSE runner.text("variant") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'traceparent') THEN "traceparent"::pg_catalog.text ELSE runner.text("traceparent") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'recipient_reason') THEN "recipient_reason"::pg_catalog.text ELSE runner.text("recipient_reason") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'family') THEN "family"::pg_catalog.text ELSE runner.text("family") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'family_subject') THEN "family_subject"::pg_catalog.text ELSE runner.text("family_subject") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'family_name') THEN "family_name"::pg_catalog.text ELSE runner.text("family_name") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'actor') THEN "actor"::pg_catalog.text ELSE runner.text("actor") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."notifications"', 'actor_name') THEN "actor_name"::pg_catalog.text ELSE runner.text("actor_name") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.pg_column_size("data"), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.pg_column_size("phone_text"), 0) AS size, NULL::pg_catalog.text AS key, "id" AS key_0, CASE WHEN runner.is_plain('"public"."notifications"', 'is_read') THEN "is_read"::pg_catalog.text ELSE runner.text("is_read") END COLLATE pg_catalog."C" AS column_0, CASE WHEN runner.is_plain('"public"."notifications"', 'is_archived') THEN "is_archived"::pg_catalog.text ELSE runner.text("is_archived") END COLLATE pg_catalog."C" AS column_1
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o ON n.place OPERATOR(pg_catalog.=) o.place
    WHERE ((n.column_0 OPERATOR(pg_catalog.=) o.column_0) IS NOT TRUE AND (n.column_0 IS NOT NULL OR o.column_0 IS NOT NULL) OR (n.column_1 OPERATOR(pg_catalog.=) o.column_1) IS NOT TRUE AND (n.column_1 IS NOT NULL OR o.column_1 IS NOT NULL)) AND (pg_catalog.current_setting('app.own_write', true) OPERATOR(pg_catalog.=) 'on') IS NOT TRUE;
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config('DateStyle', runner_style[1], true), pg_catalog.set_config('extra_float_digits', runner_style[2], true), pg_catalog.set_config('IntervalStyle', runner_style[3], true), pg_catalog.set_config('bytea_output', runner_style[4], true);
  END IF;
  RETURN NULL;
END$$;


--
-- Name: public.proposal_votes.runner_delete(); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner."public.proposal_votes.runner_delete"() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting('TimeZone');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', 'UTC', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting('DateStyle'), 'ISO')
    OR pg_catalog.current_setting('extra_float_digits') OPERATOR(pg_catalog.<>) ALL ('{1,2,3}'::pg_catalog.text[])
    OR pg_catalog.current_setting('IntervalStyle') OPERATOR(pg_catalog.<>) 'postgres'
    OR pg_catalog.current_setting('bytea_output') OPERATOR(pg_catalog.<>) 'hex' THEN
    runner_style := ARRAY[pg_catalog.current_setting('DateStyle'), pg_catalog.current_setting('extra_float_digits'), pg_catalog.current_setting('IntervalStyle'), pg_catalog.current_setting('bytea_output')];
    PERFORM pg_catalog.set_config('DateStyle', 'ISO', true), pg_catalog.set_config('extra_float_digits', '1', true), pg_catalog.set_config('IntervalStyle', 'postgres', true), pg_catalog.set_config('bytea_output', 'hex', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT o.partition, runner.draw(o.partition), 'proposal-vote-cast'::pg_catalog.text,
    o.key, NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting('app.user_id', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.user_id', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting('app.traceparent', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.traceparent', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, 'DELETE'::pg_catalog.text,
    'public'::pg_catalog.text, 'proposal_votes'::pg_catalog.text,
    NULL::pg_catalog.jsonb,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."proposal_votes"', 'id') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."proposal_votes"') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN 'true'::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition('proposal-vote-cast', m.key), runner.random_partition()) AS partition, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "proposal_id", NULL::pg_catalog.text AS "vote") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."proposal_votes"', 'vote') THEN "vote"::pg_catalog.text ELSE runner.text("vote") END), 0) AS size, CASE WHEN runner.is_plain('"public"."proposal_votes"', 'proposal_id') THEN "proposal_id"::pg_catalog.text ELSE runner.text("proposal_id") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o;
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config('DateStyle', runner_style[1], true), pg_catalog.set_config('extra_float_digits', runner_style[2], true), pg_catalog.set_config('IntervalStyle', runner_style[3], true), pg_catalog.set_config('bytea_output', runner_style[4], true);
  END IF;
  RETURN NULL;
END$$;


--
-- Name: public.proposal_votes.runner_insert(); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner."public.proposal_votes.runner_insert"() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting('TimeZone');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', 'UTC', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting('DateStyle'), 'ISO')
    OR pg_catalog.current_setting('extra_float_digits') OPERATOR(pg_catalog.<>) ALL ('{1,2,3}'::pg_catalog.text[])
    OR pg_catalog.current_setting('IntervalStyle') OPERATOR(pg_catalog.<>) 'postgres'
    OR pg_catalog.current_setting('bytea_output') OPERATOR(pg_catalog.<>) 'hex' THEN
    runner_style := ARRAY[pg_catalog.current_setting('DateStyle'), pg_catalog.current_setting('extra_float_digits'), pg_catalog.current_setting('IntervalStyle'), pg_catalog.current_setting('bytea_output')];
    PERFORM pg_catalog.set_config('DateStyle', 'ISO', true), pg_catalog.set_config('extra_float_digits', '1', true), pg_catalog.set_config('IntervalStyle', 'postgres', true), pg_catalog.set_config('bytea_output', 'hex', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), 'action-completed'::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting('app.user_id', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.user_id', true) END,
    CASE WHEN pg_catalog.current_setting('app.traceparent', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.traceparent', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, 'INSERT'::pg_catalog.text,
    'public'::pg_catalog.text, 'proposal_votes'::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."proposal_votes"', 'id') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."proposal_votes"') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN 'true'::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition('action-completed', m.key), runner.random_partition()) AS partition, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "vote") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."proposal_votes"', 'vote') THEN "vote"::pg_catalog.text ELSE runner.text("vote") END), 0) AS size, NULL::pg_catalog.text AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n
  UNION ALL
  SELECT n.partition, runner.draw(n.partition), 'proposal-vote-cast'::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting('app.user_id', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.user_id', true) END,
    CASE WHEN pg_catalog.current_setting('app.traceparent', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.traceparent', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, 'INSERT'::pg_catalog.text,
    'public'::pg_catalog.text, 'proposal_votes'::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."proposal_votes"', 'id') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."proposal_votes"') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN 'true'::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition('proposal-vote-cast', m.key), runner.random_partition()) AS partition, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "proposal_id", NULL::pg_catalog.text AS "vote") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."proposal_votes"', 'vote') THEN "vote"::pg_catalog.text ELSE runner.text("vote") END), 0) AS size, CASE WHEN runner.is_plain('"public"."proposal_votes"', 'proposal_id') THEN "proposal_id"::pg_catalog.text ELSE runner.text("proposal_id") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n;
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config('DateStyle', runner_style[1], true), pg_catalog.set_config('extra_float_digits', runner_style[2], true), pg_catalog.set_config('IntervalStyle', runner_style[3], true), pg_catalog.set_config('bytea_output', runner_style[4], true);
  END IF;
  RETURN NULL;
END$$;


--
-- Name: public.proposal_votes.runner_update(); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner."public.proposal_votes.runner_update"() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting('TimeZone');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', 'UTC', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting('DateStyle'), 'ISO')
    OR pg_catalog.current_setting('extra_float_digits') OPERATOR(pg_catalog.<>) ALL ('{1,2,3}'::pg_catalog.text[])
    OR pg_catalog.current_setting('IntervalStyle') OPERATOR(pg_catalog.<>) 'postgres'
    OR pg_catalog.current_setting('bytea_output') OPERATOR(pg_catalog.<>) 'hex' THEN
    runner_style := ARRAY[pg_catalog.current_setting('DateStyle'), pg_catalog.current_setting('extra_float_digits'), pg_catalog.current_setting('IntervalStyle'), pg_catalog.current_setting('bytea_output')];
    PERFORM pg_catalog.set_config('DateStyle', 'ISO', true), pg_catalog.set_config('extra_float_digits', '1', true), pg_catalog.set_config('IntervalStyle', 'postgres', true), pg_catalog.set_config('bytea_output', 'hex', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), 'action-completed'::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting('app.user_id', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.user_id', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting('app.traceparent', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.traceparent', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, 'UPDATE'::pg_catalog.text,
    'public'::pg_catalog.text, 'proposal_votes'::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."proposal_votes"', 'id') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."proposal_votes"') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."proposal_votes"', 'id') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."proposal_votes"') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL OR o.image IS NOT DISTINCT FROM NULL THEN 'true'::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition('action-completed', m.key), runner.random_partition()) AS partition, m.key_0, m.column_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "vote") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."proposal_votes"', 'vote') THEN "vote"::pg_catalog.text ELSE runner.text("vote") END), 0) AS size, NULL::pg_catalog.text AS key, "id" AS key_0, CASE WHEN runner.is_plain('"public"."proposal_votes"', 'vote') THEN "vote"::pg_catalog.text ELSE runner.text("vote") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n
    FULL JOIN (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key_0, m.column_0
      FROM (SELECT ''::pg_catalog.text AS "id", ''::pg_catalog.text AS "vote") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."proposal_votes"', 'vote') THEN "vote"::pg_catalog.text ELSE runner.text("vote") END), 0) AS size, NULL::pg_catalog.text AS key, "id" AS key_0, CASE WHEN runner.is_plain('"public"."proposal_votes"', 'vote') THEN "vote"::pg_catalog.text ELSE runner.text("vote") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o ON n.place OPERATOR(pg_catalog.=) o.place
    WHERE (n.column_0 OPERATOR(pg_catalog.=) o.column_0) IS NOT TRUE AND (n.column_0 IS NOT NULL OR o.column_0 IS NOT NULL)
  UNION ALL
  SELECT n.partition, runner.draw(n.partition), 'proposal-vote-cast'::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting('app.user_id', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.user_id', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting('app.traceparent', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.traceparent', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, 'UPDATE'::pg_catalog.text,
    'public'::pg_catalog.text, 'proposal_votes'::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."proposal_votes"', 'id') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."proposal_votes"') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."proposal_votes"', 'id') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."proposal_votes"') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL OR o.image IS NOT DISTINCT FROM NULL THEN 'true'::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition('proposal-vote-cast', m.key), runner.random_partition()) AS partition, m.key_0, m.column_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "proposal_id", NULL::pg_catalog.text AS "vote") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."proposal_votes"', 'vote') THEN "vote"::pg_catalog.text ELSE runner.text("vote") END), 0) AS size, CASE WHEN runner.is_plain('"public"."proposal_votes"', 'proposal_id') THEN "proposal_id"::pg_catalog.text ELSE runner.text("proposal_id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain('"public"."proposal_votes"', 'vote') THEN "vote"::pg_catalog.text ELSE runner.text("vote") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n
    FULL JOIN (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key_0, m.column_0
      FROM (SELECT ''::pg_catalog.text AS "id", ''::pg_catalog.text AS "proposal_id", ''::pg_catalog.text AS "vote") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."proposal_votes"', 'vote') THEN "vote"::pg_catalog.text ELSE runner.text("vote") END), 0) AS size, CASE WHEN runner.is_plain('"public"."proposal_votes"', 'proposal_id') THEN "proposal_id"::pg_catalog.text ELSE runner.text("proposal_id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain('"public"."proposal_votes"', 'vote') THEN "vote"::pg_catalog.text ELSE runner.text("vote") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o ON n.place OPERATOR(pg_catalog.=) o.place
    WHERE (n.column_0 OPERATOR(pg_catalog.=) o.column_0) IS NOT TRUE AND (n.column_0 IS NOT NULL OR o.column_0 IS NOT NULL);
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config('DateStyle', runner_style[1], true), pg_catalog.set_config('extra_float_digits', runner_style[2], true), pg_catalog.set_config('IntervalStyle', runner_style[3], true), pg_catalog.set_config('bytea_output', runner_style[4], true);
  END IF;
  RETURN NULL;
END$$;


--
-- Name: public.votes.runner_insert(); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner."public.votes.runner_insert"() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting('TimeZone');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', 'UTC', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting('DateStyle'), 'ISO')
    OR pg_catalog.current_setting('extra_float_digits') OPERATOR(pg_catalog.<>) ALL ('{1,2,3}'::pg_catalog.text[])
    OR pg_catalog.current_setting('IntervalStyle') OPERATOR(pg_catalog.<>) 'postgres'
    OR pg_catalog.current_setting('bytea_output') OPERATOR(pg_catalog.<>) 'hex' THEN
    runner_style := ARRAY[pg_catalog.current_setting('DateStyle'), pg_catalog.current_setting('extra_float_digits'), pg_catalog.current_setting('IntervalStyle'), pg_catalog.current_setting('bytea_output')];
    PERFORM pg_catalog.set_config('DateStyle', 'ISO', true), pg_catalog.set_config('extra_float_digits', '1', true), pg_catalog.set_config('IntervalStyle', 'postgres', true), pg_catalog.set_config('bytea_output', 'hex', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), 'vote-cast'::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting('app.user_id', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.user_id', true) END,
    CASE WHEN pg_catalog.current_setting('app.traceparent', true) OPERATOR(pg_catalog.<>) '' THEN pg_catalog.current_setting('app.traceparent', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, 'INSERT'::pg_catalog.text,
    'public'::pg_catalog.text, 'votes'::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object('id', CASE WHEN runner.is_plain('"public"."votes"', 'id') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain('"public"."votes"') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN 'true'::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition('vote-cast', m.key), runner.random_partition()) AS partition, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "feedback_id", NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "user_email", NULL::pg_catalog.text AS "user_id") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."votes"', 'user_id') THEN "user_id"::pg_catalog.text ELSE runner.text("user_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain('"public"."votes"', 'user_email') THEN "user_email"::pg_catalog.text ELSE runner.text("user_email") END), 0) AS size, CASE WHEN runner.is_plain('"public"."votes"', 'feedback_id') THEN "feedback_id"::pg_catalog.text ELSE runner.text("feedback_id") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n;
  IF runner_zone OPERATOR(pg_catalog.<>) 'UTC' THEN
    PERFORM pg_catalog.set_config('TimeZone', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config('DateStyle', runner_style[1], true), pg_catalog.set_config('extra_float_digits', runner_style[2], true), pg_catalog.set_config('IntervalStyle', runner_style[3], true), pg_catalog.set_config('bytea_output', runner_style[4], true);
  END IF;
  RETURN NULL;
END$$;


--
-- Name: random_partition(); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.random_partition() RETURNS smallint
    LANGUAGE sql
    AS $$ SELECT pg_catalog.floor(pg_catalog.random() OPERATOR(pg_catalog.*) runner.partitions())::smallint $$;


--
-- Name: redact(jsonb, text[]); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.redact(document jsonb, members text[]) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
BEGIN
  IF jsonb_typeof(document) IS DISTINCT FROM 'object' THEN
    RETURN document;
  END IF;
  RETURN document
    || coalesce((SELECT jsonb_object_agg(m, NULL::jsonb) FROM unnest(members) AS m WHERE document ? m), '{}')
    || coalesce((
      SELECT jsonb_object_agg(m, runner.redact(document -> m, members)) FROM unnest(ARRAY['record', 'old_record']) AS m
      WHERE jsonb_typeof(document -> m) = 'object' AND m <> ALL (members)), '{}');
END $$;


--
-- Name: release(uuid, smallint[]); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.release(me uuid, partitions smallint[] DEFAULT NULL::smallint[]) RETURNS void
    LANGUAGE sql
    AS $$
  UPDATE runner.leases AS l SET owner = NULL, expires_at = '-infinity'
  WHERE l.owner = me AND (partitions IS NULL OR l.partition = ANY (partitions));
  DELETE FROM runner.runners AS r WHERE r.owner = me AND partitions IS NULL;
$$;


--
-- Name: events; Type: TABLE; Schema: runner; Owner: -
--

CREATE TABLE runner.events (
    partition smallint NOT NULL,
    id bigint NOT NULL,
    function text NOT NULL,
    key text,
    event_id text,
    at timestamp with time zone DEFAULT runner.now() NOT NULL,
    actor text,
    traceparent text,
    source text,
    type text,
    op text,
    table_schema text,
    table_name text,
    record jsonb,
    old_record jsonb,
    data jsonb,
    replayedfrom text
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='2000', autovacuum_vacuum_cost_delay='0', autovacuum_vacuum_insert_scale_factor='0', autovacuum_vacuum_insert_threshold='100000', vacuum_truncate=off, toast.autovacuum_vacuum_scale_factor='0', toast.autovacuum_vacuum_threshold='2000');


--
-- Name: remove(smallint[], bigint[], bigint[], integer[], bigint[]); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.remove(partitions smallint[], lows bigint[], highs bigint[], positions integer[], durations bigint[]) RETURNS TABLE(event runner.events, duration_us bigint)
    LANGUAGE plpgsql
    AS $$
BEGIN
  FOR n IN 1..cardinality(partitions) LOOP
    RETURN QUERY
      DELETE FROM runner.events AS e WHERE e.partition = partitions[n] AND e.id BETWEEN lows[n] AND highs[n]
      RETURNING e, durations[positions[n] + (e.id - lows[n])::integer];
  END LOOP;
END $$;


--
-- Name: remove(smallint[], bigint[], bigint[], integer[], timestamp with time zone[], bigint[]); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.remove(partitions smallint[], lows bigint[], highs bigint[], positions integer[], written timestamp with time zone[], durations bigint[]) RETURNS TABLE(event runner.events, duration_us bigint)
    LANGUAGE plpgsql
    AS $$
BEGIN
  FOR n IN 1..cardinality(partitions) LOOP
    RETURN QUERY
      DELETE FROM runner.events AS e
      WHERE e.partition = partitions[n] AND e.id BETWEEN lows[n] AND highs[n]
        AND e.at <= written[positions[n] + (e.id - lows[n])::integer]
      RETURNING e, durations[positions[n] + (e.id - lows[n])::integer];
  END LOOP;
END $$;


--
-- Name: rerun(runner.events, text); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.rerun(original runner.events, original_id text) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  chosen smallint;
  fresh bigint;
BEGIN
  LOCK TABLE runner.events IN ROW EXCLUSIVE MODE;
  chosen := runner.partition(original.function, coalesce(original.key, original_id));
  PERFORM pg_current_xact_id();
  fresh := runner.next_id(chosen);
  original.partition := chosen;
  original.id := fresh;
  original.event_id := NULL;
  original.at := runner.now();
  original.replayedfrom := original_id;
  INSERT INTO runner.events SELECT (original).*;
  PERFORM runner.notify(ARRAY[chosen]);
  RETURN chosen || '.' || fresh;
END $$;


--
-- Name: rotate(integer, integer); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.rotate(history_days integer, payload_hours integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '2s'
    SET "TimeZone" TO 'UTC'
    AS $_$
DECLARE
  parent text;
  day date;
  old text;
BEGIN
  FOREACH parent IN ARRAY ARRAY['history', 'payloads'] LOOP
    FOR day IN SELECT current_date + n FROM generate_series(0, 1) AS n LOOP
      IF to_regclass(format('runner.%s_%s', parent, to_char(day, 'YYYYMMDD'))) IS NULL THEN
        BEGIN
          EXECUTE format('CREATE TABLE runner.%s_%s PARTITION OF runner.%s FOR VALUES FROM (%L) TO (%L)',
            parent, to_char(day, 'YYYYMMDD'), parent, day, day + 1);
        EXCEPTION WHEN check_violation THEN
          NULL; -- The day has begun in the default partition, because nobody called in time: it stays there.
        END;
      END IF;
    END LOOP;
    EXECUTE format('DELETE FROM runner.%s_default WHERE recorded_at < clock_timestamp() - make_interval(days => %s)',
      parent, history_days);
    FOR old IN
      SELECT c.relname FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
      WHERE i.inhparent = format('runner.%s', parent)::regclass AND c.relname ~ '_[0-9]{8}$'
        AND to_date(right(c.relname, 8), 'YYYYMMDD') + 1 <= clock_timestamp()
          - CASE parent WHEN 'history' THEN make_interval(days => history_days)
            ELSE make_interval(hours => payload_hours) END
    LOOP
      EXECUTE format('DROP TABLE runner.%I', old);
    END LOOP;
  END LOOP;
END $_$;


--
-- Name: set_partitions(integer); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.set_partitions(number integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF number NOT BETWEEN 1 AND 256 OR number & (number - 1) <> 0 THEN
    RAISE EXCEPTION 'the number of partitions has to be a power of two, at most 256' USING ERRCODE = '22023';
  END IF;
  -- In the order in which others lock them.
  LOCK TABLE runner.runners, runner.leases, runner.dead_letters, runner.retries, runner.events IN EXCLUSIVE MODE;
  IF number = runner.partitions() THEN RETURN; END IF;
  PERFORM runner.define_partitions(number);
  WITH waiting AS (
    SELECT tableoid AS place, partition, id, function, key FROM runner.events
    UNION ALL SELECT tableoid, partition, id, function, key FROM runner.retries
    UNION ALL SELECT tableoid, partition, id, function, key FROM runner.dead_letters
  ), moving AS (
    SELECT w.place, w.partition, w.id, t.target FROM waiting AS w CROSS JOIN LATERAL (
      SELECT coalesce(runner.partition(w.function, w.key), (w.partition & (number - 1))::smallint) AS target OFFSET 0
    ) AS t
    WHERE t.target <> w.partition ORDER BY w.id
  ), moved AS MATERIALIZED (
    SELECT m.place, m.partition, m.id, m.target, runner.next_id(m.target) AS fresh, m.partition || '.' || m.id AS name
    FROM moving AS m
  ), events AS (
    UPDATE runner.events AS e SET partition = m.target, id = m.fresh, event_id = coalesce(e.event_id, m.name)
    FROM moved AS m WHERE m.place = e.tableoid AND m.partition = e.partition AND m.id = e.id
  ), retries AS (
    UPDATE runner.retries AS e SET partition = m.target, id = m.fresh, event_id = coalesce(e.event_id, m.name)
    FROM moved AS m WHERE m.place = e.tableoid AND m.partition = e.partition AND m.id = e.id
  ), dead_letters AS (
    UPDATE runner.dead_letters AS e SET partition = m.target, id = m.fresh, event_id = coalesce(e.event_id, m.name)
    FROM moved AS m WHERE m.place = e.tableoid AND m.partition = e.partition AND m.id = e.id
  )
  UPDATE runner.history AS e SET partition = m.target, id = m.fresh, event_id = coalesce(e.event_id, m.name)
  FROM moved AS m WHERE m.partition = e.partition AND m.id = e.id;
  -- Epochs grow, also of partitions that come back later.
  UPDATE runner.leases AS l SET owner = NULL, holder = NULL, expires_at = '-infinity', epoch = g.epoch + 1
  FROM (SELECT grp, max(epoch) AS epoch FROM runner.leases GROUP BY grp) AS g WHERE g.grp = l.grp;
  DELETE FROM runner.leases WHERE partition >= number;
  INSERT INTO runner.leases (grp, partition, epoch)
  SELECT g.grp, n, g.epoch FROM (SELECT grp, max(epoch) AS epoch FROM runner.leases GROUP BY grp) AS g,
    generate_series(0, number - 1) AS n
  ON CONFLICT DO NOTHING;
  PERFORM pg_notify('runner_control', 'partitions');
END $$;


--
-- Name: set_stamp(boolean); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.set_stamp(is_virtual boolean) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  EXECUTE format('CREATE OR REPLACE FUNCTION runner.stamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS %L',
    CASE WHEN is_virtual
      THEN 'SELECT pg_catalog.clock_timestamp() OPERATOR(pg_catalog.+) "offset" FROM runner.clock'
      ELSE 'SELECT pg_catalog.clock_timestamp()' END);
END $$;


--
-- Name: stamp(); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.stamp() RETURNS timestamp with time zone
    LANGUAGE sql
    AS $$SELECT pg_catalog.clock_timestamp()$$;


--
-- Name: text(anyelement); Type: FUNCTION; Schema: runner; Owner: -
--

CREATE FUNCTION runner.text(value anyelement) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET quote_all_identifiers TO 'off'
    AS $$ BEGIN RETURN value::text; END $$;


--
-- Name: analyses; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.analyses (
    user_id uuid NOT NULL,
    message_id text NOT NULL,
    conversation_id text NOT NULL,
    priority text NOT NULL,
    source text NOT NULL,
    event_id text NOT NULL,
    reason text,
    created_at timestamp with time zone NOT NULL
);


--
-- Name: api_tokens; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_tokens (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    token_hash text NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: badge_losses; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.badge_losses (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    app text NOT NULL,
    ends_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT public.push_now() NOT NULL
);


--
-- Name: comments; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.comments (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    content text NOT NULL,
    user_id text NOT NULL,
    is_admin boolean DEFAULT false NOT NULL,
    feedback_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT public.push_now()
);


--
-- Name: decisions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.decisions (
    function text NOT NULL,
    source text NOT NULL,
    event_id text NOT NULL,
    user_id uuid NOT NULL,
    subject_id text NOT NULL,
    kind text NOT NULL,
    decision text NOT NULL,
    reason text,
    recipient_reason text NOT NULL,
    notification_id uuid,
    app text DEFAULT 'feedbackkit'::text NOT NULL,
    variant text,
    facts jsonb,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT decisions_decision CHECK ((decision = ANY (ARRAY['notify'::text, 'hold'::text, 'suppress'::text])))
);


--
-- Name: event_attendees; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.event_attendees (
    event_id uuid NOT NULL,
    user_id uuid NOT NULL,
    status text NOT NULL,
    travel_minutes integer,
    travel_mode text,
    traffic text,
    updated_at timestamp with time zone DEFAULT public.push_now(),
    CONSTRAINT event_attendees_status CHECK ((status = ANY (ARRAY['yes'::text, 'maybe'::text, 'no'::text]))),
    CONSTRAINT event_attendees_travel CHECK (((travel_minutes >= 0) AND (travel_minutes <= 1440)))
);


--
-- Name: event_conflicts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.event_conflicts (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    proposal_id uuid NOT NULL,
    user_id uuid NOT NULL,
    existing_event_id uuid,
    existing_title text,
    conflict_level text DEFAULT 'hard'::text NOT NULL,
    created_at timestamp with time zone DEFAULT public.push_now()
);


--
-- Name: experiments; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.experiments (
    app text NOT NULL,
    kind text NOT NULL,
    is_on boolean DEFAULT true NOT NULL
);


--
-- Name: feedbacks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.feedbacks (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    title text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    category text DEFAULT 'other'::text NOT NULL,
    user_id text NOT NULL,
    user_email text,
    vote_count integer DEFAULT 0 NOT NULL,
    project_id uuid NOT NULL,
    rejection_reason text,
    merged_into_id uuid,
    created_at timestamp with time zone DEFAULT public.push_now(),
    updated_at timestamp with time zone DEFAULT public.push_now()
);


--
-- Name: friend_requests; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.friend_requests (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    requester_id uuid NOT NULL,
    recipient_id uuid NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    created_at timestamp with time zone DEFAULT public.push_now(),
    updated_at timestamp with time zone DEFAULT public.push_now(),
    CONSTRAINT friend_requests_status CHECK ((status = ANY (ARRAY['pending'::text, 'accepted'::text, 'declined'::text])))
);


--
-- Name: group_invites; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.group_invites (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    group_id uuid NOT NULL,
    inviter_id uuid,
    invitee_id uuid NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    created_at timestamp with time zone DEFAULT public.push_now(),
    updated_at timestamp with time zone DEFAULT public.push_now(),
    CONSTRAINT group_invites_status CHECK ((status = ANY (ARRAY['pending'::text, 'accepted'::text, 'declined'::text])))
);


--
-- Name: group_notification_preferences; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.group_notification_preferences (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    group_id uuid NOT NULL,
    notification_level character varying(20) DEFAULT 'all'::character varying,
    proposal_notifications boolean,
    vote_updates boolean,
    confirmations boolean,
    event_reminders boolean,
    voting_deadline boolean,
    vote_cast boolean,
    day_before_reminders boolean,
    updated_at timestamp with time zone,
    level_before_mute character varying(20),
    CONSTRAINT group_notification_level CHECK (((notification_level)::text = ANY ((ARRAY['all'::character varying, 'important'::character varying, 'muted'::character varying])::text[]))),
    CONSTRAINT group_notification_level_before_mute CHECK (((level_before_mute)::text = ANY ((ARRAY['all'::character varying, 'important'::character varying])::text[])))
);


--
-- Name: groups; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.groups (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    created_by uuid,
    created_at timestamp with time zone DEFAULT public.push_now(),
    updated_at timestamp with time zone DEFAULT public.push_now()
);


--
-- Name: handled_events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handled_events (
    function text NOT NULL,
    source text NOT NULL,
    event_id text NOT NULL,
    result text,
    progress text,
    created_at timestamp with time zone NOT NULL
);


--
-- Name: held_people; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.held_people (
    user_id uuid NOT NULL,
    app text NOT NULL,
    release_at timestamp with time zone NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    failure text
);


--
-- Name: notification_actions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notification_actions (
    id bigint NOT NULL,
    notification_id uuid NOT NULL,
    user_id uuid NOT NULL,
    app text NOT NULL,
    action text NOT NULL,
    text text,
    conversation_id text,
    message_id text,
    snoozed_until timestamp with time zone,
    reported_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT notification_actions_text CHECK (((char_length(text) >= 1) AND (char_length(text) <= 4000)))
);


--
-- Name: notification_actions_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.notification_actions ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.notification_actions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: notification_interactions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notification_interactions (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    notification_id uuid NOT NULL,
    device_token_id uuid,
    event text NOT NULL,
    action text DEFAULT ''::text NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT notification_interactions_event CHECK ((event = ANY (ARRAY['opened'::text, 'acted'::text])))
);


--
-- Name: notification_rechecks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notification_rechecks (
    notification_id uuid NOT NULL,
    decision text NOT NULL,
    reason text,
    facts jsonb,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT notification_rechecks_decision CHECK ((decision = ANY (ARRAY['notify'::text, 'merge'::text, 'summarize'::text, 'hold'::text, 'suppress'::text])))
);


--
-- Name: notification_settings; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notification_settings (
    user_id uuid NOT NULL,
    app text NOT NULL,
    is_enabled boolean DEFAULT true NOT NULL,
    switches jsonb DEFAULT '{}'::jsonb NOT NULL,
    sound text,
    timezone text,
    quiet_hours_enabled boolean DEFAULT false NOT NULL,
    quiet_hours_start time without time zone,
    quiet_hours_end time without time zone,
    hourly_limit integer,
    max_analyses_per_hour integer,
    fallback_strategy text,
    haptic_feedback boolean DEFAULT true NOT NULL,
    critical_alerts boolean DEFAULT false NOT NULL,
    summary_notifications boolean DEFAULT true NOT NULL,
    quiet_hours_summary boolean,
    updated_at timestamp with time zone DEFAULT public.push_now(),
    CONSTRAINT notification_settings_analyses CHECK ((max_analyses_per_hour > 0)),
    CONSTRAINT notification_settings_fallback CHECK ((fallback_strategy = ANY (ARRAY['simple_rules'::text, 'notify_all'::text, 'suppress_all'::text]))),
    CONSTRAINT notification_settings_limit CHECK ((hourly_limit > 0)),
    CONSTRAINT notification_settings_sound CHECK ((char_length(sound) <= 50)),
    CONSTRAINT notification_settings_switches CHECK (((jsonb_typeof(switches) = 'object'::text) AND (NOT jsonb_path_exists(switches, '$.*?(@.type() != "boolean")'::jsonpath)))),
    CONSTRAINT notification_settings_timezone CHECK ((char_length(timezone) <= 100))
);


--
-- Name: notification_state; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notification_state (
    user_id uuid NOT NULL,
    app text NOT NULL,
    all_read_at timestamp with time zone
);


--
-- Name: project_member_preferences; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.project_member_preferences (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    project_id uuid NOT NULL,
    push_notify_new_feedback boolean,
    push_notify_new_comments boolean,
    push_notify_votes boolean,
    push_notify_status_changes boolean,
    push_muted boolean DEFAULT false NOT NULL,
    email_notify_new_feedback boolean,
    email_notify_new_comments boolean,
    email_muted boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT public.push_now(),
    updated_at timestamp with time zone DEFAULT public.push_now()
);


--
-- Name: project_members; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.project_members (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    project_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text DEFAULT 'member'::text NOT NULL,
    created_at timestamp with time zone DEFAULT public.push_now(),
    updated_at timestamp with time zone DEFAULT public.push_now()
);


--
-- Name: projects; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.projects (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    api_key text NOT NULL,
    description text,
    owner_id uuid NOT NULL,
    is_archived boolean DEFAULT false NOT NULL,
    archived_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT public.push_now(),
    updated_at timestamp with time zone DEFAULT public.push_now()
);


--
-- Name: proposal_leads; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.proposal_leads (
    proposal_id uuid NOT NULL,
    option_id uuid NOT NULL,
    changed_at timestamp with time zone NOT NULL
);


--
-- Name: proposal_lost_votes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.proposal_lost_votes (
    proposal_id uuid NOT NULL,
    user_id uuid NOT NULL,
    options_version integer NOT NULL
);


--
-- Name: proposal_options; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.proposal_options (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    proposal_id uuid NOT NULL,
    starts_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT public.push_now()
);


--
-- Name: proposal_votes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.proposal_votes (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    proposal_id uuid NOT NULL,
    option_id uuid NOT NULL,
    user_id uuid NOT NULL,
    vote text NOT NULL,
    created_at timestamp with time zone DEFAULT public.push_now(),
    updated_at timestamp with time zone DEFAULT public.push_now(),
    options_version integer,
    CONSTRAINT proposal_votes_vote CHECK ((vote = ANY (ARRAY['yes'::text, 'maybe'::text, 'no'::text])))
);


--
-- Name: push_notification_logs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.push_notification_logs (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    device_token_id uuid,
    notification_type character varying(50) NOT NULL,
    status character varying(20) NOT NULL,
    feedback_id uuid,
    project_id uuid,
    payload jsonb,
    error_message text,
    apns_id character varying(100),
    created_at timestamp with time zone DEFAULT public.push_now(),
    delivery_id uuid,
    attempt integer,
    http_status integer,
    reason text,
    duration_ms integer
)
PARTITION BY RANGE (created_at);


--
-- Name: push_attempts_last_hour; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.push_attempts_last_hour AS
 SELECT push_notification_logs.status AS outcome,
    COALESCE(push_notification_logs.reason, ''::text) AS reason,
    count(*) AS value
   FROM public.push_notification_logs
  WHERE ((push_notification_logs.created_at > (now() - '01:00:00'::interval)) AND (push_notification_logs.delivery_id IS NOT NULL))
  GROUP BY push_notification_logs.status, COALESCE(push_notification_logs.reason, ''::text);


--
-- Name: push_deliveries_by_state; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.push_deliveries_by_state AS
 SELECT s.state,
    p.provider,
    count(d.state) AS value
   FROM ((( VALUES ('queued'::text), ('accepted'::text), ('rejected'::text), ('expired'::text), ('unknown'::text), ('opened'::text), ('acted'::text)) s(state)
     CROSS JOIN ( VALUES ('apns'::text), ('fcm'::text)) p(provider))
     LEFT JOIN ( SELECT deliveries.state,
            deliveries.provider
           FROM public.deliveries
          WHERE (deliveries.state = 'queued'::text)
        UNION ALL
         SELECT deliveries.state,
            deliveries.provider
           FROM public.deliveries
          WHERE ((deliveries.state <> 'queued'::text) AND (deliveries.updated_at > (now() - '1 day'::interval)))) d USING (state, provider))
  GROUP BY s.state, p.provider;


--
-- Name: push_gone_people; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.push_gone_people (
    user_id uuid NOT NULL
);


--
-- Name: push_held_deliveries; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.push_held_deliveries AS
 SELECT deliveries.reason,
    count(*) AS value
   FROM public.deliveries
  WHERE ((deliveries.state = 'queued'::text) AND (deliveries.not_before > now()) AND (deliveries.reason IS NOT NULL))
  GROUP BY deliveries.reason;


--
-- Name: push_notification_logs_20261128; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.push_notification_logs_20261128 (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    device_token_id uuid,
    notification_type character varying(50) NOT NULL,
    status character varying(20) NOT NULL,
    feedback_id uuid,
    project_id uuid,
    payload jsonb,
    error_message text,
    apns_id character varying(100),
    created_at timestamp with time zone DEFAULT public.push_now(),
    delivery_id uuid,
    attempt integer,
    http_status integer,
    reason text,
    duration_ms integer
);

ALTER TABLE ONLY public.push_notification_logs_20261128 REPLICA IDENTITY FULL;


--
-- Name: push_notification_logs_20261129; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.push_notification_logs_20261129 (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    device_token_id uuid,
    notification_type character varying(50) NOT NULL,
    status character varying(20) NOT NULL,
    feedback_id uuid,
    project_id uuid,
    payload jsonb,
    error_message text,
    apns_id character varying(100),
    created_at timestamp with time zone DEFAULT public.push_now(),
    delivery_id uuid,
    attempt integer,
    http_status integer,
    reason text,
    duration_ms integer
);

ALTER TABLE ONLY public.push_notification_logs_20261129 REPLICA IDENTITY FULL;


--
-- Name: push_notification_logs_20261130; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.push_notification_logs_20261130 (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    device_token_id uuid,
    notification_type character varying(50) NOT NULL,
    status character varying(20) NOT NULL,
    feedback_id uuid,
    project_id uuid,
    payload jsonb,
    error_message text,
    apns_id character varying(100),
    created_at timestamp with time zone DEFAULT public.push_now(),
    delivery_id uuid,
    attempt integer,
    http_status integer,
    reason text,
    duration_ms integer
);

ALTER TABLE ONLY public.push_notification_logs_20261130 REPLICA IDENTITY FULL;


--
-- Name: push_notification_logs_20261201; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.push_notification_logs_20261201 (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    device_token_id uuid,
    notification_type character varying(50) NOT NULL,
    status character varying(20) NOT NULL,
    feedback_id uuid,
    project_id uuid,
    payload jsonb,
    error_message text,
    apns_id character varying(100),
    created_at timestamp with time zone DEFAULT public.push_now(),
    delivery_id uuid,
    attempt integer,
    http_status integer,
    reason text,
    duration_ms integer
);

ALTER TABLE ONLY public.push_notification_logs_20261201 REPLICA IDENTITY FULL;


--
-- Name: push_notification_logs_20261202; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.push_notification_logs_20261202 (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    device_token_id uuid,
    notification_type character varying(50) NOT NULL,
    status character varying(20) NOT NULL,
    feedback_id uuid,
    project_id uuid,
    payload jsonb,
    error_message text,
    apns_id character varying(100),
    created_at timestamp with time zone DEFAULT public.push_now(),
    delivery_id uuid,
    attempt integer,
    http_status integer,
    reason text,
    duration_ms integer
);

ALTER TABLE ONLY public.push_notification_logs_20261202 REPLICA IDENTITY FULL;


--
-- Name: push_notification_logs_20261203; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.push_notification_logs_20261203 (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    device_token_id uuid,
    notification_type character varying(50) NOT NULL,
    status character varying(20) NOT NULL,
    feedback_id uuid,
    project_id uuid,
    payload jsonb,
    error_message text,
    apns_id character varying(100),
    created_at timestamp with time zone DEFAULT public.push_now(),
    delivery_id uuid,
    attempt integer,
    http_status integer,
    reason text,
    duration_ms integer
);

ALTER TABLE ONLY public.push_notification_logs_20261203 REPLICA IDENTITY FULL;


--
-- Name: push_notification_logs_20261204; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.push_notification_logs_20261204 (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    device_token_id uuid,
    notification_type character varying(50) NOT NULL,
    status character varying(20) NOT NULL,
    feedback_id uuid,
    project_id uuid,
    payload jsonb,
    error_message text,
    apns_id character varying(100),
    created_at timestamp with time zone DEFAULT public.push_now(),
    delivery_id uuid,
    attempt integer,
    http_status integer,
    reason text,
    duration_ms integer
);

ALTER TABLE ONLY public.push_notification_logs_20261204 REPLICA IDENTITY FULL;


--
-- Name: push_notification_logs_20261205; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.push_notification_logs_20261205 (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    device_token_id uuid,
    notification_type character varying(50) NOT NULL,
    status character varying(20) NOT NULL,
    feedback_id uuid,
    project_id uuid,
    payload jsonb,
    error_message text,
    apns_id character varying(100),
    created_at timestamp with time zone DEFAULT public.push_now(),
    delivery_id uuid,
    attempt integer,
    http_status integer,
    reason text,
    duration_ms integer
);

ALTER TABLE ONLY public.push_notification_logs_20261205 REPLICA IDENTITY FULL;


--
-- Name: push_notification_logs_default; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.push_notification_logs_default (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    device_token_id uuid,
    notification_type character varying(50) NOT NULL,
    status character varying(20) NOT NULL,
    feedback_id uuid,
    project_id uuid,
    payload jsonb,
    error_message text,
    apns_id character varying(100),
    created_at timestamp with time zone DEFAULT public.push_now(),
    delivery_id uuid,
    attempt integer,
    http_status integer,
    reason text,
    duration_ms integer
);


--
-- Name: push_oldest_due_seconds; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.push_oldest_due_seconds AS
 SELECT COALESCE(( SELECT EXTRACT(epoch FROM (now() - deliveries.not_before)) AS "extract"
           FROM public.deliveries
          WHERE ((deliveries.state = 'queued'::text) AND (deliveries.not_before <= now()) AND ((deliveries.lease_until IS NULL) OR (deliveries.lease_until <= clock_timestamp())))
          ORDER BY deliveries.not_before
         LIMIT 1), (0)::numeric) AS value;


--
-- Name: push_providers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.push_providers (
    provider text NOT NULL,
    served_until timestamp with time zone,
    reason text,
    since timestamp with time zone,
    CONSTRAINT push_providers_provider CHECK ((provider = ANY (ARRAY['apns'::text, 'fcm'::text])))
);


--
-- Name: push_outages; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.push_outages AS
 SELECT away.provider,
    away.outage,
    away.waiting,
    away.since,
    ((((((
        CASE
            WHEN (away.waiting = 1) THEN '1 push waits'::text
            WHEN (away.waiting > 10000) THEN 'more than 10,000 pushes wait'::text
            ELSE (away.waiting || ' pushes wait'::text)
        END || ' for '::text) ||
        CASE away.provider
            WHEN 'fcm'::text THEN 'FCM'::text
            ELSE 'APNs'::text
        END) || ' since '::text) || to_char((away.since AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'::text)) || ': '::text) || away.outage) AS line
   FROM ( SELECT p.provider,
            w.outage,
            count(*) AS waiting,
            min(w.since) AS since
           FROM ((( VALUES ('apns'::text), ('fcm'::text)) p(provider)
             LEFT JOIN public.push_providers u ON (((u.provider = p.provider) AND (u.reason IS NOT NULL) AND ((u.served_until > clock_timestamp()) IS NOT TRUE))))
             CROSS JOIN LATERAL ( SELECT u.reason AS outage,
                    COALESCE(d.outage_since, GREATEST(u.since, d.created_at)) AS since
                   FROM ( SELECT deliveries.not_before,
                            deliveries.outage_since,
                            deliveries.created_at
                           FROM public.deliveries
                          WHERE ((deliveries.state = 'queued'::text) AND (deliveries.provider = p.provider))
                          ORDER BY deliveries.expires_at
                         LIMIT 10001) d
                  WHERE ((u.reason IS NOT NULL) AND (d.not_before <= ( SELECT public.push_now() AS push_now)))
                UNION ALL
                 SELECT d.outage,
                    d.outage_since
                   FROM ( SELECT deliveries.not_before,
                            deliveries.outage,
                            deliveries.outage_since
                           FROM public.deliveries
                          WHERE ((deliveries.state = 'queued'::text) AND (deliveries.outage IS NOT NULL) AND (deliveries.provider = p.provider))
                          ORDER BY deliveries.outage_since
                         LIMIT 10001) d
                  WHERE ((u.reason IS NULL) OR (d.not_before > ( SELECT public.push_now() AS push_now)))) w)
          GROUP BY p.provider, w.outage) away
  ORDER BY away.waiting DESC;


--
-- Name: push_provider_tokens; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.push_provider_tokens (
    team_id text NOT NULL,
    key_id text NOT NULL,
    environment text NOT NULL,
    token text,
    issued_at timestamp with time zone,
    CONSTRAINT push_provider_tokens_environment CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text])))
);


--
-- Name: push_rates_by_kind; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.push_rates_by_kind AS
 SELECT summed.day,
    summed.app,
    summed.kind,
    summed.candidates,
    summed.opted_out,
    summed.notifications,
    summed.deliveries,
    summed.delivered,
    summed.pending,
    summed.reached,
    summed.opened,
    summed.acted,
    round(((summed.delivered)::numeric / (NULLIF((summed.deliveries - summed.pending), 0))::numeric), 4) AS delivery_rate,
    round(((summed.opened)::numeric / (NULLIF(summed.reached, 0))::numeric), 4) AS open_rate,
    round(((summed.acted)::numeric / (NULLIF(summed.opened, 0))::numeric), 4) AS action_rate,
    round(((summed.opted_out)::numeric / (NULLIF(summed.candidates, 0))::numeric), 4) AS opt_out_rate
   FROM ( SELECT counted.day,
            counted.app,
            counted.kind,
            sum(counted.candidates) AS candidates,
            sum(counted.opted_out) AS opted_out,
            sum(counted.notifications) AS notifications,
            (sum(counted.deliveries))::bigint AS deliveries,
            (sum(counted.delivered))::bigint AS delivered,
            (sum(counted.pending))::bigint AS pending,
            sum(counted.reached) AS reached,
            sum(counted.opened) AS opened,
            sum(counted.acted) AS acted
           FROM ( SELECT ((decisions.created_at AT TIME ZONE 'UTC'::text))::date AS day,
                    decisions.app,
                    lower(decisions.kind) AS kind,
                    1 AS candidates,
                    (public.push_opted_out(decisions.reason, decisions.app, decisions.kind, decisions.facts))::integer AS opted_out,
                    0 AS notifications,
                    0 AS deliveries,
                    0 AS delivered,
                    0 AS pending,
                    0 AS reached,
                    0 AS opened,
                    0 AS acted
                   FROM public.decisions
                UNION ALL
                 SELECT told.day,
                    told.app,
                    told.kind,
                    0,
                    0,
                    1,
                    told.deliveries,
                    told.delivered,
                    told.pending,
                    ((told.delivered > 0))::integer AS int4,
                    ((told.opened > 0))::integer AS int4,
                    ((told.acted > 0))::integer AS int4
                   FROM ( SELECT ((n.created_at AT TIME ZONE 'UTC'::text))::date AS day,
                            n.app,
                            lower((n.type)::text) AS kind,
                            n.id,
                            count(*) AS deliveries,
                            count(*) FILTER (WHERE (d.state = ANY (ARRAY['accepted'::text, 'opened'::text, 'acted'::text]))) AS delivered,
                            count(*) FILTER (WHERE (d.state = 'queued'::text)) AS pending,
                            count(*) FILTER (WHERE (d.state = ANY (ARRAY['opened'::text, 'acted'::text]))) AS opened,
                            count(*) FILTER (WHERE (d.state = 'acted'::text)) AS acted
                           FROM (public.notifications n
                             JOIN public.deliveries d ON ((d.notification_id = n.id)))
                          GROUP BY (((n.created_at AT TIME ZONE 'UTC'::text))::date), n.app, (lower((n.type)::text)), n.id) told) counted
          GROUP BY counted.day, counted.app, counted.kind) summed;


--
-- Name: push_rates_by_variant; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.push_rates_by_variant AS
 SELECT summed.day,
    summed.app,
    summed.kind,
    summed.variant,
    summed.candidates,
    summed.opted_out,
    summed.notifications,
    summed.deliveries,
    summed.delivered,
    summed.pending,
    summed.reached,
    summed.opened,
    summed.acted,
    round(((summed.delivered)::numeric / (NULLIF((summed.deliveries - summed.pending), 0))::numeric), 4) AS delivery_rate,
    round(((summed.opened)::numeric / (NULLIF(summed.reached, 0))::numeric), 4) AS open_rate,
    round(((summed.acted)::numeric / (NULLIF(summed.opened, 0))::numeric), 4) AS action_rate,
    round(((summed.opted_out)::numeric / (NULLIF(summed.candidates, 0))::numeric), 4) AS opt_out_rate
   FROM ( SELECT counted.day,
            counted.app,
            counted.kind,
            counted.variant,
            sum(counted.candidates) AS candidates,
            sum(counted.opted_out) AS opted_out,
            sum(counted.notifications) AS notifications,
            (sum(counted.deliveries))::bigint AS deliveries,
            (sum(counted.delivered))::bigint AS delivered,
            (sum(counted.pending))::bigint AS pending,
            sum(counted.reached) AS reached,
            sum(counted.opened) AS opened,
            sum(counted.acted) AS acted
           FROM ( SELECT ((decisions.created_at AT TIME ZONE 'UTC'::text))::date AS day,
                    decisions.app,
                    lower(decisions.kind) AS kind,
                    decisions.variant,
                    1 AS candidates,
                    (public.push_opted_out(decisions.reason, decisions.app, decisions.kind, decisions.facts))::integer AS opted_out,
                    0 AS notifications,
                    0 AS deliveries,
                    0 AS delivered,
                    0 AS pending,
                    0 AS reached,
                    0 AS opened,
                    0 AS acted
                   FROM public.decisions
                  WHERE (decisions.variant IS NOT NULL)
                UNION ALL
                 SELECT told.day,
                    told.app,
                    told.kind,
                    told.variant,
                    0,
                    0,
                    1,
                    told.deliveries,
                    told.delivered,
                    told.pending,
                    ((told.delivered > 0))::integer AS int4,
                    ((told.opened > 0))::integer AS int4,
                    ((told.acted > 0))::integer AS int4
                   FROM ( SELECT ((n.created_at AT TIME ZONE 'UTC'::text))::date AS day,
                            n.app,
                            lower((n.type)::text) AS kind,
                            n.variant,
                            n.id,
                            count(*) AS deliveries,
                            count(*) FILTER (WHERE (d.state = ANY (ARRAY['accepted'::text, 'opened'::text, 'acted'::text]))) AS delivered,
                            count(*) FILTER (WHERE (d.state = 'queued'::text)) AS pending,
                            count(*) FILTER (WHERE (d.state = ANY (ARRAY['opened'::text, 'acted'::text]))) AS opened,
                            count(*) FILTER (WHERE (d.state = 'acted'::text)) AS acted
                           FROM (public.notifications n
                             JOIN public.deliveries d ON ((d.notification_id = n.id)))
                          WHERE (n.variant IS NOT NULL)
                          GROUP BY (((n.created_at AT TIME ZONE 'UTC'::text))::date), n.app, (lower((n.type)::text)), n.variant, n.id) told) counted
          GROUP BY counted.day, counted.app, counted.kind, counted.variant) summed;


--
-- Name: seen_requests; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.seen_requests (
    user_id uuid NOT NULL,
    subject_id uuid NOT NULL,
    options_changed_at timestamp with time zone
);


--
-- Name: stale_entries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.stale_entries (
    id bigint NOT NULL,
    notification_id uuid NOT NULL,
    user_id uuid NOT NULL,
    app text NOT NULL
);


--
-- Name: stale_entries_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.stale_entries ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.stale_entries_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: user_activity; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.user_activity (
    user_id uuid NOT NULL,
    app text NOT NULL,
    subject_id text NOT NULL,
    seen_at timestamp with time zone NOT NULL
);


--
-- Name: user_notification_preferences; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.user_notification_preferences (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    notifications_enabled boolean DEFAULT true,
    proposal_notifications boolean DEFAULT true,
    vote_updates boolean DEFAULT true,
    conflict_alerts boolean DEFAULT true,
    friend_requests boolean DEFAULT true,
    event_reminders boolean DEFAULT true,
    group_updates boolean DEFAULT true,
    notification_sound character varying(50) DEFAULT 'default'::character varying,
    haptic_feedback boolean DEFAULT true,
    quiet_hours_enabled boolean DEFAULT false,
    quiet_hours_start time without time zone,
    quiet_hours_end time without time zone,
    timezone character varying(100),
    summary_notifications_enabled boolean DEFAULT true,
    created_at timestamp with time zone DEFAULT public.push_now(),
    updated_at timestamp with time zone DEFAULT public.push_now(),
    voting_deadline boolean,
    vote_cast boolean,
    confirmations boolean,
    day_before_reminders boolean,
    memory_prompts boolean,
    hourly_limit integer,
    critical_alerts boolean DEFAULT false,
    quiet_hours_summary boolean,
    CONSTRAINT user_notification_preferences_limit CHECK ((hourly_limit > 0))
);


--
-- Name: user_tokens; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.user_tokens (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    value text NOT NULL,
    user_id uuid NOT NULL,
    expires_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT public.push_now()
);


--
-- Name: votes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.votes (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id text NOT NULL,
    feedback_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT public.push_now(),
    user_email character varying(255)
);


--
-- Name: changes; Type: TABLE; Schema: runner; Owner: -
--

CREATE TABLE runner.changes (
    kind text NOT NULL,
    place text NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    before text,
    after text,
    former text
);


--
-- Name: clock; Type: TABLE; Schema: runner; Owner: -
--

CREATE TABLE runner.clock (
    singleton boolean DEFAULT true NOT NULL,
    "offset" interval DEFAULT '00:00:00'::interval NOT NULL,
    CONSTRAINT clock_singleton_check CHECK (singleton)
);


--
-- Name: dead_letters; Type: TABLE; Schema: runner; Owner: -
--

CREATE TABLE runner.dead_letters (
    partition smallint NOT NULL,
    id bigint NOT NULL,
    function text NOT NULL,
    key text,
    event_id text,
    at timestamp with time zone DEFAULT runner.now() NOT NULL,
    actor text,
    traceparent text,
    source text,
    type text,
    op text,
    table_schema text,
    table_name text,
    record jsonb,
    old_record jsonb,
    data jsonb,
    replayedfrom text,
    attempts integer NOT NULL,
    crashes integer DEFAULT 0 NOT NULL,
    code text NOT NULL,
    error text NOT NULL,
    died_at timestamp with time zone DEFAULT runner.now() NOT NULL
);


--
-- Name: history; Type: TABLE; Schema: runner; Owner: -
--

CREATE TABLE runner.history (
    recorded_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    ended_at timestamp with time zone NOT NULL,
    partition smallint,
    id bigint,
    event_id text,
    function text NOT NULL,
    key text,
    kind text NOT NULL,
    at timestamp with time zone NOT NULL,
    attempt integer NOT NULL,
    code text NOT NULL,
    exit_status smallint,
    duration_us bigint NOT NULL,
    error text
)
PARTITION BY RANGE (recorded_at);


--
-- Name: history_default; Type: TABLE; Schema: runner; Owner: -
--

CREATE TABLE runner.history_default (
    recorded_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    ended_at timestamp with time zone NOT NULL,
    partition smallint,
    id bigint,
    event_id text,
    function text NOT NULL,
    key text,
    kind text NOT NULL,
    at timestamp with time zone NOT NULL,
    attempt integer NOT NULL,
    code text NOT NULL,
    exit_status smallint,
    duration_us bigint NOT NULL,
    error text
);


--
-- Name: holders; Type: SEQUENCE; Schema: runner; Owner: -
--

CREATE SEQUENCE runner.holders
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
    CYCLE;


--
-- Name: leases; Type: TABLE; Schema: runner; Owner: -
--

CREATE TABLE runner.leases (
    grp text DEFAULT ''::text NOT NULL,
    partition smallint NOT NULL,
    epoch bigint DEFAULT 0 NOT NULL,
    owner uuid,
    holder integer,
    expires_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL
)
WITH (fillfactor='50');


--
-- Name: migrations; Type: TABLE; Schema: runner; Owner: -
--

CREATE TABLE runner.migrations (
    name text NOT NULL,
    applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    breaks_older boolean DEFAULT true NOT NULL,
    compatible_since text
);


--
-- Name: partition_0; Type: SEQUENCE; Schema: runner; Owner: -
--

CREATE SEQUENCE runner.partition_0
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: partition_1; Type: SEQUENCE; Schema: runner; Owner: -
--

CREATE SEQUENCE runner.partition_1
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: partition_10; Type: SEQUENCE; Schema: runner; Owner: -
--

CREATE SEQUENCE runner.partition_10
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: partition_11; Type: SEQUENCE; Schema: runner; Owner: -
--

CREATE SEQUENCE runner.partition_11
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: partition_12; Type: SEQUENCE; Schema: runner; Owner: -
--

CREATE SEQUENCE runner.partition_12
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: partition_13; Type: SEQUENCE; Schema: runner; Owner: -
--

CREATE SEQUENCE runner.partition_13
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: partition_14; Type: SEQUENCE; Schema: runner; Owner: -
--

CREATE SEQUENCE runner.partition_14
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: partition_15; Type: SEQUENCE; Schema: runner; Owner: -
--

CREATE SEQUENCE runner.partition_15
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: partition_2; Type: SEQUENCE; Schema: runner; Owner: -
--

CREATE SEQUENCE runner.partition_2
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: partition_3; Type: SEQUENCE; Schema: runner; Owner: -
--

CREATE SEQUENCE runner.partition_3
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: partition_4; Type: SEQUENCE; Schema: runner; Owner: -
--

CREATE SEQUENCE runner.partition_4
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: partition_5; Type: SEQUENCE; Schema: runner; Owner: -
--

CREATE SEQUENCE runner.partition_5
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: partition_6; Type: SEQUENCE; Schema: runner; Owner: -
--

CREATE SEQUENCE runner.partition_6
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: partition_7; Type: SEQUENCE; Schema: runner; Owner: -
--

CREATE SEQUENCE runner.partition_7
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: partition_8; Type: SEQUENCE; Schema: runner; Owner: -
--

CREATE SEQUENCE runner.partition_8
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: partition_9; Type: SEQUENCE; Schema: runner; Owner: -
--

CREATE SEQUENCE runner.partition_9
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: payloads; Type: TABLE; Schema: runner; Owner: -
--

CREATE TABLE runner.payloads (
    recorded_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    partition smallint,
    id bigint,
    function text NOT NULL,
    key text,
    event_id text,
    at timestamp with time zone NOT NULL,
    actor text,
    traceparent text,
    source text,
    type text,
    op text,
    table_schema text,
    table_name text,
    record jsonb,
    old_record jsonb,
    data jsonb,
    replayedfrom text
)
PARTITION BY RANGE (recorded_at);


--
-- Name: payloads_default; Type: TABLE; Schema: runner; Owner: -
--

CREATE TABLE runner.payloads_default (
    recorded_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    partition smallint,
    id bigint,
    function text NOT NULL,
    key text,
    event_id text,
    at timestamp with time zone NOT NULL,
    actor text,
    traceparent text,
    source text,
    type text,
    op text,
    table_schema text,
    table_name text,
    record jsonb,
    old_record jsonb,
    data jsonb,
    replayedfrom text
);


--
-- Name: retries; Type: TABLE; Schema: runner; Owner: -
--

CREATE TABLE runner.retries (
    partition smallint NOT NULL,
    id bigint NOT NULL,
    function text NOT NULL,
    key text,
    event_id text,
    at timestamp with time zone DEFAULT runner.now() NOT NULL,
    actor text,
    traceparent text,
    source text,
    type text,
    op text,
    table_schema text,
    table_name text,
    record jsonb,
    old_record jsonb,
    data jsonb,
    replayedfrom text,
    attempt integer NOT NULL,
    crashes integer DEFAULT 0 NOT NULL,
    run_at timestamp with time zone NOT NULL,
    code text NOT NULL,
    error text NOT NULL,
    progress bigint DEFAULT 0 NOT NULL,
    counted_from integer DEFAULT 0 NOT NULL,
    noted_at timestamp with time zone DEFAULT runner.now()
);


--
-- Name: roles; Type: TABLE; Schema: runner; Owner: -
--

CREATE TABLE runner.roles (
    name text NOT NULL
);


--
-- Name: runners; Type: TABLE; Schema: runner; Owner: -
--

CREATE TABLE runner.runners (
    owner uuid NOT NULL,
    holder integer NOT NULL,
    name text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    grp text DEFAULT ''::text NOT NULL,
    functions text[]
);


--
-- Name: schedule_fires; Type: TABLE; Schema: runner; Owner: -
--

CREATE TABLE runner.schedule_fires (
    schedule text NOT NULL,
    scheduled_time timestamp with time zone NOT NULL,
    event_id text NOT NULL,
    fired_at timestamp with time zone DEFAULT runner.now() NOT NULL,
    manual boolean DEFAULT false NOT NULL,
    skipped text
);


--
-- Name: schedules; Type: TABLE; Schema: runner; Owner: -
--

CREATE TABLE runner.schedules (
    name text NOT NULL,
    bundle text DEFAULT 'default'::text NOT NULL,
    function text,
    expression text NOT NULL,
    timezone text NOT NULL,
    overlap text,
    catchup text,
    since timestamp with time zone NOT NULL,
    last_scheduled_time timestamp with time zone,
    next_at timestamp with time zone,
    paused_at timestamp with time zone
);


--
-- Name: sign_outs; Type: TABLE; Schema: runner; Owner: -
--

CREATE TABLE runner.sign_outs (
    session text NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);


--
-- Name: signals; Type: TABLE; Schema: runner; Owner: -
--

CREATE TABLE runner.signals (
    function text NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='2000', autovacuum_vacuum_cost_delay='0', vacuum_truncate=off);


--
-- Name: triggers; Type: TABLE; Schema: runner; Owner: -
--

CREATE TABLE runner.triggers (
    table_schema text NOT NULL,
    table_name text NOT NULL,
    name text NOT NULL,
    definition text NOT NULL,
    bundle text DEFAULT 'default'::text NOT NULL,
    generation integer DEFAULT 0 NOT NULL,
    version integer DEFAULT 0 NOT NULL,
    functions text[] DEFAULT '{}'::text[] NOT NULL,
    subscriptions jsonb
);


--
-- Name: wakeups; Type: TABLE; Schema: runner; Owner: -
--

CREATE TABLE runner.wakeups (
    function text NOT NULL,
    at timestamp with time zone NOT NULL,
    noted_at timestamp with time zone DEFAULT runner.now()
);


--
-- Name: push_notification_logs_20261128; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.push_notification_logs ATTACH PARTITION public.push_notification_logs_20261128 FOR VALUES FROM ('2026-11-28 00:00:00+00') TO ('2026-11-29 00:00:00+00');


--
-- Name: push_notification_logs_20261129; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.push_notification_logs ATTACH PARTITION public.push_notification_logs_20261129 FOR VALUES FROM ('2026-11-29 00:00:00+00') TO ('2026-11-30 00:00:00+00');


--
-- Name: push_notification_logs_20261130; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.push_notification_logs ATTACH PARTITION public.push_notification_logs_20261130 FOR VALUES FROM ('2026-11-30 00:00:00+00') TO ('2026-12-01 00:00:00+00');


--
-- Name: push_notification_logs_20261201; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.push_notification_logs ATTACH PARTITION public.push_notification_logs_20261201 FOR VALUES FROM ('2026-12-01 00:00:00+00') TO ('2026-12-02 00:00:00+00');


--
-- Name: push_notification_logs_20261202; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.push_notification_logs ATTACH PARTITION public.push_notification_logs_20261202 FOR VALUES FROM ('2026-12-02 00:00:00+00') TO ('2026-12-03 00:00:00+00');


--
-- Name: push_notification_logs_20261203; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.push_notification_logs ATTACH PARTITION public.push_notification_logs_20261203 FOR VALUES FROM ('2026-12-03 00:00:00+00') TO ('2026-12-04 00:00:00+00');


--
-- Name: push_notification_logs_20261204; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.push_notification_logs ATTACH PARTITION public.push_notification_logs_20261204 FOR VALUES FROM ('2026-12-04 00:00:00+00') TO ('2026-12-05 00:00:00+00');


--
-- Name: push_notification_logs_20261205; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.push_notification_logs ATTACH PARTITION public.push_notification_logs_20261205 FOR VALUES FROM ('2026-12-05 00:00:00+00') TO ('2026-12-06 00:00:00+00');


--
-- Name: push_notification_logs_default; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.push_notification_logs ATTACH PARTITION public.push_notification_logs_default DEFAULT;


--
-- Name: history_default; Type: TABLE ATTACH; Schema: runner; Owner: -
--

ALTER TABLE ONLY runner.history ATTACH PARTITION runner.history_default DEFAULT;


--
-- Name: payloads_default; Type: TABLE ATTACH; Schema: runner; Owner: -
--

ALTER TABLE ONLY runner.payloads ATTACH PARTITION runner.payloads_default DEFAULT;


--
-- Data for Name: analyses; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.analyses VALUES
	('a0000000-0000-4000-8000-000000000001', 'm1', 'c1', 'high', '/http/message-received', 'e1', NULL, '2026-11-01 12:00:00+00');


--
-- Data for Name: api_tokens; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.api_tokens VALUES
	('27722f81-f7b5-4178-abb1-10e177c7e17f', 'a0000000-0000-4000-8000-000000000002', '0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a', 'test', '2026-11-28 17:45:41.586421+00', '2099-01-01 00:00:00+00');


--
-- Data for Name: badge_losses; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.badge_losses VALUES
	('10807e1c-7ffb-432a-b228-4adfc3c40ae0', 'a0000000-0000-4000-8000-000000000001', 'feedbackkit', NULL, '2026-11-28 17:45:41.584346+00');


--
-- Data for Name: comments; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.comments VALUES
	('c1000000-0000-4000-8000-000000000001', 'We are on it.', 'a0000000-0000-4000-8000-000000000002', true, 'c0000000-0000-4000-8000-000000000001', '2026-11-28 17:45:41.468165+00');


--
-- Data for Name: decisions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.decisions VALUES
	('vote-cast', '/votes', 'v1', 'a0000000-0000-4000-8000-000000000001', 'c0000000-0000-4000-8000-000000000001', 'new_vote', 'notify', NULL, 'member', '70000000-0000-4000-8000-000000000001', 'feedbackkit', NULL, '{"personal": true}', '2026-11-28 17:45:41.584346+00'),
	('vote-cast', '/votes', 'v2', 'a0000000-0000-4000-8000-000000000001', 'c0000000-0000-4000-8000-000000000001', 'new_vote', 'notify', NULL, 'member', '70000000-0000-4000-8000-000000000002', 'feedbackkit', NULL, '{"personal": true}', '2026-11-28 17:45:41.584346+00'),
	('vote-cast', '/votes', 'v3', 'a0000000-0000-4000-8000-000000000001', 'c0000000-0000-4000-8000-000000000001', 'new_vote', 'hold', NULL, 'member', '70000000-0000-4000-8000-000000000003', 'feedbackkit', NULL, '{"personal": true}', '2026-11-28 17:45:41.584346+00');


--
-- Data for Name: deliveries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.deliveries VALUES
	('64cfca60-0172-43a1-8911-ea5218cd54ca', '70000000-0000-4000-8000-000000000002', 'dd000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', 'feedbackkit', 'apns', 'queued', '2026-11-28 17:45:41.584346+00', '2026-11-29 17:45:41.584346+00', NULL, NULL, 0, 0, 0, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-28 17:45:41.584346+00', '2026-11-28 17:45:41.584346+00'),
	('28984fbb-41be-4151-803c-e61cbf6fdc60', '70000000-0000-4000-8000-000000000001', 'dd000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', 'feedbackkit', 'apns', 'opened', '2026-11-28 17:45:41.584346+00', '2026-11-29 17:45:41.584346+00', NULL, NULL, 0, 0, 0, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-28 17:45:41.584346+00', '2026-11-28 17:45:41.584346+00'),
	('ca4288ff-e39b-4718-a3ce-3dfdc3d89d70', '70000000-0000-4000-8000-000000000002', 'dd000000-0000-4000-8000-000000000011', 'a0000000-0000-4000-8000-000000000001', 'feedbackkit', 'apns', 'queued', '2026-11-28 17:45:41.584346+00', '2026-11-29 17:45:41.584346+00', NULL, NULL, 0, 0, 0, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-28 17:45:41.584346+00', '2026-11-28 17:45:41.584346+00'),
	('b29e004e-c64b-4eb4-a911-211fb7378d57', '70000000-0000-4000-8000-000000000001', 'dd000000-0000-4000-8000-000000000011', 'a0000000-0000-4000-8000-000000000001', 'feedbackkit', 'apns', 'opened', '2026-11-28 17:45:41.584346+00', '2026-11-29 17:45:41.584346+00', NULL, NULL, 0, 0, 0, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-28 17:45:41.584346+00', '2026-11-28 17:45:41.584346+00');


--
-- Data for Name: device_tokens; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.device_tokens VALUES
	('dd000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', 'a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1', 'iOS', NULL, NULL, true, '2026-11-28 17:45:41.468165+00', NULL, '2026-11-28 17:45:41.468165+00', 'feedbackkit', 'apns', 'sandbox', NULL, NULL, NULL, NULL, NULL, NULL, 0, '{}', 0, NULL),
	('dd000000-0000-4000-8000-000000000011', 'a0000000-0000-4000-8000-000000000001', 'b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1', 'macOS', NULL, NULL, true, '2026-11-28 17:45:41.468165+00', NULL, '2026-11-28 17:45:41.468165+00', 'feedbackkit', 'apns', 'sandbox', NULL, NULL, NULL, NULL, NULL, NULL, 0, '{}', 0, NULL),
	('dd000000-0000-4000-8000-000000000002', 'a0000000-0000-4000-8000-000000000002', 'a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2', 'iOS', NULL, NULL, true, '2026-11-28 17:45:41.468165+00', NULL, '2026-11-28 17:45:41.468165+00', 'feedbackkit', 'apns', 'sandbox', NULL, NULL, NULL, NULL, NULL, NULL, 0, '{}', 0, NULL),
	('dd000000-0000-4000-8000-000000000003', 'a0000000-0000-4000-8000-000000000003', 'a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3', 'iOS', NULL, NULL, true, '2026-11-28 17:45:41.468165+00', NULL, '2026-11-28 17:45:41.468165+00', 'feedbackkit', 'apns', 'sandbox', NULL, NULL, NULL, NULL, NULL, NULL, 0, '{}', 0, NULL),
	('dd000000-0000-4000-8000-000000000004', 'a0000000-0000-4000-8000-000000000004', 'a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4', 'iOS', NULL, NULL, true, '2026-11-28 17:45:41.468165+00', NULL, '2026-11-28 17:45:41.468165+00', 'feedbackkit', 'apns', 'sandbox', NULL, NULL, NULL, NULL, NULL, NULL, 0, '{}', 0, NULL),
	('dd000000-0000-4000-8000-000000000005', 'a0000000-0000-4000-8000-000000000005', 'a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5', 'iOS', NULL, NULL, true, '2026-11-28 17:45:41.468165+00', NULL, '2026-11-28 17:45:41.468165+00', 'feedbackkit', 'apns', 'sandbox', NULL, NULL, NULL, NULL, NULL, NULL, 0, '{}', 0, NULL),
	('dd000000-0000-4000-8000-000000000007', 'a0000000-0000-4000-8000-000000000007', 'a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7', 'iOS', NULL, NULL, true, '2026-11-28 17:45:41.468165+00', NULL, '2026-11-28 17:45:41.468165+00', 'feedbackkit', 'apns', 'sandbox', NULL, NULL, NULL, NULL, NULL, NULL, 0, '{}', 0, NULL),
	('dd000000-0000-4000-8000-000000000008', 'a0000000-0000-4000-8000-000000000008', 'a8a8a8a8a8a8a8a8a8a8a8a8a8a8a8a8a8a8a8a8a8a8a8a8a8a8a8a8a8a8a8a8', 'iOS', NULL, NULL, true, '2026-11-28 17:45:41.468165+00', NULL, '2026-11-28 17:45:41.468165+00', 'feedbackkit', 'apns', 'sandbox', NULL, NULL, NULL, NULL, NULL, NULL, 0, '{}', 0, NULL),
	('dd000000-0000-4000-8000-000000000021', 'a0000000-0000-4000-8000-000000000001', 'c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1', 'iOS', NULL, NULL, true, '2026-11-28 17:45:41.468165+00', NULL, '2026-11-28 17:45:41.468165+00', 'lockitin', 'apns', 'sandbox', 'com.lockit.app', NULL, NULL, NULL, NULL, NULL, 0, '{}', 0, NULL),
	('dd000000-0000-4000-8000-000000000022', 'a0000000-0000-4000-8000-000000000002', 'c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2', 'iOS', NULL, NULL, true, '2026-11-28 17:45:41.468165+00', NULL, '2026-11-28 17:45:41.468165+00', 'lockitin', 'apns', 'sandbox', 'com.lockit.app', NULL, NULL, NULL, NULL, NULL, 0, '{}', 0, NULL),
	('dd000000-0000-4000-8000-000000000023', 'a0000000-0000-4000-8000-000000000003', 'c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3', 'iOS', NULL, NULL, true, '2026-11-28 17:45:41.468165+00', NULL, '2026-11-28 17:45:41.468165+00', 'lockitin', 'apns', 'sandbox', 'com.lockit.app', NULL, NULL, NULL, NULL, NULL, 0, '{}', 0, NULL),
	('dd000000-0000-4000-8000-000000000025', 'a0000000-0000-4000-8000-000000000005', 'c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5', 'iOS', NULL, NULL, true, '2026-11-28 17:45:41.468165+00', NULL, '2026-11-28 17:45:41.468165+00', 'lockitin', 'apns', 'sandbox', 'com.lockit.app', NULL, NULL, NULL, NULL, NULL, 0, '{}', 0, NULL),
	('dd000000-0000-4000-8000-000000000031', 'a0000000-0000-4000-8000-000000000001', 'd1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1', 'iOS', NULL, NULL, true, '2026-11-28 17:45:41.468165+00', NULL, '2026-11-28 17:45:41.468165+00', 'repairminder', 'apns', 'sandbox', 'com.mendmyi.repairminder', NULL, NULL, NULL, NULL, NULL, 0, '{}', 0, NULL),
	('dd000000-0000-4000-8000-000000000041', 'a0000000-0000-4000-8000-000000000001', 'e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1', 'iOS', NULL, NULL, true, '2026-11-28 17:45:41.468165+00', NULL, '2026-11-28 17:45:41.468165+00', 'messageai', 'apns', 'sandbox', 'com.messageai.app', NULL, NULL, NULL, NULL, NULL, 0, '{}', 0, NULL);


--
-- Data for Name: event_attendees; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.event_attendees VALUES
	('fa000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', 'yes', 25, 'car', 'light', '2026-11-28 17:45:41.468165+00'),
	('fa000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000002', 'maybe', NULL, NULL, NULL, '2026-11-28 17:45:41.468165+00'),
	('fa000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000005', 'no', NULL, NULL, NULL, '2026-11-28 17:45:41.468165+00');


--
-- Data for Name: event_conflicts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.event_conflicts VALUES
	('f9000000-0000-4000-8000-000000000001', 'f4000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000002', 'fb000000-0000-4000-8000-000000000001', 'Dentist', 'hard', '2026-11-28 17:45:41.468165+00');


--
-- Data for Name: event_proposals; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.event_proposals VALUES
	('f4000000-0000-4000-8000-000000000001', 'f0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', 'Game Night', NULL, '2030-01-05 20:00:00+00', 'open', 'shared_with_name', 1, '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00', NULL, NULL, NULL),
	('f4000000-0000-4000-8000-000000000002', 'f0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', 'Movie Night', NULL, '2030-01-05 20:00:00+00', 'confirmed', 'shared_with_name', 1, '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00', NULL, NULL, NULL);


--
-- Data for Name: events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.events VALUES
	('fa000000-0000-4000-8000-000000000001', 'f0000000-0000-4000-8000-000000000001', NULL, NULL, 'a0000000-0000-4000-8000-000000000001', 'Picnic', 'Mauerpark', 52.5433, 13.4026, '2030-01-12 19:00:00+00', '2030-01-12 23:00:00+00', 'confirmed', 'shared_with_name', true, '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00'),
	('fa000000-0000-4000-8000-000000000002', 'f0000000-0000-4000-8000-000000000001', 'f4000000-0000-4000-8000-000000000002', NULL, 'a0000000-0000-4000-8000-000000000001', 'Movie Night', NULL, NULL, NULL, '2030-01-19 19:00:00+00', '2030-01-19 23:00:00+00', 'confirmed', 'shared_with_name', true, '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00');


--
-- Data for Name: experiments; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.experiments VALUES
	('feedbackkit', 'new_vote', true);


--
-- Data for Name: feedbacks; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.feedbacks VALUES
	('c0000000-0000-4000-8000-000000000001', 'Dark mode', 'White hurts at night.', 'approved', 'feature_request', 'sdk-grace', 'Grace@Example.com', 2, 'b0000000-0000-4000-8000-000000000001', NULL, NULL, '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00');


--
-- Data for Name: friend_requests; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.friend_requests VALUES
	('f7000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000008', 'a0000000-0000-4000-8000-000000000002', 'pending', '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00');


--
-- Data for Name: group_invites; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.group_invites VALUES
	('f8000000-0000-4000-8000-000000000001', 'f0000000-0000-4000-8000-000000000002', 'a0000000-0000-4000-8000-000000000008', 'a0000000-0000-4000-8000-000000000002', 'pending', '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00');


--
-- Data for Name: group_members; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.group_members VALUES
	('f1000000-0000-4000-8000-000000000001', 'f0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', 'member', '2026-11-28 17:45:41.468165+00'),
	('f1000000-0000-4000-8000-000000000002', 'f0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000002', 'member', '2026-11-28 17:45:41.468165+00'),
	('f1000000-0000-4000-8000-000000000003', 'f0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000003', 'member', '2026-11-28 17:45:41.468165+00'),
	('f1000000-0000-4000-8000-000000000005', 'f0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000005', 'member', '2026-11-28 17:45:41.468165+00'),
	('f1000000-0000-4000-8000-000000000008', 'f0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000008', 'member', '2026-11-28 17:45:41.468165+00'),
	('f1000000-0000-4000-8000-000000000018', 'f0000000-0000-4000-8000-000000000002', 'a0000000-0000-4000-8000-000000000008', 'member', '2026-11-28 17:45:41.468165+00');


--
-- Data for Name: group_notification_preferences; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.group_notification_preferences VALUES
	('f3000000-0000-4000-8000-000000000005', 'a0000000-0000-4000-8000-000000000005', 'f0000000-0000-4000-8000-000000000001', 'important', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);


--
-- Data for Name: groups; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.groups VALUES
	('f0000000-0000-4000-8000-000000000001', 'College Friends', 'a0000000-0000-4000-8000-000000000001', '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00'),
	('f0000000-0000-4000-8000-000000000002', 'Book Club', 'a0000000-0000-4000-8000-000000000008', '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00');


--
-- Data for Name: handled_events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handled_events VALUES
	('vote-cast', '/votes', 'v1', '{}', NULL, '2026-11-28 17:45:41.584346+00');


--
-- Data for Name: held_notifications; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.held_notifications VALUES
	('70000000-0000-4000-8000-000000000003', 'a0000000-0000-4000-8000-000000000001', 'feedbackkit', 'batched', '2026-11-28 18:45:41.584346+00', '2026-11-28 17:45:41.584346+00');


--
-- Data for Name: held_people; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.held_people VALUES
	('a0000000-0000-4000-8000-000000000001', 'feedbackkit', '2026-11-28 18:45:41.584346+00', 0, NULL);


--
-- Data for Name: notification_actions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.notification_actions OVERRIDING SYSTEM VALUE VALUES
	(1, '70000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', 'feedbackkit', 'mark_read', NULL, NULL, NULL, NULL, NULL, '2026-11-28 17:45:41.584346+00');


--
-- Data for Name: notification_interactions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.notification_interactions VALUES
	('9aa5ccdd-4228-41f8-8fa9-c9c14e1a6c22', '70000000-0000-4000-8000-000000000001', NULL, 'opened', '', '2026-11-28 17:45:41.584346+00', '2026-11-28 17:45:41.584346+00');


--
-- Data for Name: notification_rechecks; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.notification_rechecks VALUES
	('70000000-0000-4000-8000-000000000003', 'hold', NULL, NULL, '2026-11-28 17:45:41.584346+00');


--
-- Data for Name: notification_settings; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.notification_settings VALUES
	('a0000000-0000-4000-8000-000000000001', 'repairminder', true, '{"order_lost": false}', NULL, 'Europe/Berlin', true, '22:00:00', '07:00:00', NULL, NULL, NULL, true, false, true, NULL, '2026-11-28 17:45:41.584346+00');


--
-- Data for Name: notification_state; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.notification_state VALUES
	('a0000000-0000-4000-8000-000000000001', 'lockitin', '2026-11-28 17:45:41.584346+00');


--
-- Data for Name: notifications; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.notifications VALUES
	('e1000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', 'order_status_changed', NULL, NULL, '{"status": "ready", "order_number": 1234}', NULL, false, false, '2026-11-28 17:45:41.468165+00', '2031-01-01 00:00:00+00', '2026-11-28 17:45:41.468165+00', NULL, 'repairminder', 'function', NULL, '0d000000-0000-4000-8000-000000001234', NULL, NULL, NULL, NULL, 'normal', true, NULL, 'alert', 10, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false),
	('70000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', 'new_vote', 'Vote 1', 'Ben voted', '{}', NULL, false, false, '2026-11-28 17:45:41.584346+00', '2026-12-28 17:45:41.584346+00', '2026-11-28 17:45:41.584346+00', NULL, 'feedbackkit', 'function', NULL, NULL, NULL, 'b0000000-0000-4000-8000-000000000001', 'c0000000-0000-4000-8000-000000000001', NULL, 'normal', true, '{"aps":{"alert":{"title":"Vote"}}}', 'alert', 10, NULL, 'vote-cast', '/votes', 'v1', 'vote 1', NULL, NULL, '2026-11-28 17:45:41.584346+00', NULL, NULL, 'votes', 'c0000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'sdk-hugo', NULL, NULL, NULL, NULL, false),
	('70000000-0000-4000-8000-000000000002', 'a0000000-0000-4000-8000-000000000001', 'new_vote', 'Vote 2', 'Ben voted', '{}', NULL, false, false, '2026-11-28 17:45:41.584346+00', '2026-12-28 17:45:41.584346+00', '2026-11-28 17:45:41.584346+00', NULL, 'feedbackkit', 'function', NULL, NULL, NULL, 'b0000000-0000-4000-8000-000000000001', 'c0000000-0000-4000-8000-000000000001', NULL, 'normal', true, '{"aps":{"alert":{"title":"Vote"}}}', 'alert', 10, NULL, 'vote-cast', '/votes', 'v2', 'vote 2', NULL, NULL, '2026-11-28 17:45:41.584346+00', NULL, NULL, 'votes', 'c0000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'sdk-hugo', NULL, NULL, NULL, NULL, false),
	('70000000-0000-4000-8000-000000000003', 'a0000000-0000-4000-8000-000000000001', 'new_vote', 'Vote 3', 'Ben voted', '{}', NULL, false, false, '2026-11-28 17:45:41.584346+00', '2026-12-28 17:45:41.584346+00', '2026-11-28 17:45:41.584346+00', NULL, 'feedbackkit', 'function', NULL, NULL, NULL, 'b0000000-0000-4000-8000-000000000001', 'c0000000-0000-4000-8000-000000000001', NULL, 'normal', true, '{"aps":{"alert":{"title":"Vote"}}}', 'alert', 10, NULL, 'vote-cast', '/votes', 'v3', 'vote 3', NULL, NULL, NULL, NULL, NULL, 'votes', 'c0000000-0000-4000-8000-000000000001', NULL, NULL, NULL, 'sdk-hugo', NULL, NULL, NULL, NULL, false);


--
-- Data for Name: project_member_preferences; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.project_member_preferences VALUES
	('b2000000-0000-4000-8000-000000000004', 'a0000000-0000-4000-8000-000000000004', 'b0000000-0000-4000-8000-000000000001', NULL, NULL, NULL, NULL, true, NULL, NULL, false, '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00'),
	('b2000000-0000-4000-8000-000000000005', 'a0000000-0000-4000-8000-000000000005', 'b0000000-0000-4000-8000-000000000001', NULL, true, NULL, NULL, false, NULL, NULL, false, '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00');


--
-- Data for Name: project_members; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.project_members VALUES
	('b1000000-0000-4000-8000-000000000002', 'b0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000002', 'admin', '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00'),
	('b1000000-0000-4000-8000-000000000003', 'b0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000003', 'member', '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00'),
	('b1000000-0000-4000-8000-000000000004', 'b0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000004', 'member', '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00'),
	('b1000000-0000-4000-8000-000000000005', 'b0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000005', 'member', '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00'),
	('b1000000-0000-4000-8000-000000000006', 'b0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000006', 'member', '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00'),
	('b1000000-0000-4000-8000-000000000007', 'b0000000-0000-4000-8000-000000000002', 'a0000000-0000-4000-8000-000000000001', 'member', '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00');


--
-- Data for Name: projects; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.projects VALUES
	('b0000000-0000-4000-8000-000000000001', 'Orbit', 'demo-key-orbit', NULL, 'a0000000-0000-4000-8000-000000000001', false, NULL, '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00'),
	('b0000000-0000-4000-8000-000000000002', 'Harbor', 'demo-key-harbor', NULL, 'a0000000-0000-4000-8000-000000000008', false, NULL, '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00');


--
-- Data for Name: proposal_leads; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.proposal_leads VALUES
	('f4000000-0000-4000-8000-000000000001', 'f5000000-0000-4000-8000-000000000001', '2026-11-28 17:45:41.584346+00');


--
-- Data for Name: proposal_lost_votes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.proposal_lost_votes VALUES
	('f4000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000002', 1);


--
-- Data for Name: proposal_options; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.proposal_options VALUES
	('f5000000-0000-4000-8000-000000000001', 'f4000000-0000-4000-8000-000000000001', '2030-01-12 19:00:00+00', '2030-01-12 23:00:00+00', '2026-11-28 17:45:41.468165+00'),
	('f5000000-0000-4000-8000-000000000002', 'f4000000-0000-4000-8000-000000000001', '2030-01-13 19:00:00+00', '2030-01-13 23:00:00+00', '2026-11-28 17:45:41.468165+00');


--
-- Data for Name: proposal_votes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.proposal_votes VALUES
	('f6000000-0000-4000-8000-000000000002', 'f4000000-0000-4000-8000-000000000001', 'f5000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000002', 'yes', '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00', 1);


--
-- Data for Name: push_gone_people; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.push_gone_people VALUES
	('95f503f6-d1c7-4b89-befe-8c57736145de');


--
-- Data for Name: push_notification_logs_20261128; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.push_notification_logs_20261128 VALUES
	('6e15c47e-20fa-4483-a0ac-453296fd6ddf', 'a0000000-0000-4000-8000-000000000001', 'dd000000-0000-4000-8000-000000000001', 'new_vote', 'sent', NULL, NULL, NULL, NULL, NULL, '2026-11-28 17:45:41.584346+00', '28984fbb-41be-4151-803c-e61cbf6fdc60', 1, 200, NULL, NULL),
	('b388ddc5-486c-4e01-ba5d-fb25396bcd8f', 'a0000000-0000-4000-8000-000000000001', 'dd000000-0000-4000-8000-000000000011', 'new_vote', 'sent', NULL, NULL, NULL, NULL, NULL, '2026-11-28 17:45:41.584346+00', 'b29e004e-c64b-4eb4-a911-211fb7378d57', 1, 200, NULL, NULL);


--
-- Data for Name: push_notification_logs_20261129; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: push_notification_logs_20261130; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: push_notification_logs_20261201; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: push_notification_logs_20261202; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: push_notification_logs_20261203; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: push_notification_logs_20261204; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: push_notification_logs_20261205; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: push_notification_logs_default; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: push_provider_tokens; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.push_provider_tokens VALUES
	('TEAM000000', 'KEY0000000', 'sandbox', NULL, NULL);


--
-- Data for Name: push_providers; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.push_providers VALUES
	('fcm', NULL, 'FCM is not configured', '2026-11-01 12:00:00+00');


--
-- Data for Name: seen_requests; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.seen_requests VALUES
	('a0000000-0000-4000-8000-000000000001', 'f4000000-0000-4000-8000-000000000001', NULL);


--
-- Data for Name: stale_entries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.stale_entries OVERRIDING SYSTEM VALUE VALUES
	(1, '70000000-0000-4000-8000-000000000002', 'a0000000-0000-4000-8000-000000000001', 'feedbackkit');


--
-- Data for Name: user_activity; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.user_activity VALUES
	('a0000000-0000-4000-8000-000000000001', 'messageai', 'c1', '2026-11-01 12:00:00+00');


--
-- Data for Name: user_notification_preferences; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.user_notification_preferences VALUES
	('f2000000-0000-4000-8000-000000000003', 'a0000000-0000-4000-8000-000000000003', false, true, true, true, true, true, true, 'default', true, false, NULL, NULL, NULL, true, '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL);


--
-- Data for Name: user_tokens; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.user_tokens VALUES
	('d4000000-0000-4000-8000-000000000001', 'demo-ada', 'a0000000-0000-4000-8000-000000000001', NULL, '2026-11-28 17:45:41.468165+00');


--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.users VALUES
	('a0000000-0000-4000-8000-000000000001', 'ada@example.com', 'Ada', '', false, true, true, true, '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00', true, true, true, true, true),
	('a0000000-0000-4000-8000-000000000002', 'ben@example.com', 'Ben', '', false, true, true, true, '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00', true, true, true, true, true),
	('a0000000-0000-4000-8000-000000000003', 'chloe@example.com', 'Chloe', '', false, true, true, true, '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00', false, true, true, true, true),
	('a0000000-0000-4000-8000-000000000004', 'dan@example.com', 'Dan', '', false, true, true, true, '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00', true, true, true, true, true),
	('a0000000-0000-4000-8000-000000000005', 'eva@example.com', 'Eva', '', false, true, true, true, '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00', true, true, false, true, true),
	('a0000000-0000-4000-8000-000000000006', 'finn@example.com', 'Finn', '', false, true, true, true, '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00', true, true, true, true, true),
	('a0000000-0000-4000-8000-000000000007', 'grace@example.com', 'Grace', '', false, true, true, true, '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00', true, true, true, true, true),
	('a0000000-0000-4000-8000-000000000008', 'hugo@example.com', 'Hugo', '', false, true, true, true, '2026-11-28 17:45:41.468165+00', '2026-11-28 17:45:41.468165+00', true, true, true, true, true),
	('95f503f6-d1c7-4b89-befe-8c57736145de', 'gone@example.com', 'Gone', '', false, true, true, false, '2026-11-28 17:45:41.584346+00', '2026-11-28 17:45:41.584346+00', true, true, true, true, true);


--
-- Data for Name: votes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.votes VALUES
	('c2000000-0000-4000-8000-000000000001', 'sdk-hugo', 'c0000000-0000-4000-8000-000000000001', '2026-11-28 17:45:41.468165+00', 'hugo@example.com'),
	('c2000000-0000-4000-8000-000000000002', 'sdk-iris', 'c0000000-0000-4000-8000-000000000001', '2026-11-28 17:45:41.468165+00', 'iris@nowhere.example');


--
-- Data for Name: changes; Type: TABLE DATA; Schema: runner; Owner: -
--

INSERT INTO runner.changes VALUES
	('relation', 'public.project_member_preferences', '', NULL, 'r', NULL),
	('trigger', 'public.device_tokens', 'push_note_reachable', NULL, 'CREATE TRIGGER push_note_reachable AFTER UPDATE OF token, user_id, app, registered_at, is_active ON public.device_tokens FOR EACH ROW WHEN (((new.is_active IS NOT FALSE) AND ((old.is_active IS FALSE) OR ((((new.token IS DISTINCT FROM old.token) OR (new.user_id IS DISTINCT FROM old.user_id)) OR (new.app IS DISTINCT FROM old.app)) OR (new.registered_at IS DISTINCT FROM old.registered_at))))) EXECUTE FUNCTION push_note_reachable()', NULL),
	('function', 'public.push_account(address text)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_account(address text)
 RETURNS TABLE(id uuid)
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  SELECT u.id FROM users u
  WHERE lower(u.email COLLATE "C") = lower(address COLLATE "C") AND push_is_verified(to_jsonb(u))
  ORDER BY u.email = address DESC, u.id LIMIT 1
$function$
', NULL),
	('trigger', 'public.group_members', 'push_note_stale', NULL, 'CREATE TRIGGER push_note_stale AFTER DELETE ON public.group_members REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION push_note_stale(''members'')', NULL),
	('function', 'public.push_badges(person uuid, app text, moment timestamp with time zone)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_badges(person uuid, app text, moment timestamp with time zone)
 RETURNS TABLE(badge integer)
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  SELECT CASE push_badges.app
    WHEN ''lockitin'' THEN (
      SELECT count(*) FROM push_asked(person, moment) a
      WHERE NOT EXISTS (
        SELECT FROM seen_requests s
        WHERE s.user_id = person AND s.subject_id = a.id
          AND s.options_changed_at IS NOT DISTINCT FROM a.options_changed_at))
    ELSE (
      SELECT count(*) + coalesce(sum(CASE push_badges.app WHEN ''messageai'' THEN (
        SELECT count(*) FROM push_parts(n.id) m WHERE m.is_read IS NOT TRUE) ELSE 0 END), 0)
      FROM notifications n
      WHERE n.user_id = person AND n.app = push_badges.app
        AND n.counts_for_badge AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE
        AND (n.expires_at IS NULL OR n.expires_at > moment))
  END::integer
$function$
', NULL),
	('function', 'public.push_journal(after timestamp with time zone, through timestamp with time zone)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_journal(after timestamp with time zone, through timestamp with time zone)
 RETURNS TABLE("time" timestamp with time zone, function text, line text, minor boolean, person text, kind text, decision text, reason text, title text)
 LANGUAGE sql
 STABLE
AS $function$
  SELECT w.time, w.function,
    concat_ws('' '', CASE w.decision
      WHEN ''notify'' THEN ''told '' || p.person
      WHEN ''merge'' THEN ''told '' || p.person || '' with others''
      WHEN ''summarize'' THEN ''told '' || p.person
      WHEN ''hold'' THEN ''holds for '' || p.person
      ELSE ''did not tell '' || p.person END,
      ''"'' || n.title || ''"'', ''('' || w.kind || '')'',
      CASE WHEN w.decision = ''summarize'' THEN ''in one push with others after quiet hours'' END)
      || CASE WHEN w.decision IN (''notify'', ''merge'', ''summarize'') THEN '''' ELSE coalesce('': '' || w.reason, '''') END,
    w.decision = ''suppress'', p.person, w.kind, w.decision, w.reason, n.title::text
  FROM (
    SELECT created_at AS time, function::text, user_id, kind::text, decision::text, reason::text, notification_id
    FROM decisions WHERE created_at > after AND created_at <= through
    UNION ALL
    SELECT r.created_at, ''release-held'', m.user_id, m.type, r.decision, r.reason, m.id
    FROM notification_rechecks AS r JOIN notifications AS m ON m.id = r.notification_id
    WHERE r.created_at > after AND r.created_at <= through
  ) AS w
  LEFT JOIN users AS u ON u.id = w.user_id
  LEFT JOIN notifications AS n ON n.id = w.notification_id
  CROSS JOIN LATERAL (SELECT coalesce(to_jsonb(u) ->> ''name'', w.user_id::text) AS person) AS p
$function$
', NULL),
	('trigger', 'public.decisions', 'push_note_unpushed', NULL, 'CREATE TRIGGER push_note_unpushed AFTER INSERT ON public.decisions FOR EACH ROW WHEN (((new.decision = ''suppress''::text) AND
        CASE new.app
            WHEN ''lockitin''::text THEN (lower(new.kind) = ANY (ARRAY[''proposal_created''::text, ''proposal_updated''::text, ''friend_request''::text, ''group_invite''::text]))
            ELSE (new.reason = ANY (ARRAY[''quiet_hours''::text, ''rate_limited''::text, ''expired''::text, ''unencodable''::text]))
        END)) EXECUTE FUNCTION push_note_unpushed(''decision'')', NULL),
	('relation', 'public.event_conflicts', '', NULL, 'r', NULL),
	('trigger', 'public.device_tokens', 'push_note_new_device', NULL, 'CREATE TRIGGER push_note_new_device AFTER INSERT ON public.device_tokens FOR EACH ROW WHEN ((new.is_active IS NOT FALSE)) EXECUTE FUNCTION push_note_reachable()', NULL),
	('relation', 'public.group_members', '', NULL, 'r', NULL),
	('function', 'public.push_note_level()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_note_level()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NEW.notification_level IS DISTINCT FROM ''muted'' THEN
    NEW.level_before_mute := NULL;
  ELSIF OLD.notification_level IN (''all'', ''important'') THEN
    NEW.level_before_mute := OLD.notification_level;
  END IF;
  RETURN NEW;
END
$function$
', NULL),
	('function', 'public.push_knows(tab text, VARIADIC cols text[])', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_knows(tab text, VARIADIC cols text[])
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT cardinality(cols) = (
    SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN (''r'', ''p'')
    WHERE a.attrelid = to_regclass(tab) AND a.attname = ANY (cols) AND NOT a.attisdropped)
$function$
', NULL),
	('trigger', 'public.notification_settings', 'push_settings_changed', NULL, 'CREATE TRIGGER push_settings_changed AFTER INSERT OR DELETE OR UPDATE ON public.notification_settings FOR EACH ROW EXECUTE FUNCTION push_settings_changed()', NULL),
	('relation', 'public.notification_state', '', NULL, 'r', NULL),
	('function', 'public.push_may_vote(id uuid)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_may_vote(id uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE SECURITY DEFINER
RETURN (EXISTS (SELECT FROM event_proposals p WHERE ((p.id = push_may_vote.id) AND (p.status = ''open''::text) AND (p.deadline > push_now()) AND push_in_group(p.group_id))))
', NULL),
	('trigger', 'public.user_notification_preferences', 'push_note_switch_gone', NULL, 'CREATE TRIGGER push_note_switch_gone AFTER DELETE ON public.user_notification_preferences FOR EACH ROW WHEN ((old.notifications_enabled IS FALSE)) EXECUTE FUNCTION push_note_switched_on(''lockitin'')', NULL),
	('relation', 'public.proposal_leads', '', NULL, 'r', NULL),
	('function', 'public.push_is_server()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_is_server()
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (NOT (EXISTS (SELECT FROM pg_roles r WHERE ((r.rolname = ANY (ARRAY[''push_app''::name, ''anon''::name, ''authenticated''::name])) AND pg_has_role(r.oid, ''USAGE''::text)))))
', NULL),
	('relation', 'public.proposal_options', '', NULL, 'r', NULL),
	('trigger', 'public.group_notification_preferences', 'push_note_level', NULL, 'CREATE TRIGGER push_note_level BEFORE UPDATE OF notification_level ON public.group_notification_preferences FOR EACH ROW EXECUTE FUNCTION push_note_level()', NULL),
	('trigger', 'public.group_members', 'push_note_loss', NULL, 'CREATE TRIGGER push_note_loss BEFORE DELETE ON public.group_members FOR EACH ROW EXECUTE FUNCTION push_note_loss(''member'')', NULL),
	('trigger', 'public.device_tokens', 'push_end_twins_of_new', NULL, 'CREATE TRIGGER push_end_twins_of_new AFTER INSERT ON public.device_tokens FOR EACH ROW WHEN (((new.is_active IS NOT FALSE) AND (new.provider = ''apns''::text) AND (new.token ~ ''^[0-9A-Fa-f]+$''::text))) EXECUTE FUNCTION push_end_twins()', NULL),
	('function', 'public.push_parts(teller uuid)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_parts(teller uuid)
 RETURNS SETOF notifications
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  WITH RECURSIVE parts AS (
    SELECT n.id FROM notifications n WHERE n.merged_into = teller
    UNION
    SELECT n.id FROM parts p
    CROSS JOIN LATERAL (SELECT m.id FROM notifications m WHERE m.merged_into = p.id OFFSET 0) n
  )
  SELECT n.* FROM parts p CROSS JOIN LATERAL (SELECT m.* FROM notifications m WHERE m.id = p.id OFFSET 0) n
$function$
', NULL),
	('relation', 'public.api_tokens', '', NULL, 'r', NULL),
	('function', 'public.push_eligibility(n notifications, moment timestamp with time zone)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_eligibility(n notifications, moment timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$ SELECT eligibility FROM push_eligibilities(n, moment) $function$
', NULL),
	('function', 'public.push_friend_requests()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_friend_requests()
 RETURNS TABLE(id uuid, recipient_id uuid, status text, created_at timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$ SELECT r.id, r.recipient_id, r.status::text, r.created_at FROM friend_requests r $function$
', NULL),
	('function', 'public.push_counts(n notifications)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_counts(n notifications)
 RETURNS TABLE(counts boolean)
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  SELECT CASE n.family
    WHEN ''votes'' THEN EXISTS (
      SELECT FROM votes v WHERE v.feedback_id = n.feedback_id AND v.user_id = n.actor OFFSET 0)
    WHEN ''comments'' THEN CASE WHEN push_uuid(n.data ->> ''commentId'') IS NULL
      THEN EXISTS (
        SELECT FROM push_comments() c WHERE c.feedback_id = n.feedback_id AND c.user_id = n.actor OFFSET 0)
      ELSE EXISTS (
        SELECT FROM push_comments() c
        WHERE c.id = push_uuid(n.data ->> ''commentId'') AND c.feedback_id = n.feedback_id OFFSET 0) END
    WHEN ''new_feedback'' THEN EXISTS (
      SELECT FROM feedbacks f WHERE f.id = n.feedback_id AND f.project_id = n.project_id OFFSET 0)
    WHEN ''proposal_votes'' THEN EXISTS (
      SELECT FROM proposal_votes v
      JOIN event_proposals p ON p.id = v.proposal_id
      JOIN group_members m ON m.group_id = p.group_id AND m.user_id = v.user_id
      WHERE v.proposal_id = n.proposal_id AND v.user_id = push_uuid(n.actor) OFFSET 0)
    WHEN ''conflicts'' THEN EXISTS (
      SELECT FROM event_conflicts c
      JOIN event_proposals p ON p.id = c.proposal_id
      JOIN group_members m ON m.group_id = p.group_id AND m.user_id = c.user_id
      WHERE c.proposal_id = n.proposal_id AND c.user_id = push_uuid(n.actor) AND (
        n.recipient_reason = ''organizer''
        OR c.existing_event_id IS NOT DISTINCT FROM push_uuid(n.data ->> ''existing_event_id'')) OFFSET 0)
    ELSE true
  END
$function$
', NULL),
	('relation', 'public.project_members', '', NULL, 'r', NULL),
	('relation', 'public.group_notification_preferences', '', NULL, 'r', NULL),
	('function', 'public.push_close_to_clients(tab regclass, VARIADIC functions regproc[])', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_close_to_clients(tab regclass, VARIADIC functions regproc[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  clients text := (
    SELECT string_agg(quote_ident(rolname), '', '') FROM pg_roles WHERE rolname IN (''anon'', ''authenticated''));
  routine regproc;
  counter regclass;
BEGIN
  IF NOT (SELECT relrowsecurity FROM pg_class WHERE oid = tab) THEN
    EXECUTE format(''ALTER TABLE %s ENABLE ROW LEVEL SECURITY'', tab);
    EXECUTE format(''CREATE POLICY push_servers ON %s USING (push_is_server())'', tab);
  END IF;
  IF clients IS NOT NULL THEN
    EXECUTE format(''REVOKE ALL ON %s FROM %s'', tab, clients);
    FOR counter IN
      SELECT d.objid::regclass FROM pg_depend d JOIN pg_class c ON c.oid = d.objid AND c.relkind = ''S''
      WHERE d.refobjid = tab AND d.deptype IN (''a'', ''i'')
    LOOP
      EXECUTE format(''REVOKE ALL ON SEQUENCE %s FROM %s'', counter, clients);
    END LOOP;
  END IF;
  FOREACH routine IN ARRAY functions LOOP
    EXECUTE format(''REVOKE EXECUTE ON FUNCTION %s FROM %s'', routine, concat_ws('', '', ''PUBLIC'', clients));
  END LOOP;
END
$function$
', NULL),
	('relation', 'public.notification_actions', '', NULL, 'r', NULL),
	('relation', 'public.user_tokens', '', NULL, 'r', NULL),
	('function', 'public.push_note_stale_of_feedback(feedback uuid, told text)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_note_stale_of_feedback(feedback uuid, told text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''public'', ''pg_temp''
AS $function$
  INSERT INTO stale_entries (notification_id, user_id, app)
  SELECT n.id, n.user_id, n.app FROM notifications n
  WHERE n.feedback_id = feedback AND n.family = told AND n.merged_into IS NULL
    AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE
$function$
', NULL),
	('relation', 'public.votes', '', NULL, 'r', NULL),
	('relation', 'public.decisions', '', NULL, 'r', NULL),
	('trigger', 'public.friend_requests', 'push_note_loss', NULL, 'CREATE TRIGGER push_note_loss BEFORE DELETE ON public.friend_requests FOR EACH ROW WHEN ((old.status = ''pending''::text)) EXECUTE FUNCTION push_note_loss(''request'')', NULL),
	('trigger', 'public.notification_state', 'push_note_seen', NULL, 'CREATE TRIGGER push_note_seen AFTER INSERT OR UPDATE OF all_read_at ON public.notification_state FOR EACH ROW WHEN (((new.app = ''lockitin''::text) AND (new.all_read_at IS NOT NULL))) EXECUTE FUNCTION push_note_seen()', NULL),
	('trigger', 'public.notification_settings', 'push_note_switch_gone', NULL, 'CREATE TRIGGER push_note_switch_gone AFTER DELETE ON public.notification_settings FOR EACH ROW WHEN ((old.is_enabled IS FALSE)) EXECUTE FUNCTION push_note_switched_on('''')', NULL),
	('trigger', 'public.group_members', 'push_note_rise', NULL, 'CREATE TRIGGER push_note_rise AFTER INSERT ON public.group_members FOR EACH ROW EXECUTE FUNCTION push_note_rise(''member'')', NULL),
	('relation', 'public.notifications', '', NULL, 'r', NULL),
	('trigger', 'public.comments', 'push_note_moved', NULL, 'CREATE TRIGGER push_note_moved AFTER UPDATE OF feedback_id ON public.comments FOR EACH ROW WHEN ((old.feedback_id IS DISTINCT FROM new.feedback_id)) EXECUTE FUNCTION push_note_moved(''comments'')', NULL),
	('relation', 'public.event_attendees', '', NULL, 'r', NULL),
	('function', 'public.push_queue_person()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_queue_person()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''public'', ''pg_temp''
AS $function$
BEGIN
  INSERT INTO held_people AS p (user_id, app, release_at)
  SELECT h.user_id, h.app, min(h.held_until) FROM held h GROUP BY h.user_id, h.app ORDER BY h.user_id, h.app
  ON CONFLICT (user_id, app) DO UPDATE SET release_at = excluded.release_at
    WHERE p.failures = 0 AND p.release_at > excluded.release_at;
  RETURN NULL;
END
$function$
', NULL),
	('function', 'public.push_sees_proposal(id uuid)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_sees_proposal(id uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE SECURITY DEFINER
RETURN (EXISTS (SELECT FROM event_proposals p WHERE ((p.id = push_sees_proposal.id) AND push_in_group(p.group_id))))
', NULL),
	('function', 'public.push_uuid(value text)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_uuid(value text)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT CASE
    WHEN value ~ ''^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'' THEN value::uuid
  END
$function$
', NULL),
	('relation', 'public.badge_losses', '', NULL, 'r', NULL),
	('function', 'public.push_follow_devices()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_follow_devices()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF 2 > (
      SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN (''r'', ''p'')
      WHERE a.attrelid = to_regclass(''user_devices'') AND a.attname IN (''user_id'', ''push_token'') AND NOT a.attisdropped)
    OR to_regclass(''user_devices'') IS NULL
    OR EXISTS (
      SELECT FROM pg_trigger
      WHERE tgrelid = to_regclass(''user_devices'') AND tgname = ''push_follow_device'' AND tgenabled IN (''O'', ''A''))
  THEN
    RETURN;
  END IF;
  CREATE OR REPLACE TRIGGER push_follow_device AFTER INSERT OR UPDATE OR DELETE ON user_devices
    FOR EACH ROW EXECUTE FUNCTION push_follow_device();
  PERFORM push_take_device(to_jsonb(u), coalesce((to_jsonb(u) ->> ''created_at'')::timestamptz, push_now()))
  FROM user_devices AS u
  WHERE NOT EXISTS (
    SELECT FROM device_tokens d WHERE d.token = to_jsonb(u) ->> ''push_token''
      AND d.registered_at >= coalesce(to_jsonb(u) ->> ''updated_at'', to_jsonb(u) ->> ''created_at'')::timestamptz)
  ORDER BY to_jsonb(u) ->> ''updated_at'' NULLS FIRST, to_jsonb(u) ->> ''created_at'' NULLS FIRST;
END
$function$
', NULL),
	('relation', 'public.comments', '', NULL, 'r', NULL),
	('trigger', 'public.proposal_votes', 'push_note_stale', NULL, 'CREATE TRIGGER push_note_stale AFTER DELETE ON public.proposal_votes REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION push_note_stale(''proposal_votes'')', NULL),
	('function', 'public.push_opted_out(reason text, app text, kind text, facts jsonb)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_opted_out(reason text, app text, kind text, facts jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (reason = ANY (ARRAY[''disabled''::text, ''project_muted''::text])) THEN true WHEN (reason = ''type_disabled''::text) THEN ((((app = ''lockitin''::text) AND (lower(kind) = ANY (ARRAY[''vote_cast''::text, ''event_day_before''::text]))) IS NOT TRUE) OR COALESCE(((facts @> ''{"personal": false}''::jsonb) OR ((facts @> ''{"override": false}''::jsonb) AND (NOT (facts @> ''{"ofProposal": true}''::jsonb)))), false)) ELSE false END
', NULL),
	('relation', 'public.push_notification_logs_default', '', NULL, 'r', NULL),
	('trigger', 'public.notifications', 'push_note_loss', NULL, 'CREATE TRIGGER push_note_loss BEFORE DELETE ON public.notifications FOR EACH ROW WHEN (((old.app <> ''lockitin''::text) AND old.counts_for_badge AND (old.is_read IS NOT TRUE) AND (old.is_archived IS NOT TRUE) AND (old.merged_into IS NULL) AND (current_setting(''app.own_write''::text, true) IS DISTINCT FROM ''on''::text))) EXECUTE FUNCTION push_note_loss(''notification'')', NULL),
	('function', 'public.push_comments()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_comments()
 RETURNS TABLE(id uuid, feedback_id uuid, user_id text)
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$ SELECT c.id, c.feedback_id, c.user_id::text FROM comments c $function$
', NULL),
	('trigger', 'public.group_invites', 'push_note_asked_again', NULL, 'CREATE TRIGGER push_note_asked_again AFTER UPDATE OF status ON public.group_invites FOR EACH ROW WHEN (((new.status = ''pending''::text) AND (old.status IS DISTINCT FROM new.status))) EXECUTE FUNCTION push_note_asked_again()', NULL),
	('trigger', 'public.users', 'push_forget_all_attempts', NULL, 'CREATE TRIGGER push_forget_all_attempts AFTER TRUNCATE ON public.users FOR EACH STATEMENT EXECUTE FUNCTION push_forget_attempts()', NULL),
	('trigger', 'public.votes', 'push_note_moved', NULL, 'CREATE TRIGGER push_note_moved AFTER UPDATE OF feedback_id ON public.votes FOR EACH ROW WHEN ((old.feedback_id IS DISTINCT FROM new.feedback_id)) EXECUTE FUNCTION push_note_moved(''votes'')', NULL),
	('trigger', 'public.user_notification_preferences', 'push_note_switched_on', NULL, 'CREATE TRIGGER push_note_switched_on AFTER UPDATE OF notifications_enabled ON public.user_notification_preferences FOR EACH ROW WHEN (((old.notifications_enabled IS FALSE) AND (new.notifications_enabled IS NOT FALSE))) EXECUTE FUNCTION push_note_switched_on(''lockitin'')', NULL),
	('function', 'public.push_teller(part uuid)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_teller(part uuid)
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  WITH RECURSIVE tellers AS (
    SELECT n.merged_into AS id, 1 AS step FROM notifications n WHERE n.id = part AND n.merged_into IS NOT NULL
    UNION
    SELECT n.merged_into, t.step + 1 FROM tellers t JOIN notifications n ON n.id = t.id WHERE n.merged_into IS NOT NULL
  )
  SELECT id FROM tellers ORDER BY step DESC LIMIT 1
$function$
', NULL),
	('relation', 'public.push_provider_tokens', '', NULL, 'r', NULL),
	('trigger', 'public.device_tokens', 'push_unknown_badge', NULL, 'CREATE TRIGGER push_unknown_badge BEFORE UPDATE OF token, user_id, app, registered_at ON public.device_tokens FOR EACH ROW EXECUTE FUNCTION push_unknown_badge()', NULL),
	('function', 'public.push_is_verified(person jsonb)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_is_verified(person jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (person ? ''is_email_verified''::text) THEN ((person -> ''is_email_verified''::text) = ''true''::jsonb) WHEN (person ? ''email_verified''::text) THEN ((person -> ''email_verified''::text) = ''true''::jsonb) WHEN (person ? ''email_confirmed_at''::text) THEN ((person -> ''email_confirmed_at''::text) <> ''null''::jsonb) WHEN (person ? ''email_verified_at''::text) THEN ((person -> ''email_verified_at''::text) <> ''null''::jsonb) ELSE true END
', NULL),
	('function', 'public.push_asked(person uuid, moment timestamp with time zone)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_asked(person uuid, moment timestamp with time zone)
 RETURNS TABLE(id uuid, options_changed_at timestamp with time zone, asked_at timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  SELECT p.id, p.options_changed_at, greatest(p.created_at, p.options_changed_at)
  FROM group_members m
  JOIN event_proposals p ON p.group_id = m.group_id AND p.status = ''open'' AND p.deadline > moment
  WHERE m.user_id = person
    AND NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = person)
  UNION ALL
  SELECT r.id, NULL, r.created_at FROM push_friend_requests() r WHERE r.recipient_id = person AND r.status = ''pending''
  UNION ALL
  SELECT i.id, NULL, i.created_at FROM group_invites i WHERE i.invitee_id = person AND i.status = ''pending''
$function$
', NULL),
	('trigger', 'public.notification_settings', 'push_note_switched_on', NULL, 'CREATE TRIGGER push_note_switched_on AFTER UPDATE OF is_enabled ON public.notification_settings FOR EACH ROW WHEN (((old.is_enabled IS FALSE) AND (new.is_enabled IS NOT FALSE))) EXECUTE FUNCTION push_note_switched_on('''')', NULL),
	('trigger', 'public.user_notification_preferences', 'push_settings_changed', NULL, 'CREATE TRIGGER push_settings_changed AFTER INSERT OR DELETE OR UPDATE ON public.user_notification_preferences FOR EACH ROW EXECUTE FUNCTION push_settings_changed()', NULL),
	('function', 'public.push_note_unvoted(member_group uuid, member uuid, proposal uuid)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_note_unvoted(member_group uuid, member uuid, proposal uuid)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''public'', ''pg_temp''
AS $function$
  INSERT INTO badge_losses (user_id, app, ends_at)
  SELECT m.user_id, ''lockitin'', least(max(p.deadline), timestamptz ''294276-12-01 00:00+00'') + interval ''1 day''
  FROM group_members m
  JOIN users u ON u.id = m.user_id
  JOIN event_proposals p ON p.group_id = m.group_id
  WHERE m.group_id = member_group AND m.user_id = coalesce(member, m.user_id) AND p.id = coalesce(proposal, p.id)
    AND NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = m.user_id)
    AND NOT EXISTS (
      SELECT FROM seen_requests s
      WHERE s.user_id = m.user_id AND s.subject_id = p.id
        AND s.options_changed_at IS NOT DISTINCT FROM p.options_changed_at)
    AND NOT EXISTS (
      SELECT FROM handled_events h
      WHERE h.function = ''proposal-expired'' AND h.source = ''/proposals''
        AND h.event_id = p.id || ''/'' || extract(epoch FROM p.deadline))
  GROUP BY m.user_id
$function$
', NULL),
	('relation', 'public.experiments', '', NULL, 'r', NULL),
	('trigger', 'public.group_notification_preferences', 'push_settings_changed', NULL, 'CREATE TRIGGER push_settings_changed AFTER INSERT OR DELETE OR UPDATE ON public.group_notification_preferences FOR EACH ROW EXECUTE FUNCTION push_settings_changed()', NULL),
	('relation', 'public.push_attempts_last_hour', '', NULL, 'v', NULL),
	('trigger', 'public.feedbacks', 'push_note_moved', NULL, 'CREATE TRIGGER push_note_moved AFTER UPDATE OF project_id ON public.feedbacks FOR EACH ROW WHEN ((old.project_id IS DISTINCT FROM new.project_id)) EXECUTE FUNCTION push_note_moved(''new_feedback'')', NULL),
	('function', 'public.push_note_unpushed()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_note_unpushed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''public'', ''pg_temp''
AS $function$
BEGIN
  IF TG_ARGV[0] = ''decision'' THEN
    INSERT INTO badge_losses (user_id, app, created_at)
    SELECT u.id, NEW.app, NEW.created_at FROM users u WHERE u.id = NEW.user_id;
  ELSE
    INSERT INTO badge_losses (user_id, app, created_at)
    SELECT n.user_id, n.app, NEW.created_at FROM notifications n
    WHERE n.id = NEW.notification_id AND CASE n.app
      WHEN ''lockitin'' THEN lower(n.type) IN (''proposal_created'', ''proposal_updated'', ''friend_request'', ''group_invite'')
      ELSE NEW.reason IN (
        ''project_muted'', ''type_disabled'', ''viewing'', ''quiet_hours'', ''rate_limited'', ''expired'', ''unencodable'') END;
  END IF;
  RETURN NULL;
END
$function$
', NULL),
	('trigger', 'public.friend_requests', 'push_note_asked_again', NULL, 'CREATE TRIGGER push_note_asked_again AFTER UPDATE OF status ON public.friend_requests FOR EACH ROW WHEN (((new.status = ''pending''::text) AND (old.status IS DISTINCT FROM new.status))) EXECUTE FUNCTION push_note_asked_again()', NULL),
	('trigger', 'public.proposal_votes', 'push_vote_lost', NULL, 'CREATE TRIGGER push_vote_lost AFTER DELETE ON public.proposal_votes REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION push_vote_lost()', NULL),
	('relation', 'public.users', '', NULL, 'r', NULL),
	('trigger', 'public.held_notifications', 'push_queue_person_again', NULL, 'CREATE TRIGGER push_queue_person_again AFTER UPDATE ON public.held_notifications REFERENCING NEW TABLE AS held FOR EACH STATEMENT EXECUTE FUNCTION push_queue_person()', NULL),
	('relation', 'public.deliveries', '', NULL, 'r', NULL),
	('relation', 'public.user_activity', '', NULL, 'r', NULL),
	('function', 'public.push_note_loss()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_note_loss()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''public'', ''pg_temp''
AS $function$
BEGIN
  CASE TG_ARGV[0]
    WHEN ''proposal'' THEN PERFORM push_note_unvoted(OLD.group_id, NULL, OLD.id);
    WHEN ''member'' THEN PERFORM push_note_unvoted(OLD.group_id, OLD.user_id, NULL);
    WHEN ''request'' THEN
      INSERT INTO badge_losses (user_id, app)
      SELECT u.id, ''lockitin'' FROM users u
      WHERE u.id = OLD.recipient_id
        AND NOT EXISTS (SELECT FROM seen_requests s WHERE s.user_id = u.id AND s.subject_id = OLD.id);
    WHEN ''invitation'' THEN
      INSERT INTO badge_losses (user_id, app)
      SELECT u.id, ''lockitin'' FROM users u
      WHERE u.id = OLD.invitee_id
        AND NOT EXISTS (SELECT FROM seen_requests s WHERE s.user_id = u.id AND s.subject_id = OLD.id);
    ELSE
      INSERT INTO badge_losses (user_id, app, ends_at)
      SELECT u.id, OLD.app, OLD.expires_at FROM users u WHERE u.id = OLD.user_id;
  END CASE;
  RETURN OLD;
END
$function$
', NULL),
	('relation', 'public.held_notifications', '', NULL, 'r', NULL),
	('trigger', 'public.comments', 'push_note_stale', NULL, 'CREATE TRIGGER push_note_stale AFTER DELETE ON public.comments REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION push_note_stale(''comments'')', NULL),
	('trigger', 'public.users', 'push_forget_attempts', NULL, 'CREATE TRIGGER push_forget_attempts AFTER DELETE ON public.users FOR EACH ROW EXECUTE FUNCTION push_forget_attempts()', NULL),
	('function', 'public.push_follow_people(people jsonb, looks boolean)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_follow_people(people jsonb, looks boolean DEFAULT false)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''public'', ''pg_temp''
AS $function$
DECLARE
  source regclass := to_regclass(people ->> ''table'');
  own regclass := ''users''::regclass;
  key name := coalesce(people ->> ''id'', ''id'');
  facts text := format(
    ''person.%1$I, nullif((%2$s)::text, ''''''''), coalesce(nullif((%3$s)::text, ''''''''), ''''''''), coalesce((%4$s)::boolean, false)'',
    key, coalesce(people ->> ''email'', ''NULL''), coalesce(people ->> ''name'', ''NULL''), coalesce(people ->> ''verified'', ''true''));
  gone text := format(''(%s)::boolean IS TRUE'', coalesce(people ->> ''deleted'', ''false''));
  change text := ''ON CONFLICT (id) DO UPDATE
      SET email = excluded.email, name = excluded.name, is_email_verified = excluded.is_email_verified
      WHERE (u.email, u.name, u.is_email_verified)
        IS DISTINCT FROM (excluded.email, excluded.name, excluded.is_email_verified)'';
  body text := format(''
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
  RAISE WARNING ''''users does not follow %% of %%'''', NEW.%4$I, TG_RELID::regclass USING DETAIL = SQLERRM;
  BEGIN
    INSERT INTO users (id, name) VALUES (NEW.%4$I, '''''''') ON CONFLICT DO NOTHING;
    DELETE FROM push_gone_people WHERE user_id = NEW.%4$I;
  EXCEPTION WHEN OTHERS THEN
    RAISE WARNING ''''users lacks %%'''', NEW.%4$I USING DETAIL = SQLERRM;
  END;
  RETURN NULL;
END
'', facts, change, gone, key);
  keyed regclass := (SELECT c.confrelid FROM pg_constraint c WHERE c.conrelid = own AND c.conname = ''push_people'');
  follows regclass := coalesce(keyed, (
    SELECT t.tgrelid FROM pg_trigger t WHERE t.tgname = ''push_follow_person'' AND NOT t.tgisinternal LIMIT 1));
  strangers bigint;
BEGIN
  IF source IS NULL THEN
    RAISE EXCEPTION ''functions.json: people: there is no table %'', people ->> ''table'' USING ERRCODE = ''undefined_table'';
  END IF;
  IF NOT looks THEN PERFORM push_follow_devices(); END IF;
  IF source = own THEN
    IF follows IS NULL THEN RETURN NULL; END IF;
  ELSIF source = keyed AND EXISTS (
    SELECT FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
    WHERE t.tgrelid = source AND t.tgname = ''push_follow_person'' AND t.tgenabled IN (''O'', ''A'') AND p.prosrc = body
      AND p.pronamespace = current_schema()::regnamespace)
  THEN
    RETURN NULL;
  ELSIF NOT EXISTS (
    SELECT FROM pg_attribute a JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisunique AND i.indpred IS NULL
      AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum
    WHERE a.attrelid = source AND a.attname = key AND a.atttypid = ''uuid''::regtype)
  THEN
    RAISE EXCEPTION ''functions.json: people: %.% is no uuid with a unique index'', source, key
      USING ERRCODE = ''invalid_table_definition'';
  END IF;
  IF looks THEN
    RETURN CASE WHEN source = own THEN format(''users follows %s no more'', follows) ELSE format(''users follows %s'', source) END;
  END IF;

  IF follows IS NOT NULL THEN
    -- With its trigger, which only the owner of that table could drop: Supabase''s is another role''s.
    DROP FUNCTION IF EXISTS push_follow_person CASCADE;
    ALTER TABLE users DROP CONSTRAINT IF EXISTS push_people;
  END IF;
  -- Who is still marked so is let go of again below.
  DELETE FROM push_gone_people;
  IF source = own THEN RETURN format(''users follows %s no more'', follows); END IF;
  EXECUTE format(''SELECT count(*) FROM users u WHERE NOT EXISTS (SELECT FROM %s p WHERE p.%I = u.id)'', source, key)
  INTO strangers;
  IF strangers > 0 THEN
    RAISE EXCEPTION ''users has % people who are not in %'', strangers, source
      USING ERRCODE = ''foreign_key_violation'', HINT = ''Delete or copy them, or say "users" in "people" of functions.json.'';
  END IF;
  -- An address may be missing there, and may stand there twice.
  ALTER TABLE users ALTER COLUMN email DROP NOT NULL, DROP CONSTRAINT IF EXISTS users_email_key;
  EXECUTE format(
    ''ALTER TABLE users ADD CONSTRAINT push_people FOREIGN KEY (id) REFERENCES %s (%I) ON DELETE CASCADE ON UPDATE CASCADE'',
    source, key);
  EXECUTE format(''CREATE OR REPLACE FUNCTION push_follow_person() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = %I, pg_temp AS %L'', current_schema(), body);
  EXECUTE format(''REVOKE EXECUTE ON FUNCTION push_follow_person FROM %s'', concat_ws('', '', ''PUBLIC'', (
    SELECT string_agg(quote_ident(rolname), '', '') FROM pg_roles WHERE rolname IN (''anon'', ''authenticated''))));
  EXECUTE format(''CREATE TRIGGER push_follow_person AFTER INSERT OR UPDATE ON %s
    FOR EACH ROW EXECUTE FUNCTION push_follow_person()'', source);
  EXECUTE format(
    ''SELECT count(push_let_go(u.id)) FROM users u WHERE u.id IN (SELECT person.%I FROM %s AS person WHERE %s)'',
    key, source, gone);
  EXECUTE format(''INSERT INTO users AS u (id, email, name, is_email_verified) SELECT %s FROM %s AS person WHERE NOT %s %s'',
    facts, source, gone, change);
  -- Devices of people who were not here are taken over now.
  IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = to_regclass(''user_devices'') AND tgname = ''push_follow_device'') THEN
    PERFORM push_take_device(to_jsonb(d), coalesce((to_jsonb(d) ->> ''created_at'')::timestamptz, push_now()))
    FROM user_devices AS d
    WHERE NOT EXISTS (SELECT FROM device_tokens t WHERE t.token = to_jsonb(d) ->> ''push_token'')
    ORDER BY to_jsonb(d) ->> ''updated_at'' NULLS FIRST, to_jsonb(d) ->> ''created_at'' NULLS FIRST;
  END IF;
  RETURN format(''users follows %s'', source);
END
$function$
', NULL),
	('function', 'public.push_settings_changed()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_settings_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''public'', ''pg_temp''
AS $function$
BEGIN
  PERFORM push_ask_again(coalesce(NEW.user_id, OLD.user_id));
  RETURN NULL;
END
$function$
', NULL),
	('relation', 'public.handled_events', '', NULL, 'r', NULL),
	('function', 'public.push_forget_seen(subject uuid, person uuid)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_forget_seen(subject uuid, person uuid)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''public'', ''pg_temp''
AS $function$
  DELETE FROM seen_requests WHERE ctid = ANY (ARRAY(
    SELECT s.ctid FROM seen_requests s
    WHERE s.subject_id = subject AND s.user_id = coalesce(person, s.user_id) FOR UPDATE SKIP LOCKED))
$function$
', NULL),
	('function', 'public.push_vote_lost()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_vote_lost()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''public'', ''pg_temp''
AS $function$
BEGIN
  INSERT INTO proposal_lost_votes AS l (proposal_id, user_id, options_version)
  SELECT p.id, u.id, max(coalesce(g.options_version, 0))
  FROM gone g JOIN event_proposals p ON p.id = g.proposal_id AND p.status = ''open'' JOIN users u ON u.id = g.user_id
  WHERE g.option_id IS NOT NULL AND NOT EXISTS (SELECT FROM proposal_options o WHERE o.id = g.option_id)
  GROUP BY p.id, u.id
  ON CONFLICT (proposal_id, user_id) DO UPDATE SET options_version = excluded.options_version
    WHERE l.options_version < excluded.options_version;
  RETURN NULL;
END
$function$
', NULL),
	('trigger', 'public.notifications', 'push_pass_on', NULL, 'CREATE TRIGGER push_pass_on AFTER DELETE ON public.notifications FOR EACH ROW WHEN (((old.family = ANY (ARRAY[''new_feedback''::text, ''statuses''::text])) AND (current_setting(''app.own_write''::text, true) IS DISTINCT FROM ''on''::text))) EXECUTE FUNCTION push_pass_on()', NULL),
	('trigger', 'public.users', 'push_note_switched_on', NULL, 'CREATE TRIGGER push_note_switched_on AFTER UPDATE OF push_notifications_enabled ON public.users FOR EACH ROW WHEN (((old.push_notifications_enabled IS FALSE) AND (new.push_notifications_enabled IS NOT FALSE))) EXECUTE FUNCTION push_note_switched_on(''feedbackkit'')', NULL),
	('relation', 'public.notification_rechecks', '', NULL, 'r', NULL),
	('relation', 'public.event_proposals', '', NULL, 'r', NULL),
	('function', 'public.push_make_log_days(moment timestamp with time zone)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_make_log_days(moment timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO ''UTC''
 SET search_path TO ''public'', ''pg_temp''
AS $function$
DECLARE
  remainder regclass := (
    SELECT partdefid FROM pg_partitioned_table
    WHERE partrelid = ''push_notification_logs''::regclass AND partdefid <> 0 AND push_owns_log());
  clients text := (
    SELECT string_agg(quote_ident(rolname), '', '') FROM pg_roles WHERE rolname IN (''anon'', ''authenticated''));
  today date := push_make_log_days.moment::date;
  latest timestamptz;
  missing date[];
  day date;
BEGIN
  IF remainder IS NULL OR NOT has_table_privilege(session_user, ''push_notification_logs'', ''DELETE'') THEN RETURN 0; END IF;
  EXECUTE format(''SELECT max(created_at) FROM %s'', remainder) INTO latest;
  SELECT array_agg(d ORDER BY d) INTO missing FROM (
    SELECT today + n AS d FROM generate_series(0, 7) AS n
  ) AS days
  WHERE (latest IS NULL OR d > latest::date) AND to_regclass(to_char(d, ''"push_notification_logs_"YYYYMMDD'')) IS NULL;
  IF missing IS NULL THEN RETURN 0; END IF;
  EXECUTE format(''ALTER TABLE %s ADD CONSTRAINT push_logs_before CHECK (created_at < %L)'', remainder,
    missing[1]::timestamptz);
  FOREACH day IN ARRAY missing LOOP
    EXECUTE format(''CREATE TABLE %I (LIKE push_notification_logs INCLUDING ALL)'',
      to_char(day, ''"push_notification_logs_"YYYYMMDD''));
    EXECUTE format(''ALTER TABLE %I ENABLE ROW LEVEL SECURITY'', to_char(day, ''"push_notification_logs_"YYYYMMDD''));
    EXECUTE format(''ALTER TABLE %I REPLICA IDENTITY FULL'', to_char(day, ''"push_notification_logs_"YYYYMMDD''));
    IF clients IS NOT NULL THEN
      EXECUTE format(''REVOKE ALL ON %I FROM %s'', to_char(day, ''"push_notification_logs_"YYYYMMDD''), clients);
    END IF;
    EXECUTE format(''CREATE INDEX ON %I USING brin (created_at) WITH (pages_per_range = 16, autosummarize = on)'',
      to_char(day, ''"push_notification_logs_"YYYYMMDD''));
    EXECUTE format(''ALTER TABLE push_notification_logs ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)'',
      to_char(day, ''"push_notification_logs_"YYYYMMDD''), day::timestamptz, (day + 1)::timestamptz);
  END LOOP;
  EXECUTE format(''ALTER TABLE %s DROP CONSTRAINT push_logs_before'', remainder);
  RETURN cardinality(missing);
END
$function$
', NULL),
	('function', 'public.push_sees_event(id uuid)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_sees_event(id uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE SECURITY DEFINER
RETURN (EXISTS (SELECT FROM events e WHERE ((e.id = push_sees_event.id) AND push_in_group(e.group_id))))
', NULL),
	('function', 'public.push_forget_attempts()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_forget_attempts()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''public'', ''pg_temp''
AS $function$
BEGIN
  IF NOT push_owns_log() THEN
    DELETE FROM push_notification_logs
    WHERE delivery_id IS NOT NULL AND CASE TG_OP WHEN ''TRUNCATE'' THEN true ELSE user_id = OLD.id END;
  ELSIF TG_OP = ''TRUNCATE'' THEN
    TRUNCATE push_notification_logs;
  ELSE
    DELETE FROM push_notification_logs WHERE user_id = OLD.id;
  END IF;
  RETURN NULL;
END
$function$
', NULL),
	('function', 'public.push_note_switched_on()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_note_switched_on()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''public'', ''pg_temp''
AS $function$
BEGIN
  CASE TG_ARGV[0]
    WHEN ''feedbackkit'' THEN INSERT INTO badge_losses (user_id, app) VALUES (OLD.id, ''feedbackkit'');
    WHEN ''lockitin'' THEN
      INSERT INTO badge_losses (user_id, app) SELECT u.id, ''lockitin'' FROM users u WHERE u.id = OLD.user_id;
    ELSE INSERT INTO badge_losses (user_id, app) SELECT u.id, OLD.app FROM users u WHERE u.id = OLD.user_id;
  END CASE;
  RETURN NULL;
END
$function$
', NULL),
	('relation', 'public.user_notification_preferences', '', NULL, 'r', NULL),
	('relation', 'public.held_people', '', NULL, 'r', NULL),
	('relation', 'public.friend_requests', '', NULL, 'r', NULL),
	('function', 'public.push_log_days_until(moment timestamp with time zone)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_log_days_until(moment timestamp with time zone)
 RETURNS SETOF regclass
 LANGUAGE sql
 STABLE
 SET "TimeZone" TO ''UTC''
 SET "DateStyle" TO ''ISO''
AS $function$
  SELECT c.oid::regclass FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = ''push_notification_logs''::regclass AND push_owns_log()
    AND substring(pg_get_expr(c.relpartbound, c.oid) FROM ''TO \(''''([^'''']+)''''\)'')::timestamptz <= moment
  ORDER BY c.relname
$function$
', NULL),
	('function', 'public.push_person()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_person()
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN CASE WHEN (COALESCE(current_setting(''request.jwt.claims''::text, true), ''''::text) = ''''::text) THEN push_uuid(current_setting(''app.user_id''::text, true)) ELSE push_uuid(((current_setting(''request.jwt.claims''::text, true))::jsonb ->> ''sub''::text)) END
', NULL),
	('relation', 'public.seen_requests', '', NULL, 'r', NULL),
	('function', 'public.push_end_twins()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_end_twins()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''public'', ''pg_temp''
AS $function$
BEGIN
  -- The other row may be another person''s, whom nobody but the owner of the table sees.
  WITH twins AS (
    SELECT t.id, row_number() OVER (
      ORDER BY t.xmin = n.xmin AND t.cmin = n.cmin DESC, t.registered_at DESC, t.created_at DESC NULLS LAST, t.ctid DESC
    ) AS place
    FROM device_tokens n, device_tokens t
    WHERE n.id = NEW.id AND n.is_active IS NOT FALSE AND t.is_active IS NOT FALSE AND t.provider = ''apns''
      AND (t.token = lower(NEW.token) OR lower(t.token) = lower(NEW.token) AND t.token <> lower(t.token))
  )
  UPDATE device_tokens t
  SET is_active = false, deactivated_at = push_now(), deactivated_reason = ''unregistered''
  FROM twins WHERE t.id = twins.id AND twins.place > 1;
  RETURN NULL;
END
$function$
', NULL),
	('trigger', 'public.device_tokens', 'push_end_twins_of_renewed', NULL, 'CREATE TRIGGER push_end_twins_of_renewed AFTER UPDATE OF token, is_active, registered_at, provider ON public.device_tokens FOR EACH ROW WHEN (((new.is_active IS NOT FALSE) AND (new.provider = ''apns''::text) AND ((((new.token IS DISTINCT FROM old.token) OR (new.is_active IS DISTINCT FROM old.is_active)) OR (new.registered_at IS DISTINCT FROM old.registered_at)) OR (new.provider IS DISTINCT FROM old.provider)) AND (new.token ~ ''^[0-9A-Fa-f]+$''::text))) EXECUTE FUNCTION push_end_twins()', NULL),
	('function', 'public.push_now()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_now()
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET search_path TO ''pg_catalog'', ''pg_temp''
AS $function$
BEGIN
  IF has_schema_privilege(to_regnamespace(''runner''), ''USAGE'') THEN
    IF has_table_privilege(to_regclass(''runner.clock''), ''SELECT'') THEN
      RETURN now() + (SELECT c."offset" FROM runner.clock c);
    END IF;
  END IF;
  RETURN now();
END
$function$
', NULL),
	('relation', 'public.device_tokens', '', NULL, 'r', NULL),
	('trigger', 'public.event_proposals', 'push_note_rise', NULL, 'CREATE TRIGGER push_note_rise AFTER UPDATE OF status, deadline ON public.event_proposals FOR EACH ROW WHEN (((new.status = ''open''::text) AND ((old.status IS DISTINCT FROM new.status) OR (old.deadline IS DISTINCT FROM new.deadline)))) EXECUTE FUNCTION push_note_rise(''proposal'')', NULL),
	('function', 'public.push_in_group(id uuid)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_in_group(id uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE SECURITY DEFINER
RETURN (EXISTS (SELECT FROM group_members m WHERE ((m.group_id = push_in_group.id) AND (m.user_id = push_person()))))
', NULL),
	('trigger', 'public.notification_rechecks', 'push_note_unpushed', NULL, 'CREATE TRIGGER push_note_unpushed AFTER INSERT ON public.notification_rechecks FOR EACH ROW WHEN ((new.decision = ''suppress''::text)) EXECUTE FUNCTION push_note_unpushed(''recheck'')', NULL),
	('function', 'public.push_note_seen()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_note_seen()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''public'', ''pg_temp''
AS $function$
BEGIN
  DELETE FROM seen_requests WHERE ctid = ANY (ARRAY(
    SELECT s.ctid FROM seen_requests s WHERE s.user_id = NEW.user_id FOR UPDATE SKIP LOCKED));
  INSERT INTO seen_requests (user_id, subject_id, options_changed_at)
  SELECT NEW.user_id, a.id, a.options_changed_at FROM push_asked(NEW.user_id, ''-infinity'') a
  ON CONFLICT (user_id, subject_id) DO UPDATE SET options_changed_at = excluded.options_changed_at;
  RETURN NULL;
END
$function$
', NULL),
	('function', 'public.push_admit_app()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_admit_app()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  own text := ''user_id = (SELECT push_person())'';
  -- What was answered stays answered.
  open text := '' AND status = ''''pending'''''';
  answered text := '' AND status IN (''''accepted'''', ''''declined'''')'';
  closed regclass[] := ARRAY(SELECT p.polrelid::regclass FROM pg_policy p WHERE p.polname = ''push_servers'');
  rule record;
BEGIN
  FOR rule IN
    SELECT * FROM (VALUES
      (''device_tokens'', ''ALL'', own),
      (''notifications'', ''SELECT'', own),
      (''notifications'', ''UPDATE'', own),
      (''project_member_preferences'', ''ALL'', own || '' AND push_in_project(project_id)''),
      (''notification_settings'', ''ALL'', own),
      (''user_notification_preferences'', ''ALL'', own),
      (''group_notification_preferences'', ''ALL'', own || '' AND push_in_group(group_id)''),
      (''user_activity'', ''ALL'', own),
      (''notification_state'', ''SELECT'', own),
      (''event_attendees'', ''ALL'', own || '' AND push_sees_event(event_id)''),
      (''friend_requests'', ''SELECT'', ''(SELECT push_person()) IN (requester_id, recipient_id)''),
      (''friend_requests'', ''UPDATE'', ''recipient_id = (SELECT push_person())'' || open),
      (''group_invites'', ''SELECT'', ''(SELECT push_person()) IN (inviter_id, invitee_id)''),
      (''group_invites'', ''UPDATE'', ''invitee_id = (SELECT push_person())'' || open),
      (''proposal_votes'', ''SELECT'', ''push_sees_proposal(proposal_id)''),
      (''proposal_votes'', ''INSERT'', own || '' AND push_may_vote(proposal_id)''),
      (''proposal_votes'', ''UPDATE'', own || '' AND push_may_vote(proposal_id)''),
      (''proposal_votes'', ''DELETE'', own || '' AND push_may_vote(proposal_id)'')
    ) AS rules (name, command, rows)
    WHERE to_regclass(rules.name) = ANY (closed)
  LOOP
    IF EXISTS (
      SELECT FROM pg_policy p
      WHERE p.polrelid = to_regclass(rule.name) AND p.polname = ''push_app_'' || lower(rule.command))
    THEN
      CONTINUE;
    END IF;
    EXECUTE format(
      ''CREATE POLICY %I ON %I FOR %s TO push_app %s (%s)'', ''push_app_'' || lower(rule.command), rule.name, rule.command,
      CASE rule.command WHEN ''INSERT'' THEN ''WITH CHECK'' ELSE ''USING'' END, rule.rows)
      || CASE WHEN right(rule.rows, length(open)) = open
        THEN format('' WITH CHECK (%s)'', replace(rule.rows, open, answered)) ELSE '''' END;
  END LOOP;

  FOR rule IN
    SELECT * FROM (VALUES
      -- A device that is written down again has ON CONFLICT (token), which asks for the right to read the token: a person
      -- sees those of their own devices.
      (''device_tokens'', ''SELECT (id, user_id, token, app, platform, provider, app_version, os_version, environment,
          bundle_id, installation_id, is_active, created_at, last_used_at, registered_at, deactivated_at,
          deactivated_reason),
        INSERT (id, user_id, token, app, platform, provider, app_version, os_version, environment, bundle_id,
          installation_id, created_at),
        UPDATE (token, user_id, app, platform, provider, app_version, os_version, environment, bundle_id,
          installation_id),
        DELETE''),
      (''notifications'', ''SELECT, UPDATE (is_read, is_archived)''),
      (''project_member_preferences'', ''SELECT, INSERT, UPDATE, DELETE''),
      (''notification_settings'', ''SELECT, INSERT, UPDATE, DELETE''),
      (''user_notification_preferences'', ''SELECT, INSERT, UPDATE, DELETE''),
      (''group_notification_preferences'', ''SELECT, INSERT, UPDATE, DELETE''),
      (''user_activity'', ''SELECT, INSERT, UPDATE, DELETE''),
      (''event_attendees'', ''SELECT, INSERT, UPDATE, DELETE''),
      (''notification_state'', ''SELECT''),
      (''friend_requests'', ''SELECT, UPDATE (status)''),
      (''group_invites'', ''SELECT, UPDATE (status)''),
      (''proposal_votes'', ''SELECT, INSERT, UPDATE (vote, updated_at), DELETE'')
    ) AS rights (name, list)
    WHERE to_regclass(rights.name) = ANY (closed)
  LOOP
    EXECUTE format(''GRANT %s ON %I TO push_app'', rule.list, rule.name);
  END LOOP;
  GRANT EXECUTE ON FUNCTION push_in_project, push_in_group, push_sees_proposal, push_may_vote, push_sees_event
    TO push_app;
END
$function$
', NULL),
	('relation', 'public.stale_entries', '', NULL, 'r', NULL),
	('function', 'public.push_follow_device()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_follow_device()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''public'', ''pg_temp''
AS $function$
BEGIN
  IF TG_OP = ''DELETE'' OR TG_OP = ''UPDATE'' AND (OLD.user_id, OLD.push_token) IS DISTINCT FROM (NEW.user_id, NEW.push_token)
  THEN
    UPDATE device_tokens SET is_active = false, deactivated_at = push_now(), deactivated_reason = ''unregistered''
    WHERE token = OLD.push_token AND user_id = push_uuid(OLD.user_id::text) AND app = ''mugshot''
      AND is_active IS NOT FALSE;
  END IF;
  IF TG_OP <> ''DELETE'' THEN PERFORM push_take_device(to_jsonb(NEW), push_now()); END IF;
  RETURN NULL;
END
$function$
', NULL),
	('function', 'public.push_drop_log_days(moment timestamp with time zone)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_drop_log_days(moment timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''public'', ''pg_temp''
AS $function$
DECLARE
  part regclass;
  dropped integer := 0;
BEGIN
  IF NOT has_table_privilege(session_user, ''push_notification_logs'', ''DELETE'') THEN RETURN 0; END IF;
  FOR part IN SELECT push_log_days_until(push_drop_log_days.moment) LOOP
    EXECUTE format(''DROP TABLE %s'', part);
    dropped := dropped + 1;
  END LOOP;
  RETURN dropped;
END
$function$
', NULL),
	('function', 'public.push_hold_answered(ids uuid[])', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_hold_answered(ids uuid[])
 RETURNS TABLE(delivery_id uuid, place tid, registered_at timestamp with time zone, acceptances bigint)
 LANGUAGE sql
 ROWS 100
BEGIN ATOMIC
 SELECT d.id,
     d.ctid,
     t.registered_at,
     t.acceptances
    FROM ((unnest(push_hold_answered.ids) i(id)
      CROSS JOIN LATERAL ( SELECT d_1.id,
             d_1.ctid,
             d_1.device_token_id
            FROM deliveries d_1
           WHERE (d_1.id = i.id)
          FOR NO KEY UPDATE OF d_1 SKIP LOCKED) d)
      CROSS JOIN LATERAL ( SELECT t_1.registered_at,
             t_1.acceptances
            FROM device_tokens t_1
           WHERE (t_1.id = d.device_token_id)
          FOR NO KEY UPDATE OF t_1 SKIP LOCKED) t);
END
', NULL),
	('relation', 'public.push_gone_people', '', NULL, 'r', NULL),
	('relation', 'public.analyses', '', NULL, 'r', NULL),
	('relation', 'public.push_oldest_due_seconds', '', NULL, 'v', NULL),
	('relation', 'public.notification_interactions', '', NULL, 'r', NULL),
	('function', 'public.push_eligibilities(n notifications, moment timestamp with time zone)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_eligibilities(n notifications, moment timestamp with time zone)
 RETURNS TABLE(eligibility text)
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  SELECT CASE
    WHEN n.is_read OR n.is_archived THEN ''handled''
    WHEN EXISTS (SELECT FROM push_gone_people g WHERE g.user_id = n.user_id OFFSET 0) THEN ''gone''
    WHEN n.family IS NOT NULL AND NOT (SELECT counts FROM push_counts(n))
      AND NOT EXISTS (SELECT FROM push_parts(n.id) p CROSS JOIN LATERAL push_counts(p) c WHERE c.counts OFFSET 0)
      THEN ''gone''
    WHEN n.app = ''feedbackkit'' AND n.recipient_reason = ''member'' AND NOT EXISTS (
      SELECT FROM projects p WHERE p.id = n.project_id AND p.owner_id = n.user_id
      UNION ALL SELECT FROM project_members m WHERE m.project_id = n.project_id AND m.user_id = n.user_id)
      THEN ''not_permitted''
    WHEN n.app = ''feedbackkit'' AND n.recipient_reason = ''voter'' AND NOT EXISTS (
      SELECT FROM votes v WHERE v.feedback_id = n.feedback_id AND push_uuid(v.user_id) = n.user_id OFFSET 0)
      AND NOT EXISTS (
        SELECT FROM votes v WHERE v.feedback_id = n.feedback_id AND v.user_email IS NOT NULL
          AND lower(v.user_email COLLATE "C") = (SELECT lower(u.email COLLATE "C") FROM users u WHERE u.id = n.user_id)
          AND EXISTS (SELECT FROM push_account(v.user_email) a WHERE a.id = n.user_id OFFSET 0) OFFSET 0)
      THEN ''not_permitted''
    WHEN n.proposal_id IS NOT NULL THEN (
      SELECT CASE
        WHEN NOT EXISTS (
          SELECT FROM group_members m WHERE m.group_id = p.group_id AND m.user_id = n.user_id OFFSET 0)
          THEN ''not_permitted''
        WHEN lower(n.type) = ''conflict_alert''
          THEN CASE WHEN p.status IN (''expired'', ''cancelled'') THEN ''gone'' ELSE ''open'' END
        WHEN lower(n.type) IN (
          ''proposal_created'', ''proposal_reminder'', ''proposal_updated'', ''vote_cast'', ''vote_count_update'')
          AND (p.status <> ''open'' OR p.deadline <= moment)
          THEN ''handled''
        WHEN lower(n.type) IN (''proposal_created'', ''proposal_reminder'', ''proposal_updated'')
          AND EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = n.user_id OFFSET 0)
          THEN ''handled''
        WHEN lower(n.type) = ''proposal_reminder'' AND EXISTS (
          SELECT FROM notifications m
          WHERE m.user_id = n.user_id AND m.app = ''lockitin'' AND lower(m.type) = ''proposal_created''
            AND m.is_archived IS NOT TRUE AND m.proposal_id = n.proposal_id AND (
              m.pushed_at > moment - interval ''30 minutes''
              OR EXISTS (
                SELECT FROM held_notifications h WHERE h.notification_id = m.id AND h.held_until <= moment OFFSET 0))
          OFFSET 0)
          THEN ''handled''
        WHEN lower(n.type) = ''proposal_updated'' AND EXISTS (
          SELECT FROM notifications m
          WHERE m.user_id = n.user_id AND m.app = ''lockitin'' AND lower(m.type) = ''proposal_updated''
            AND m.is_archived IS NOT TRUE AND m.proposal_id = n.proposal_id
            AND (m.created_at, m.id) > (n.created_at, n.id) OFFSET 0)
          THEN ''gone''
        WHEN lower(n.type) = ''vote_count_update'' AND n.recipient_reason = ''voter''
          AND NOT EXISTS (
            SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = n.user_id OFFSET 0)
          THEN ''handled''
        ELSE ''open''
      END
      FROM event_proposals p WHERE p.id = n.proposal_id)
    WHEN n.event_id IS NOT NULL THEN (
      SELECT CASE
        WHEN e.status = ''cancelled'' THEN ''gone''
        WHEN lower(n.type) = ''event_confirmed'' AND e.ends_at <= moment THEN ''gone''
        WHEN lower(n.type) = ''memory_prompt'' AND (e.is_tracked IS FALSE OR e.ends_at > moment) THEN ''gone''
        WHEN NOT EXISTS (
          SELECT FROM group_members m WHERE m.group_id = e.group_id AND m.user_id = n.user_id OFFSET 0)
          THEN ''not_permitted''
        WHEN n.recipient_reason = ''attendee'' AND coalesce(
          (SELECT a.status FROM event_attendees a WHERE a.event_id = e.id AND a.user_id = n.user_id),
          (SELECT v.vote FROM proposal_votes v
            WHERE v.user_id = n.user_id
              AND (v.option_id = e.option_id OR v.option_id IS NULL AND v.proposal_id = e.proposal_id)
            ORDER BY v.updated_at DESC NULLS LAST LIMIT 1), ''no'') = ''no''
          THEN ''handled''
        ELSE ''open''
      END
      FROM events e WHERE e.id = n.event_id)
    WHEN n.friend_request_id IS NOT NULL THEN (
      SELECT CASE WHEN r.status = ''pending'' THEN ''open'' ELSE ''handled'' END
      FROM push_friend_requests() r WHERE r.id = n.friend_request_id)
    WHEN n.app = ''lockitin'' AND lower(n.type) = ''group_invite'' THEN (
      SELECT CASE WHEN bool_or(i.status = ''pending'') THEN ''open'' ELSE ''handled'' END
      FROM group_invites i WHERE i.invitee_id = n.user_id AND i.group_id = push_uuid(n.subject_id))
    ELSE ''open''
  END
$function$
', NULL),
	('relation', 'public.push_providers', '', NULL, 'r', NULL),
	('relation', 'public.projects', '', NULL, 'r', NULL),
	('trigger', 'public.proposal_votes', 'push_stamp_vote', NULL, 'CREATE TRIGGER push_stamp_vote BEFORE INSERT OR UPDATE OF vote ON public.proposal_votes FOR EACH ROW EXECUTE FUNCTION push_stamp_vote()', NULL),
	('function', 'public.push_stamp_options()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_stamp_options()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  NEW.options_changed_at := push_now();
  RETURN NEW;
END
$function$
', NULL),
	('function', 'public.push_register_device()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_register_device()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NOT has_column_privilege(TG_RELID, ''is_active'', ''UPDATE'') THEN
    NEW.is_active := true;
    NEW.registered_at := push_now();
    NEW.deactivated_at := NULL;
    NEW.deactivated_reason := NULL;
  END IF;
  RETURN NEW;
END
$function$
', NULL),
	('function', 'public.push_stamp_vote()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_stamp_vote()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''public'', ''pg_temp''
AS $function$
BEGIN
  NEW.options_version := (SELECT p.options_version FROM event_proposals p WHERE p.id = NEW.proposal_id);
  RETURN NEW;
END
$function$
', NULL),
	('function', 'public.push_note_moved()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_note_moved()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''public'', ''pg_temp''
AS $function$
BEGIN
  IF TG_ARGV[0] = ''new_feedback'' THEN
    INSERT INTO stale_entries (notification_id, user_id, app)
    SELECT coalesce(push_teller(n.id), n.id), n.user_id, n.app FROM notifications n
    WHERE n.feedback_id = NEW.id AND n.family = ''new_feedback'';
  ELSE
    PERFORM push_note_stale_of_feedback(OLD.feedback_id, TG_ARGV[0]);
  END IF;
  RETURN NULL;
END
$function$
', NULL),
	('relation', 'public.group_invites', '', NULL, 'r', NULL),
	('relation', 'public.push_rates_by_kind', '', NULL, 'v', NULL),
	('function', 'public.push_delete_logs(moment timestamp with time zone, most integer)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_delete_logs(moment timestamp with time zone, most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''public'', ''pg_temp''
AS $function$
DECLARE
  place regclass := coalesce((
    SELECT nullif(partdefid, 0) FROM pg_partitioned_table WHERE partrelid = ''push_notification_logs''::regclass),
    ''push_notification_logs''::regclass);
  deleted integer;
BEGIN
  IF NOT has_table_privilege(session_user, ''push_notification_logs'', ''DELETE'') THEN
    RAISE insufficient_privilege USING MESSAGE = ''permission denied for table push_notification_logs'';
  END IF;
  IF push_owns_log() THEN
    EXECUTE format(''DELETE FROM ONLY %s WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ONLY %1$s WHERE created_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))'', place)
    USING push_delete_logs.moment, push_delete_logs.most;
  ELSE
    DELETE FROM push_notification_logs l USING (
      SELECT o.tableoid, o.ctid FROM push_notification_logs o
      WHERE o.created_at < push_delete_logs.moment AND o.delivery_id IS NOT NULL
      ORDER BY o.created_at DESC LIMIT push_delete_logs.most FOR UPDATE SKIP LOCKED
    ) AS old
    WHERE l.tableoid = old.tableoid AND l.ctid = old.ctid;
  END IF;
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN deleted;
END
$function$
', NULL),
	('relation', 'public.notification_settings', '', NULL, 'r', NULL),
	('trigger', 'public.group_invites', 'push_note_loss', NULL, 'CREATE TRIGGER push_note_loss BEFORE DELETE ON public.group_invites FOR EACH ROW WHEN ((old.status = ''pending''::text)) EXECUTE FUNCTION push_note_loss(''invitation'')', NULL),
	('trigger', 'public.proposal_votes', 'push_note_rise', NULL, 'CREATE TRIGGER push_note_rise AFTER DELETE ON public.proposal_votes FOR EACH ROW EXECUTE FUNCTION push_note_rise(''vote'')', NULL),
	('trigger', 'public.device_tokens', 'push_register_device', NULL, 'CREATE TRIGGER push_register_device BEFORE UPDATE OF token, user_id ON public.device_tokens FOR EACH ROW EXECUTE FUNCTION push_register_device()', NULL),
	('function', 'public.push_note_rise()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_note_rise()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''public'', ''pg_temp''
AS $function$
BEGIN
  CASE TG_ARGV[0]
    WHEN ''vote'' THEN
      PERFORM push_forget_seen(OLD.proposal_id, OLD.user_id);
      INSERT INTO badge_losses (user_id, app, created_at)
      SELECT m.user_id, ''lockitin'', push_now() FROM event_proposals p
      JOIN group_members m ON m.group_id = p.group_id AND m.user_id = OLD.user_id
      WHERE p.id = OLD.proposal_id AND p.status = ''open'' AND p.deadline > push_now()
        AND NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = m.user_id);
    WHEN ''member'' THEN
      PERFORM push_forget_seen(p.id, NEW.user_id) FROM event_proposals p
      WHERE p.group_id = NEW.group_id AND p.status = ''open'';
      INSERT INTO badge_losses (user_id, app, created_at)
      SELECT NEW.user_id, ''lockitin'', push_now() WHERE EXISTS (
        SELECT FROM event_proposals p
        WHERE p.group_id = NEW.group_id AND p.status = ''open'' AND p.deadline > push_now() AND NOT EXISTS (
          SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = NEW.user_id));
    ELSE
      IF NEW.deadline <= push_now() OR OLD.status = ''open'' AND OLD.deadline > push_now() THEN RETURN NULL; END IF;
      PERFORM push_forget_seen(NEW.id, NULL);
      -- When it closes again, the badges fall again.
      DELETE FROM handled_events
      WHERE function = ''proposal-expired'' AND source = ''/proposals''
        AND event_id = NEW.id || ''/'' || extract(epoch FROM NEW.deadline);
      INSERT INTO badge_losses (user_id, app, created_at)
      SELECT m.user_id, ''lockitin'', push_now() FROM group_members m
      WHERE m.group_id = NEW.group_id
        AND NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = NEW.id AND v.user_id = m.user_id);
  END CASE;
  RETURN NULL;
END
$function$
', NULL),
	('relation', 'public.push_notification_logs', '', NULL, 'p', NULL),
	('trigger', 'public.held_notifications', 'push_queue_person', NULL, 'CREATE TRIGGER push_queue_person AFTER INSERT ON public.held_notifications REFERENCING NEW TABLE AS held FOR EACH STATEMENT EXECUTE FUNCTION push_queue_person()', NULL),
	('function', 'public.push_note_asked_again()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_note_asked_again()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''public'', ''pg_temp''
AS $function$
BEGIN
  PERFORM push_forget_seen(NEW.id, NULL);
  RETURN NULL;
END
$function$
', NULL),
	('function', 'public.push_ask_again(person uuid)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_ask_again(person uuid)
 RETURNS void
 LANGUAGE sql
BEGIN ATOMIC
 WITH held AS (
          DELETE FROM held_notifications h
           WHERE ((h.user_id = push_ask_again.person) AND (h.reason = ANY (ARRAY[''quiet_hours''::text, ''rate_limited''::text])) AND (h.held_until > h.held_since) AND (EXISTS ( SELECT
                    FROM users u
                   WHERE (u.id = h.user_id))) AND (EXISTS ( SELECT
                    FROM notifications n
                   WHERE (n.id = h.notification_id))))
           RETURNING h.notification_id,
             h.user_id,
             h.app,
             h.reason,
             h.held_until,
             h.held_since
         )
  INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)  SELECT held.notification_id,
             held.user_id,
             held.app,
             held.reason,
             held.held_since,
             held.held_since
            FROM held;
END
', NULL),
	('function', 'public.push_note_stale_of_proposal(proposal uuid, told text[])', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_note_stale_of_proposal(proposal uuid, told text[])
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''public'', ''pg_temp''
AS $function$
  INSERT INTO stale_entries (notification_id, user_id, app)
  SELECT n.id, n.user_id, n.app FROM notifications n
  WHERE n.proposal_id = proposal AND n.family = ANY (told) AND n.merged_into IS NULL
    AND (n.is_read IS NOT TRUE OR n.family = ''conflicts'') AND n.is_archived IS NOT TRUE
$function$
', NULL),
	('relation', 'public.push_rates_by_variant', '', NULL, 'v', NULL),
	('trigger', 'public.event_proposals', 'push_note_loss', NULL, 'CREATE TRIGGER push_note_loss BEFORE DELETE ON public.event_proposals FOR EACH ROW EXECUTE FUNCTION push_note_loss(''proposal'')', NULL),
	('relation', 'public.events', '', NULL, 'r', NULL),
	('function', 'public.push_note_reachable()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_note_reachable()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''public'', ''pg_temp''
AS $function$
BEGIN
  IF TG_OP = ''INSERT'' OR OLD.last_accepted_at IS NULL OR OLD.badge = 0 THEN
    -- Also of what may have ended: `action-completed` counts.
    IF push_badge(NEW.user_id, NEW.app, ''-infinity'') IS NOT DISTINCT FROM 0 THEN RETURN NULL; END IF;
  END IF;
  INSERT INTO badge_losses (user_id, app) VALUES (NEW.user_id, NEW.app);
  RETURN NULL;
END
$function$
', NULL),
	('relation', 'public.push_deliveries_by_state', '', NULL, 'v', NULL),
	('relation', 'public.proposal_lost_votes', '', NULL, 'r', NULL),
	('trigger', 'public.event_conflicts', 'push_note_stale', NULL, 'CREATE TRIGGER push_note_stale AFTER DELETE ON public.event_conflicts REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION push_note_stale(''conflicts'')', NULL),
	('trigger', 'public.votes', 'push_note_stale', NULL, 'CREATE TRIGGER push_note_stale AFTER DELETE ON public.votes REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION push_note_stale(''votes'')', NULL),
	('function', 'public.push_pass_on()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_pass_on()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''public'', ''pg_temp''
AS $function$
DECLARE
  heir uuid;
  teller uuid := coalesce(push_teller(OLD.merged_into), OLD.merged_into);
BEGIN
  IF OLD.merged_into IS NULL THEN
    SELECT n.id INTO heir FROM notifications n JOIN feedbacks f ON f.id = n.feedback_id
    WHERE n.merged_into = OLD.id ORDER BY n.created_at DESC, n.id DESC LIMIT 1;
    teller := heir;
  END IF;
  IF teller IS NULL THEN RETURN NULL; END IF;
  PERFORM set_config(''app.own_write'', ''on'', true);
  UPDATE notifications n
  SET merged_into = nullif(CASE WHEN OLD.merged_into IS NULL THEN heir ELSE OLD.merged_into END, n.id)
  WHERE n.merged_into = OLD.id;
  IF heir IS NOT NULL THEN
    UPDATE notifications n
    SET is_archived = OLD.is_archived, is_read = OLD.is_read, is_gone = OLD.is_gone, phone_text = coalesce(
        OLD.phone_text, CASE WHEN OLD.pushed_at IS NOT NULL THEN ARRAY[OLD.title, OLD.body]::text[] END),
      counts_for_badge = OLD.counts_for_badge, pushed_at = OLD.pushed_at, collapse_id = OLD.collapse_id,
      window_ends_at = OLD.window_ends_at
    WHERE n.id = heir;
  END IF;
  PERFORM set_config(''app.own_write'', ''off'', true);
  INSERT INTO stale_entries (notification_id, user_id, app) VALUES (teller, OLD.user_id, OLD.app);
  RETURN NULL;
END
$function$
', NULL),
	('relation', 'public.feedbacks', '', NULL, 'r', NULL),
	('trigger', 'public.event_proposals', 'push_stamp_options', NULL, 'CREATE TRIGGER push_stamp_options BEFORE UPDATE OF options_version ON public.event_proposals FOR EACH ROW WHEN ((old.options_version IS DISTINCT FROM new.options_version)) EXECUTE FUNCTION push_stamp_options()', NULL),
	('function', 'public.push_same_token()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_same_token()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''public'', ''pg_temp''
AS $function$
BEGIN
  IF TG_OP = ''INSERT'' AND NEW.token IS NULL
    OR TG_OP = ''UPDATE'' AND NEW.device_token IS DISTINCT FROM OLD.device_token AND NEW.token = OLD.token
  THEN
    UPDATE device_tokens
    SET token = ''superseded '' || id, is_active = false, deactivated_at = push_now(), deactivated_reason = ''unregistered''
    -- Where a person may have the token twice, an earlier row of theirs gives way too; else theirs is updated.
    WHERE token = NEW.device_token AND id <> NEW.id AND (user_id <> NEW.user_id OR NOT EXISTS (
      SELECT FROM pg_index AS x
      WHERE x.indrelid = TG_RELID AND x.indisunique AND ARRAY[''device_token'', ''user_id''] = ARRAY(
        SELECT a.attname::text FROM pg_attribute AS a
        WHERE a.attrelid = TG_RELID AND a.attnum = ANY (x.indkey) ORDER BY a.attname)));
    NEW.token := NEW.device_token;
  ELSE
    NEW.device_token := NEW.token;
  END IF;
  IF NEW.token IS NULL THEN
    RAISE EXCEPTION USING ERRCODE = ''not_null_violation'', TABLE = ''device_tokens'', COLUMN = ''device_token'',
      MESSAGE = ''A device needs its token, in device_token or in token.'';
  END IF;
  RETURN NEW;
END
$function$
', NULL),
	('function', 'public.push_owns_log()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_owns_log()
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT EXISTS (
    SELECT FROM pg_inherits
    WHERE inhparent = ''push_notification_logs''::regclass AND inhrelid = to_regclass(''push_notification_logs_default''))
$function$
', NULL),
	('function', 'public.push_take_device(device jsonb, registered timestamp with time zone)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_take_device(device jsonb, registered timestamp with time zone)
 RETURNS void
 LANGUAGE sql
AS $function$
  INSERT INTO device_tokens AS d (user_id, token, app, platform, provider, environment, bundle_id, created_at, registered_at)
  SELECT u.id, device ->> ''push_token'', ''mugshot'', coalesce(p.name, ''iOS''),
    CASE p.name WHEN ''Android'' THEN ''fcm'' ELSE ''apns'' END,
    CASE lower(device ->> ''environment'')
      WHEN ''production'' THEN ''production'' WHEN ''sandbox'' THEN ''sandbox'' WHEN ''development'' THEN ''sandbox''
    END, device ->> ''bundle_id'', registered, registered
  FROM users AS u LEFT JOIN unnest(
    ARRAY[''iOS'', ''iPadOS'', ''macOS'', ''watchOS'', ''tvOS'', ''visionOS'', ''Android'', ''web'']
  ) AS p (name) ON lower(p.name) = lower(device ->> ''platform'')
  WHERE u.id = push_uuid(device ->> ''user_id'') AND device ->> ''push_token'' <> ''''
  ON CONFLICT (token) DO UPDATE SET
    user_id = excluded.user_id, app = excluded.app, platform = excluded.platform, provider = excluded.provider,
    environment = coalesce(excluded.environment, d.environment),
    bundle_id = coalesce(excluded.bundle_id, CASE WHEN d.app = excluded.app THEN d.bundle_id END),
    app_version = CASE WHEN d.app = excluded.app THEN d.app_version END,
    installation_id = CASE WHEN d.app = excluded.app THEN d.installation_id END,
    is_active = true, deactivated_at = NULL, deactivated_reason = NULL, registered_at = excluded.registered_at
$function$
', NULL),
	('function', 'public.push_in_project(project uuid)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_in_project(project uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE SECURITY DEFINER
 SET search_path TO ''public'', ''pg_temp''
AS $function$
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
$function$
', NULL),
	('function', 'public.push_hold_people(ids uuid[])', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_hold_people(ids uuid[])
 RETURNS SETOF uuid
 LANGUAGE sql
 SECURITY DEFINER ROWS 100
BEGIN ATOMIC
 SELECT u.id
    FROM users u
   WHERE ((u.id = ANY (push_hold_people.ids)) AND has_table_privilege(SESSION_USER, (''notifications''::regclass)::oid, ''INSERT''::text))
   ORDER BY u.id
  FOR KEY SHARE OF u;
END
', NULL),
	('function', 'public.push_let_go(person uuid)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_let_go(person uuid)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NOT EXISTS (
    WITH RECURSIVE emptied AS (
      SELECT ''users''::regclass::oid AS tab
      UNION
      SELECT f.conrelid FROM emptied e JOIN pg_constraint f ON f.confrelid = e.tab
      WHERE f.contype = ''f'' AND f.confdeltype = ''c''
    )
    SELECT FROM emptied e JOIN pg_constraint f ON f.confrelid = e.tab
    WHERE f.contype = ''f'' AND f.condeferrable AND f.confdeltype = ''a'')
  THEN
    DELETE FROM users u WHERE u.id = push_let_go.person;
  END IF;
  IF EXISTS (SELECT FROM users u WHERE u.id = push_let_go.person) THEN
    RAISE EXCEPTION ''A key or trigger of the app keeps them.'';
  END IF;
EXCEPTION WHEN OTHERS THEN
  RAISE WARNING ''% stays in users, and is told nothing'', push_let_go.person USING DETAIL = SQLERRM;
  INSERT INTO push_gone_people (user_id) SELECT u.id FROM users u WHERE u.id = push_let_go.person ON CONFLICT DO NOTHING;
END
$function$
', NULL),
	('relation', 'public.push_held_deliveries', '', NULL, 'v', NULL),
	('relation', 'public.push_outages', '', NULL, 'v', NULL),
	('function', 'public.push_note_stale()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_note_stale()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''public'', ''pg_temp''
AS $function$
BEGIN
  CASE TG_ARGV[0]
    WHEN ''votes'', ''comments'' THEN
      PERFORM push_note_stale_of_feedback(g.feedback_id, TG_ARGV[0]) FROM (SELECT DISTINCT feedback_id FROM gone) g;
      -- Nobody tells them of the status any more.
      IF TG_ARGV[0] = ''votes'' THEN
        INSERT INTO stale_entries (notification_id, user_id, app)
        SELECT n.id, n.user_id, n.app
        FROM (
          SELECT g.feedback_id, u.id FROM gone g JOIN users u ON u.id = push_uuid(g.user_id)
          UNION SELECT g.feedback_id, u.id FROM gone g JOIN users u ON lower(u.email) = lower(g.user_email)
        ) g
        JOIN notifications n ON n.user_id = g.id AND n.feedback_id = g.feedback_id
        WHERE n.family = ''statuses'' AND n.recipient_reason = ''voter'' AND n.merged_into IS NULL
          AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE;
      END IF;
    WHEN ''proposal_votes'', ''conflicts'' THEN
      PERFORM push_note_stale_of_proposal(g.proposal_id, ARRAY[TG_ARGV[0]])
      FROM (SELECT DISTINCT proposal_id FROM gone) g;
    WHEN ''members'' THEN
      PERFORM push_note_stale_of_proposal(p.id, ARRAY[''proposal_votes'', ''conflicts''])
      FROM (SELECT DISTINCT group_id FROM gone) g JOIN event_proposals p ON p.group_id = g.group_id;
  END CASE;
  RETURN NULL;
END
$function$
', NULL),
	('function', 'public.push_badge(person uuid, app text, moment timestamp with time zone)', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_badge(person uuid, app text, moment timestamp with time zone DEFAULT push_now())
 RETURNS integer
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$ SELECT badge FROM push_badges(person, app, moment) $function$
', NULL),
	('function', 'public.push_unknown_badge()', '', NULL, 'CREATE OR REPLACE FUNCTION public.push_unknown_badge()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF (NEW.token, NEW.user_id, NEW.app, NEW.registered_at) IS DISTINCT FROM
    (OLD.token, OLD.user_id, OLD.app, OLD.registered_at)
  THEN
    NEW.badge := NULL;
  END IF;
  RETURN NEW;
END
$function$
', NULL),
	('relation', 'public.groups', '', NULL, 'r', NULL),
	('trigger', 'public.project_member_preferences', 'push_settings_changed', NULL, 'CREATE TRIGGER push_settings_changed AFTER INSERT OR DELETE OR UPDATE ON public.project_member_preferences FOR EACH ROW EXECUTE FUNCTION push_settings_changed()', NULL),
	('relation', 'public.proposal_votes', '', NULL, 'r', NULL),
	('whole', '', '', NULL, 'yes', NULL);


--
-- Data for Name: clock; Type: TABLE DATA; Schema: runner; Owner: -
--

INSERT INTO runner.clock VALUES
	(true, '00:00:00');


--
-- Data for Name: dead_letters; Type: TABLE DATA; Schema: runner; Owner: -
--

INSERT INTO runner.dead_letters VALUES
	(0, 28662340760, 'echo', NULL, NULL, '2026-11-28 17:45:41.584346+00', NULL, NULL, '/http/echo', 'test', NULL, NULL, NULL, NULL, NULL, '{"n": 1}', NULL, 5, 0, 'INTERNAL', 'dead', '2026-11-28 17:45:41.596034+00');


--
-- Data for Name: events; Type: TABLE DATA; Schema: runner; Owner: -
--

INSERT INTO runner.events VALUES
	(8, 28662340759, 'feedback-created', 'b0000000-0000-4000-8000-000000000001', NULL, '2026-11-28 17:45:41.489249+00', NULL, NULL, NULL, NULL, 'INSERT', 'public', 'feedbacks', '{"id": "c0000000-0000-4000-8000-000000000001", "title": "Dark mode", "status": "approved", "user_id": "sdk-grace", "category": "feature_request", "created_at": "2026-11-28T17:45:41.468165+00:00", "project_id": "b0000000-0000-4000-8000-000000000001", "updated_at": "2026-11-28T17:45:41.468165+00:00", "user_email": "Grace@Example.com", "vote_count": 2, "description": "White hurts at night.", "merged_into_id": null, "rejection_reason": null}', NULL, NULL, NULL),
	(15, 28662340759, 'comment-added', 'c0000000-0000-4000-8000-000000000001', NULL, '2026-11-28 17:45:41.494655+00', NULL, NULL, NULL, NULL, 'INSERT', 'public', 'comments', '{"id": "c1000000-0000-4000-8000-000000000001", "content": "We are on it.", "user_id": "a0000000-0000-4000-8000-000000000002", "is_admin": true, "created_at": "2026-11-28T17:45:41.468165+00:00", "feedback_id": "c0000000-0000-4000-8000-000000000001"}', NULL, NULL, NULL),
	(11, 28662340759, 'vote-cast', 'c0000000-0000-4000-8000-000000000001', NULL, '2026-11-28 17:45:41.500199+00', NULL, NULL, NULL, NULL, 'INSERT', 'public', 'votes', '{"id": "c2000000-0000-4000-8000-000000000001", "user_id": "sdk-hugo", "created_at": "2026-11-28T17:45:41.468165+00:00", "user_email": "hugo@example.com", "feedback_id": "c0000000-0000-4000-8000-000000000001"}', NULL, NULL, NULL),
	(11, 28662340760, 'vote-cast', 'c0000000-0000-4000-8000-000000000001', NULL, '2026-11-28 17:45:41.500222+00', NULL, NULL, NULL, NULL, 'INSERT', 'public', 'votes', '{"id": "c2000000-0000-4000-8000-000000000002", "user_id": "sdk-iris", "created_at": "2026-11-28T17:45:41.468165+00:00", "user_email": "iris@nowhere.example", "feedback_id": "c0000000-0000-4000-8000-000000000001"}', NULL, NULL, NULL),
	(8, 28662340760, 'proposal-created', 'f4000000-0000-4000-8000-000000000001', NULL, '2026-11-28 17:45:41.51487+00', NULL, NULL, NULL, NULL, 'INSERT', 'public', 'event_proposals', '{"id": "f4000000-0000-4000-8000-000000000001", "title": "Game Night", "status": "open", "deadline": "2030-01-05T20:00:00+00:00", "group_id": "f0000000-0000-4000-8000-000000000001", "location": null, "created_at": "2026-11-28T17:45:41.468165+00:00", "created_by": "a0000000-0000-4000-8000-000000000001", "updated_at": "2026-11-28T17:45:41.468165+00:00", "visibility": "shared_with_name", "description": null, "options_version": 1, "notify_vote_cast": null, "options_changed_at": null}', NULL, NULL, NULL),
	(13, 28662340759, 'action-completed', NULL, NULL, '2026-11-28 17:45:41.5228+00', NULL, NULL, NULL, NULL, 'INSERT', 'public', 'proposal_votes', '{"id": "f6000000-0000-4000-8000-000000000002", "vote": "yes", "user_id": "a0000000-0000-4000-8000-000000000002", "option_id": "f5000000-0000-4000-8000-000000000001", "created_at": "2026-11-28T17:45:41.468165+00:00", "updated_at": "2026-11-28T17:45:41.468165+00:00", "proposal_id": "f4000000-0000-4000-8000-000000000001", "options_version": 1}', NULL, NULL, NULL),
	(4, 28662340759, 'proposal-vote-cast', 'f4000000-0000-4000-8000-000000000001', NULL, '2026-11-28 17:45:41.522848+00', NULL, NULL, NULL, NULL, 'INSERT', 'public', 'proposal_votes', '{"id": "f6000000-0000-4000-8000-000000000002", "vote": "yes", "user_id": "a0000000-0000-4000-8000-000000000002", "option_id": "f5000000-0000-4000-8000-000000000001", "created_at": "2026-11-28T17:45:41.468165+00:00", "updated_at": "2026-11-28T17:45:41.468165+00:00", "proposal_id": "f4000000-0000-4000-8000-000000000001", "options_version": 1}', NULL, NULL, NULL),
	(0, 28662340759, 'friend-requested', 'a0000000-0000-4000-8000-000000000002', NULL, '2026-11-28 17:45:41.527746+00', NULL, NULL, NULL, NULL, 'INSERT', 'public', 'friend_requests', '{"id": "f7000000-0000-4000-8000-000000000001", "status": "pending", "created_at": "2026-11-28T17:45:41.468165+00:00", "updated_at": "2026-11-28T17:45:41.468165+00:00", "recipient_id": "a0000000-0000-4000-8000-000000000002", "requester_id": "a0000000-0000-4000-8000-000000000008"}', NULL, NULL, NULL),
	(6, 28662340759, 'group-invited', 'a0000000-0000-4000-8000-000000000002', NULL, '2026-11-28 17:45:41.532072+00', NULL, NULL, NULL, NULL, 'INSERT', 'public', 'group_invites', '{"id": "f8000000-0000-4000-8000-000000000001", "status": "pending", "group_id": "f0000000-0000-4000-8000-000000000002", "created_at": "2026-11-28T17:45:41.468165+00:00", "invitee_id": "a0000000-0000-4000-8000-000000000002", "inviter_id": "a0000000-0000-4000-8000-000000000008", "updated_at": "2026-11-28T17:45:41.468165+00:00"}', NULL, NULL, NULL),
	(3, 28662340759, 'conflict-detected', 'f4000000-0000-4000-8000-000000000001', NULL, '2026-11-28 17:45:41.539672+00', NULL, NULL, NULL, NULL, 'INSERT', 'public', 'event_conflicts', '{"id": "f9000000-0000-4000-8000-000000000001", "user_id": "a0000000-0000-4000-8000-000000000002", "created_at": "2026-11-28T17:45:41.468165+00:00", "proposal_id": "f4000000-0000-4000-8000-000000000001", "conflict_level": "hard", "existing_title": "Dentist", "existing_event_id": "fb000000-0000-4000-8000-000000000001"}', NULL, NULL, NULL),
	(8, 28662340761, 'event-confirmed', 'fa000000-0000-4000-8000-000000000001', NULL, '2026-11-28 17:45:41.546386+00', NULL, NULL, NULL, NULL, 'INSERT', 'public', 'events', '{"id": "fa000000-0000-4000-8000-000000000001", "title": "Picnic", "status": "confirmed", "ends_at": "2030-01-12T23:00:00+00:00", "group_id": "f0000000-0000-4000-8000-000000000001", "location": "Mauerpark", "option_id": null, "starts_at": "2030-01-12T19:00:00+00:00", "created_at": "2026-11-28T17:45:41.468165+00:00", "created_by": "a0000000-0000-4000-8000-000000000001", "is_tracked": true, "updated_at": "2026-11-28T17:45:41.468165+00:00", "visibility": "shared_with_name", "proposal_id": null, "location_latitude": 52.5433, "location_longitude": 13.4026}', NULL, NULL, NULL),
	(11, 28662340761, 'proposal-created', 'f4000000-0000-4000-8000-000000000002', NULL, '2026-11-28 17:45:41.547624+00', NULL, NULL, NULL, NULL, 'INSERT', 'public', 'event_proposals', '{"id": "f4000000-0000-4000-8000-000000000002", "title": "Movie Night", "status": "confirmed", "deadline": "2030-01-05T20:00:00+00:00", "group_id": "f0000000-0000-4000-8000-000000000001", "location": null, "created_at": "2026-11-28T17:45:41.468165+00:00", "created_by": "a0000000-0000-4000-8000-000000000001", "updated_at": "2026-11-28T17:45:41.468165+00:00", "visibility": "shared_with_name", "description": null, "options_version": 1, "notify_vote_cast": null, "options_changed_at": null}', NULL, NULL, NULL),
	(3, 28662340760, 'event-confirmed', 'fa000000-0000-4000-8000-000000000002', NULL, '2026-11-28 17:45:41.547837+00', NULL, NULL, NULL, NULL, 'INSERT', 'public', 'events', '{"id": "fa000000-0000-4000-8000-000000000002", "title": "Movie Night", "status": "confirmed", "ends_at": "2030-01-19T23:00:00+00:00", "group_id": "f0000000-0000-4000-8000-000000000001", "location": null, "option_id": null, "starts_at": "2030-01-19T19:00:00+00:00", "created_at": "2026-11-28T17:45:41.468165+00:00", "created_by": "a0000000-0000-4000-8000-000000000001", "is_tracked": true, "updated_at": "2026-11-28T17:45:41.468165+00:00", "visibility": "shared_with_name", "proposal_id": "f4000000-0000-4000-8000-000000000002", "location_latitude": null, "location_longitude": null}', NULL, NULL, NULL),
	(8, 28662340762, 'action-completed', NULL, NULL, '2026-11-28 17:45:41.595107+00', NULL, NULL, NULL, NULL, 'INSERT', 'public', 'badge_losses', '{"id": "10807e1c-7ffb-432a-b228-4adfc3c40ae0", "app": "feedbackkit", "ends_at": null, "user_id": "a0000000-0000-4000-8000-000000000001", "created_at": "2026-11-28T17:45:41.584346+00:00"}', NULL, NULL, NULL);


--
-- Data for Name: history_default; Type: TABLE DATA; Schema: runner; Owner: -
--

INSERT INTO runner.history_default VALUES
	('2026-11-28 17:45:41.596167+00', '2026-11-28 17:45:41.584346+00', 0, 1, NULL, 'echo', NULL, 'queued', '2026-11-28 17:45:41.584346+00', 0, 'OK', 0, 1000, NULL);


--
-- Data for Name: leases; Type: TABLE DATA; Schema: runner; Owner: -
--

INSERT INTO runner.leases VALUES
	('', 0, 0, NULL, NULL, '-infinity'),
	('', 1, 0, NULL, NULL, '-infinity'),
	('', 2, 0, NULL, NULL, '-infinity'),
	('', 3, 0, NULL, NULL, '-infinity'),
	('', 4, 0, NULL, NULL, '-infinity'),
	('', 5, 0, NULL, NULL, '-infinity'),
	('', 6, 0, NULL, NULL, '-infinity'),
	('', 7, 0, NULL, NULL, '-infinity'),
	('', 8, 0, NULL, NULL, '-infinity'),
	('', 9, 0, NULL, NULL, '-infinity'),
	('', 10, 0, NULL, NULL, '-infinity'),
	('', 11, 0, NULL, NULL, '-infinity'),
	('', 12, 0, NULL, NULL, '-infinity'),
	('', 13, 0, NULL, NULL, '-infinity'),
	('', 14, 0, NULL, NULL, '-infinity'),
	('', 15, 0, NULL, NULL, '-infinity');


--
-- Data for Name: migrations; Type: TABLE DATA; Schema: runner; Owner: -
--

INSERT INTO runner.migrations VALUES
	('runner/1000_events', '2026-11-28 17:45:40.746304+00', true, NULL),
	('runner/1001_leases', '2026-11-28 17:45:40.748566+00', true, NULL),
	('runner/1002_schedules', '2026-11-28 17:45:40.753575+00', true, NULL),
	('runner/1003_triggers', '2026-11-28 17:45:40.755702+00', true, NULL),
	('runner/1004_partitions', '2026-11-28 17:45:40.760776+00', true, NULL),
	('runner/1005_queue', '2026-11-28 17:45:40.762415+00', true, NULL),
	('runner/1006_partition_number', '2026-11-28 17:45:40.762959+00', true, NULL),
	('runner/1007_access', '2026-11-28 17:45:40.76437+00', true, NULL),
	('runner/1008_changes', '2026-11-28 17:45:40.765472+00', true, NULL),
	('apps/1000_earlier_tables', '2026-11-28 17:45:40.769828+00', true, NULL),
	('apps/1001_feedbackkit', '2026-11-28 17:45:40.778901+00', true, NULL),
	('apps/1002_lockitin', '2026-11-28 17:45:40.794798+00', true, NULL),
	('apps/1003_preferences', '2026-11-28 17:45:40.80177+00', true, NULL),
	('apps/1004_devices', '2026-11-28 17:45:40.809717+00', true, NULL),
	('apps/1005_inbox', '2026-11-28 17:45:40.821974+00', true, NULL),
	('apps/1006_deliveries', '2026-11-28 17:45:40.833301+00', true, NULL),
	('apps/1007_log', '2026-11-28 17:45:40.858915+00', true, NULL),
	('apps/1008_acts', '2026-11-28 17:45:40.869407+00', true, NULL),
	('apps/1009_filled_columns', '2026-11-28 17:45:40.871194+00', true, NULL),
	('apps/1010_badges', '2026-11-28 17:45:40.877597+00', true, NULL),
	('apps/1011_eligibility', '2026-11-28 17:45:40.88115+00', true, NULL),
	('apps/1012_changes', '2026-11-28 17:45:40.886379+00', true, NULL),
	('apps/1013_people', '2026-11-28 17:45:40.887795+00', true, NULL),
	('apps/1014_rates', '2026-11-28 17:45:40.897986+00', true, NULL),
	('apps/1020_row_security', '2026-11-28 17:45:40.943102+00', true, NULL);


--
-- Data for Name: payloads_default; Type: TABLE DATA; Schema: runner; Owner: -
--

INSERT INTO runner.payloads_default VALUES
	('2026-11-28 17:45:41.596349+00', 0, 1, 'echo', NULL, NULL, '2026-11-28 17:45:41.584346+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"n": 1}', NULL);


--
-- Data for Name: retries; Type: TABLE DATA; Schema: runner; Owner: -
--

INSERT INTO runner.retries VALUES
	(14, 28662340759, 'vote-cast', 'k', NULL, '2026-11-28 17:45:41.584346+00', NULL, NULL, NULL, NULL, 'INSERT', 'public', 'votes', '{"id": "c2000000-0000-4000-8000-000000000001", "user_id": "sdk-hugo", "created_at": "2026-11-28T17:45:41.468165+00:00", "user_email": "hugo@example.com", "feedback_id": "c0000000-0000-4000-8000-000000000001"}', NULL, NULL, NULL, 1, 0, '2099-01-01 00:00:00+00', 'UNAVAILABLE', 'later', 0, 0, '2026-11-28 17:45:41.595821+00');


--
-- Data for Name: roles; Type: TABLE DATA; Schema: runner; Owner: -
--

INSERT INTO runner.roles VALUES
	('a_role_that_is_gone');


--
-- Data for Name: runners; Type: TABLE DATA; Schema: runner; Owner: -
--

INSERT INTO runner.runners VALUES
	('00000000-0000-4000-8000-000000000001', 1, 'one that has ended', '2026-11-01 00:00:00+00', '', NULL);


--
-- Data for Name: schedule_fires; Type: TABLE DATA; Schema: runner; Owner: -
--

INSERT INTO runner.schedule_fires VALUES
	('event-reminder', '2026-11-01 00:00:00+00', 'f1', '2026-11-28 17:45:41.596711+00', false, NULL);


--
-- Data for Name: schedules; Type: TABLE DATA; Schema: runner; Owner: -
--

INSERT INTO runner.schedules VALUES
	('event-reminder', 'default', 'event-reminder', '* * * * *', 'UTC', NULL, NULL, '2026-11-01 00:00:00+00', NULL, '2026-11-01 00:01:00+00', NULL);


--
-- Data for Name: sign_outs; Type: TABLE DATA; Schema: runner; Owner: -
--

INSERT INTO runner.sign_outs VALUES
	('0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b', '2026-11-28 17:45:41.597104+00');


--
-- Data for Name: signals; Type: TABLE DATA; Schema: runner; Owner: -
--

INSERT INTO runner.signals VALUES
	('release-held');


--
-- Data for Name: triggers; Type: TABLE DATA; Schema: runner; Owner: -
--

INSERT INTO runner.triggers VALUES
	('public', 'badge_losses', 'runner_insert', 'CREATE OR REPLACE FUNCTION runner."public.badge_losses.runner_insert"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
AS ''
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting(''''TimeZone'''');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', ''''UTC'''', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting(''''DateStyle''''), ''''ISO'''')
    OR pg_catalog.current_setting(''''extra_float_digits'''') OPERATOR(pg_catalog.<>) ALL (''''{1,2,3}''''::pg_catalog.text[])
    OR pg_catalog.current_setting(''''IntervalStyle'''') OPERATOR(pg_catalog.<>) ''''postgres''''
    OR pg_catalog.current_setting(''''bytea_output'''') OPERATOR(pg_catalog.<>) ''''hex'''' THEN
    runner_style := ARRAY[pg_catalog.current_setting(''''DateStyle''''), pg_catalog.current_setting(''''extra_float_digits''''), pg_catalog.current_setting(''''IntervalStyle''''), pg_catalog.current_setting(''''bytea_output'''')];
    PERFORM pg_catalog.set_config(''''DateStyle'''', ''''ISO'''', true), pg_catalog.set_config(''''extra_float_digits'''', ''''1'''', true), pg_catalog.set_config(''''IntervalStyle'''', ''''postgres'''', true), pg_catalog.set_config(''''bytea_output'''', ''''hex'''', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), ''''action-completed''''::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting(''''app.user_id'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.user_id'''', true) END,
    CASE WHEN pg_catalog.current_setting(''''app.traceparent'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.traceparent'''', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''''INSERT''''::pg_catalog.text,
    ''''public''''::pg_catalog.text, ''''badge_losses''''::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."badge_losses"'''', ''''id'''') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."badge_losses"'''') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN ''''true''''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition(''''action-completed'''', m.key), runner.random_partition()) AS partition, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "app", NULL::pg_catalog.text AS "id") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."badge_losses"'''', ''''app'''') THEN "app"::pg_catalog.text ELSE runner.text("app") END), 0) AS size, NULL::pg_catalog.text AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n;
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config(''''DateStyle'''', runner_style[1], true), pg_catalog.set_config(''''extra_float_digits'''', runner_style[2], true), pg_catalog.set_config(''''IntervalStyle'''', runner_style[3], true), pg_catalog.set_config(''''bytea_output'''', runner_style[4], true);
  END IF;
  RETURN NULL;
END'';
REVOKE ALL ON FUNCTION runner."public.badge_losses.runner_insert"() FROM PUBLIC;
CREATE TRIGGER "runner_insert" AFTER INSERT ON "public"."badge_losses"
REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.badge_losses.runner_insert"();', 'default', 3, 0, '{action-completed}', '[{"columns": [], "filters": [], "function": "action-completed", "ownWrites": true}]'),
	('public', 'comments', 'runner_insert', 'CREATE OR REPLACE FUNCTION runner."public.comments.runner_insert"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
AS ''
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting(''''TimeZone'''');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', ''''UTC'''', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting(''''DateStyle''''), ''''ISO'''')
    OR pg_catalog.current_setting(''''extra_float_digits'''') OPERATOR(pg_catalog.<>) ALL (''''{1,2,3}''''::pg_catalog.text[])
    OR pg_catalog.current_setting(''''IntervalStyle'''') OPERATOR(pg_catalog.<>) ''''postgres''''
    OR pg_catalog.current_setting(''''bytea_output'''') OPERATOR(pg_catalog.<>) ''''hex'''' THEN
    runner_style := ARRAY[pg_catalog.current_setting(''''DateStyle''''), pg_catalog.current_setting(''''extra_float_digits''''), pg_catalog.current_setting(''''IntervalStyle''''), pg_catalog.current_setting(''''bytea_output'''')];
    PERFORM pg_catalog.set_config(''''DateStyle'''', ''''ISO'''', true), pg_catalog.set_config(''''extra_float_digits'''', ''''1'''', true), pg_catalog.set_config(''''IntervalStyle'''', ''''postgres'''', true), pg_catalog.set_config(''''bytea_output'''', ''''hex'''', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), ''''comment-added''''::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting(''''app.user_id'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.user_id'''', true) END,
    CASE WHEN pg_catalog.current_setting(''''app.traceparent'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.traceparent'''', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''''INSERT''''::pg_catalog.text,
    ''''public''''::pg_catalog.text, ''''comments''''::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."comments"'''', ''''id'''') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."comments"'''') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN ''''true''''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition(''''comment-added'''', m.key), runner.random_partition()) AS partition, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "content", NULL::pg_catalog.text AS "feedback_id", NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "user_id") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."comments"'''', ''''content'''') THEN "content"::pg_catalog.text ELSE runner.text("content") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."comments"'''', ''''user_id'''') THEN "user_id"::pg_catalog.text ELSE runner.text("user_id") END), 0) AS size, CASE WHEN runner.is_plain(''''"public"."comments"'''', ''''feedback_id'''') THEN "feedback_id"::pg_catalog.text ELSE runner.text("feedback_id") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n;
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config(''''DateStyle'''', runner_style[1], true), pg_catalog.set_config(''''extra_float_digits'''', runner_style[2], true), pg_catalog.set_config(''''IntervalStyle'''', runner_style[3], true), pg_catalog.set_config(''''bytea_output'''', runner_style[4], true);
  END IF;
  RETURN NULL;
END'';
REVOKE ALL ON FUNCTION runner."public.comments.runner_insert"() FROM PUBLIC;
CREATE TRIGGER "runner_insert" AFTER INSERT ON "public"."comments"
REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.comments.runner_insert"();', 'default', 3, 0, '{comment-added}', '[{"key": "feedback_id", "columns": [], "filters": [], "function": "comment-added", "ownWrites": true}]'),
	('public', 'event_conflicts', 'runner_insert', 'CREATE OR REPLACE FUNCTION runner."public.event_conflicts.runner_insert"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
AS ''
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting(''''TimeZone'''');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', ''''UTC'''', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting(''''DateStyle''''), ''''ISO'''')
    OR pg_catalog.current_setting(''''extra_float_digits'''') OPERATOR(pg_catalog.<>) ALL (''''{1,2,3}''''::pg_catalog.text[])
    OR pg_catalog.current_setting(''''IntervalStyle'''') OPERATOR(pg_catalog.<>) ''''postgres''''
    OR pg_catalog.current_setting(''''bytea_output'''') OPERATOR(pg_catalog.<>) ''''hex'''' THEN
    runner_style := ARRAY[pg_catalog.current_setting(''''DateStyle''''), pg_catalog.current_setting(''''extra_float_digits''''), pg_catalog.current_setting(''''IntervalStyle''''), pg_catalog.current_setting(''''bytea_output'''')];
    PERFORM pg_catalog.set_config(''''DateStyle'''', ''''ISO'''', true), pg_catalog.set_config(''''extra_float_digits'''', ''''1'''', true), pg_catalog.set_config(''''IntervalStyle'''', ''''postgres'''', true), pg_catalog.set_config(''''bytea_output'''', ''''hex'''', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), ''''conflict-detected''''::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting(''''app.user_id'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.user_id'''', true) END,
    CASE WHEN pg_catalog.current_setting(''''app.traceparent'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.traceparent'''', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''''INSERT''''::pg_catalog.text,
    ''''public''''::pg_catalog.text, ''''event_conflicts''''::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."event_conflicts"'''', ''''id'''') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."event_conflicts"'''') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN ''''true''''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition(''''conflict-detected'''', m.key), runner.random_partition()) AS partition, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "conflict_level", NULL::pg_catalog.text AS "existing_title", NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "proposal_id") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_conflicts"'''', ''''existing_title'''') THEN "existing_title"::pg_catalog.text ELSE runner.text("existing_title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_conflicts"'''', ''''conflict_level'''') THEN "conflict_level"::pg_catalog.text ELSE runner.text("conflict_level") END), 0) AS size, CASE WHEN runner.is_plain(''''"public"."event_conflicts"'''', ''''proposal_id'''') THEN "proposal_id"::pg_catalog.text ELSE runner.text("proposal_id") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n;
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config(''''DateStyle'''', runner_style[1], true), pg_catalog.set_config(''''extra_float_digits'''', runner_style[2], true), pg_catalog.set_config(''''IntervalStyle'''', runner_style[3], true), pg_catalog.set_config(''''bytea_output'''', runner_style[4], true);
  END IF;
  RETURN NULL;
END'';
REVOKE ALL ON FUNCTION runner."public.event_conflicts.runner_insert"() FROM PUBLIC;
CREATE TRIGGER "runner_insert" AFTER INSERT ON "public"."event_conflicts"
REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.event_conflicts.runner_insert"();', 'default', 3, 0, '{conflict-detected}', '[{"key": "proposal_id", "columns": [], "filters": [], "function": "conflict-detected", "ownWrites": true}]'),
	('public', 'event_proposals', 'runner_insert', 'CREATE OR REPLACE FUNCTION runner."public.event_proposals.runner_insert"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
AS ''
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting(''''TimeZone'''');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', ''''UTC'''', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting(''''DateStyle''''), ''''ISO'''')
    OR pg_catalog.current_setting(''''extra_float_digits'''') OPERATOR(pg_catalog.<>) ALL (''''{1,2,3}''''::pg_catalog.text[])
    OR pg_catalog.current_setting(''''IntervalStyle'''') OPERATOR(pg_catalog.<>) ''''postgres''''
    OR pg_catalog.current_setting(''''bytea_output'''') OPERATOR(pg_catalog.<>) ''''hex'''' THEN
    runner_style := ARRAY[pg_catalog.current_setting(''''DateStyle''''), pg_catalog.current_setting(''''extra_float_digits''''), pg_catalog.current_setting(''''IntervalStyle''''), pg_catalog.current_setting(''''bytea_output'''')];
    PERFORM pg_catalog.set_config(''''DateStyle'''', ''''ISO'''', true), pg_catalog.set_config(''''extra_float_digits'''', ''''1'''', true), pg_catalog.set_config(''''IntervalStyle'''', ''''postgres'''', true), pg_catalog.set_config(''''bytea_output'''', ''''hex'''', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), ''''proposal-created''''::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting(''''app.user_id'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.user_id'''', true) END,
    CASE WHEN pg_catalog.current_setting(''''app.traceparent'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.traceparent'''', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''''INSERT''''::pg_catalog.text,
    ''''public''''::pg_catalog.text, ''''event_proposals''''::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''id'''') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."event_proposals"'''') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN ''''true''''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition(''''proposal-created'''', m.key), runner.random_partition()) AS partition, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "description", NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "location", NULL::pg_catalog.text AS "status", NULL::pg_catalog.text AS "title", NULL::pg_catalog.text AS "visibility") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''title'''') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''description'''') THEN "description"::pg_catalog.text ELSE runner.text("description") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''visibility'''') THEN "visibility"::pg_catalog.text ELSE runner.text("visibility") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''location'''') THEN "location"::pg_catalog.text ELSE runner.text("location") END), 0) AS size, CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''id'''') THEN "id"::pg_catalog.text ELSE runner.text("id") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n;
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config(''''DateStyle'''', runner_style[1], true), pg_catalog.set_config(''''extra_float_digits'''', runner_style[2], true), pg_catalog.set_config(''''IntervalStyle'''', runner_style[3], true), pg_catalog.set_config(''''bytea_output'''', runner_style[4], true);
  END IF;
  RETURN NULL;
END'';
REVOKE ALL ON FUNCTION runner."public.event_proposals.runner_insert"() FROM PUBLIC;
CREATE TRIGGER "runner_insert" AFTER INSERT ON "public"."event_proposals"
REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.event_proposals.runner_insert"();', 'default', 3, 0, '{proposal-created}', '[{"key": "id", "columns": [], "filters": [], "function": "proposal-created", "ownWrites": true}]'),
	('public', 'event_proposals', 'runner_update', 'CREATE OR REPLACE FUNCTION runner."public.event_proposals.runner_update"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
AS ''
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting(''''TimeZone'''');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', ''''UTC'''', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting(''''DateStyle''''), ''''ISO'''')
    OR pg_catalog.current_setting(''''extra_float_digits'''') OPERATOR(pg_catalog.<>) ALL (''''{1,2,3}''''::pg_catalog.text[])
    OR pg_catalog.current_setting(''''IntervalStyle'''') OPERATOR(pg_catalog.<>) ''''postgres''''
    OR pg_catalog.current_setting(''''bytea_output'''') OPERATOR(pg_catalog.<>) ''''hex'''' THEN
    runner_style := ARRAY[pg_catalog.current_setting(''''DateStyle''''), pg_catalog.current_setting(''''extra_float_digits''''), pg_catalog.current_setting(''''IntervalStyle''''), pg_catalog.current_setting(''''bytea_output'''')];
    PERFORM pg_catalog.set_config(''''DateStyle'''', ''''ISO'''', true), pg_catalog.set_config(''''extra_float_digits'''', ''''1'''', true), pg_catalog.set_config(''''IntervalStyle'''', ''''postgres'''', true), pg_catalog.set_config(''''bytea_output'''', ''''hex'''', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), ''''event-confirmed''''::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting(''''app.user_id'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.user_id'''', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting(''''app.traceparent'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.traceparent'''', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''''UPDATE''''::pg_catalog.text,
    ''''public''''::pg_catalog.text, ''''event_proposals''''::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''id'''') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."event_proposals"'''') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''id'''') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."event_proposals"'''') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL OR o.image IS NOT DISTINCT FROM NULL THEN ''''true''''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition(''''event-confirmed'''', m.key), runner.random_partition()) AS partition, m.key_0, m.column_0
      FROM (SELECT NULL::pg_catalog.text AS "description", NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "location", NULL::pg_catalog.text AS "status", NULL::pg_catalog.text AS "title", NULL::pg_catalog.text AS "visibility") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''title'''') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''description'''') THEN "description"::pg_catalog.text ELSE runner.text("description") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''visibility'''') THEN "visibility"::pg_catalog.text ELSE runner.text("visibility") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''location'''') THEN "location"::pg_catalog.text ELSE runner.text("location") END), 0) AS size, CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''id'''') THEN "id"::pg_catalog.text ELSE runner.text("id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n
    FULL JOIN (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key_0, m.column_0
      FROM (SELECT ''''''''::pg_catalog.text AS "description", ''''''''::pg_catalog.text AS "id", ''''''''::pg_catalog.text AS "location", ''''''''::pg_catalog.text AS "status", ''''''''::pg_catalog.text AS "title", ''''''''::pg_catalog.text AS "visibility") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''title'''') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''description'''') THEN "description"::pg_catalog.text ELSE runner.text("description") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''visibility'''') THEN "visibility"::pg_catalog.text ELSE runner.text("visibility") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''location'''') THEN "location"::pg_catalog.text ELSE runner.text("location") END), 0) AS size, CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''id'''') THEN "id"::pg_catalog.text ELSE runner.text("id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o ON n.place OPERATOR(pg_catalog.=) o.place
    WHERE (n.column_0 OPERATOR(pg_catalog.=) o.column_0) IS NOT TRUE AND (n.column_0 IS NOT NULL OR o.column_0 IS NOT NULL)
  UNION ALL
  SELECT n.partition, runner.draw(n.partition), ''''proposal-updated''''::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting(''''app.user_id'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.user_id'''', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting(''''app.traceparent'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.traceparent'''', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''''UPDATE''''::pg_catalog.text,
    ''''public''''::pg_catalog.text, ''''event_proposals''''::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''id'''') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."event_proposals"'''') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''id'''') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."event_proposals"'''') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL OR o.image IS NOT DISTINCT FROM NULL THEN ''''true''''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition(''''proposal-updated'''', m.key), runner.random_partition()) AS partition, m.key_0, m.column_0
      FROM (SELECT NULL::pg_catalog.text AS "description", NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "location", NULL::pg_catalog.text AS "options_version", NULL::pg_catalog.text AS "status", NULL::pg_catalog.text AS "title", NULL::pg_catalog.text AS "visibility") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''title'''') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''description'''') THEN "description"::pg_catalog.text ELSE runner.text("description") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''visibility'''') THEN "visibility"::pg_catalog.text ELSE runner.text("visibility") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''location'''') THEN "location"::pg_catalog.text ELSE runner.text("location") END), 0) AS size, CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''id'''') THEN "id"::pg_catalog.text ELSE runner.text("id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''options_version'''') THEN "options_version"::pg_catalog.text ELSE runner.text("options_version") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n
    FULL JOIN (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key_0, m.column_0
      FROM (SELECT ''''''''::pg_catalog.text AS "description", ''''''''::pg_catalog.text AS "id", ''''''''::pg_catalog.text AS "location", ''''''''::pg_catalog.text AS "options_version", ''''''''::pg_catalog.text AS "status", ''''''''::pg_catalog.text AS "title", ''''''''::pg_catalog.text AS "visibility") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''title'''') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''description'''') THEN "description"::pg_catalog.text ELSE runner.text("description") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''visibility'''') THEN "visibility"::pg_catalog.text ELSE runner.text("visibility") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''location'''') THEN "location"::pg_catalog.text ELSE runner.text("location") END), 0) AS size, CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''id'''') THEN "id"::pg_catalog.text ELSE runner.text("id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain(''''"public"."event_proposals"'''', ''''options_version'''') THEN "options_version"::pg_catalog.text ELSE runner.text("options_version") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o ON n.place OPERATOR(pg_catalog.=) o.place
    WHERE (n.column_0 OPERATOR(pg_catalog.=) o.column_0) IS NOT TRUE AND (n.column_0 IS NOT NULL OR o.column_0 IS NOT NULL);
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config(''''DateStyle'''', runner_style[1], true), pg_catalog.set_config(''''extra_float_digits'''', runner_style[2], true), pg_catalog.set_config(''''IntervalStyle'''', runner_style[3], true), pg_catalog.set_config(''''bytea_output'''', runner_style[4], true);
  END IF;
  RETURN NULL;
END'';
REVOKE ALL ON FUNCTION runner."public.event_proposals.runner_update"() FROM PUBLIC;
CREATE TRIGGER "runner_update" AFTER UPDATE ON "public"."event_proposals"
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.event_proposals.runner_update"();', 'default', 3, 0, '{event-confirmed,proposal-updated}', '[{"key": "id", "columns": ["status"], "filters": [], "function": "event-confirmed", "ownWrites": true}, {"key": "id", "columns": ["options_version"], "filters": [], "function": "proposal-updated", "ownWrites": true}]'),
	('public', 'events', 'runner_insert', 'CREATE OR REPLACE FUNCTION runner."public.events.runner_insert"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
AS ''
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting(''''TimeZone'''');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', ''''UTC'''', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting(''''DateStyle''''), ''''ISO'''')
    OR pg_catalog.current_setting(''''extra_float_digits'''') OPERATOR(pg_catalog.<>) ALL (''''{1,2,3}''''::pg_catalog.text[])
    OR pg_catalog.current_setting(''''IntervalStyle'''') OPERATOR(pg_catalog.<>) ''''postgres''''
    OR pg_catalog.current_setting(''''bytea_output'''') OPERATOR(pg_catalog.<>) ''''hex'''' THEN
    runner_style := ARRAY[pg_catalog.current_setting(''''DateStyle''''), pg_catalog.current_setting(''''extra_float_digits''''), pg_catalog.current_setting(''''IntervalStyle''''), pg_catalog.current_setting(''''bytea_output'''')];
    PERFORM pg_catalog.set_config(''''DateStyle'''', ''''ISO'''', true), pg_catalog.set_config(''''extra_float_digits'''', ''''1'''', true), pg_catalog.set_config(''''IntervalStyle'''', ''''postgres'''', true), pg_catalog.set_config(''''bytea_output'''', ''''hex'''', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), ''''event-confirmed''''::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting(''''app.user_id'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.user_id'''', true) END,
    CASE WHEN pg_catalog.current_setting(''''app.traceparent'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.traceparent'''', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''''INSERT''''::pg_catalog.text,
    ''''public''''::pg_catalog.text, ''''events''''::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."events"'''', ''''id'''') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."events"'''') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN ''''true''''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition(''''event-confirmed'''', m.key), runner.random_partition()) AS partition, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "location", NULL::pg_catalog.text AS "status", NULL::pg_catalog.text AS "title", NULL::pg_catalog.text AS "visibility") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."events"'''', ''''title'''') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."events"'''', ''''location'''') THEN "location"::pg_catalog.text ELSE runner.text("location") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."events"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."events"'''', ''''visibility'''') THEN "visibility"::pg_catalog.text ELSE runner.text("visibility") END), 0) AS size, CASE WHEN runner.is_plain(''''"public"."events"'''', ''''id'''') THEN "id"::pg_catalog.text ELSE runner.text("id") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n;
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config(''''DateStyle'''', runner_style[1], true), pg_catalog.set_config(''''extra_float_digits'''', runner_style[2], true), pg_catalog.set_config(''''IntervalStyle'''', runner_style[3], true), pg_catalog.set_config(''''bytea_output'''', runner_style[4], true);
  END IF;
  RETURN NULL;
END'';
REVOKE ALL ON FUNCTION runner."public.events.runner_insert"() FROM PUBLIC;
CREATE TRIGGER "runner_insert" AFTER INSERT ON "public"."events"
REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.events.runner_insert"();', 'default', 3, 0, '{event-confirmed}', '[{"key": "id", "columns": [], "filters": [], "function": "event-confirmed", "ownWrites": true}]'),
	('public', 'events', 'runner_update', 'CREATE OR REPLACE FUNCTION runner."public.events.runner_update"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
AS ''
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting(''''TimeZone'''');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', ''''UTC'''', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting(''''DateStyle''''), ''''ISO'''')
    OR pg_catalog.current_setting(''''extra_float_digits'''') OPERATOR(pg_catalog.<>) ALL (''''{1,2,3}''''::pg_catalog.text[])
    OR pg_catalog.current_setting(''''IntervalStyle'''') OPERATOR(pg_catalog.<>) ''''postgres''''
    OR pg_catalog.current_setting(''''bytea_output'''') OPERATOR(pg_catalog.<>) ''''hex'''' THEN
    runner_style := ARRAY[pg_catalog.current_setting(''''DateStyle''''), pg_catalog.current_setting(''''extra_float_digits''''), pg_catalog.current_setting(''''IntervalStyle''''), pg_catalog.current_setting(''''bytea_output'''')];
    PERFORM pg_catalog.set_config(''''DateStyle'''', ''''ISO'''', true), pg_catalog.set_config(''''extra_float_digits'''', ''''1'''', true), pg_catalog.set_config(''''IntervalStyle'''', ''''postgres'''', true), pg_catalog.set_config(''''bytea_output'''', ''''hex'''', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), ''''event-confirmed''''::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting(''''app.user_id'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.user_id'''', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting(''''app.traceparent'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.traceparent'''', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''''UPDATE''''::pg_catalog.text,
    ''''public''''::pg_catalog.text, ''''events''''::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."events"'''', ''''id'''') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."events"'''') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."events"'''', ''''id'''') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."events"'''') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL OR o.image IS NOT DISTINCT FROM NULL THEN ''''true''''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition(''''event-confirmed'''', m.key), runner.random_partition()) AS partition, m.key_0, m.column_0, m.column_1
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "location", NULL::pg_catalog.text AS "proposal_id", NULL::pg_catalog.text AS "status", NULL::pg_catalog.text AS "title", NULL::pg_catalog.text AS "visibility") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."events"'''', ''''title'''') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."events"'''', ''''location'''') THEN "location"::pg_catalog.text ELSE runner.text("location") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."events"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."events"'''', ''''visibility'''') THEN "visibility"::pg_catalog.text ELSE runner.text("visibility") END), 0) AS size, CASE WHEN runner.is_plain(''''"public"."events"'''', ''''id'''') THEN "id"::pg_catalog.text ELSE runner.text("id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain(''''"public"."events"'''', ''''proposal_id'''') THEN "proposal_id"::pg_catalog.text ELSE runner.text("proposal_id") END COLLATE pg_catalog."C" AS column_0, CASE WHEN runner.is_plain(''''"public"."events"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_1
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n
    FULL JOIN (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key_0, m.column_0, m.column_1
      FROM (SELECT ''''''''::pg_catalog.text AS "id", ''''''''::pg_catalog.text AS "location", ''''''''::pg_catalog.text AS "proposal_id", ''''''''::pg_catalog.text AS "status", ''''''''::pg_catalog.text AS "title", ''''''''::pg_catalog.text AS "visibility") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."events"'''', ''''title'''') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."events"'''', ''''location'''') THEN "location"::pg_catalog.text ELSE runner.text("location") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."events"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."events"'''', ''''visibility'''') THEN "visibility"::pg_catalog.text ELSE runner.text("visibility") END), 0) AS size, CASE WHEN runner.is_plain(''''"public"."events"'''', ''''id'''') THEN "id"::pg_catalog.text ELSE runner.text("id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain(''''"public"."events"'''', ''''proposal_id'''') THEN "proposal_id"::pg_catalog.text ELSE runner.text("proposal_id") END COLLATE pg_catalog."C" AS column_0, CASE WHEN runner.is_plain(''''"public"."events"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_1
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o ON n.place OPERATOR(pg_catalog.=) o.place
    WHERE (n.column_0 OPERATOR(pg_catalog.=) o.column_0) IS NOT TRUE AND (n.column_0 IS NOT NULL OR o.column_0 IS NOT NULL) OR (n.column_1 OPERATOR(pg_catalog.=) o.column_1) IS NOT TRUE AND (n.column_1 IS NOT NULL OR o.column_1 IS NOT NULL);
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config(''''DateStyle'''', runner_style[1], true), pg_catalog.set_config(''''extra_float_digits'''', runner_style[2], true), pg_catalog.set_config(''''IntervalStyle'''', runner_style[3], true), pg_catalog.set_config(''''bytea_output'''', runner_style[4], true);
  END IF;
  RETURN NULL;
END'';
REVOKE ALL ON FUNCTION runner."public.events.runner_update"() FROM PUBLIC;
CREATE TRIGGER "runner_update" AFTER UPDATE ON "public"."events"
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.events.runner_update"();', 'default', 3, 0, '{event-confirmed}', '[{"key": "id", "columns": ["proposal_id", "status"], "filters": [], "function": "event-confirmed", "ownWrites": true}]'),
	('public', 'feedbacks', 'runner_insert', 'CREATE OR REPLACE FUNCTION runner."public.feedbacks.runner_insert"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
AS ''
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting(''''TimeZone'''');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', ''''UTC'''', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting(''''DateStyle''''), ''''ISO'''')
    OR pg_catalog.current_setting(''''extra_float_digits'''') OPERATOR(pg_catalog.<>) ALL (''''{1,2,3}''''::pg_catalog.text[])
    OR pg_catalog.current_setting(''''IntervalStyle'''') OPERATOR(pg_catalog.<>) ''''postgres''''
    OR pg_catalog.current_setting(''''bytea_output'''') OPERATOR(pg_catalog.<>) ''''hex'''' THEN
    runner_style := ARRAY[pg_catalog.current_setting(''''DateStyle''''), pg_catalog.current_setting(''''extra_float_digits''''), pg_catalog.current_setting(''''IntervalStyle''''), pg_catalog.current_setting(''''bytea_output'''')];
    PERFORM pg_catalog.set_config(''''DateStyle'''', ''''ISO'''', true), pg_catalog.set_config(''''extra_float_digits'''', ''''1'''', true), pg_catalog.set_config(''''IntervalStyle'''', ''''postgres'''', true), pg_catalog.set_config(''''bytea_output'''', ''''hex'''', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), ''''feedback-created''''::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting(''''app.user_id'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.user_id'''', true) END,
    CASE WHEN pg_catalog.current_setting(''''app.traceparent'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.traceparent'''', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''''INSERT''''::pg_catalog.text,
    ''''public''''::pg_catalog.text, ''''feedbacks''''::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''id'''') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."feedbacks"'''') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN ''''true''''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition(''''feedback-created'''', m.key), runner.random_partition()) AS partition, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "category", NULL::pg_catalog.text AS "description", NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "project_id", NULL::pg_catalog.text AS "rejection_reason", NULL::pg_catalog.text AS "status", NULL::pg_catalog.text AS "title", NULL::pg_catalog.text AS "user_email", NULL::pg_catalog.text AS "user_id") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''title'''') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''description'''') THEN "description"::pg_catalog.text ELSE runner.text("description") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''category'''') THEN "category"::pg_catalog.text ELSE runner.text("category") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''user_id'''') THEN "user_id"::pg_catalog.text ELSE runner.text("user_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''user_email'''') THEN "user_email"::pg_catalog.text ELSE runner.text("user_email") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''rejection_reason'''') THEN "rejection_reason"::pg_catalog.text ELSE runner.text("rejection_reason") END), 0) AS size, CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''project_id'''') THEN "project_id"::pg_catalog.text ELSE runner.text("project_id") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n;
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config(''''DateStyle'''', runner_style[1], true), pg_catalog.set_config(''''extra_float_digits'''', runner_style[2], true), pg_catalog.set_config(''''IntervalStyle'''', runner_style[3], true), pg_catalog.set_config(''''bytea_output'''', runner_style[4], true);
  END IF;
  RETURN NULL;
END'';
REVOKE ALL ON FUNCTION runner."public.feedbacks.runner_insert"() FROM PUBLIC;
CREATE TRIGGER "runner_insert" AFTER INSERT ON "public"."feedbacks"
REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.feedbacks.runner_insert"();', 'default', 3, 0, '{feedback-created}', '[{"key": "project_id", "columns": [], "filters": [], "function": "feedback-created", "ownWrites": true}]'),
	('public', 'feedbacks', 'runner_update', 'CREATE OR REPLACE FUNCTION runner."public.feedbacks.runner_update"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
AS ''
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting(''''TimeZone'''');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', ''''UTC'''', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting(''''DateStyle''''), ''''ISO'''')
    OR pg_catalog.current_setting(''''extra_float_digits'''') OPERATOR(pg_catalog.<>) ALL (''''{1,2,3}''''::pg_catalog.text[])
    OR pg_catalog.current_setting(''''IntervalStyle'''') OPERATOR(pg_catalog.<>) ''''postgres''''
    OR pg_catalog.current_setting(''''bytea_output'''') OPERATOR(pg_catalog.<>) ''''hex'''' THEN
    runner_style := ARRAY[pg_catalog.current_setting(''''DateStyle''''), pg_catalog.current_setting(''''extra_float_digits''''), pg_catalog.current_setting(''''IntervalStyle''''), pg_catalog.current_setting(''''bytea_output'''')];
    PERFORM pg_catalog.set_config(''''DateStyle'''', ''''ISO'''', true), pg_catalog.set_config(''''extra_float_digits'''', ''''1'''', true), pg_catalog.set_config(''''IntervalStyle'''', ''''postgres'''', true), pg_catalog.set_config(''''bytea_output'''', ''''hex'''', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), ''''status-changed''''::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting(''''app.user_id'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.user_id'''', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting(''''app.traceparent'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.traceparent'''', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''''UPDATE''''::pg_catalog.text,
    ''''public''''::pg_catalog.text, ''''feedbacks''''::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''id'''') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."feedbacks"'''') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''id'''') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."feedbacks"'''') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL OR o.image IS NOT DISTINCT FROM NULL THEN ''''true''''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition(''''status-changed'''', m.key), runner.random_partition()) AS partition, m.key_0, m.column_0
      FROM (SELECT NULL::pg_catalog.text AS "category", NULL::pg_catalog.text AS "description", NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "rejection_reason", NULL::pg_catalog.text AS "status", NULL::pg_catalog.text AS "title", NULL::pg_catalog.text AS "user_email", NULL::pg_catalog.text AS "user_id") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''title'''') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''description'''') THEN "description"::pg_catalog.text ELSE runner.text("description") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''category'''') THEN "category"::pg_catalog.text ELSE runner.text("category") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''user_id'''') THEN "user_id"::pg_catalog.text ELSE runner.text("user_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''user_email'''') THEN "user_email"::pg_catalog.text ELSE runner.text("user_email") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''rejection_reason'''') THEN "rejection_reason"::pg_catalog.text ELSE runner.text("rejection_reason") END), 0) AS size, CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''id'''') THEN "id"::pg_catalog.text ELSE runner.text("id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n
    FULL JOIN (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key_0, m.column_0
      FROM (SELECT ''''''''::pg_catalog.text AS "category", ''''''''::pg_catalog.text AS "description", ''''''''::pg_catalog.text AS "id", ''''''''::pg_catalog.text AS "rejection_reason", ''''''''::pg_catalog.text AS "status", ''''''''::pg_catalog.text AS "title", ''''''''::pg_catalog.text AS "user_email", ''''''''::pg_catalog.text AS "user_id") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''title'''') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''description'''') THEN "description"::pg_catalog.text ELSE runner.text("description") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''category'''') THEN "category"::pg_catalog.text ELSE runner.text("category") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''user_id'''') THEN "user_id"::pg_catalog.text ELSE runner.text("user_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''user_email'''') THEN "user_email"::pg_catalog.text ELSE runner.text("user_email") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''rejection_reason'''') THEN "rejection_reason"::pg_catalog.text ELSE runner.text("rejection_reason") END), 0) AS size, CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''id'''') THEN "id"::pg_catalog.text ELSE runner.text("id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain(''''"public"."feedbacks"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o ON n.place OPERATOR(pg_catalog.=) o.place
    WHERE (n.column_0 OPERATOR(pg_catalog.=) o.column_0) IS NOT TRUE AND (n.column_0 IS NOT NULL OR o.column_0 IS NOT NULL);
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config(''''DateStyle'''', runner_style[1], true), pg_catalog.set_config(''''extra_float_digits'''', runner_style[2], true), pg_catalog.set_config(''''IntervalStyle'''', runner_style[3], true), pg_catalog.set_config(''''bytea_output'''', runner_style[4], true);
  END IF;
  RETURN NULL;
END'';
REVOKE ALL ON FUNCTION runner."public.feedbacks.runner_update"() FROM PUBLIC;
CREATE TRIGGER "runner_update" AFTER UPDATE ON "public"."feedbacks"
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.feedbacks.runner_update"();', 'default', 3, 0, '{status-changed}', '[{"key": "id", "columns": ["status"], "filters": [], "function": "status-changed", "ownWrites": true}]'),
	('public', 'friend_requests', 'runner_insert', 'CREATE OR REPLACE FUNCTION runner."public.friend_requests.runner_insert"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
AS ''
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting(''''TimeZone'''');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', ''''UTC'''', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting(''''DateStyle''''), ''''ISO'''')
    OR pg_catalog.current_setting(''''extra_float_digits'''') OPERATOR(pg_catalog.<>) ALL (''''{1,2,3}''''::pg_catalog.text[])
    OR pg_catalog.current_setting(''''IntervalStyle'''') OPERATOR(pg_catalog.<>) ''''postgres''''
    OR pg_catalog.current_setting(''''bytea_output'''') OPERATOR(pg_catalog.<>) ''''hex'''' THEN
    runner_style := ARRAY[pg_catalog.current_setting(''''DateStyle''''), pg_catalog.current_setting(''''extra_float_digits''''), pg_catalog.current_setting(''''IntervalStyle''''), pg_catalog.current_setting(''''bytea_output'''')];
    PERFORM pg_catalog.set_config(''''DateStyle'''', ''''ISO'''', true), pg_catalog.set_config(''''extra_float_digits'''', ''''1'''', true), pg_catalog.set_config(''''IntervalStyle'''', ''''postgres'''', true), pg_catalog.set_config(''''bytea_output'''', ''''hex'''', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), ''''friend-requested''''::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting(''''app.user_id'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.user_id'''', true) END,
    CASE WHEN pg_catalog.current_setting(''''app.traceparent'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.traceparent'''', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''''INSERT''''::pg_catalog.text,
    ''''public''''::pg_catalog.text, ''''friend_requests''''::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."friend_requests"'''', ''''id'''') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."friend_requests"'''') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN ''''true''''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition(''''friend-requested'''', m.key), runner.random_partition()) AS partition, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "recipient_id", NULL::pg_catalog.text AS "status") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."friend_requests"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) AS size, CASE WHEN runner.is_plain(''''"public"."friend_requests"'''', ''''recipient_id'''') THEN "recipient_id"::pg_catalog.text ELSE runner.text("recipient_id") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n;
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config(''''DateStyle'''', runner_style[1], true), pg_catalog.set_config(''''extra_float_digits'''', runner_style[2], true), pg_catalog.set_config(''''IntervalStyle'''', runner_style[3], true), pg_catalog.set_config(''''bytea_output'''', runner_style[4], true);
  END IF;
  RETURN NULL;
END'';
REVOKE ALL ON FUNCTION runner."public.friend_requests.runner_insert"() FROM PUBLIC;
CREATE TRIGGER "runner_insert" AFTER INSERT ON "public"."friend_requests"
REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.friend_requests.runner_insert"();', 'default', 3, 0, '{friend-requested}', '[{"key": "recipient_id", "columns": [], "filters": [], "function": "friend-requested", "ownWrites": true}]'),
	('public', 'friend_requests', 'runner_update', 'CREATE OR REPLACE FUNCTION runner."public.friend_requests.runner_update"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
AS ''
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting(''''TimeZone'''');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', ''''UTC'''', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting(''''DateStyle''''), ''''ISO'''')
    OR pg_catalog.current_setting(''''extra_float_digits'''') OPERATOR(pg_catalog.<>) ALL (''''{1,2,3}''''::pg_catalog.text[])
    OR pg_catalog.current_setting(''''IntervalStyle'''') OPERATOR(pg_catalog.<>) ''''postgres''''
    OR pg_catalog.current_setting(''''bytea_output'''') OPERATOR(pg_catalog.<>) ''''hex'''' THEN
    runner_style := ARRAY[pg_catalog.current_setting(''''DateStyle''''), pg_catalog.current_setting(''''extra_float_digits''''), pg_catalog.current_setting(''''IntervalStyle''''), pg_catalog.current_setting(''''bytea_output'''')];
    PERFORM pg_catalog.set_config(''''DateStyle'''', ''''ISO'''', true), pg_catalog.set_config(''''extra_float_digits'''', ''''1'''', true), pg_catalog.set_config(''''IntervalStyle'''', ''''postgres'''', true), pg_catalog.set_config(''''bytea_output'''', ''''hex'''', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), ''''action-completed''''::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting(''''app.user_id'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.user_id'''', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting(''''app.traceparent'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.traceparent'''', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''''UPDATE''''::pg_catalog.text,
    ''''public''''::pg_catalog.text, ''''friend_requests''''::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."friend_requests"'''', ''''id'''') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."friend_requests"'''') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."friend_requests"'''', ''''id'''') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."friend_requests"'''') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL OR o.image IS NOT DISTINCT FROM NULL THEN ''''true''''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition(''''action-completed'''', m.key), runner.random_partition()) AS partition, m.key_0, m.column_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "status") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."friend_requests"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) AS size, NULL::pg_catalog.text AS key, "id" AS key_0, CASE WHEN runner.is_plain(''''"public"."friend_requests"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n
    FULL JOIN (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key_0, m.column_0
      FROM (SELECT ''''''''::pg_catalog.text AS "id", ''''''''::pg_catalog.text AS "status") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."friend_requests"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) AS size, NULL::pg_catalog.text AS key, "id" AS key_0, CASE WHEN runner.is_plain(''''"public"."friend_requests"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o ON n.place OPERATOR(pg_catalog.=) o.place
    WHERE (n.column_0 OPERATOR(pg_catalog.=) o.column_0) IS NOT TRUE AND (n.column_0 IS NOT NULL OR o.column_0 IS NOT NULL)
  UNION ALL
  SELECT n.partition, runner.draw(n.partition), ''''friend-requested''''::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting(''''app.user_id'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.user_id'''', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting(''''app.traceparent'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.traceparent'''', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''''UPDATE''''::pg_catalog.text,
    ''''public''''::pg_catalog.text, ''''friend_requests''''::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."friend_requests"'''', ''''id'''') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."friend_requests"'''') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."friend_requests"'''', ''''id'''') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."friend_requests"'''') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL OR o.image IS NOT DISTINCT FROM NULL THEN ''''true''''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition(''''friend-requested'''', m.key), runner.random_partition()) AS partition, m.key_0, m.column_0, m.filter_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "recipient_id", ''''pending''''::pg_catalog.text AS "status") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."friend_requests"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) AS size, CASE WHEN runner.is_plain(''''"public"."friend_requests"'''', ''''recipient_id'''') THEN "recipient_id"::pg_catalog.text ELSE runner.text("recipient_id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain(''''"public"."friend_requests"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_0, CASE WHEN runner.is_plain(''''"public"."friend_requests"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS filter_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n
    FULL JOIN (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key_0, m.column_0
      FROM (SELECT ''''''''::pg_catalog.text AS "id", ''''''''::pg_catalog.text AS "recipient_id", ''''''''::pg_catalog.text AS "status") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."friend_requests"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) AS size, CASE WHEN runner.is_plain(''''"public"."friend_requests"'''', ''''recipient_id'''') THEN "recipient_id"::pg_catalog.text ELSE runner.text("recipient_id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain(''''"public"."friend_requests"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o ON n.place OPERATOR(pg_catalog.=) o.place
    WHERE ((n.column_0 OPERATOR(pg_catalog.=) o.column_0) IS NOT TRUE AND (n.column_0 IS NOT NULL OR o.column_0 IS NOT NULL)) AND (n.filter_0 OPERATOR(pg_catalog.=) ''''pending'''') IS TRUE;
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config(''''DateStyle'''', runner_style[1], true), pg_catalog.set_config(''''extra_float_digits'''', runner_style[2], true), pg_catalog.set_config(''''IntervalStyle'''', runner_style[3], true), pg_catalog.set_config(''''bytea_output'''', runner_style[4], true);
  END IF;
  RETURN NULL;
END'';
REVOKE ALL ON FUNCTION runner."public.friend_requests.runner_update"() FROM PUBLIC;
CREATE TRIGGER "runner_update" AFTER UPDATE ON "public"."friend_requests"
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.friend_requests.runner_update"();', 'default', 3, 0, '{action-completed,friend-requested}', '[{"columns": ["status"], "filters": [], "function": "action-completed", "ownWrites": true}, {"key": "recipient_id", "columns": ["status"], "filters": [{"status": "pending"}], "function": "friend-requested", "ownWrites": true}]'),
	('public', 'group_invites', 'runner_insert', 'CREATE OR REPLACE FUNCTION runner."public.group_invites.runner_insert"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
AS ''
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting(''''TimeZone'''');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', ''''UTC'''', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting(''''DateStyle''''), ''''ISO'''')
    OR pg_catalog.current_setting(''''extra_float_digits'''') OPERATOR(pg_catalog.<>) ALL (''''{1,2,3}''''::pg_catalog.text[])
    OR pg_catalog.current_setting(''''IntervalStyle'''') OPERATOR(pg_catalog.<>) ''''postgres''''
    OR pg_catalog.current_setting(''''bytea_output'''') OPERATOR(pg_catalog.<>) ''''hex'''' THEN
    runner_style := ARRAY[pg_catalog.current_setting(''''DateStyle''''), pg_catalog.current_setting(''''extra_float_digits''''), pg_catalog.current_setting(''''IntervalStyle''''), pg_catalog.current_setting(''''bytea_output'''')];
    PERFORM pg_catalog.set_config(''''DateStyle'''', ''''ISO'''', true), pg_catalog.set_config(''''extra_float_digits'''', ''''1'''', true), pg_catalog.set_config(''''IntervalStyle'''', ''''postgres'''', true), pg_catalog.set_config(''''bytea_output'''', ''''hex'''', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), ''''group-invited''''::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting(''''app.user_id'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.user_id'''', true) END,
    CASE WHEN pg_catalog.current_setting(''''app.traceparent'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.traceparent'''', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''''INSERT''''::pg_catalog.text,
    ''''public''''::pg_catalog.text, ''''group_invites''''::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."group_invites"'''', ''''id'''') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."group_invites"'''') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN ''''true''''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition(''''group-invited'''', m.key), runner.random_partition()) AS partition, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "invitee_id", NULL::pg_catalog.text AS "status") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."group_invites"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) AS size, CASE WHEN runner.is_plain(''''"public"."group_invites"'''', ''''invitee_id'''') THEN "invitee_id"::pg_catalog.text ELSE runner.text("invitee_id") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n;
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config(''''DateStyle'''', runner_style[1], true), pg_catalog.set_config(''''extra_float_digits'''', runner_style[2], true), pg_catalog.set_config(''''IntervalStyle'''', runner_style[3], true), pg_catalog.set_config(''''bytea_output'''', runner_style[4], true);
  END IF;
  RETURN NULL;
END'';
REVOKE ALL ON FUNCTION runner."public.group_invites.runner_insert"() FROM PUBLIC;
CREATE TRIGGER "runner_insert" AFTER INSERT ON "public"."group_invites"
REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.group_invites.runner_insert"();', 'default', 3, 0, '{group-invited}', '[{"key": "invitee_id", "columns": [], "filters": [], "function": "group-invited", "ownWrites": true}]'),
	('public', 'group_invites', 'runner_update', 'CREATE OR REPLACE FUNCTION runner."public.group_invites.runner_update"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
AS ''
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting(''''TimeZone'''');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', ''''UTC'''', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting(''''DateStyle''''), ''''ISO'''')
    OR pg_catalog.current_setting(''''extra_float_digits'''') OPERATOR(pg_catalog.<>) ALL (''''{1,2,3}''''::pg_catalog.text[])
    OR pg_catalog.current_setting(''''IntervalStyle'''') OPERATOR(pg_catalog.<>) ''''postgres''''
    OR pg_catalog.current_setting(''''bytea_output'''') OPERATOR(pg_catalog.<>) ''''hex'''' THEN
    runner_style := ARRAY[pg_catalog.current_setting(''''DateStyle''''), pg_catalog.current_setting(''''extra_float_digits''''), pg_catalog.current_setting(''''IntervalStyle''''), pg_catalog.current_setting(''''bytea_output'''')];
    PERFORM pg_catalog.set_config(''''DateStyle'''', ''''ISO'''', true), pg_catalog.set_config(''''extra_float_digits'''', ''''1'''', true), pg_catalog.set_config(''''IntervalStyle'''', ''''postgres'''', true), pg_catalog.set_config(''''bytea_output'''', ''''hex'''', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), ''''action-completed''''::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting(''''app.user_id'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.user_id'''', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting(''''app.traceparent'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.traceparent'''', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''''UPDATE''''::pg_catalog.text,
    ''''public''''::pg_catalog.text, ''''group_invites''''::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."group_invites"'''', ''''id'''') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."group_invites"'''') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."group_invites"'''', ''''id'''') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."group_invites"'''') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL OR o.image IS NOT DISTINCT FROM NULL THEN ''''true''''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition(''''action-completed'''', m.key), runner.random_partition()) AS partition, m.key_0, m.column_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "status") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."group_invites"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) AS size, NULL::pg_catalog.text AS key, "id" AS key_0, CASE WHEN runner.is_plain(''''"public"."group_invites"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n
    FULL JOIN (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key_0, m.column_0
      FROM (SELECT ''''''''::pg_catalog.text AS "id", ''''''''::pg_catalog.text AS "status") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."group_invites"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) AS size, NULL::pg_catalog.text AS key, "id" AS key_0, CASE WHEN runner.is_plain(''''"public"."group_invites"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o ON n.place OPERATOR(pg_catalog.=) o.place
    WHERE (n.column_0 OPERATOR(pg_catalog.=) o.column_0) IS NOT TRUE AND (n.column_0 IS NOT NULL OR o.column_0 IS NOT NULL)
  UNION ALL
  SELECT n.partition, runner.draw(n.partition), ''''group-invited''''::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting(''''app.user_id'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.user_id'''', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting(''''app.traceparent'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.traceparent'''', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''''UPDATE''''::pg_catalog.text,
    ''''public''''::pg_catalog.text, ''''group_invites''''::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."group_invites"'''', ''''id'''') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."group_invites"'''') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."group_invites"'''', ''''id'''') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."group_invites"'''') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL OR o.image IS NOT DISTINCT FROM NULL THEN ''''true''''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition(''''group-invited'''', m.key), runner.random_partition()) AS partition, m.key_0, m.column_0, m.filter_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "invitee_id", ''''pending''''::pg_catalog.text AS "status") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."group_invites"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) AS size, CASE WHEN runner.is_plain(''''"public"."group_invites"'''', ''''invitee_id'''') THEN "invitee_id"::pg_catalog.text ELSE runner.text("invitee_id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain(''''"public"."group_invites"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_0, CASE WHEN runner.is_plain(''''"public"."group_invites"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS filter_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n
    FULL JOIN (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key_0, m.column_0
      FROM (SELECT ''''''''::pg_catalog.text AS "id", ''''''''::pg_catalog.text AS "invitee_id", ''''''''::pg_catalog.text AS "status") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."group_invites"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END), 0) AS size, CASE WHEN runner.is_plain(''''"public"."group_invites"'''', ''''invitee_id'''') THEN "invitee_id"::pg_catalog.text ELSE runner.text("invitee_id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain(''''"public"."group_invites"'''', ''''status'''') THEN "status"::pg_catalog.text ELSE runner.text("status") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o ON n.place OPERATOR(pg_catalog.=) o.place
    WHERE ((n.column_0 OPERATOR(pg_catalog.=) o.column_0) IS NOT TRUE AND (n.column_0 IS NOT NULL OR o.column_0 IS NOT NULL)) AND (n.filter_0 OPERATOR(pg_catalog.=) ''''pending'''') IS TRUE;
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config(''''DateStyle'''', runner_style[1], true), pg_catalog.set_config(''''extra_float_digits'''', runner_style[2], true), pg_catalog.set_config(''''IntervalStyle'''', runner_style[3], true), pg_catalog.set_config(''''bytea_output'''', runner_style[4], true);
  END IF;
  RETURN NULL;
END'';
REVOKE ALL ON FUNCTION runner."public.group_invites.runner_update"() FROM PUBLIC;
CREATE TRIGGER "runner_update" AFTER UPDATE ON "public"."group_invites"
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.group_invites.runner_update"();', 'default', 3, 0, '{action-completed,group-invited}', '[{"columns": ["status"], "filters": [], "function": "action-completed", "ownWrites": true}, {"key": "invitee_id", "columns": ["status"], "filters": [{"status": "pending"}], "function": "group-invited", "ownWrites": true}]'),
	('public', 'notifications', 'runner_insert', 'CREATE OR REPLACE FUNCTION runner."public.notifications.runner_insert"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
AS ''
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting(''''TimeZone'''');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', ''''UTC'''', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting(''''DateStyle''''), ''''ISO'''')
    OR pg_catalog.current_setting(''''extra_float_digits'''') OPERATOR(pg_catalog.<>) ALL (''''{1,2,3}''''::pg_catalog.text[])
    OR pg_catalog.current_setting(''''IntervalStyle'''') OPERATOR(pg_catalog.<>) ''''postgres''''
    OR pg_catalog.current_setting(''''bytea_output'''') OPERATOR(pg_catalog.<>) ''''hex'''' THEN
    runner_style := ARRAY[pg_catalog.current_setting(''''DateStyle''''), pg_catalog.current_setting(''''extra_float_digits''''), pg_catalog.current_setting(''''IntervalStyle''''), pg_catalog.current_setting(''''bytea_output'''')];
    PERFORM pg_catalog.set_config(''''DateStyle'''', ''''ISO'''', true), pg_catalog.set_config(''''extra_float_digits'''', ''''1'''', true), pg_catalog.set_config(''''IntervalStyle'''', ''''postgres'''', true), pg_catalog.set_config(''''bytea_output'''', ''''hex'''', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), ''''notification-created''''::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting(''''app.user_id'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.user_id'''', true) END,
    CASE WHEN pg_catalog.current_setting(''''app.traceparent'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.traceparent'''', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''''INSERT''''::pg_catalog.text,
    ''''public''''::pg_catalog.text, ''''notifications''''::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''id'''') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."notifications"'''') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN ''''true''''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 65536 OR m.size OPERATOR(pg_catalog.<=) 1048576 AND runner.is_document(r.*) THEN r.* END AS image, m.key, coalesce(runner.partition(''''notification-created'''', m.key), runner.random_partition()) AS partition, m.key_0, m.filter_0
      FROM (SELECT NULL::pg_catalog.text AS "actor", NULL::pg_catalog.text AS "actor_name", NULL::pg_catalog.text AS "app", NULL::pg_catalog.text AS "body", NULL::pg_catalog.text AS "collapse_id", NULL::pg_catalog.text AS "data", NULL::pg_catalog.text AS "dedupe_key", NULL::pg_catalog.text AS "entity_id", NULL::pg_catalog.text AS "family", NULL::pg_catalog.text AS "family_name", NULL::pg_catalog.text AS "family_subject", NULL::pg_catalog.text AS "function", NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "importance", NULL::pg_catalog.text AS "message", ''''app''''::pg_catalog.text AS "origin", NULL::pg_catalog.text AS "payload", NULL::pg_catalog.text AS "phone_text", NULL::pg_catalog.text AS "push_type", NULL::pg_catalog.text AS "recipient_reason", NULL::pg_catalog.text AS "source", NULL::pg_catalog.text AS "source_event_id", NULL::pg_catalog.text AS "subject_id", NULL::pg_catalog.text AS "title", NULL::pg_catalog.text AS "traceparent", NULL::pg_catalog.text AS "type", NULL::pg_catalog.text AS "user_id", NULL::pg_catalog.text AS "variant") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''type'''') THEN "type"::pg_catalog.text ELSE runner.text("type") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''title'''') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''body'''') THEN "body"::pg_catalog.text ELSE runner.text("body") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''app'''') THEN "app"::pg_catalog.text ELSE runner.text("app") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''origin'''') THEN "origin"::pg_catalog.text ELSE runner.text("origin") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''subject_id'''') THEN "subject_id"::pg_catalog.text ELSE runner.text("subject_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''entity_id'''') THEN "entity_id"::pg_catalog.text ELSE runner.text("entity_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''message'''') THEN "message"::pg_catalog.text ELSE runner.text("message") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''importance'''') THEN "importance"::pg_catalog.text ELSE runner.text("importance") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''payload'''') THEN "payload"::pg_catalog.text ELSE runner.text("payload") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''push_type'''') THEN "push_type"::pg_catalog.text ELSE runner.text("push_type") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''collapse_id'''') THEN "collapse_id"::pg_catalog.text ELSE runner.text("collapse_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''function'''') THEN "function"::pg_catalog.text ELSE runner.text("function") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''source'''') THEN "source"::pg_catalog.text ELSE runner.text("source") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''source_event_id'''') THEN "source_event_id"::pg_catalog.text ELSE runner.text("source_event_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''dedupe_key'''') THEN "dedupe_key"::pg_catalog.text ELSE runner.text("dedupe_key") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''variant'''') THEN "variant"::pg_catalog.text ELSE runner.text("variant") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''traceparent'''') THEN "traceparent"::pg_catalog.text ELSE runner.text("traceparent") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''recipient_reason'''') THEN "recipient_reason"::pg_catalog.text ELSE runner.text("recipient_reason") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''family'''') THEN "family"::pg_catalog.text ELSE runner.text("family") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''family_subject'''') THEN "family_subject"::pg_catalog.text ELSE runner.text("family_subject") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''family_name'''') THEN "family_name"::pg_catalog.text ELSE runner.text("family_name") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''actor'''') THEN "actor"::pg_catalog.text ELSE runner.text("actor") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''actor_name'''') THEN "actor_name"::pg_catalog.text ELSE runner.text("actor_name") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.pg_column_size("data"), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.pg_column_size("phone_text"), 0) AS size, CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''user_id'''') THEN "user_id"::pg_catalog.text ELSE runner.text("user_id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''origin'''') THEN "origin"::pg_catalog.text ELSE runner.text("origin") END COLLATE pg_catalog."C" AS filter_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n WHERE (n.filter_0 OPERATOR(pg_catalog.=) ''''app'''') IS TRUE;
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config(''''DateStyle'''', runner_style[1], true), pg_catalog.set_config(''''extra_float_digits'''', runner_style[2], true), pg_catalog.set_config(''''IntervalStyle'''', runner_style[3], true), pg_catalog.set_config(''''bytea_output'''', runner_style[4], true);
  END IF;
  RETURN NULL;
END'';
REVOKE ALL ON FUNCTION runner."public.notifications.runner_insert"() FROM PUBLIC;
CREATE TRIGGER "runner_insert" AFTER INSERT ON "public"."notifications"
REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.notifications.runner_insert"();', 'default', 3, 0, '{notification-created}', '[{"key": "user_id", "columns": [], "filters": [{"origin": "app"}], "function": "notification-created", "ownWrites": true}]'),
	('public', 'notifications', 'runner_update', 'CREATE OR REPLACE FUNCTION runner."public.notifications.runner_update"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
AS ''
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting(''''TimeZone'''');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', ''''UTC'''', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting(''''DateStyle''''), ''''ISO'''')
    OR pg_catalog.current_setting(''''extra_float_digits'''') OPERATOR(pg_catalog.<>) ALL (''''{1,2,3}''''::pg_catalog.text[])
    OR pg_catalog.current_setting(''''IntervalStyle'''') OPERATOR(pg_catalog.<>) ''''postgres''''
    OR pg_catalog.current_setting(''''bytea_output'''') OPERATOR(pg_catalog.<>) ''''hex'''' THEN
    runner_style := ARRAY[pg_catalog.current_setting(''''DateStyle''''), pg_catalog.current_setting(''''extra_float_digits''''), pg_catalog.current_setting(''''IntervalStyle''''), pg_catalog.current_setting(''''bytea_output'''')];
    PERFORM pg_catalog.set_config(''''DateStyle'''', ''''ISO'''', true), pg_catalog.set_config(''''extra_float_digits'''', ''''1'''', true), pg_catalog.set_config(''''IntervalStyle'''', ''''postgres'''', true), pg_catalog.set_config(''''bytea_output'''', ''''hex'''', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), ''''action-completed''''::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting(''''app.user_id'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.user_id'''', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting(''''app.traceparent'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.traceparent'''', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''''UPDATE''''::pg_catalog.text,
    ''''public''''::pg_catalog.text, ''''notifications''''::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''id'''') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."notifications"'''') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''id'''') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."notifications"'''') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL OR o.image IS NOT DISTINCT FROM NULL THEN ''''true''''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 65536 OR m.size OPERATOR(pg_catalog.<=) 1048576 AND runner.is_document(r.*) THEN r.* END AS image, m.key, coalesce(runner.partition(''''action-completed'''', m.key), runner.random_partition()) AS partition, m.key_0, m.column_0, m.column_1
      FROM (SELECT NULL::pg_catalog.text AS "actor", NULL::pg_catalog.text AS "actor_name", NULL::pg_catalog.text AS "app", NULL::pg_catalog.text AS "body", NULL::pg_catalog.text AS "collapse_id", NULL::pg_catalog.text AS "data", NULL::pg_catalog.text AS "dedupe_key", NULL::pg_catalog.text AS "entity_id", NULL::pg_catalog.text AS "family", NULL::pg_catalog.text AS "family_name", NULL::pg_catalog.text AS "family_subject", NULL::pg_catalog.text AS "function", NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "importance", NULL::pg_catalog.text AS "is_archived", NULL::pg_catalog.text AS "is_read", NULL::pg_catalog.text AS "message", NULL::pg_catalog.text AS "origin", NULL::pg_catalog.text AS "payload", NULL::pg_catalog.text AS "phone_text", NULL::pg_catalog.text AS "push_type", NULL::pg_catalog.text AS "recipient_reason", NULL::pg_catalog.text AS "source", NULL::pg_catalog.text AS "source_event_id", NULL::pg_catalog.text AS "subject_id", NULL::pg_catalog.text AS "title", NULL::pg_catalog.text AS "traceparent", NULL::pg_catalog.text AS "type", NULL::pg_catalog.text AS "variant") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''type'''') THEN "type"::pg_catalog.text ELSE runner.text("type") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''title'''') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''body'''') THEN "body"::pg_catalog.text ELSE runner.text("body") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''app'''') THEN "app"::pg_catalog.text ELSE runner.text("app") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''origin'''') THEN "origin"::pg_catalog.text ELSE runner.text("origin") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''subject_id'''') THEN "subject_id"::pg_catalog.text ELSE runner.text("subject_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''entity_id'''') THEN "entity_id"::pg_catalog.text ELSE runner.text("entity_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''message'''') THEN "message"::pg_catalog.text ELSE runner.text("message") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''importance'''') THEN "importance"::pg_catalog.text ELSE runner.text("importance") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''payload'''') THEN "payload"::pg_catalog.text ELSE runner.text("payload") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''push_type'''') THEN "push_type"::pg_catalog.text ELSE runner.text("push_type") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''collapse_id'''') THEN "collapse_id"::pg_catalog.text ELSE runner.text("collapse_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''function'''') THEN "function"::pg_catalog.text ELSE runner.text("function") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''source'''') THEN "source"::pg_catalog.text ELSE runner.text("source") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''source_event_id'''') THEN "source_event_id"::pg_catalog.text ELSE runner.text("source_event_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''dedupe_key'''') THEN "dedupe_key"::pg_catalog.text ELSE runner.text("dedupe_key") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''variant'''') THEN "variant"::pg_catalog.text ELSE runner.text("variant") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''traceparent'''') THEN "traceparent"::pg_catalog.text ELSE runner.text("traceparent") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''recipient_reason'''') THEN "recipient_reason"::pg_catalog.text ELSE runner.text("recipient_reason") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''family'''') THEN "family"::pg_catalog.text ELSE runner.text("family") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''family_subject'''') THEN "family_subject"::pg_catalog.text ELSE runner.text("family_subject") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''family_name'''') THEN "family_name"::pg_catalog.text ELSE runner.text("family_name") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''actor'''') THEN "actor"::pg_catalog.text ELSE runner.text("actor") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''actor_name'''') THEN "actor_name"::pg_catalog.text ELSE runner.text("actor_name") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.pg_column_size("data"), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.pg_column_size("phone_text"), 0) AS size, NULL::pg_catalog.text AS key, "id" AS key_0, CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''is_read'''') THEN "is_read"::pg_catalog.text ELSE runner.text("is_read") END COLLATE pg_catalog."C" AS column_0, CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''is_archived'''') THEN "is_archived"::pg_catalog.text ELSE runner.text("is_archived") END COLLATE pg_catalog."C" AS column_1
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n
    FULL JOIN (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 65536 OR m.size OPERATOR(pg_catalog.<=) 1048576 AND runner.is_document(r.*) THEN r.* END AS image, m.key_0, m.column_0, m.column_1
      FROM (SELECT ''''''''::pg_catalog.text AS "actor", ''''''''::pg_catalog.text AS "actor_name", ''''''''::pg_catalog.text AS "app", ''''''''::pg_catalog.text AS "body", ''''''''::pg_catalog.text AS "collapse_id", ''''''''::pg_catalog.text AS "data", ''''''''::pg_catalog.text AS "dedupe_key", ''''''''::pg_catalog.text AS "entity_id", ''''''''::pg_catalog.text AS "family", ''''''''::pg_catalog.text AS "family_name", ''''''''::pg_catalog.text AS "family_subject", ''''''''::pg_catalog.text AS "function", ''''''''::pg_catalog.text AS "id", ''''''''::pg_catalog.text AS "importance", ''''''''::pg_catalog.text AS "is_archived", ''''''''::pg_catalog.text AS "is_read", ''''''''::pg_catalog.text AS "message", ''''''''::pg_catalog.text AS "origin", ''''''''::pg_catalog.text AS "payload", ''''''''::pg_catalog.text AS "phone_text", ''''''''::pg_catalog.text AS "push_type", ''''''''::pg_catalog.text AS "recipient_reason", ''''''''::pg_catalog.text AS "source", ''''''''::pg_catalog.text AS "source_event_id", ''''''''::pg_catalog.text AS "subject_id", ''''''''::pg_catalog.text AS "title", ''''''''::pg_catalog.text AS "traceparent", ''''''''::pg_catalog.text AS "type", ''''''''::pg_catalog.text AS "variant") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''type'''') THEN "type"::pg_catalog.text ELSE runner.text("type") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''title'''') THEN "title"::pg_catalog.text ELSE runner.text("title") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''body'''') THEN "body"::pg_catalog.text ELSE runner.text("body") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''app'''') THEN "app"::pg_catalog.text ELSE runner.text("app") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''origin'''') THEN "origin"::pg_catalog.text ELSE runner.text("origin") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''subject_id'''') THEN "subject_id"::pg_catalog.text ELSE runner.text("subject_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''entity_id'''') THEN "entity_id"::pg_catalog.text ELSE runner.text("entity_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''message'''') THEN "message"::pg_catalog.text ELSE runner.text("message") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''importance'''') THEN "importance"::pg_catalog.text ELSE runner.text("importance") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''payload'''') THEN "payload"::pg_catalog.text ELSE runner.text("payload") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''push_type'''') THEN "push_type"::pg_catalog.text ELSE runner.text("push_type") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''collapse_id'''') THEN "collapse_id"::pg_catalog.text ELSE runner.text("collapse_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''function'''') THEN "function"::pg_catalog.text ELSE runner.text("function") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''source'''') THEN "source"::pg_catalog.text ELSE runner.text("source") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''source_event_id'''') THEN "source_event_id"::pg_catalog.text ELSE runner.text("source_event_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''dedupe_key'''') THEN "dedupe_key"::pg_catalog.text ELSE runner.text("dedupe_key") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''variant'''') THEN "variant"::pg_catalog.text ELSE runner.text("variant") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''traceparent'''') THEN "traceparent"::pg_catalog.text ELSE runner.text("traceparent") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''recipient_reason'''') THEN "recipient_reason"::pg_catalog.text ELSE runner.text("recipient_reason") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''family'''') THEN "family"::pg_catalog.text ELSE runner.text("family") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''family_subject'''') THEN "family_subject"::pg_catalog.text ELSE runner.text("family_subject") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''family_name'''') THEN "family_name"::pg_catalog.text ELSE runner.text("family_name") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''actor'''') THEN "actor"::pg_catalog.text ELSE runner.text("actor") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''actor_name'''') THEN "actor_name"::pg_catalog.text ELSE runner.text("actor_name") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.pg_column_size("data"), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.pg_column_size("phone_text"), 0) AS size, NULL::pg_catalog.text AS key, "id" AS key_0, CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''is_read'''') THEN "is_read"::pg_catalog.text ELSE runner.text("is_read") END COLLATE pg_catalog."C" AS column_0, CASE WHEN runner.is_plain(''''"public"."notifications"'''', ''''is_archived'''') THEN "is_archived"::pg_catalog.text ELSE runner.text("is_archived") END COLLATE pg_catalog."C" AS column_1
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o ON n.place OPERATOR(pg_catalog.=) o.place
    WHERE ((n.column_0 OPERATOR(pg_catalog.=) o.column_0) IS NOT TRUE AND (n.column_0 IS NOT NULL OR o.column_0 IS NOT NULL) OR (n.column_1 OPERATOR(pg_catalog.=) o.column_1) IS NOT TRUE AND (n.column_1 IS NOT NULL OR o.column_1 IS NOT NULL)) AND (pg_catalog.current_setting(''''app.own_write'''', true) OPERATOR(pg_catalog.=) ''''on'''') IS NOT TRUE;
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config(''''DateStyle'''', runner_style[1], true), pg_catalog.set_config(''''extra_float_digits'''', runner_style[2], true), pg_catalog.set_config(''''IntervalStyle'''', runner_style[3], true), pg_catalog.set_config(''''bytea_output'''', runner_style[4], true);
  END IF;
  RETURN NULL;
END'';
REVOKE ALL ON FUNCTION runner."public.notifications.runner_update"() FROM PUBLIC;
CREATE TRIGGER "runner_update" AFTER UPDATE ON "public"."notifications"
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.notifications.runner_update"();', 'default', 3, 0, '{action-completed}', '[{"columns": ["is_read", "is_archived"], "filters": [], "function": "action-completed", "ownWrites": false}]'),
	('public', 'proposal_votes', 'runner_delete', 'CREATE OR REPLACE FUNCTION runner."public.proposal_votes.runner_delete"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
AS ''
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting(''''TimeZone'''');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', ''''UTC'''', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting(''''DateStyle''''), ''''ISO'''')
    OR pg_catalog.current_setting(''''extra_float_digits'''') OPERATOR(pg_catalog.<>) ALL (''''{1,2,3}''''::pg_catalog.text[])
    OR pg_catalog.current_setting(''''IntervalStyle'''') OPERATOR(pg_catalog.<>) ''''postgres''''
    OR pg_catalog.current_setting(''''bytea_output'''') OPERATOR(pg_catalog.<>) ''''hex'''' THEN
    runner_style := ARRAY[pg_catalog.current_setting(''''DateStyle''''), pg_catalog.current_setting(''''extra_float_digits''''), pg_catalog.current_setting(''''IntervalStyle''''), pg_catalog.current_setting(''''bytea_output'''')];
    PERFORM pg_catalog.set_config(''''DateStyle'''', ''''ISO'''', true), pg_catalog.set_config(''''extra_float_digits'''', ''''1'''', true), pg_catalog.set_config(''''IntervalStyle'''', ''''postgres'''', true), pg_catalog.set_config(''''bytea_output'''', ''''hex'''', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT o.partition, runner.draw(o.partition), ''''proposal-vote-cast''''::pg_catalog.text,
    o.key, NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting(''''app.user_id'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.user_id'''', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting(''''app.traceparent'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.traceparent'''', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''''DELETE''''::pg_catalog.text,
    ''''public''''::pg_catalog.text, ''''proposal_votes''''::pg_catalog.text,
    NULL::pg_catalog.jsonb,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''', ''''id'''') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN ''''true''''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition(''''proposal-vote-cast'''', m.key), runner.random_partition()) AS partition, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "proposal_id", NULL::pg_catalog.text AS "vote") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''', ''''vote'''') THEN "vote"::pg_catalog.text ELSE runner.text("vote") END), 0) AS size, CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''', ''''proposal_id'''') THEN "proposal_id"::pg_catalog.text ELSE runner.text("proposal_id") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o;
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config(''''DateStyle'''', runner_style[1], true), pg_catalog.set_config(''''extra_float_digits'''', runner_style[2], true), pg_catalog.set_config(''''IntervalStyle'''', runner_style[3], true), pg_catalog.set_config(''''bytea_output'''', runner_style[4], true);
  END IF;
  RETURN NULL;
END'';
REVOKE ALL ON FUNCTION runner."public.proposal_votes.runner_delete"() FROM PUBLIC;
CREATE TRIGGER "runner_delete" AFTER DELETE ON "public"."proposal_votes"
REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.proposal_votes.runner_delete"();', 'default', 3, 0, '{proposal-vote-cast}', '[{"key": "proposal_id", "columns": [], "filters": [], "function": "proposal-vote-cast", "ownWrites": true}]'),
	('public', 'proposal_votes', 'runner_insert', 'CREATE OR REPLACE FUNCTION runner."public.proposal_votes.runner_insert"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
AS ''
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting(''''TimeZone'''');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', ''''UTC'''', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting(''''DateStyle''''), ''''ISO'''')
    OR pg_catalog.current_setting(''''extra_float_digits'''') OPERATOR(pg_catalog.<>) ALL (''''{1,2,3}''''::pg_catalog.text[])
    OR pg_catalog.current_setting(''''IntervalStyle'''') OPERATOR(pg_catalog.<>) ''''postgres''''
    OR pg_catalog.current_setting(''''bytea_output'''') OPERATOR(pg_catalog.<>) ''''hex'''' THEN
    runner_style := ARRAY[pg_catalog.current_setting(''''DateStyle''''), pg_catalog.current_setting(''''extra_float_digits''''), pg_catalog.current_setting(''''IntervalStyle''''), pg_catalog.current_setting(''''bytea_output'''')];
    PERFORM pg_catalog.set_config(''''DateStyle'''', ''''ISO'''', true), pg_catalog.set_config(''''extra_float_digits'''', ''''1'''', true), pg_catalog.set_config(''''IntervalStyle'''', ''''postgres'''', true), pg_catalog.set_config(''''bytea_output'''', ''''hex'''', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), ''''action-completed''''::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting(''''app.user_id'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.user_id'''', true) END,
    CASE WHEN pg_catalog.current_setting(''''app.traceparent'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.traceparent'''', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''''INSERT''''::pg_catalog.text,
    ''''public''''::pg_catalog.text, ''''proposal_votes''''::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''', ''''id'''') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN ''''true''''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition(''''action-completed'''', m.key), runner.random_partition()) AS partition, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "vote") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''', ''''vote'''') THEN "vote"::pg_catalog.text ELSE runner.text("vote") END), 0) AS size, NULL::pg_catalog.text AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n
  UNION ALL
  SELECT n.partition, runner.draw(n.partition), ''''proposal-vote-cast''''::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting(''''app.user_id'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.user_id'''', true) END,
    CASE WHEN pg_catalog.current_setting(''''app.traceparent'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.traceparent'''', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''''INSERT''''::pg_catalog.text,
    ''''public''''::pg_catalog.text, ''''proposal_votes''''::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''', ''''id'''') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN ''''true''''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition(''''proposal-vote-cast'''', m.key), runner.random_partition()) AS partition, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "proposal_id", NULL::pg_catalog.text AS "vote") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''', ''''vote'''') THEN "vote"::pg_catalog.text ELSE runner.text("vote") END), 0) AS size, CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''', ''''proposal_id'''') THEN "proposal_id"::pg_catalog.text ELSE runner.text("proposal_id") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n;
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config(''''DateStyle'''', runner_style[1], true), pg_catalog.set_config(''''extra_float_digits'''', runner_style[2], true), pg_catalog.set_config(''''IntervalStyle'''', runner_style[3], true), pg_catalog.set_config(''''bytea_output'''', runner_style[4], true);
  END IF;
  RETURN NULL;
END'';
REVOKE ALL ON FUNCTION runner."public.proposal_votes.runner_insert"() FROM PUBLIC;
CREATE TRIGGER "runner_insert" AFTER INSERT ON "public"."proposal_votes"
REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.proposal_votes.runner_insert"();', 'default', 3, 0, '{action-completed,proposal-vote-cast}', '[{"columns": [], "filters": [], "function": "action-completed", "ownWrites": true}, {"key": "proposal_id", "columns": [], "filters": [], "function": "proposal-vote-cast", "ownWrites": true}]'),
	('public', 'proposal_votes', 'runner_update', 'CREATE OR REPLACE FUNCTION runner."public.proposal_votes.runner_update"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
AS ''
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting(''''TimeZone'''');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', ''''UTC'''', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting(''''DateStyle''''), ''''ISO'''')
    OR pg_catalog.current_setting(''''extra_float_digits'''') OPERATOR(pg_catalog.<>) ALL (''''{1,2,3}''''::pg_catalog.text[])
    OR pg_catalog.current_setting(''''IntervalStyle'''') OPERATOR(pg_catalog.<>) ''''postgres''''
    OR pg_catalog.current_setting(''''bytea_output'''') OPERATOR(pg_catalog.<>) ''''hex'''' THEN
    runner_style := ARRAY[pg_catalog.current_setting(''''DateStyle''''), pg_catalog.current_setting(''''extra_float_digits''''), pg_catalog.current_setting(''''IntervalStyle''''), pg_catalog.current_setting(''''bytea_output'''')];
    PERFORM pg_catalog.set_config(''''DateStyle'''', ''''ISO'''', true), pg_catalog.set_config(''''extra_float_digits'''', ''''1'''', true), pg_catalog.set_config(''''IntervalStyle'''', ''''postgres'''', true), pg_catalog.set_config(''''bytea_output'''', ''''hex'''', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), ''''action-completed''''::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting(''''app.user_id'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.user_id'''', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting(''''app.traceparent'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.traceparent'''', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''''UPDATE''''::pg_catalog.text,
    ''''public''''::pg_catalog.text, ''''proposal_votes''''::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''', ''''id'''') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''', ''''id'''') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL OR o.image IS NOT DISTINCT FROM NULL THEN ''''true''''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition(''''action-completed'''', m.key), runner.random_partition()) AS partition, m.key_0, m.column_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "vote") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''', ''''vote'''') THEN "vote"::pg_catalog.text ELSE runner.text("vote") END), 0) AS size, NULL::pg_catalog.text AS key, "id" AS key_0, CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''', ''''vote'''') THEN "vote"::pg_catalog.text ELSE runner.text("vote") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n
    FULL JOIN (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key_0, m.column_0
      FROM (SELECT ''''''''::pg_catalog.text AS "id", ''''''''::pg_catalog.text AS "vote") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''', ''''vote'''') THEN "vote"::pg_catalog.text ELSE runner.text("vote") END), 0) AS size, NULL::pg_catalog.text AS key, "id" AS key_0, CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''', ''''vote'''') THEN "vote"::pg_catalog.text ELSE runner.text("vote") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o ON n.place OPERATOR(pg_catalog.=) o.place
    WHERE (n.column_0 OPERATOR(pg_catalog.=) o.column_0) IS NOT TRUE AND (n.column_0 IS NOT NULL OR o.column_0 IS NOT NULL)
  UNION ALL
  SELECT n.partition, runner.draw(n.partition), ''''proposal-vote-cast''''::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    (SELECT CASE WHEN pg_catalog.current_setting(''''app.user_id'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.user_id'''', true) END),
    (SELECT CASE WHEN pg_catalog.current_setting(''''app.traceparent'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.traceparent'''', true) END),
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''''UPDATE''''::pg_catalog.text,
    ''''public''''::pg_catalog.text, ''''proposal_votes''''::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''', ''''id'''') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    CASE WHEN o.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''', ''''id'''') THEN pg_catalog.to_jsonb(o.key_0) ELSE runner.document(o.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''') THEN pg_catalog.to_jsonb(o.image) ELSE runner.document(o.image) END END,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL OR o.image IS NOT DISTINCT FROM NULL THEN ''''true''''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition(''''proposal-vote-cast'''', m.key), runner.random_partition()) AS partition, m.key_0, m.column_0
      FROM (SELECT NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "proposal_id", NULL::pg_catalog.text AS "vote") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''', ''''vote'''') THEN "vote"::pg_catalog.text ELSE runner.text("vote") END), 0) AS size, CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''', ''''proposal_id'''') THEN "proposal_id"::pg_catalog.text ELSE runner.text("proposal_id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''', ''''vote'''') THEN "vote"::pg_catalog.text ELSE runner.text("vote") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n
    FULL JOIN (
      SELECT pg_catalog.row_number() OVER () AS place, CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key_0, m.column_0
      FROM (SELECT ''''''''::pg_catalog.text AS "id", ''''''''::pg_catalog.text AS "proposal_id", ''''''''::pg_catalog.text AS "vote") AS absent
      CROSS JOIN old_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''', ''''vote'''') THEN "vote"::pg_catalog.text ELSE runner.text("vote") END), 0) AS size, CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''', ''''proposal_id'''') THEN "proposal_id"::pg_catalog.text ELSE runner.text("proposal_id") END AS key, "id" AS key_0, CASE WHEN runner.is_plain(''''"public"."proposal_votes"'''', ''''vote'''') THEN "vote"::pg_catalog.text ELSE runner.text("vote") END COLLATE pg_catalog."C" AS column_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS o ON n.place OPERATOR(pg_catalog.=) o.place
    WHERE (n.column_0 OPERATOR(pg_catalog.=) o.column_0) IS NOT TRUE AND (n.column_0 IS NOT NULL OR o.column_0 IS NOT NULL);
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config(''''DateStyle'''', runner_style[1], true), pg_catalog.set_config(''''extra_float_digits'''', runner_style[2], true), pg_catalog.set_config(''''IntervalStyle'''', runner_style[3], true), pg_catalog.set_config(''''bytea_output'''', runner_style[4], true);
  END IF;
  RETURN NULL;
END'';
REVOKE ALL ON FUNCTION runner."public.proposal_votes.runner_update"() FROM PUBLIC;
CREATE TRIGGER "runner_update" AFTER UPDATE ON "public"."proposal_votes"
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.proposal_votes.runner_update"();', 'default', 3, 0, '{action-completed,proposal-vote-cast}', '[{"columns": ["vote"], "filters": [], "function": "action-completed", "ownWrites": true}, {"key": "proposal_id", "columns": ["vote"], "filters": [], "function": "proposal-vote-cast", "ownWrites": true}]'),
	('public', 'votes', 'runner_insert', 'CREATE OR REPLACE FUNCTION runner."public.votes.runner_insert"() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
AS ''
#variable_conflict use_column
DECLARE
  runner_zone CONSTANT pg_catalog.text := pg_catalog.current_setting(''''TimeZone'''');
  runner_style pg_catalog.text[];
BEGIN
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', ''''UTC'''', true);
  END IF;
  IF NOT pg_catalog.starts_with(pg_catalog.current_setting(''''DateStyle''''), ''''ISO'''')
    OR pg_catalog.current_setting(''''extra_float_digits'''') OPERATOR(pg_catalog.<>) ALL (''''{1,2,3}''''::pg_catalog.text[])
    OR pg_catalog.current_setting(''''IntervalStyle'''') OPERATOR(pg_catalog.<>) ''''postgres''''
    OR pg_catalog.current_setting(''''bytea_output'''') OPERATOR(pg_catalog.<>) ''''hex'''' THEN
    runner_style := ARRAY[pg_catalog.current_setting(''''DateStyle''''), pg_catalog.current_setting(''''extra_float_digits''''), pg_catalog.current_setting(''''IntervalStyle''''), pg_catalog.current_setting(''''bytea_output'''')];
    PERFORM pg_catalog.set_config(''''DateStyle'''', ''''ISO'''', true), pg_catalog.set_config(''''extra_float_digits'''', ''''1'''', true), pg_catalog.set_config(''''IntervalStyle'''', ''''postgres'''', true), pg_catalog.set_config(''''bytea_output'''', ''''hex'''', true);
  END IF;
  INSERT INTO runner.events
    (partition, id, function, key, event_id, at, actor, traceparent, source, type, op, table_schema, table_name, record, old_record, data, replayedfrom)
  SELECT n.partition, runner.draw(n.partition), ''''vote-cast''''::pg_catalog.text,
    n.key, NULL::pg_catalog.text, runner.stamp(),
    CASE WHEN pg_catalog.current_setting(''''app.user_id'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.user_id'''', true) END,
    CASE WHEN pg_catalog.current_setting(''''app.traceparent'''', true) OPERATOR(pg_catalog.<>) '''''''' THEN pg_catalog.current_setting(''''app.traceparent'''', true) END,
    NULL::pg_catalog.text, NULL::pg_catalog.text, ''''INSERT''''::pg_catalog.text,
    ''''public''''::pg_catalog.text, ''''votes''''::pg_catalog.text,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN pg_catalog.jsonb_build_object(''''id'''', CASE WHEN runner.is_plain(''''"public"."votes"'''', ''''id'''') THEN pg_catalog.to_jsonb(n.key_0) ELSE runner.document(n.key_0) END)
        ELSE CASE WHEN runner.is_plain(''''"public"."votes"'''') THEN pg_catalog.to_jsonb(n.image) ELSE runner.document(n.image) END END,
    NULL::pg_catalog.jsonb,
    CASE WHEN n.image IS NOT DISTINCT FROM NULL THEN ''''true''''::pg_catalog.jsonb END,
    NULL::pg_catalog.text
  FROM (
      SELECT CASE WHEN m.size OPERATOR(pg_catalog.<=) 1048576 THEN r.* END AS image, m.key, coalesce(runner.partition(''''vote-cast'''', m.key), runner.random_partition()) AS partition, m.key_0
      FROM (SELECT NULL::pg_catalog.text AS "feedback_id", NULL::pg_catalog.text AS "id", NULL::pg_catalog.text AS "user_email", NULL::pg_catalog.text AS "user_id") AS absent
      CROSS JOIN new_rows AS r
      CROSS JOIN LATERAL (
        SELECT 0::bigint OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."votes"'''', ''''user_id'''') THEN "user_id"::pg_catalog.text ELSE runner.text("user_id") END), 0) OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(CASE WHEN runner.is_plain(''''"public"."votes"'''', ''''user_email'''') THEN "user_email"::pg_catalog.text ELSE runner.text("user_email") END), 0) AS size, CASE WHEN runner.is_plain(''''"public"."votes"'''', ''''feedback_id'''') THEN "feedback_id"::pg_catalog.text ELSE runner.text("feedback_id") END AS key, "id" AS key_0
        FROM (SELECT r.*) AS present
      ) AS m
    ) AS n;
  IF runner_zone OPERATOR(pg_catalog.<>) ''''UTC'''' THEN
    PERFORM pg_catalog.set_config(''''TimeZone'''', runner_zone, true);
  END IF;
  IF runner_style IS NOT NULL THEN
    PERFORM pg_catalog.set_config(''''DateStyle'''', runner_style[1], true), pg_catalog.set_config(''''extra_float_digits'''', runner_style[2], true), pg_catalog.set_config(''''IntervalStyle'''', runner_style[3], true), pg_catalog.set_config(''''bytea_output'''', runner_style[4], true);
  END IF;
  RETURN NULL;
END'';
REVOKE ALL ON FUNCTION runner."public.votes.runner_insert"() FROM PUBLIC;
CREATE TRIGGER "runner_insert" AFTER INSERT ON "public"."votes"
REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.votes.runner_insert"();', 'default', 3, 0, '{vote-cast}', '[{"key": "feedback_id", "columns": [], "filters": [], "function": "vote-cast", "ownWrites": true}]'),
	('public', 'deliveries', 'runner_notify_push-delivery', 'CREATE OR REPLACE TRIGGER "runner_notify_push-delivery" AFTER INSERT ON "public"."deliveries"
FOR EACH STATEMENT EXECUTE FUNCTION runner.notify_trigger(''push-delivery'');', 'default', 3, 0, '{push-delivery}', '[]'),
	('public', 'held_notifications', 'runner_notify_release-held', 'CREATE OR REPLACE TRIGGER "runner_notify_release-held" AFTER INSERT ON "public"."held_notifications"
FOR EACH STATEMENT EXECUTE FUNCTION runner.notify_trigger(''release-held'');', 'default', 3, 0, '{release-held}', '[]'),
	('public', 'stale_entries', 'runner_notify_release-held', 'CREATE OR REPLACE TRIGGER "runner_notify_release-held" AFTER INSERT ON "public"."stale_entries"
FOR EACH STATEMENT EXECUTE FUNCTION runner.notify_trigger(''release-held'');', 'default', 3, 0, '{release-held}', '[]');


--
-- Data for Name: wakeups; Type: TABLE DATA; Schema: runner; Owner: -
--

INSERT INTO runner.wakeups VALUES
	('release-held', '2099-01-01 00:00:00+00', '2026-11-28 17:45:41.597568+00');


--
-- Name: notification_actions_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.notification_actions_id_seq', 1, true);


--
-- Name: stale_entries_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.stale_entries_id_seq', 1, true);


--
-- Name: holders; Type: SEQUENCE SET; Schema: runner; Owner: -
--

SELECT pg_catalog.setval('runner.holders', 1, false);


--
-- Name: partition_0; Type: SEQUENCE SET; Schema: runner; Owner: -
--

SELECT pg_catalog.setval('runner.partition_0', 28662340760, true);


--
-- Name: partition_1; Type: SEQUENCE SET; Schema: runner; Owner: -
--

SELECT pg_catalog.setval('runner.partition_1', 28662340758, true);


--
-- Name: partition_10; Type: SEQUENCE SET; Schema: runner; Owner: -
--

SELECT pg_catalog.setval('runner.partition_10', 28662340758, true);


--
-- Name: partition_11; Type: SEQUENCE SET; Schema: runner; Owner: -
--

SELECT pg_catalog.setval('runner.partition_11', 28662340761, true);


--
-- Name: partition_12; Type: SEQUENCE SET; Schema: runner; Owner: -
--

SELECT pg_catalog.setval('runner.partition_12', 28662340758, true);


--
-- Name: partition_13; Type: SEQUENCE SET; Schema: runner; Owner: -
--

SELECT pg_catalog.setval('runner.partition_13', 28662340759, true);


--
-- Name: partition_14; Type: SEQUENCE SET; Schema: runner; Owner: -
--

SELECT pg_catalog.setval('runner.partition_14', 28662340759, true);


--
-- Name: partition_15; Type: SEQUENCE SET; Schema: runner; Owner: -
--

SELECT pg_catalog.setval('runner.partition_15', 28662340759, true);


--
-- Name: partition_2; Type: SEQUENCE SET; Schema: runner; Owner: -
--

SELECT pg_catalog.setval('runner.partition_2', 28662340758, true);


--
-- Name: partition_3; Type: SEQUENCE SET; Schema: runner; Owner: -
--

SELECT pg_catalog.setval('runner.partition_3', 28662340760, true);


--
-- Name: partition_4; Type: SEQUENCE SET; Schema: runner; Owner: -
--

SELECT pg_catalog.setval('runner.partition_4', 28662340759, true);


--
-- Name: partition_5; Type: SEQUENCE SET; Schema: runner; Owner: -
--

SELECT pg_catalog.setval('runner.partition_5', 28662340758, true);


--
-- Name: partition_6; Type: SEQUENCE SET; Schema: runner; Owner: -
--

SELECT pg_catalog.setval('runner.partition_6', 28662340759, true);


--
-- Name: partition_7; Type: SEQUENCE SET; Schema: runner; Owner: -
--

SELECT pg_catalog.setval('runner.partition_7', 28662340758, true);


--
-- Name: partition_8; Type: SEQUENCE SET; Schema: runner; Owner: -
--

SELECT pg_catalog.setval('runner.partition_8', 28662340762, true);


--
-- Name: partition_9; Type: SEQUENCE SET; Schema: runner; Owner: -
--

SELECT pg_catalog.setval('runner.partition_9', 28662340758, true);


--
-- Name: analyses analyses_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.analyses
    ADD CONSTRAINT analyses_pkey PRIMARY KEY (user_id, message_id);


--
-- Name: api_tokens api_tokens_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT api_tokens_pkey PRIMARY KEY (id);


--
-- Name: api_tokens api_tokens_token_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT api_tokens_token_hash_key UNIQUE (token_hash);


--
-- Name: badge_losses badge_losses_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.badge_losses
    ADD CONSTRAINT badge_losses_pkey PRIMARY KEY (id);


--
-- Name: comments comments_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.comments
    ADD CONSTRAINT comments_pkey PRIMARY KEY (id);


--
-- Name: decisions decisions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT decisions_pkey PRIMARY KEY (function, source, event_id, user_id, subject_id);


--
-- Name: deliveries deliveries_notification_id_device_token_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_notification_id_device_token_id_key UNIQUE (notification_id, device_token_id);


--
-- Name: deliveries deliveries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (id);


--
-- Name: device_tokens device_tokens_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.device_tokens
    ADD CONSTRAINT device_tokens_pkey PRIMARY KEY (id);


--
-- Name: device_tokens device_tokens_token_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.device_tokens
    ADD CONSTRAINT device_tokens_token_key UNIQUE (token);


--
-- Name: event_attendees event_attendees_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.event_attendees
    ADD CONSTRAINT event_attendees_pkey PRIMARY KEY (event_id, user_id);


--
-- Name: event_conflicts event_conflicts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.event_conflicts
    ADD CONSTRAINT event_conflicts_pkey PRIMARY KEY (id);


--
-- Name: event_conflicts event_conflicts_proposal_id_user_id_existing_event_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.event_conflicts
    ADD CONSTRAINT event_conflicts_proposal_id_user_id_existing_event_id_key UNIQUE (proposal_id, user_id, existing_event_id);


--
-- Name: event_proposals event_proposals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.event_proposals
    ADD CONSTRAINT event_proposals_pkey PRIMARY KEY (id);


--
-- Name: events events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id);


--
-- Name: events events_proposal_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_proposal_id_key UNIQUE (proposal_id);


--
-- Name: experiments experiments_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.experiments
    ADD CONSTRAINT experiments_pkey PRIMARY KEY (app, kind);


--
-- Name: feedbacks feedbacks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.feedbacks
    ADD CONSTRAINT feedbacks_pkey PRIMARY KEY (id);


--
-- Name: friend_requests friend_requests_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.friend_requests
    ADD CONSTRAINT friend_requests_pkey PRIMARY KEY (id);


--
-- Name: group_invites group_invites_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.group_invites
    ADD CONSTRAINT group_invites_pkey PRIMARY KEY (id);


--
-- Name: group_members group_members_group_id_user_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.group_members
    ADD CONSTRAINT group_members_group_id_user_id_key UNIQUE (group_id, user_id);


--
-- Name: group_members group_members_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.group_members
    ADD CONSTRAINT group_members_pkey PRIMARY KEY (id);


--
-- Name: group_notification_preferences group_notification_preferences_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.group_notification_preferences
    ADD CONSTRAINT group_notification_preferences_pkey PRIMARY KEY (id);


--
-- Name: group_notification_preferences group_notification_preferences_user_id_group_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.group_notification_preferences
    ADD CONSTRAINT group_notification_preferences_user_id_group_id_key UNIQUE (user_id, group_id);


--
-- Name: groups groups_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_pkey PRIMARY KEY (id);


--
-- Name: handled_events handled_events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handled_events
    ADD CONSTRAINT handled_events_pkey PRIMARY KEY (function, source, event_id);


--
-- Name: held_notifications held_notifications_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.held_notifications
    ADD CONSTRAINT held_notifications_pkey PRIMARY KEY (notification_id);


--
-- Name: held_people held_people_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.held_people
    ADD CONSTRAINT held_people_pkey PRIMARY KEY (user_id, app);


--
-- Name: notification_actions notification_actions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notification_actions
    ADD CONSTRAINT notification_actions_pkey PRIMARY KEY (id);


--
-- Name: notification_interactions notification_interactions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notification_interactions
    ADD CONSTRAINT notification_interactions_pkey PRIMARY KEY (id);


--
-- Name: notification_rechecks notification_rechecks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notification_rechecks
    ADD CONSTRAINT notification_rechecks_pkey PRIMARY KEY (notification_id, created_at);


--
-- Name: notification_settings notification_settings_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notification_settings
    ADD CONSTRAINT notification_settings_pkey PRIMARY KEY (user_id, app);


--
-- Name: notification_state notification_state_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notification_state
    ADD CONSTRAINT notification_state_pkey PRIMARY KEY (user_id, app);


--
-- Name: notifications notifications_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT notifications_pkey PRIMARY KEY (id);


--
-- Name: notifications notifications_quiet; Type: CHECK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE public.notifications
    ADD CONSTRAINT notifications_quiet CHECK (((NOT counts_for_badge) OR (((push_type = 'background'::text) OR starts_with(payload, '{"aps":{}'::text)) IS NOT TRUE))) NOT VALID;


--
-- Name: project_member_preferences project_member_preferences_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.project_member_preferences
    ADD CONSTRAINT project_member_preferences_pkey PRIMARY KEY (id);


--
-- Name: project_members project_members_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.project_members
    ADD CONSTRAINT project_members_pkey PRIMARY KEY (id);


--
-- Name: project_members project_members_project_id_user_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.project_members
    ADD CONSTRAINT project_members_project_id_user_id_key UNIQUE (project_id, user_id);


--
-- Name: projects projects_api_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_api_key_key UNIQUE (api_key);


--
-- Name: projects projects_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_pkey PRIMARY KEY (id);


--
-- Name: proposal_leads proposal_leads_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.proposal_leads
    ADD CONSTRAINT proposal_leads_pkey PRIMARY KEY (proposal_id);


--
-- Name: proposal_lost_votes proposal_lost_votes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.proposal_lost_votes
    ADD CONSTRAINT proposal_lost_votes_pkey PRIMARY KEY (proposal_id, user_id);


--
-- Name: proposal_options proposal_options_id_proposal_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.proposal_options
    ADD CONSTRAINT proposal_options_id_proposal_id_key UNIQUE (id, proposal_id);


--
-- Name: proposal_options proposal_options_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.proposal_options
    ADD CONSTRAINT proposal_options_pkey PRIMARY KEY (id);


--
-- Name: proposal_votes proposal_votes_option_id_user_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.proposal_votes
    ADD CONSTRAINT proposal_votes_option_id_user_id_key UNIQUE (option_id, user_id);


--
-- Name: proposal_votes proposal_votes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.proposal_votes
    ADD CONSTRAINT proposal_votes_pkey PRIMARY KEY (id);


--
-- Name: push_gone_people push_gone_people_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.push_gone_people
    ADD CONSTRAINT push_gone_people_pkey PRIMARY KEY (user_id);


--
-- Name: push_provider_tokens push_provider_tokens_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.push_provider_tokens
    ADD CONSTRAINT push_provider_tokens_pkey PRIMARY KEY (team_id, key_id, environment);


--
-- Name: push_providers push_providers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.push_providers
    ADD CONSTRAINT push_providers_pkey PRIMARY KEY (provider);


--
-- Name: seen_requests seen_requests_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.seen_requests
    ADD CONSTRAINT seen_requests_pkey PRIMARY KEY (user_id, subject_id);


--
-- Name: stale_entries stale_entries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stale_entries
    ADD CONSTRAINT stale_entries_pkey PRIMARY KEY (id);


--
-- Name: project_member_preferences unique_user_project; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.project_member_preferences
    ADD CONSTRAINT unique_user_project UNIQUE (user_id, project_id);


--
-- Name: user_activity user_activity_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.user_activity
    ADD CONSTRAINT user_activity_pkey PRIMARY KEY (user_id, app);


--
-- Name: user_notification_preferences user_notification_preferences_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.user_notification_preferences
    ADD CONSTRAINT user_notification_preferences_pkey PRIMARY KEY (id);


--
-- Name: user_notification_preferences user_notification_preferences_user_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.user_notification_preferences
    ADD CONSTRAINT user_notification_preferences_user_id_key UNIQUE (user_id);


--
-- Name: user_tokens user_tokens_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.user_tokens
    ADD CONSTRAINT user_tokens_pkey PRIMARY KEY (id);


--
-- Name: user_tokens user_tokens_value_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.user_tokens
    ADD CONSTRAINT user_tokens_value_key UNIQUE (value);


--
-- Name: users users_email_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_email_key UNIQUE (email);


--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);


--
-- Name: votes votes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.votes
    ADD CONSTRAINT votes_pkey PRIMARY KEY (id);


--
-- Name: votes votes_user_id_feedback_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.votes
    ADD CONSTRAINT votes_user_id_feedback_id_key UNIQUE (user_id, feedback_id);


--
-- Name: changes changes_pkey; Type: CONSTRAINT; Schema: runner; Owner: -
--

ALTER TABLE ONLY runner.changes
    ADD CONSTRAINT changes_pkey PRIMARY KEY (kind, place, name);


--
-- Name: clock clock_pkey; Type: CONSTRAINT; Schema: runner; Owner: -
--

ALTER TABLE ONLY runner.clock
    ADD CONSTRAINT clock_pkey PRIMARY KEY (singleton);


--
-- Name: dead_letters dead_letters_pkey; Type: CONSTRAINT; Schema: runner; Owner: -
--

ALTER TABLE ONLY runner.dead_letters
    ADD CONSTRAINT dead_letters_pkey PRIMARY KEY (partition, id);


--
-- Name: events events_pkey; Type: CONSTRAINT; Schema: runner; Owner: -
--

ALTER TABLE ONLY runner.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (partition, id);


--
-- Name: leases leases_pkey; Type: CONSTRAINT; Schema: runner; Owner: -
--

ALTER TABLE ONLY runner.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (grp, partition);


--
-- Name: migrations migrations_pkey; Type: CONSTRAINT; Schema: runner; Owner: -
--

ALTER TABLE ONLY runner.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (name);


--
-- Name: retries retries_pkey; Type: CONSTRAINT; Schema: runner; Owner: -
--

ALTER TABLE ONLY runner.retries
    ADD CONSTRAINT retries_pkey PRIMARY KEY (partition, id);


--
-- Name: roles roles_pkey; Type: CONSTRAINT; Schema: runner; Owner: -
--

ALTER TABLE ONLY runner.roles
    ADD CONSTRAINT roles_pkey PRIMARY KEY (name);


--
-- Name: runners runners_pkey; Type: CONSTRAINT; Schema: runner; Owner: -
--

ALTER TABLE ONLY runner.runners
    ADD CONSTRAINT runners_pkey PRIMARY KEY (owner);


--
-- Name: schedule_fires schedule_fires_pkey; Type: CONSTRAINT; Schema: runner; Owner: -
--

ALTER TABLE ONLY runner.schedule_fires
    ADD CONSTRAINT schedule_fires_pkey PRIMARY KEY (schedule, scheduled_time, event_id);


--
-- Name: schedules schedules_pkey; Type: CONSTRAINT; Schema: runner; Owner: -
--

ALTER TABLE ONLY runner.schedules
    ADD CONSTRAINT schedules_pkey PRIMARY KEY (name);


--
-- Name: sign_outs sign_outs_pkey; Type: CONSTRAINT; Schema: runner; Owner: -
--

ALTER TABLE ONLY runner.sign_outs
    ADD CONSTRAINT sign_outs_pkey PRIMARY KEY (session);


--
-- Name: triggers triggers_pkey; Type: CONSTRAINT; Schema: runner; Owner: -
--

ALTER TABLE ONLY runner.triggers
    ADD CONSTRAINT triggers_pkey PRIMARY KEY (table_schema, table_name, name);


--
-- Name: wakeups wakeups_pkey; Type: CONSTRAINT; Schema: runner; Owner: -
--

ALTER TABLE ONLY runner.wakeups
    ADD CONSTRAINT wakeups_pkey PRIMARY KEY (function);


--
-- Name: idx_analyses_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_analyses_created ON public.analyses USING btree (created_at);


--
-- Name: idx_analyses_event; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_analyses_event ON public.analyses USING btree (event_id);


--
-- Name: idx_analyses_user_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_analyses_user_created ON public.analyses USING btree (user_id, created_at);


--
-- Name: idx_api_tokens_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_api_tokens_user ON public.api_tokens USING btree (user_id);


--
-- Name: idx_comments_author; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_comments_author ON public.comments USING btree (feedback_id, user_id);


--
-- Name: idx_decisions_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_decisions_created ON public.decisions USING btree (created_at);


--
-- Name: idx_decisions_day; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_decisions_day ON public.decisions USING btree ((((created_at AT TIME ZONE 'UTC'::text))::date));


--
-- Name: idx_deliveries_apns; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_deliveries_apns ON public.deliveries USING btree (not_before) WHERE ((state = 'queued'::text) AND (provider = 'apns'::text));


--
-- Name: idx_deliveries_away; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_deliveries_away ON public.deliveries USING btree (provider, outage_since) WHERE ((state = 'queued'::text) AND (outage IS NOT NULL));


--
-- Name: idx_deliveries_device; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_deliveries_device ON public.deliveries USING btree (device_token_id);


--
-- Name: idx_deliveries_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_deliveries_due ON public.deliveries USING btree (not_before) WHERE (state = 'queued'::text);


--
-- Name: idx_deliveries_expiring; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_deliveries_expiring ON public.deliveries USING btree (provider, expires_at) WHERE (state = 'queued'::text);


--
-- Name: idx_deliveries_fcm; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_deliveries_fcm ON public.deliveries USING btree (not_before) WHERE ((state = 'queued'::text) AND (provider = 'fcm'::text));


--
-- Name: idx_deliveries_settled; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_deliveries_settled ON public.deliveries USING btree (updated_at, state) WHERE (state <> 'queued'::text);


--
-- Name: idx_device_tokens_active; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_device_tokens_active ON public.device_tokens USING btree (user_id, is_active) WHERE (is_active = true);


--
-- Name: idx_device_tokens_case; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_device_tokens_case ON public.device_tokens USING btree (lower(token)) WHERE ((provider = 'apns'::text) AND (token <> lower(token)));


--
-- Name: idx_device_tokens_user_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_device_tokens_user_id ON public.device_tokens USING btree (user_id);


--
-- Name: idx_event_attendees_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_event_attendees_user ON public.event_attendees USING btree (user_id);


--
-- Name: idx_event_proposals_deadline; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_event_proposals_deadline ON public.event_proposals USING btree (deadline);


--
-- Name: idx_event_proposals_group; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_event_proposals_group ON public.event_proposals USING btree (group_id);


--
-- Name: idx_event_proposals_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_event_proposals_open ON public.event_proposals USING btree (deadline) WHERE (status = 'open'::text);


--
-- Name: idx_events_ends; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_events_ends ON public.events USING btree (ends_at) WHERE (status = 'confirmed'::text);


--
-- Name: idx_events_group; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_events_group ON public.events USING btree (group_id);


--
-- Name: idx_events_starts; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_events_starts ON public.events USING btree (starts_at) WHERE (status = 'confirmed'::text);


--
-- Name: idx_friend_requests_pending; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_friend_requests_pending ON public.friend_requests USING btree (recipient_id) WHERE (status = 'pending'::text);


--
-- Name: idx_group_invites_invitee; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_group_invites_invitee ON public.group_invites USING btree (invitee_id, group_id);


--
-- Name: idx_group_invites_pending; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_group_invites_pending ON public.group_invites USING btree (invitee_id) WHERE (status = 'pending'::text);


--
-- Name: idx_group_members_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_group_members_user ON public.group_members USING btree (user_id);


--
-- Name: idx_group_notification_preferences_group; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_group_notification_preferences_group ON public.group_notification_preferences USING btree (group_id);


--
-- Name: idx_handled_events_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_handled_events_created ON public.handled_events USING btree (created_at);


--
-- Name: idx_held_notifications_person; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_held_notifications_person ON public.held_notifications USING btree (user_id, app, held_until, notification_id);


--
-- Name: idx_held_notifications_since; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_held_notifications_since ON public.held_notifications USING btree (held_since);


--
-- Name: idx_held_notifications_until; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_held_notifications_until ON public.held_notifications USING btree (held_until);


--
-- Name: idx_held_notifications_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_held_notifications_user ON public.held_notifications USING btree (user_id);


--
-- Name: idx_held_people_release; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_held_people_release ON public.held_people USING btree (release_at);


--
-- Name: idx_notification_actions_once; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_notification_actions_once ON public.notification_actions USING btree (notification_id, action, md5(COALESCE(text, ''::text)), reported_at);


--
-- Name: idx_notification_actions_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notification_actions_user ON public.notification_actions USING btree (user_id);


--
-- Name: idx_notification_interactions_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notification_interactions_created ON public.notification_interactions USING btree (created_at);


--
-- Name: idx_notification_interactions_once; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_notification_interactions_once ON public.notification_interactions USING btree (notification_id, event, action, COALESCE(device_token_id, '00000000-0000-0000-0000-000000000000'::uuid));


--
-- Name: idx_notification_rechecks_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notification_rechecks_by_time ON public.notification_rechecks USING btree (created_at) WHERE ((decision = 'suppress'::text) AND (reason = ANY (ARRAY['quiet_hours'::text, 'rate_limited'::text, 'expired'::text])));


--
-- Name: idx_notifications_badge; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notifications_badge ON public.notifications USING btree (user_id, app) WHERE (counts_for_badge AND (is_read IS NOT TRUE) AND (is_archived IS NOT TRUE));


--
-- Name: idx_notifications_badge_pushes; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notifications_badge_pushes ON public.notifications USING btree (user_id, app) WHERE (((type)::text = 'badge'::text) AND (origin = 'function'::text));


--
-- Name: idx_notifications_day; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notifications_day ON public.notifications USING btree ((((created_at AT TIME ZONE 'UTC'::text))::date));


--
-- Name: idx_notifications_dedupe; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX idx_notifications_dedupe ON public.notifications USING btree (user_id, app, dedupe_key) WHERE (dedupe_key IS NOT NULL);


--
-- Name: idx_notifications_event; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notifications_event ON public.notifications USING btree (event_id) WHERE (event_id IS NOT NULL);


--
-- Name: idx_notifications_feedback; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notifications_feedback ON public.notifications USING btree (feedback_id) WHERE (feedback_id IS NOT NULL);


--
-- Name: idx_notifications_feedback_unread; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notifications_feedback_unread ON public.notifications USING btree (feedback_id) WHERE ((feedback_id IS NOT NULL) AND (is_read IS NOT TRUE) AND (is_archived IS NOT TRUE));


--
-- Name: idx_notifications_friend_request; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notifications_friend_request ON public.notifications USING btree (friend_request_id) WHERE (friend_request_id IS NOT NULL);


--
-- Name: idx_notifications_inbox; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notifications_inbox ON public.notifications USING btree (user_id, app, COALESCE(is_read, false), created_at DESC, id DESC, COALESCE(expires_at, 'infinity'::timestamp with time zone)) WHERE (is_archived IS NOT TRUE);


--
-- Name: idx_notifications_inbox_kind; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notifications_inbox_kind ON public.notifications USING btree (user_id, lower((type)::text), COALESCE(is_read, false), created_at DESC, id DESC, COALESCE(expires_at, 'infinity'::timestamp with time zone)) WHERE ((app = 'lockitin'::text) AND (is_archived IS NOT TRUE));


--
-- Name: idx_notifications_merged_into; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notifications_merged_into ON public.notifications USING btree (merged_into) WHERE (merged_into IS NOT NULL);


--
-- Name: idx_notifications_proposal; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notifications_proposal ON public.notifications USING btree (proposal_id) WHERE (proposal_id IS NOT NULL);


--
-- Name: idx_notifications_proposal_unread; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notifications_proposal_unread ON public.notifications USING btree (proposal_id) WHERE ((proposal_id IS NOT NULL) AND (is_read IS NOT TRUE) AND (is_archived IS NOT TRUE));


--
-- Name: idx_notifications_pushed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notifications_pushed ON public.notifications USING btree (user_id, app, pushed_at) WHERE (pushed_at IS NOT NULL);


--
-- Name: idx_notifications_read_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notifications_read_created ON public.notifications USING btree (created_at) WHERE is_read;


--
-- Name: idx_notifications_states; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notifications_states ON public.notifications USING btree (user_id, subject_id, created_at) WHERE (family = ANY (ARRAY['statuses'::text, 'leads'::text]));


--
-- Name: idx_notifications_threads; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notifications_threads ON public.notifications USING btree (user_id, app, family, family_subject, pushed_at, id) WHERE ((pushed_at IS NOT NULL) AND (family IS NOT NULL));


--
-- Name: idx_notifications_unread_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notifications_unread_expiry ON public.notifications USING btree (expires_at) WHERE (is_read IS NOT TRUE);


--
-- Name: idx_notifications_user_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_notifications_user_created ON public.notifications USING btree (user_id, created_at DESC);


--
-- Name: idx_project_member_prefs_project; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_project_member_prefs_project ON public.project_member_preferences USING btree (project_id);


--
-- Name: idx_proposal_options_proposal; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_proposal_options_proposal ON public.proposal_options USING btree (proposal_id);


--
-- Name: idx_proposal_votes_person; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_proposal_votes_person ON public.proposal_votes USING btree (proposal_id, user_id);


--
-- Name: idx_push_logs_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_push_logs_created ON public.push_notification_logs_default USING btree (created_at);


--
-- Name: idx_push_logs_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_push_logs_user ON ONLY public.push_notification_logs USING btree (user_id);


--
-- Name: idx_seen_requests_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_seen_requests_subject ON public.seen_requests USING btree (subject_id);


--
-- Name: idx_users_address; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_users_address ON public.users USING btree (lower((email COLLATE "C")));


--
-- Name: idx_users_email_lower; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_users_email_lower ON public.users USING btree (lower(email));


--
-- Name: idx_votes_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_votes_account ON public.votes USING btree (feedback_id, public.push_uuid(user_id));


--
-- Name: idx_votes_address_ascii; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_votes_address_ascii ON public.votes USING btree (feedback_id, lower(((user_email)::text COLLATE "C"))) WHERE (user_email IS NOT NULL);


--
-- Name: idx_votes_feedback_id; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_votes_feedback_id ON public.votes USING btree (feedback_id);


--
-- Name: push_notification_logs_20261128_created_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX push_notification_logs_20261128_created_at_idx ON public.push_notification_logs_20261128 USING brin (created_at) WITH (pages_per_range='16', autosummarize='on');


--
-- Name: push_notification_logs_20261128_user_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX push_notification_logs_20261128_user_id_idx ON public.push_notification_logs_20261128 USING btree (user_id);


--
-- Name: push_notification_logs_20261129_created_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX push_notification_logs_20261129_created_at_idx ON public.push_notification_logs_20261129 USING brin (created_at) WITH (pages_per_range='16', autosummarize='on');


--
-- Name: push_notification_logs_20261129_user_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX push_notification_logs_20261129_user_id_idx ON public.push_notification_logs_20261129 USING btree (user_id);


--
-- Name: push_notification_logs_20261130_created_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX push_notification_logs_20261130_created_at_idx ON public.push_notification_logs_20261130 USING brin (created_at) WITH (pages_per_range='16', autosummarize='on');


--
-- Name: push_notification_logs_20261130_user_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX push_notification_logs_20261130_user_id_idx ON public.push_notification_logs_20261130 USING btree (user_id);


--
-- Name: push_notification_logs_20261201_created_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX push_notification_logs_20261201_created_at_idx ON public.push_notification_logs_20261201 USING brin (created_at) WITH (pages_per_range='16', autosummarize='on');


--
-- Name: push_notification_logs_20261201_user_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX push_notification_logs_20261201_user_id_idx ON public.push_notification_logs_20261201 USING btree (user_id);


--
-- Name: push_notification_logs_20261202_created_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX push_notification_logs_20261202_created_at_idx ON public.push_notification_logs_20261202 USING brin (created_at) WITH (pages_per_range='16', autosummarize='on');


--
-- Name: push_notification_logs_20261202_user_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX push_notification_logs_20261202_user_id_idx ON public.push_notification_logs_20261202 USING btree (user_id);


--
-- Name: push_notification_logs_20261203_created_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX push_notification_logs_20261203_created_at_idx ON public.push_notification_logs_20261203 USING brin (created_at) WITH (pages_per_range='16', autosummarize='on');


--
-- Name: push_notification_logs_20261203_user_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX push_notification_logs_20261203_user_id_idx ON public.push_notification_logs_20261203 USING btree (user_id);


--
-- Name: push_notification_logs_20261204_created_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX push_notification_logs_20261204_created_at_idx ON public.push_notification_logs_20261204 USING brin (created_at) WITH (pages_per_range='16', autosummarize='on');


--
-- Name: push_notification_logs_20261204_user_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX push_notification_logs_20261204_user_id_idx ON public.push_notification_logs_20261204 USING btree (user_id);


--
-- Name: push_notification_logs_20261205_created_at_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX push_notification_logs_20261205_created_at_idx ON public.push_notification_logs_20261205 USING brin (created_at) WITH (pages_per_range='16', autosummarize='on');


--
-- Name: push_notification_logs_20261205_user_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX push_notification_logs_20261205_user_id_idx ON public.push_notification_logs_20261205 USING btree (user_id);


--
-- Name: push_notification_logs_default_user_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX push_notification_logs_default_user_id_idx ON public.push_notification_logs_default USING btree (user_id);


--
-- Name: history_event; Type: INDEX; Schema: runner; Owner: -
--

CREATE INDEX history_event ON ONLY runner.history USING btree (event_id) WHERE (event_id IS NOT NULL);


--
-- Name: history_default_event_id_idx; Type: INDEX; Schema: runner; Owner: -
--

CREATE INDEX history_default_event_id_idx ON runner.history_default USING btree (event_id) WHERE (event_id IS NOT NULL);


--
-- Name: history_place; Type: INDEX; Schema: runner; Owner: -
--

CREATE INDEX history_place ON ONLY runner.history USING btree (partition, id) WHERE (id IS NOT NULL);


--
-- Name: history_default_partition_id_idx; Type: INDEX; Schema: runner; Owner: -
--

CREATE INDEX history_default_partition_id_idx ON runner.history_default USING btree (partition, id) WHERE (id IS NOT NULL);


--
-- Name: payloads_event; Type: INDEX; Schema: runner; Owner: -
--

CREATE INDEX payloads_event ON ONLY runner.payloads USING btree (event_id) WHERE (event_id IS NOT NULL);


--
-- Name: payloads_default_event_id_idx; Type: INDEX; Schema: runner; Owner: -
--

CREATE INDEX payloads_default_event_id_idx ON runner.payloads_default USING btree (event_id) WHERE (event_id IS NOT NULL);


--
-- Name: payloads_place; Type: INDEX; Schema: runner; Owner: -
--

CREATE INDEX payloads_place ON ONLY runner.payloads USING btree (partition, id) WHERE (id IS NOT NULL);


--
-- Name: payloads_default_partition_id_idx; Type: INDEX; Schema: runner; Owner: -
--

CREATE INDEX payloads_default_partition_id_idx ON runner.payloads_default USING btree (partition, id) WHERE (id IS NOT NULL);


--
-- Name: retries_due; Type: INDEX; Schema: runner; Owner: -
--

CREATE INDEX retries_due ON runner.retries USING btree (run_at);


--
-- Name: schedule_fires_once; Type: INDEX; Schema: runner; Owner: -
--

CREATE UNIQUE INDEX schedule_fires_once ON runner.schedule_fires USING btree (schedule, scheduled_time) WHERE (NOT manual);


--
-- Name: signals_function; Type: INDEX; Schema: runner; Owner: -
--

CREATE INDEX signals_function ON runner.signals USING btree (function);


--
-- Name: push_notification_logs_20261128_user_id_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.idx_push_logs_user ATTACH PARTITION public.push_notification_logs_20261128_user_id_idx;


--
-- Name: push_notification_logs_20261129_user_id_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.idx_push_logs_user ATTACH PARTITION public.push_notification_logs_20261129_user_id_idx;


--
-- Name: push_notification_logs_20261130_user_id_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.idx_push_logs_user ATTACH PARTITION public.push_notification_logs_20261130_user_id_idx;


--
-- Name: push_notification_logs_20261201_user_id_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.idx_push_logs_user ATTACH PARTITION public.push_notification_logs_20261201_user_id_idx;


--
-- Name: push_notification_logs_20261202_user_id_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.idx_push_logs_user ATTACH PARTITION public.push_notification_logs_20261202_user_id_idx;


--
-- Name: push_notification_logs_20261203_user_id_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.idx_push_logs_user ATTACH PARTITION public.push_notification_logs_20261203_user_id_idx;


--
-- Name: push_notification_logs_20261204_user_id_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.idx_push_logs_user ATTACH PARTITION public.push_notification_logs_20261204_user_id_idx;


--
-- Name: push_notification_logs_20261205_user_id_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.idx_push_logs_user ATTACH PARTITION public.push_notification_logs_20261205_user_id_idx;


--
-- Name: push_notification_logs_default_user_id_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.idx_push_logs_user ATTACH PARTITION public.push_notification_logs_default_user_id_idx;


--
-- Name: history_default_event_id_idx; Type: INDEX ATTACH; Schema: runner; Owner: -
--

ALTER INDEX runner.history_event ATTACH PARTITION runner.history_default_event_id_idx;


--
-- Name: history_default_partition_id_idx; Type: INDEX ATTACH; Schema: runner; Owner: -
--

ALTER INDEX runner.history_place ATTACH PARTITION runner.history_default_partition_id_idx;


--
-- Name: payloads_default_event_id_idx; Type: INDEX ATTACH; Schema: runner; Owner: -
--

ALTER INDEX runner.payloads_event ATTACH PARTITION runner.payloads_default_event_id_idx;


--
-- Name: payloads_default_partition_id_idx; Type: INDEX ATTACH; Schema: runner; Owner: -
--

ALTER INDEX runner.payloads_place ATTACH PARTITION runner.payloads_default_partition_id_idx;


--
-- Name: device_tokens push_end_twins_of_new; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_end_twins_of_new AFTER INSERT ON public.device_tokens FOR EACH ROW WHEN (((new.is_active IS NOT FALSE) AND (new.provider = 'apns'::text) AND (new.token ~ '^[0-9A-Fa-f]+$'::text))) EXECUTE FUNCTION public.push_end_twins();


--
-- Name: device_tokens push_end_twins_of_renewed; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_end_twins_of_renewed AFTER UPDATE OF token, is_active, registered_at, provider ON public.device_tokens FOR EACH ROW WHEN (((new.is_active IS NOT FALSE) AND (new.provider = 'apns'::text) AND ((((new.token IS DISTINCT FROM old.token) OR (new.is_active IS DISTINCT FROM old.is_active)) OR (new.registered_at IS DISTINCT FROM old.registered_at)) OR (new.provider IS DISTINCT FROM old.provider)) AND (new.token ~ '^[0-9A-Fa-f]+$'::text))) EXECUTE FUNCTION public.push_end_twins();


--
-- Name: users push_forget_all_attempts; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_forget_all_attempts AFTER TRUNCATE ON public.users FOR EACH STATEMENT EXECUTE FUNCTION public.push_forget_attempts();


--
-- Name: users push_forget_attempts; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_forget_attempts AFTER DELETE ON public.users FOR EACH ROW EXECUTE FUNCTION public.push_forget_attempts();


--
-- Name: friend_requests push_note_asked_again; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_asked_again AFTER UPDATE OF status ON public.friend_requests FOR EACH ROW WHEN (((new.status = 'pending'::text) AND (old.status IS DISTINCT FROM new.status))) EXECUTE FUNCTION public.push_note_asked_again();


--
-- Name: group_invites push_note_asked_again; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_asked_again AFTER UPDATE OF status ON public.group_invites FOR EACH ROW WHEN (((new.status = 'pending'::text) AND (old.status IS DISTINCT FROM new.status))) EXECUTE FUNCTION public.push_note_asked_again();


--
-- Name: group_notification_preferences push_note_level; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_level BEFORE UPDATE OF notification_level ON public.group_notification_preferences FOR EACH ROW EXECUTE FUNCTION public.push_note_level();


--
-- Name: event_proposals push_note_loss; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_loss BEFORE DELETE ON public.event_proposals FOR EACH ROW EXECUTE FUNCTION public.push_note_loss('proposal');


--
-- Name: friend_requests push_note_loss; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_loss BEFORE DELETE ON public.friend_requests FOR EACH ROW WHEN ((old.status = 'pending'::text)) EXECUTE FUNCTION public.push_note_loss('request');


--
-- Name: group_invites push_note_loss; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_loss BEFORE DELETE ON public.group_invites FOR EACH ROW WHEN ((old.status = 'pending'::text)) EXECUTE FUNCTION public.push_note_loss('invitation');


--
-- Name: group_members push_note_loss; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_loss BEFORE DELETE ON public.group_members FOR EACH ROW EXECUTE FUNCTION public.push_note_loss('member');


--
-- Name: notifications push_note_loss; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_loss BEFORE DELETE ON public.notifications FOR EACH ROW WHEN (((old.app <> 'lockitin'::text) AND old.counts_for_badge AND (old.is_read IS NOT TRUE) AND (old.is_archived IS NOT TRUE) AND (old.merged_into IS NULL) AND (current_setting('app.own_write'::text, true) IS DISTINCT FROM 'on'::text))) EXECUTE FUNCTION public.push_note_loss('notification');


--
-- Name: comments push_note_moved; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_moved AFTER UPDATE OF feedback_id ON public.comments FOR EACH ROW WHEN ((old.feedback_id IS DISTINCT FROM new.feedback_id)) EXECUTE FUNCTION public.push_note_moved('comments');


--
-- Name: feedbacks push_note_moved; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_moved AFTER UPDATE OF project_id ON public.feedbacks FOR EACH ROW WHEN ((old.project_id IS DISTINCT FROM new.project_id)) EXECUTE FUNCTION public.push_note_moved('new_feedback');


--
-- Name: votes push_note_moved; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_moved AFTER UPDATE OF feedback_id ON public.votes FOR EACH ROW WHEN ((old.feedback_id IS DISTINCT FROM new.feedback_id)) EXECUTE FUNCTION public.push_note_moved('votes');


--
-- Name: device_tokens push_note_new_device; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_new_device AFTER INSERT ON public.device_tokens FOR EACH ROW WHEN ((new.is_active IS NOT FALSE)) EXECUTE FUNCTION public.push_note_reachable();


--
-- Name: device_tokens push_note_reachable; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_reachable AFTER UPDATE OF token, user_id, app, registered_at, is_active ON public.device_tokens FOR EACH ROW WHEN (((new.is_active IS NOT FALSE) AND ((old.is_active IS FALSE) OR ((((new.token IS DISTINCT FROM old.token) OR (new.user_id IS DISTINCT FROM old.user_id)) OR (new.app IS DISTINCT FROM old.app)) OR (new.registered_at IS DISTINCT FROM old.registered_at))))) EXECUTE FUNCTION public.push_note_reachable();


--
-- Name: event_proposals push_note_rise; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_rise AFTER UPDATE OF status, deadline ON public.event_proposals FOR EACH ROW WHEN (((new.status = 'open'::text) AND ((old.status IS DISTINCT FROM new.status) OR (old.deadline IS DISTINCT FROM new.deadline)))) EXECUTE FUNCTION public.push_note_rise('proposal');


--
-- Name: group_members push_note_rise; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_rise AFTER INSERT ON public.group_members FOR EACH ROW EXECUTE FUNCTION public.push_note_rise('member');


--
-- Name: proposal_votes push_note_rise; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_rise AFTER DELETE ON public.proposal_votes FOR EACH ROW EXECUTE FUNCTION public.push_note_rise('vote');


--
-- Name: notification_state push_note_seen; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_seen AFTER INSERT OR UPDATE OF all_read_at ON public.notification_state FOR EACH ROW WHEN (((new.app = 'lockitin'::text) AND (new.all_read_at IS NOT NULL))) EXECUTE FUNCTION public.push_note_seen();


--
-- Name: comments push_note_stale; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_stale AFTER DELETE ON public.comments REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.push_note_stale('comments');


--
-- Name: event_conflicts push_note_stale; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_stale AFTER DELETE ON public.event_conflicts REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.push_note_stale('conflicts');


--
-- Name: group_members push_note_stale; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_stale AFTER DELETE ON public.group_members REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.push_note_stale('members');


--
-- Name: proposal_votes push_note_stale; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_stale AFTER DELETE ON public.proposal_votes REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.push_note_stale('proposal_votes');


--
-- Name: votes push_note_stale; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_stale AFTER DELETE ON public.votes REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.push_note_stale('votes');


--
-- Name: notification_settings push_note_switch_gone; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_switch_gone AFTER DELETE ON public.notification_settings FOR EACH ROW WHEN ((old.is_enabled IS FALSE)) EXECUTE FUNCTION public.push_note_switched_on('');


--
-- Name: user_notification_preferences push_note_switch_gone; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_switch_gone AFTER DELETE ON public.user_notification_preferences FOR EACH ROW WHEN ((old.notifications_enabled IS FALSE)) EXECUTE FUNCTION public.push_note_switched_on('lockitin');


--
-- Name: notification_settings push_note_switched_on; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_switched_on AFTER UPDATE OF is_enabled ON public.notification_settings FOR EACH ROW WHEN (((old.is_enabled IS FALSE) AND (new.is_enabled IS NOT FALSE))) EXECUTE FUNCTION public.push_note_switched_on('');


--
-- Name: user_notification_preferences push_note_switched_on; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_switched_on AFTER UPDATE OF notifications_enabled ON public.user_notification_preferences FOR EACH ROW WHEN (((old.notifications_enabled IS FALSE) AND (new.notifications_enabled IS NOT FALSE))) EXECUTE FUNCTION public.push_note_switched_on('lockitin');


--
-- Name: users push_note_switched_on; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_switched_on AFTER UPDATE OF push_notifications_enabled ON public.users FOR EACH ROW WHEN (((old.push_notifications_enabled IS FALSE) AND (new.push_notifications_enabled IS NOT FALSE))) EXECUTE FUNCTION public.push_note_switched_on('feedbackkit');


--
-- Name: decisions push_note_unpushed; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_unpushed AFTER INSERT ON public.decisions FOR EACH ROW WHEN (((new.decision = 'suppress'::text) AND
        CASE new.app
            WHEN 'lockitin'::text THEN (lower(new.kind) = ANY (ARRAY['proposal_created'::text, 'proposal_updated'::text, 'friend_request'::text, 'group_invite'::text]))
            ELSE (new.reason = ANY (ARRAY['quiet_hours'::text, 'rate_limited'::text, 'expired'::text, 'unencodable'::text]))
        END)) EXECUTE FUNCTION public.push_note_unpushed('decision');


--
-- Name: notification_rechecks push_note_unpushed; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_note_unpushed AFTER INSERT ON public.notification_rechecks FOR EACH ROW WHEN ((new.decision = 'suppress'::text)) EXECUTE FUNCTION public.push_note_unpushed('recheck');


--
-- Name: notifications push_pass_on; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_pass_on AFTER DELETE ON public.notifications FOR EACH ROW WHEN (((old.family = ANY (ARRAY['new_feedback'::text, 'statuses'::text])) AND (current_setting('app.own_write'::text, true) IS DISTINCT FROM 'on'::text))) EXECUTE FUNCTION public.push_pass_on();


--
-- Name: held_notifications push_queue_person; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_queue_person AFTER INSERT ON public.held_notifications REFERENCING NEW TABLE AS held FOR EACH STATEMENT EXECUTE FUNCTION public.push_queue_person();


--
-- Name: held_notifications push_queue_person_again; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_queue_person_again AFTER UPDATE ON public.held_notifications REFERENCING NEW TABLE AS held FOR EACH STATEMENT EXECUTE FUNCTION public.push_queue_person();


--
-- Name: device_tokens push_register_device; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_register_device BEFORE UPDATE OF token, user_id ON public.device_tokens FOR EACH ROW EXECUTE FUNCTION public.push_register_device();


--
-- Name: group_notification_preferences push_settings_changed; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_settings_changed AFTER INSERT OR DELETE OR UPDATE ON public.group_notification_preferences FOR EACH ROW EXECUTE FUNCTION public.push_settings_changed();


--
-- Name: notification_settings push_settings_changed; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_settings_changed AFTER INSERT OR DELETE OR UPDATE ON public.notification_settings FOR EACH ROW EXECUTE FUNCTION public.push_settings_changed();


--
-- Name: project_member_preferences push_settings_changed; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_settings_changed AFTER INSERT OR DELETE OR UPDATE ON public.project_member_preferences FOR EACH ROW EXECUTE FUNCTION public.push_settings_changed();


--
-- Name: user_notification_preferences push_settings_changed; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_settings_changed AFTER INSERT OR DELETE OR UPDATE ON public.user_notification_preferences FOR EACH ROW EXECUTE FUNCTION public.push_settings_changed();


--
-- Name: event_proposals push_stamp_options; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_stamp_options BEFORE UPDATE OF options_version ON public.event_proposals FOR EACH ROW WHEN ((old.options_version IS DISTINCT FROM new.options_version)) EXECUTE FUNCTION public.push_stamp_options();


--
-- Name: proposal_votes push_stamp_vote; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_stamp_vote BEFORE INSERT OR UPDATE OF vote ON public.proposal_votes FOR EACH ROW EXECUTE FUNCTION public.push_stamp_vote();


--
-- Name: device_tokens push_unknown_badge; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_unknown_badge BEFORE UPDATE OF token, user_id, app, registered_at ON public.device_tokens FOR EACH ROW EXECUTE FUNCTION public.push_unknown_badge();


--
-- Name: proposal_votes push_vote_lost; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER push_vote_lost AFTER DELETE ON public.proposal_votes REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.push_vote_lost();


--
-- Name: proposal_votes runner_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER runner_delete AFTER DELETE ON public.proposal_votes REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.proposal_votes.runner_delete"();


--
-- Name: badge_losses runner_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER runner_insert AFTER INSERT ON public.badge_losses REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.badge_losses.runner_insert"();


--
-- Name: comments runner_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER runner_insert AFTER INSERT ON public.comments REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.comments.runner_insert"();


--
-- Name: event_conflicts runner_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER runner_insert AFTER INSERT ON public.event_conflicts REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.event_conflicts.runner_insert"();


--
-- Name: event_proposals runner_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER runner_insert AFTER INSERT ON public.event_proposals REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.event_proposals.runner_insert"();


--
-- Name: events runner_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER runner_insert AFTER INSERT ON public.events REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.events.runner_insert"();


--
-- Name: feedbacks runner_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER runner_insert AFTER INSERT ON public.feedbacks REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.feedbacks.runner_insert"();


--
-- Name: friend_requests runner_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER runner_insert AFTER INSERT ON public.friend_requests REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.friend_requests.runner_insert"();


--
-- Name: group_invites runner_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER runner_insert AFTER INSERT ON public.group_invites REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.group_invites.runner_insert"();


--
-- Name: notifications runner_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER runner_insert AFTER INSERT ON public.notifications REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.notifications.runner_insert"();


--
-- Name: proposal_votes runner_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER runner_insert AFTER INSERT ON public.proposal_votes REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.proposal_votes.runner_insert"();


--
-- Name: votes runner_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER runner_insert AFTER INSERT ON public.votes REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.votes.runner_insert"();


--
-- Name: deliveries runner_notify_push-delivery; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "runner_notify_push-delivery" AFTER INSERT ON public.deliveries FOR EACH STATEMENT EXECUTE FUNCTION runner.notify_trigger('push-delivery');


--
-- Name: held_notifications runner_notify_release-held; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "runner_notify_release-held" AFTER INSERT ON public.held_notifications FOR EACH STATEMENT EXECUTE FUNCTION runner.notify_trigger('release-held');


--
-- Name: stale_entries runner_notify_release-held; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER "runner_notify_release-held" AFTER INSERT ON public.stale_entries FOR EACH STATEMENT EXECUTE FUNCTION runner.notify_trigger('release-held');


--
-- Name: event_proposals runner_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER runner_update AFTER UPDATE ON public.event_proposals REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.event_proposals.runner_update"();


--
-- Name: events runner_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER runner_update AFTER UPDATE ON public.events REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.events.runner_update"();


--
-- Name: feedbacks runner_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER runner_update AFTER UPDATE ON public.feedbacks REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.feedbacks.runner_update"();


--
-- Name: friend_requests runner_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER runner_update AFTER UPDATE ON public.friend_requests REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.friend_requests.runner_update"();


--
-- Name: group_invites runner_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER runner_update AFTER UPDATE ON public.group_invites REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.group_invites.runner_update"();


--
-- Name: notifications runner_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER runner_update AFTER UPDATE ON public.notifications REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.notifications.runner_update"();


--
-- Name: proposal_votes runner_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER runner_update AFTER UPDATE ON public.proposal_votes REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION runner."public.proposal_votes.runner_update"();


--
-- Name: clock follow_clock; Type: TRIGGER; Schema: runner; Owner: -
--

CREATE TRIGGER follow_clock AFTER UPDATE ON runner.clock FOR EACH ROW WHEN (((old."offset" = '00:00:00'::interval) <> (new."offset" = '00:00:00'::interval))) EXECUTE FUNCTION runner.follow_clock();


--
-- Name: analyses analyses_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.analyses
    ADD CONSTRAINT analyses_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: api_tokens api_tokens_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT api_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: comments comments_feedback_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.comments
    ADD CONSTRAINT comments_feedback_id_fkey FOREIGN KEY (feedback_id) REFERENCES public.feedbacks(id) ON DELETE CASCADE;


--
-- Name: deliveries deliveries_device_token_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_device_token_id_fkey FOREIGN KEY (device_token_id) REFERENCES public.device_tokens(id) ON DELETE CASCADE;


--
-- Name: deliveries deliveries_notification_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_notification_id_fkey FOREIGN KEY (notification_id) REFERENCES public.notifications(id) ON DELETE CASCADE;


--
-- Name: device_tokens device_tokens_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.device_tokens
    ADD CONSTRAINT device_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: event_attendees event_attendees_event_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.event_attendees
    ADD CONSTRAINT event_attendees_event_id_fkey FOREIGN KEY (event_id) REFERENCES public.events(id) ON DELETE CASCADE;


--
-- Name: event_attendees event_attendees_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.event_attendees
    ADD CONSTRAINT event_attendees_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: event_conflicts event_conflicts_proposal_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.event_conflicts
    ADD CONSTRAINT event_conflicts_proposal_id_fkey FOREIGN KEY (proposal_id) REFERENCES public.event_proposals(id) ON DELETE CASCADE;


--
-- Name: event_conflicts event_conflicts_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.event_conflicts
    ADD CONSTRAINT event_conflicts_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: event_proposals event_proposals_created_by_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.event_proposals
    ADD CONSTRAINT event_proposals_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: event_proposals event_proposals_group_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.event_proposals
    ADD CONSTRAINT event_proposals_group_id_fkey FOREIGN KEY (group_id) REFERENCES public.groups(id) ON DELETE CASCADE;


--
-- Name: events events_created_by_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: events events_group_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_group_id_fkey FOREIGN KEY (group_id) REFERENCES public.groups(id) ON DELETE CASCADE;


--
-- Name: events events_option_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_option_id_fkey FOREIGN KEY (option_id) REFERENCES public.proposal_options(id) ON DELETE SET NULL;


--
-- Name: events events_proposal_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_proposal_id_fkey FOREIGN KEY (proposal_id) REFERENCES public.event_proposals(id) ON DELETE SET NULL;


--
-- Name: feedbacks feedbacks_project_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.feedbacks
    ADD CONSTRAINT feedbacks_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;


--
-- Name: friend_requests friend_requests_recipient_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.friend_requests
    ADD CONSTRAINT friend_requests_recipient_id_fkey FOREIGN KEY (recipient_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: friend_requests friend_requests_requester_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.friend_requests
    ADD CONSTRAINT friend_requests_requester_id_fkey FOREIGN KEY (requester_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: group_invites group_invites_group_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.group_invites
    ADD CONSTRAINT group_invites_group_id_fkey FOREIGN KEY (group_id) REFERENCES public.groups(id) ON DELETE CASCADE;


--
-- Name: group_invites group_invites_invitee_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.group_invites
    ADD CONSTRAINT group_invites_invitee_id_fkey FOREIGN KEY (invitee_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: group_invites group_invites_inviter_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.group_invites
    ADD CONSTRAINT group_invites_inviter_id_fkey FOREIGN KEY (inviter_id) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: group_members group_members_group_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.group_members
    ADD CONSTRAINT group_members_group_id_fkey FOREIGN KEY (group_id) REFERENCES public.groups(id) ON DELETE CASCADE;


--
-- Name: group_members group_members_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.group_members
    ADD CONSTRAINT group_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: group_notification_preferences group_notification_preferences_group_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.group_notification_preferences
    ADD CONSTRAINT group_notification_preferences_group_id_fkey FOREIGN KEY (group_id) REFERENCES public.groups(id) ON DELETE CASCADE;


--
-- Name: group_notification_preferences group_notification_preferences_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.group_notification_preferences
    ADD CONSTRAINT group_notification_preferences_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: groups groups_created_by_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;


--
-- Name: held_notifications held_notifications_notification_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.held_notifications
    ADD CONSTRAINT held_notifications_notification_id_fkey FOREIGN KEY (notification_id) REFERENCES public.notifications(id) ON DELETE CASCADE;


--
-- Name: held_notifications held_notifications_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.held_notifications
    ADD CONSTRAINT held_notifications_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: held_people held_people_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.held_people
    ADD CONSTRAINT held_people_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: notification_actions notification_actions_notification_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notification_actions
    ADD CONSTRAINT notification_actions_notification_id_fkey FOREIGN KEY (notification_id) REFERENCES public.notifications(id) ON DELETE CASCADE;


--
-- Name: notification_actions notification_actions_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notification_actions
    ADD CONSTRAINT notification_actions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: notification_interactions notification_interactions_notification_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notification_interactions
    ADD CONSTRAINT notification_interactions_notification_id_fkey FOREIGN KEY (notification_id) REFERENCES public.notifications(id) ON DELETE CASCADE;


--
-- Name: notification_rechecks notification_rechecks_notification_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notification_rechecks
    ADD CONSTRAINT notification_rechecks_notification_id_fkey FOREIGN KEY (notification_id) REFERENCES public.notifications(id) ON DELETE CASCADE;


--
-- Name: notification_settings notification_settings_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notification_settings
    ADD CONSTRAINT notification_settings_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: notification_state notification_state_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notification_state
    ADD CONSTRAINT notification_state_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: notifications notifications_event_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT notifications_event_id_fkey FOREIGN KEY (event_id) REFERENCES public.events(id) ON DELETE CASCADE;


--
-- Name: notifications notifications_feedback_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT notifications_feedback_id_fkey FOREIGN KEY (feedback_id) REFERENCES public.feedbacks(id) ON DELETE CASCADE;


--
-- Name: notifications notifications_friend_request_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT notifications_friend_request_id_fkey FOREIGN KEY (friend_request_id) REFERENCES public.friend_requests(id) ON DELETE CASCADE;


--
-- Name: notifications notifications_proposal_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT notifications_proposal_id_fkey FOREIGN KEY (proposal_id) REFERENCES public.event_proposals(id) ON DELETE CASCADE;


--
-- Name: notifications notifications_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT notifications_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: project_member_preferences project_member_preferences_project_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.project_member_preferences
    ADD CONSTRAINT project_member_preferences_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;


--
-- Name: project_member_preferences project_member_preferences_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.project_member_preferences
    ADD CONSTRAINT project_member_preferences_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: project_members project_members_project_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.project_members
    ADD CONSTRAINT project_members_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;


--
-- Name: project_members project_members_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.project_members
    ADD CONSTRAINT project_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: projects projects_owner_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: proposal_leads proposal_leads_proposal_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.proposal_leads
    ADD CONSTRAINT proposal_leads_proposal_id_fkey FOREIGN KEY (proposal_id) REFERENCES public.event_proposals(id) ON DELETE CASCADE;


--
-- Name: proposal_lost_votes proposal_lost_votes_proposal_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.proposal_lost_votes
    ADD CONSTRAINT proposal_lost_votes_proposal_id_fkey FOREIGN KEY (proposal_id) REFERENCES public.event_proposals(id) ON DELETE CASCADE;


--
-- Name: proposal_lost_votes proposal_lost_votes_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.proposal_lost_votes
    ADD CONSTRAINT proposal_lost_votes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: proposal_options proposal_options_proposal_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.proposal_options
    ADD CONSTRAINT proposal_options_proposal_id_fkey FOREIGN KEY (proposal_id) REFERENCES public.event_proposals(id) ON DELETE CASCADE;


--
-- Name: proposal_votes proposal_votes_option_id_proposal_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.proposal_votes
    ADD CONSTRAINT proposal_votes_option_id_proposal_id_fkey FOREIGN KEY (option_id, proposal_id) REFERENCES public.proposal_options(id, proposal_id) ON DELETE CASCADE;


--
-- Name: proposal_votes proposal_votes_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.proposal_votes
    ADD CONSTRAINT proposal_votes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: push_gone_people push_gone_people_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.push_gone_people
    ADD CONSTRAINT push_gone_people_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: seen_requests seen_requests_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.seen_requests
    ADD CONSTRAINT seen_requests_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: user_activity user_activity_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.user_activity
    ADD CONSTRAINT user_activity_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: user_notification_preferences user_notification_preferences_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.user_notification_preferences
    ADD CONSTRAINT user_notification_preferences_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: user_tokens user_tokens_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.user_tokens
    ADD CONSTRAINT user_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;


--
-- Name: votes votes_feedback_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.votes
    ADD CONSTRAINT votes_feedback_id_fkey FOREIGN KEY (feedback_id) REFERENCES public.feedbacks(id) ON DELETE CASCADE;


--
-- Name: analyses; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.analyses ENABLE ROW LEVEL SECURITY;

--
-- Name: api_tokens; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.api_tokens ENABLE ROW LEVEL SECURITY;

--
-- Name: badge_losses; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.badge_losses ENABLE ROW LEVEL SECURITY;

--
-- Name: comments; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.comments ENABLE ROW LEVEL SECURITY;

--
-- Name: decisions; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.decisions ENABLE ROW LEVEL SECURITY;

--
-- Name: deliveries; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.deliveries ENABLE ROW LEVEL SECURITY;

--
-- Name: device_tokens; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.device_tokens ENABLE ROW LEVEL SECURITY;

--
-- Name: event_attendees; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.event_attendees ENABLE ROW LEVEL SECURITY;

--
-- Name: event_conflicts; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.event_conflicts ENABLE ROW LEVEL SECURITY;

--
-- Name: event_proposals; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.event_proposals ENABLE ROW LEVEL SECURITY;

--
-- Name: events; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.events ENABLE ROW LEVEL SECURITY;

--
-- Name: experiments; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.experiments ENABLE ROW LEVEL SECURITY;

--
-- Name: feedbacks; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.feedbacks ENABLE ROW LEVEL SECURITY;

--
-- Name: friend_requests; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.friend_requests ENABLE ROW LEVEL SECURITY;

--
-- Name: group_invites; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.group_invites ENABLE ROW LEVEL SECURITY;

--
-- Name: group_members; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.group_members ENABLE ROW LEVEL SECURITY;

--
-- Name: group_notification_preferences; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.group_notification_preferences ENABLE ROW LEVEL SECURITY;

--
-- Name: groups; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.groups ENABLE ROW LEVEL SECURITY;

--
-- Name: handled_events; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.handled_events ENABLE ROW LEVEL SECURITY;

--
-- Name: held_notifications; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.held_notifications ENABLE ROW LEVEL SECURITY;

--
-- Name: held_people; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.held_people ENABLE ROW LEVEL SECURITY;

--
-- Name: notification_actions; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.notification_actions ENABLE ROW LEVEL SECURITY;

--
-- Name: notification_interactions; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.notification_interactions ENABLE ROW LEVEL SECURITY;

--
-- Name: notification_rechecks; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.notification_rechecks ENABLE ROW LEVEL SECURITY;

--
-- Name: notification_settings; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.notification_settings ENABLE ROW LEVEL SECURITY;

--
-- Name: notification_state; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.notification_state ENABLE ROW LEVEL SECURITY;

--
-- Name: notifications; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.notifications ENABLE ROW LEVEL SECURITY;

--
-- Name: project_member_preferences; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.project_member_preferences ENABLE ROW LEVEL SECURITY;

--
-- Name: project_members; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.project_members ENABLE ROW LEVEL SECURITY;

--
-- Name: projects; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.projects ENABLE ROW LEVEL SECURITY;

--
-- Name: proposal_leads; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.proposal_leads ENABLE ROW LEVEL SECURITY;

--
-- Name: proposal_lost_votes; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.proposal_lost_votes ENABLE ROW LEVEL SECURITY;

--
-- Name: proposal_options; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.proposal_options ENABLE ROW LEVEL SECURITY;

--
-- Name: proposal_votes; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.proposal_votes ENABLE ROW LEVEL SECURITY;

--
-- Name: device_tokens push_app_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_app_all ON public.device_tokens TO push_app USING ((user_id = ( SELECT public.push_person() AS push_person)));


--
-- Name: event_attendees push_app_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_app_all ON public.event_attendees TO push_app USING (((user_id = ( SELECT public.push_person() AS push_person)) AND public.push_sees_event(event_id)));


--
-- Name: group_notification_preferences push_app_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_app_all ON public.group_notification_preferences TO push_app USING (((user_id = ( SELECT public.push_person() AS push_person)) AND public.push_in_group(group_id)));


--
-- Name: notification_settings push_app_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_app_all ON public.notification_settings TO push_app USING ((user_id = ( SELECT public.push_person() AS push_person)));


--
-- Name: project_member_preferences push_app_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_app_all ON public.project_member_preferences TO push_app USING (((user_id = ( SELECT public.push_person() AS push_person)) AND public.push_in_project(project_id)));


--
-- Name: user_activity push_app_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_app_all ON public.user_activity TO push_app USING ((user_id = ( SELECT public.push_person() AS push_person)));


--
-- Name: user_notification_preferences push_app_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_app_all ON public.user_notification_preferences TO push_app USING ((user_id = ( SELECT public.push_person() AS push_person)));


--
-- Name: proposal_votes push_app_delete; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_app_delete ON public.proposal_votes FOR DELETE TO push_app USING (((user_id = ( SELECT public.push_person() AS push_person)) AND public.push_may_vote(proposal_id)));


--
-- Name: proposal_votes push_app_insert; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_app_insert ON public.proposal_votes FOR INSERT TO push_app WITH CHECK (((user_id = ( SELECT public.push_person() AS push_person)) AND public.push_may_vote(proposal_id)));


--
-- Name: friend_requests push_app_select; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_app_select ON public.friend_requests FOR SELECT TO push_app USING (((( SELECT public.push_person() AS push_person) = requester_id) OR (( SELECT public.push_person() AS push_person) = recipient_id)));


--
-- Name: group_invites push_app_select; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_app_select ON public.group_invites FOR SELECT TO push_app USING (((( SELECT public.push_person() AS push_person) = inviter_id) OR (( SELECT public.push_person() AS push_person) = invitee_id)));


--
-- Name: notification_state push_app_select; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_app_select ON public.notification_state FOR SELECT TO push_app USING ((user_id = ( SELECT public.push_person() AS push_person)));


--
-- Name: notifications push_app_select; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_app_select ON public.notifications FOR SELECT TO push_app USING ((user_id = ( SELECT public.push_person() AS push_person)));


--
-- Name: proposal_votes push_app_select; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_app_select ON public.proposal_votes FOR SELECT TO push_app USING (public.push_sees_proposal(proposal_id));


--
-- Name: friend_requests push_app_update; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_app_update ON public.friend_requests FOR UPDATE TO push_app USING (((recipient_id = ( SELECT public.push_person() AS push_person)) AND (status = 'pending'::text))) WITH CHECK (((recipient_id = ( SELECT public.push_person() AS push_person)) AND (status = ANY (ARRAY['accepted'::text, 'declined'::text]))));


--
-- Name: group_invites push_app_update; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_app_update ON public.group_invites FOR UPDATE TO push_app USING (((invitee_id = ( SELECT public.push_person() AS push_person)) AND (status = 'pending'::text))) WITH CHECK (((invitee_id = ( SELECT public.push_person() AS push_person)) AND (status = ANY (ARRAY['accepted'::text, 'declined'::text]))));


--
-- Name: notifications push_app_update; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_app_update ON public.notifications FOR UPDATE TO push_app USING ((user_id = ( SELECT public.push_person() AS push_person)));


--
-- Name: proposal_votes push_app_update; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_app_update ON public.proposal_votes FOR UPDATE TO push_app USING (((user_id = ( SELECT public.push_person() AS push_person)) AND public.push_may_vote(proposal_id)));


--
-- Name: push_gone_people; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.push_gone_people ENABLE ROW LEVEL SECURITY;

--
-- Name: push_notification_logs; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.push_notification_logs ENABLE ROW LEVEL SECURITY;

--
-- Name: push_notification_logs_20261128; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.push_notification_logs_20261128 ENABLE ROW LEVEL SECURITY;

--
-- Name: push_notification_logs_20261129; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.push_notification_logs_20261129 ENABLE ROW LEVEL SECURITY;

--
-- Name: push_notification_logs_20261130; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.push_notification_logs_20261130 ENABLE ROW LEVEL SECURITY;

--
-- Name: push_notification_logs_20261201; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.push_notification_logs_20261201 ENABLE ROW LEVEL SECURITY;

--
-- Name: push_notification_logs_20261202; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.push_notification_logs_20261202 ENABLE ROW LEVEL SECURITY;

--
-- Name: push_notification_logs_20261203; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.push_notification_logs_20261203 ENABLE ROW LEVEL SECURITY;

--
-- Name: push_notification_logs_20261204; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.push_notification_logs_20261204 ENABLE ROW LEVEL SECURITY;

--
-- Name: push_notification_logs_20261205; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.push_notification_logs_20261205 ENABLE ROW LEVEL SECURITY;

--
-- Name: push_notification_logs_default; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.push_notification_logs_default ENABLE ROW LEVEL SECURITY;

--
-- Name: push_provider_tokens; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.push_provider_tokens ENABLE ROW LEVEL SECURITY;

--
-- Name: push_providers; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.push_providers ENABLE ROW LEVEL SECURITY;

--
-- Name: analyses push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.analyses USING (public.push_is_server());


--
-- Name: api_tokens push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.api_tokens USING (public.push_is_server());


--
-- Name: badge_losses push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.badge_losses USING (public.push_is_server());


--
-- Name: comments push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.comments USING (public.push_is_server());


--
-- Name: decisions push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.decisions USING (public.push_is_server());


--
-- Name: deliveries push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.deliveries USING (public.push_is_server());


--
-- Name: device_tokens push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.device_tokens USING (public.push_is_server());


--
-- Name: event_attendees push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.event_attendees USING (public.push_is_server());


--
-- Name: event_conflicts push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.event_conflicts USING (public.push_is_server());


--
-- Name: event_proposals push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.event_proposals USING (public.push_is_server());


--
-- Name: events push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.events USING (public.push_is_server());


--
-- Name: experiments push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.experiments USING (public.push_is_server());


--
-- Name: feedbacks push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.feedbacks USING (public.push_is_server());


--
-- Name: friend_requests push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.friend_requests USING (public.push_is_server());


--
-- Name: group_invites push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.group_invites USING (public.push_is_server());


--
-- Name: group_members push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.group_members USING (public.push_is_server());


--
-- Name: group_notification_preferences push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.group_notification_preferences USING (public.push_is_server());


--
-- Name: groups push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.groups USING (public.push_is_server());


--
-- Name: handled_events push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.handled_events USING (public.push_is_server());


--
-- Name: held_notifications push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.held_notifications USING (public.push_is_server());


--
-- Name: held_people push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.held_people USING (public.push_is_server());


--
-- Name: notification_actions push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.notification_actions USING (public.push_is_server());


--
-- Name: notification_interactions push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.notification_interactions USING (public.push_is_server());


--
-- Name: notification_rechecks push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.notification_rechecks USING (public.push_is_server());


--
-- Name: notification_settings push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.notification_settings USING (public.push_is_server());


--
-- Name: notification_state push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.notification_state USING (public.push_is_server());


--
-- Name: notifications push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.notifications USING (public.push_is_server());


--
-- Name: project_member_preferences push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.project_member_preferences USING (public.push_is_server());


--
-- Name: project_members push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.project_members USING (public.push_is_server());


--
-- Name: projects push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.projects USING (public.push_is_server());


--
-- Name: proposal_leads push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.proposal_leads USING (public.push_is_server());


--
-- Name: proposal_lost_votes push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.proposal_lost_votes USING (public.push_is_server());


--
-- Name: proposal_options push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.proposal_options USING (public.push_is_server());


--
-- Name: proposal_votes push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.proposal_votes USING (public.push_is_server());


--
-- Name: push_gone_people push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.push_gone_people USING (public.push_is_server());


--
-- Name: push_notification_logs push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.push_notification_logs USING (public.push_is_server());


--
-- Name: push_notification_logs_default push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.push_notification_logs_default USING (public.push_is_server());


--
-- Name: push_provider_tokens push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.push_provider_tokens USING (public.push_is_server());


--
-- Name: push_providers push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.push_providers USING (public.push_is_server());


--
-- Name: seen_requests push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.seen_requests USING (public.push_is_server());


--
-- Name: stale_entries push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.stale_entries USING (public.push_is_server());


--
-- Name: user_activity push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.user_activity USING (public.push_is_server());


--
-- Name: user_notification_preferences push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.user_notification_preferences USING (public.push_is_server());


--
-- Name: user_tokens push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.user_tokens USING (public.push_is_server());


--
-- Name: users push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.users USING (public.push_is_server());


--
-- Name: votes push_servers; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY push_servers ON public.votes USING (public.push_is_server());


--
-- Name: seen_requests; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.seen_requests ENABLE ROW LEVEL SECURITY;

--
-- Name: stale_entries; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.stale_entries ENABLE ROW LEVEL SECURITY;

--
-- Name: user_activity; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.user_activity ENABLE ROW LEVEL SECURITY;

--
-- Name: user_notification_preferences; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.user_notification_preferences ENABLE ROW LEVEL SECURITY;

--
-- Name: user_tokens; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.user_tokens ENABLE ROW LEVEL SECURITY;

--
-- Name: users; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.users ENABLE ROW LEVEL SECURITY;

--
-- Name: votes; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.votes ENABLE ROW LEVEL SECURITY;

--
-- Name: FUNCTION push_admit_app(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_admit_app() FROM PUBLIC;


--
-- Name: TABLE notifications; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.notifications TO push_app;


--
-- Name: COLUMN notifications.is_read; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(is_read) ON TABLE public.notifications TO push_app;


--
-- Name: COLUMN notifications.is_archived; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(is_archived) ON TABLE public.notifications TO push_app;


--
-- Name: FUNCTION push_ask_again(person uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_ask_again(person uuid) FROM PUBLIC;


--
-- Name: FUNCTION push_close_to_clients(tab regclass, VARIADIC functions regproc[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_close_to_clients(tab regclass, VARIADIC functions regproc[]) FROM PUBLIC;


--
-- Name: FUNCTION push_delete_logs(moment timestamp with time zone, most integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_delete_logs(moment timestamp with time zone, most integer) FROM PUBLIC;


--
-- Name: FUNCTION push_drop_log_days(moment timestamp with time zone); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_drop_log_days(moment timestamp with time zone) FROM PUBLIC;


--
-- Name: FUNCTION push_end_twins(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_end_twins() FROM PUBLIC;


--
-- Name: FUNCTION push_follow_device(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_follow_device() FROM PUBLIC;


--
-- Name: FUNCTION push_follow_devices(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_follow_devices() FROM PUBLIC;


--
-- Name: FUNCTION push_follow_people(people jsonb, looks boolean); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_follow_people(people jsonb, looks boolean) FROM PUBLIC;


--
-- Name: FUNCTION push_forget_attempts(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_forget_attempts() FROM PUBLIC;


--
-- Name: FUNCTION push_forget_seen(subject uuid, person uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_forget_seen(subject uuid, person uuid) FROM PUBLIC;


--
-- Name: TABLE device_tokens; Type: ACL; Schema: public; Owner: -
--

GRANT DELETE ON TABLE public.device_tokens TO push_app;


--
-- Name: COLUMN device_tokens.id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(id),INSERT(id) ON TABLE public.device_tokens TO push_app;


--
-- Name: COLUMN device_tokens.user_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(user_id),INSERT(user_id),UPDATE(user_id) ON TABLE public.device_tokens TO push_app;


--
-- Name: COLUMN device_tokens.token; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(token),INSERT(token),UPDATE(token) ON TABLE public.device_tokens TO push_app;


--
-- Name: COLUMN device_tokens.platform; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(platform),INSERT(platform),UPDATE(platform) ON TABLE public.device_tokens TO push_app;


--
-- Name: COLUMN device_tokens.app_version; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(app_version),INSERT(app_version),UPDATE(app_version) ON TABLE public.device_tokens TO push_app;


--
-- Name: COLUMN device_tokens.os_version; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(os_version),INSERT(os_version),UPDATE(os_version) ON TABLE public.device_tokens TO push_app;


--
-- Name: COLUMN device_tokens.is_active; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(is_active) ON TABLE public.device_tokens TO push_app;


--
-- Name: COLUMN device_tokens.created_at; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(created_at),INSERT(created_at) ON TABLE public.device_tokens TO push_app;


--
-- Name: COLUMN device_tokens.last_used_at; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(last_used_at) ON TABLE public.device_tokens TO push_app;


--
-- Name: COLUMN device_tokens.registered_at; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(registered_at) ON TABLE public.device_tokens TO push_app;


--
-- Name: COLUMN device_tokens.app; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(app),INSERT(app),UPDATE(app) ON TABLE public.device_tokens TO push_app;


--
-- Name: COLUMN device_tokens.provider; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(provider),INSERT(provider),UPDATE(provider) ON TABLE public.device_tokens TO push_app;


--
-- Name: COLUMN device_tokens.environment; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(environment),INSERT(environment),UPDATE(environment) ON TABLE public.device_tokens TO push_app;


--
-- Name: COLUMN device_tokens.bundle_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(bundle_id),INSERT(bundle_id),UPDATE(bundle_id) ON TABLE public.device_tokens TO push_app;


--
-- Name: COLUMN device_tokens.installation_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(installation_id),INSERT(installation_id),UPDATE(installation_id) ON TABLE public.device_tokens TO push_app;


--
-- Name: COLUMN device_tokens.deactivated_at; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(deactivated_at) ON TABLE public.device_tokens TO push_app;


--
-- Name: COLUMN device_tokens.deactivated_reason; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(deactivated_reason) ON TABLE public.device_tokens TO push_app;


--
-- Name: FUNCTION push_hold_people(ids uuid[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_hold_people(ids uuid[]) FROM PUBLIC;


--
-- Name: FUNCTION push_in_group(id uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_in_group(id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.push_in_group(id uuid) TO push_app;


--
-- Name: FUNCTION push_in_project(project uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_in_project(project uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.push_in_project(project uuid) TO push_app;


--
-- Name: FUNCTION push_knows(tab text, VARIADIC cols text[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_knows(tab text, VARIADIC cols text[]) FROM PUBLIC;


--
-- Name: FUNCTION push_let_go(person uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_let_go(person uuid) FROM PUBLIC;


--
-- Name: FUNCTION push_make_log_days(moment timestamp with time zone); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_make_log_days(moment timestamp with time zone) FROM PUBLIC;


--
-- Name: FUNCTION push_may_vote(id uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_may_vote(id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.push_may_vote(id uuid) TO push_app;


--
-- Name: FUNCTION push_note_asked_again(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_note_asked_again() FROM PUBLIC;


--
-- Name: FUNCTION push_note_loss(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_note_loss() FROM PUBLIC;


--
-- Name: FUNCTION push_note_moved(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_note_moved() FROM PUBLIC;


--
-- Name: FUNCTION push_note_reachable(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_note_reachable() FROM PUBLIC;


--
-- Name: FUNCTION push_note_rise(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_note_rise() FROM PUBLIC;


--
-- Name: FUNCTION push_note_seen(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_note_seen() FROM PUBLIC;


--
-- Name: FUNCTION push_note_stale(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_note_stale() FROM PUBLIC;


--
-- Name: FUNCTION push_note_stale_of_feedback(feedback uuid, told text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_note_stale_of_feedback(feedback uuid, told text) FROM PUBLIC;


--
-- Name: FUNCTION push_note_stale_of_proposal(proposal uuid, told text[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_note_stale_of_proposal(proposal uuid, told text[]) FROM PUBLIC;


--
-- Name: FUNCTION push_note_switched_on(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_note_switched_on() FROM PUBLIC;


--
-- Name: FUNCTION push_note_unpushed(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_note_unpushed() FROM PUBLIC;


--
-- Name: FUNCTION push_note_unvoted(member_group uuid, member uuid, proposal uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_note_unvoted(member_group uuid, member uuid, proposal uuid) FROM PUBLIC;


--
-- Name: FUNCTION push_pass_on(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_pass_on() FROM PUBLIC;


--
-- Name: FUNCTION push_queue_person(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_queue_person() FROM PUBLIC;


--
-- Name: FUNCTION push_same_token(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_same_token() FROM PUBLIC;


--
-- Name: FUNCTION push_sees_event(id uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_sees_event(id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.push_sees_event(id uuid) TO push_app;


--
-- Name: FUNCTION push_sees_proposal(id uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_sees_proposal(id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.push_sees_proposal(id uuid) TO push_app;


--
-- Name: FUNCTION push_settings_changed(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_settings_changed() FROM PUBLIC;


--
-- Name: FUNCTION push_stamp_vote(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_stamp_vote() FROM PUBLIC;


--
-- Name: FUNCTION push_take_device(device jsonb, registered timestamp with time zone); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_take_device(device jsonb, registered timestamp with time zone) FROM PUBLIC;


--
-- Name: FUNCTION push_vote_lost(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.push_vote_lost() FROM PUBLIC;


--
-- Name: FUNCTION define_partitions(number integer); Type: ACL; Schema: runner; Owner: -
--

REVOKE ALL ON FUNCTION runner.define_partitions(number integer) FROM PUBLIC;


--
-- Name: FUNCTION follow_clock(); Type: ACL; Schema: runner; Owner: -
--

REVOKE ALL ON FUNCTION runner.follow_clock() FROM PUBLIC;


--
-- Name: FUNCTION notify_trigger(); Type: ACL; Schema: runner; Owner: -
--

REVOKE ALL ON FUNCTION runner.notify_trigger() FROM PUBLIC;


--
-- Name: FUNCTION "public.badge_losses.runner_insert"(); Type: ACL; Schema: runner; Owner: -
--

REVOKE ALL ON FUNCTION runner."public.badge_losses.runner_insert"() FROM PUBLIC;


--
-- Name: FUNCTION "public.comments.runner_insert"(); Type: ACL; Schema: runner; Owner: -
--

REVOKE ALL ON FUNCTION runner."public.comments.runner_insert"() FROM PUBLIC;


--
-- Name: FUNCTION "public.event_conflicts.runner_insert"(); Type: ACL; Schema: runner; Owner: -
--

REVOKE ALL ON FUNCTION runner."public.event_conflicts.runner_insert"() FROM PUBLIC;


--
-- Name: FUNCTION "public.event_proposals.runner_insert"(); Type: ACL; Schema: runner; Owner: -
--

REVOKE ALL ON FUNCTION runner."public.event_proposals.runner_insert"() FROM PUBLIC;


--
-- Name: FUNCTION "public.event_proposals.runner_update"(); Type: ACL; Schema: runner; Owner: -
--

REVOKE ALL ON FUNCTION runner."public.event_proposals.runner_update"() FROM PUBLIC;


--
-- Name: FUNCTION "public.events.runner_insert"(); Type: ACL; Schema: runner; Owner: -
--

REVOKE ALL ON FUNCTION runner."public.events.runner_insert"() FROM PUBLIC;


--
-- Name: FUNCTION "public.events.runner_update"(); Type: ACL; Schema: runner; Owner: -
--

REVOKE ALL ON FUNCTION runner."public.events.runner_update"() FROM PUBLIC;


--
-- Name: FUNCTION "public.feedbacks.runner_insert"(); Type: ACL; Schema: runner; Owner: -
--

REVOKE ALL ON FUNCTION runner."public.feedbacks.runner_insert"() FROM PUBLIC;


--
-- Name: FUNCTION "public.feedbacks.runner_update"(); Type: ACL; Schema: runner; Owner: -
--

REVOKE ALL ON FUNCTION runner."public.feedbacks.runner_update"() FROM PUBLIC;


--
-- Name: FUNCTION "public.friend_requests.runner_insert"(); Type: ACL; Schema: runner; Owner: -
--

REVOKE ALL ON FUNCTION runner."public.friend_requests.runner_insert"() FROM PUBLIC;


--
-- Name: FUNCTION "public.friend_requests.runner_update"(); Type: ACL; Schema: runner; Owner: -
--

REVOKE ALL ON FUNCTION runner."public.friend_requests.runner_update"() FROM PUBLIC;


--
-- Name: FUNCTION "public.group_invites.runner_insert"(); Type: ACL; Schema: runner; Owner: -
--

REVOKE ALL ON FUNCTION runner."public.group_invites.runner_insert"() FROM PUBLIC;


--
-- Name: FUNCTION "public.group_invites.runner_update"(); Type: ACL; Schema: runner; Owner: -
--

REVOKE ALL ON FUNCTION runner."public.group_invites.runner_update"() FROM PUBLIC;


--
-- Name: FUNCTION "public.notifications.runner_insert"(); Type: ACL; Schema: runner; Owner: -
--

REVOKE ALL ON FUNCTION runner."public.notifications.runner_insert"() FROM PUBLIC;


--
-- Name: FUNCTION "public.notifications.runner_update"(); Type: ACL; Schema: runner; Owner: -
--

REVOKE ALL ON FUNCTION runner."public.notifications.runner_update"() FROM PUBLIC;


--
-- Name: FUNCTION "public.proposal_votes.runner_delete"(); Type: ACL; Schema: runner; Owner: -
--

REVOKE ALL ON FUNCTION runner."public.proposal_votes.runner_delete"() FROM PUBLIC;


--
-- Name: FUNCTION "public.proposal_votes.runner_insert"(); Type: ACL; Schema: runner; Owner: -
--

REVOKE ALL ON FUNCTION runner."public.proposal_votes.runner_insert"() FROM PUBLIC;


--
-- Name: FUNCTION "public.proposal_votes.runner_update"(); Type: ACL; Schema: runner; Owner: -
--

REVOKE ALL ON FUNCTION runner."public.proposal_votes.runner_update"() FROM PUBLIC;


--
-- Name: FUNCTION "public.votes.runner_insert"(); Type: ACL; Schema: runner; Owner: -
--

REVOKE ALL ON FUNCTION runner."public.votes.runner_insert"() FROM PUBLIC;


--
-- Name: FUNCTION rotate(history_days integer, payload_hours integer); Type: ACL; Schema: runner; Owner: -
--

REVOKE ALL ON FUNCTION runner.rotate(history_days integer, payload_hours integer) FROM PUBLIC;


--
-- Name: FUNCTION set_partitions(number integer); Type: ACL; Schema: runner; Owner: -
--

REVOKE ALL ON FUNCTION runner.set_partitions(number integer) FROM PUBLIC;


--
-- Name: FUNCTION set_stamp(is_virtual boolean); Type: ACL; Schema: runner; Owner: -
--

REVOKE ALL ON FUNCTION runner.set_stamp(is_virtual boolean) FROM PUBLIC;


--
-- Name: TABLE event_attendees; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.event_attendees TO push_app;


--
-- Name: TABLE friend_requests; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.friend_requests TO push_app;


--
-- Name: COLUMN friend_requests.status; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(status) ON TABLE public.friend_requests TO push_app;


--
-- Name: TABLE group_invites; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.group_invites TO push_app;


--
-- Name: COLUMN group_invites.status; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(status) ON TABLE public.group_invites TO push_app;


--
-- Name: TABLE group_notification_preferences; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.group_notification_preferences TO push_app;


--
-- Name: TABLE notification_settings; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.notification_settings TO push_app;


--
-- Name: TABLE notification_state; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.notification_state TO push_app;


--
-- Name: TABLE project_member_preferences; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.project_member_preferences TO push_app;


--
-- Name: TABLE proposal_votes; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE ON TABLE public.proposal_votes TO push_app;


--
-- Name: COLUMN proposal_votes.vote; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(vote) ON TABLE public.proposal_votes TO push_app;


--
-- Name: COLUMN proposal_votes.updated_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(updated_at) ON TABLE public.proposal_votes TO push_app;


--
-- Name: TABLE user_activity; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.user_activity TO push_app;


--
-- Name: TABLE user_notification_preferences; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.user_notification_preferences TO push_app;


--
-- PostgreSQL database dump complete
--


