-- The tables, views and functions that the migrations make, of the runner and of the apps: for reading.
-- "make schema" writes it, by pg_dump of PostgreSQL 15.

-- Tables

CREATE TABLE public.activity_changes (
    id bigint NOT NULL,
    app text NOT NULL,
    subject_id text NOT NULL,
    due_at timestamp with time zone NOT NULL,
    openings uuid[],
    device_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    failing_since timestamp with time zone
);
ALTER TABLE ONLY public.activity_changes
    ADD CONSTRAINT activity_changes_pkey PRIMARY KEY (id);
CREATE INDEX idx_activity_changes_due ON public.activity_changes USING btree (due_at);
CREATE INDEX idx_activity_changes_subject ON public.activity_changes USING btree (subject_id, due_at);
CREATE TRIGGER push_leave_change BEFORE DELETE ON public.activity_changes FOR EACH ROW WHEN (((old.app <> 'lockitin'::text) AND (current_setting('app.activity_subjects'::text, true) IS DISTINCT FROM 'on'::text))) EXECUTE FUNCTION public.push_leave_activity();
ALTER TABLE public.activity_changes ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.activity_changes USING (public.push_is_server());

CREATE TABLE public.activity_channels (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    app text NOT NULL,
    attributes_type text NOT NULL,
    subject_id text NOT NULL,
    topic text NOT NULL,
    environment text NOT NULL,
    state text DEFAULT 'asked'::text NOT NULL,
    channel text,
    reason text,
    created_at timestamp with time zone DEFAULT public.push_now() NOT NULL,
    updated_at timestamp with time zone DEFAULT public.push_now() NOT NULL,
    wanted text,
    wanted_stamp bigint DEFAULT 0 NOT NULL,
    wanted_event text,
    wanted_priority smallint,
    expires_at timestamp with time zone NOT NULL,
    said_stamp bigint DEFAULT 0 NOT NULL,
    CONSTRAINT activity_channels_environment CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
    CONSTRAINT activity_channels_event CHECK ((wanted_event = ANY (ARRAY['update'::text, 'end'::text]))),
    CONSTRAINT activity_channels_state CHECK ((state = ANY (ARRAY['asked'::text, 'creating'::text, 'live'::text, 'ended'::text, 'closing'::text, 'gone'::text, 'refused'::text])))
);
ALTER TABLE ONLY public.activity_channels
    ADD CONSTRAINT activity_channels_app_topic_environment_subject_id_key UNIQUE (app, topic, environment, subject_id);
ALTER TABLE ONLY public.activity_channels
    ADD CONSTRAINT activity_channels_channel_key UNIQUE (channel);
ALTER TABLE ONLY public.activity_channels
    ADD CONSTRAINT activity_channels_pkey PRIMARY KEY (id);
CREATE INDEX idx_activity_channels_subject ON public.activity_channels USING btree (subject_id, app);
ALTER TABLE public.activity_channels ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.activity_channels USING (public.push_is_server());

CREATE TABLE public.activity_facts (
    id bigint NOT NULL,
    app text NOT NULL,
    subject_id text NOT NULL,
    notification_id uuid NOT NULL,
    facts jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT public.push_now() NOT NULL
);
ALTER TABLE ONLY public.activity_facts
    ADD CONSTRAINT activity_facts_pkey PRIMARY KEY (id);
CREATE INDEX idx_activity_facts_created ON public.activity_facts USING btree (created_at);
CREATE INDEX idx_activity_facts_subject ON public.activity_facts USING btree (subject_id, app, id);
ALTER TABLE public.activity_facts ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.activity_facts USING (public.push_is_server());

CREATE TABLE public.activity_settings (
    user_id uuid NOT NULL,
    app text NOT NULL,
    is_enabled boolean NOT NULL,
    updated_at timestamp with time zone DEFAULT public.push_now() NOT NULL
);
ALTER TABLE ONLY public.activity_settings
    ADD CONSTRAINT activity_settings_pkey PRIMARY KEY (user_id, app);
ALTER TABLE ONLY public.activity_settings
    ADD CONSTRAINT activity_settings_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE public.activity_settings ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.activity_settings USING (public.push_is_server());

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
ALTER TABLE ONLY public.analyses
    ADD CONSTRAINT analyses_pkey PRIMARY KEY (user_id, message_id);
CREATE INDEX idx_analyses_created ON public.analyses USING btree (created_at);
CREATE INDEX idx_analyses_event ON public.analyses USING btree (event_id);
CREATE INDEX idx_analyses_user_created ON public.analyses USING btree (user_id, created_at);
ALTER TABLE ONLY public.analyses
    ADD CONSTRAINT analyses_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE public.analyses ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.analyses USING (public.push_is_server());

CREATE TABLE public.api_tokens (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    token_hash text NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT api_tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT api_tokens_token_hash_key UNIQUE (token_hash);
CREATE INDEX idx_api_tokens_user ON public.api_tokens USING btree (user_id);
ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT api_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE public.api_tokens ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.api_tokens USING (public.push_is_server());

CREATE TABLE public.badge_losses (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    app text NOT NULL,
    ends_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT public.push_now() NOT NULL
);
ALTER TABLE ONLY public.badge_losses
    ADD CONSTRAINT badge_losses_pkey PRIMARY KEY (id);
ALTER TABLE public.badge_losses ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.badge_losses USING (public.push_is_server());

CREATE TABLE public.comments (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    content text NOT NULL,
    user_id text NOT NULL,
    is_admin boolean DEFAULT false NOT NULL,
    feedback_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT public.push_now()
);
ALTER TABLE ONLY public.comments
    ADD CONSTRAINT comments_pkey PRIMARY KEY (id);
CREATE INDEX idx_comments_author ON public.comments USING btree (feedback_id, user_id);
CREATE TRIGGER push_note_moved AFTER UPDATE OF feedback_id ON public.comments FOR EACH ROW WHEN ((old.feedback_id IS DISTINCT FROM new.feedback_id)) EXECUTE FUNCTION public.push_note_moved('comments');
CREATE TRIGGER push_note_stale AFTER DELETE ON public.comments REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.push_note_stale('comments');
ALTER TABLE ONLY public.comments
    ADD CONSTRAINT comments_feedback_id_fkey FOREIGN KEY (feedback_id) REFERENCES public.feedbacks(id) ON DELETE CASCADE;
ALTER TABLE public.comments ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.comments USING (public.push_is_server());

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
ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT decisions_pkey PRIMARY KEY (function, source, event_id, user_id, subject_id);
CREATE INDEX idx_decisions_created ON public.decisions USING btree (created_at);
CREATE INDEX idx_decisions_day ON public.decisions USING btree ((((created_at AT TIME ZONE 'UTC'::text))::date));
CREATE INDEX idx_decisions_person ON public.decisions USING btree (user_id, created_at);
CREATE TRIGGER push_note_unpushed AFTER INSERT ON public.decisions FOR EACH ROW WHEN (((new.decision = 'suppress'::text) AND
        CASE new.app
            WHEN 'lockitin'::text THEN (lower(new.kind) = ANY (ARRAY['proposal_created'::text, 'proposal_updated'::text, 'friend_request'::text, 'group_invite'::text]))
            ELSE (new.reason = ANY (ARRAY['quiet_hours'::text, 'rate_limited'::text, 'expired'::text, 'unencodable'::text]))
        END)) EXECUTE FUNCTION public.push_note_unpushed('decision');
ALTER TABLE public.decisions ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.decisions USING (public.push_is_server());

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
    activity_id uuid,
    CONSTRAINT deliveries_probe_environment CHECK ((probe_environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
    CONSTRAINT deliveries_state CHECK ((state = ANY (ARRAY['queued'::text, 'accepted'::text, 'rejected'::text, 'expired'::text, 'unknown'::text, 'opened'::text, 'acted'::text])))
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='10000');
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_notification_id_device_token_id_key UNIQUE (notification_id, device_token_id);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (id);
CREATE INDEX idx_deliveries_apns ON public.deliveries USING btree (not_before) WHERE ((state = 'queued'::text) AND (provider = 'apns'::text));
CREATE INDEX idx_deliveries_away ON public.deliveries USING btree (provider, outage_since) WHERE ((state = 'queued'::text) AND (outage IS NOT NULL));
CREATE INDEX idx_deliveries_device ON public.deliveries USING btree (device_token_id);
CREATE INDEX idx_deliveries_due ON public.deliveries USING btree (not_before) WHERE (state = 'queued'::text);
CREATE INDEX idx_deliveries_expiring ON public.deliveries USING btree (provider, expires_at) WHERE (state = 'queued'::text);
CREATE INDEX idx_deliveries_fcm ON public.deliveries USING btree (not_before) WHERE ((state = 'queued'::text) AND (provider = 'fcm'::text));
CREATE INDEX idx_deliveries_put_off ON public.deliveries USING btree (user_id) WHERE ((state = 'queued'::text) AND (reason = ANY (ARRAY['quiet_hours'::text, 'muted'::text])));
CREATE INDEX idx_deliveries_settled ON public.deliveries USING btree (updated_at, state) WHERE (state <> 'queued'::text);
CREATE TRIGGER push_leave_push BEFORE UPDATE OF lease_id ON public.deliveries FOR EACH ROW WHEN (((old.activity_id IS NOT NULL) AND (old.app <> 'lockitin'::text) AND (substr((new.lease_id)::text, 15, 1) = '4'::text))) EXECUTE FUNCTION public.push_leave_activity();
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_device_token_id_fkey FOREIGN KEY (device_token_id) REFERENCES public.device_tokens(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_notification_id_fkey FOREIGN KEY (notification_id) REFERENCES public.notifications(id) ON DELETE CASCADE;
ALTER TABLE public.deliveries ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.deliveries USING (public.push_is_server());

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
    locale text,
    CONSTRAINT device_tokens_environment CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
    CONSTRAINT device_tokens_provider CHECK ((provider = ANY (ARRAY['apns'::text, 'fcm'::text]))),
    CONSTRAINT valid_platform CHECK ((lower((platform)::text) = ANY (ARRAY['ios'::text, 'ipados'::text, 'macos'::text, 'watchos'::text, 'tvos'::text, 'visionos'::text, 'android'::text, 'web'::text])))
)
WITH (fillfactor='50');
ALTER TABLE ONLY public.device_tokens
    ADD CONSTRAINT device_tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.device_tokens
    ADD CONSTRAINT device_tokens_token_key UNIQUE (token);
CREATE INDEX idx_device_tokens_active ON public.device_tokens USING btree (user_id, is_active) WHERE (is_active = true);
CREATE INDEX idx_device_tokens_case ON public.device_tokens USING btree (lower(token)) WHERE ((provider = 'apns'::text) AND (token <> lower(token)));
CREATE INDEX idx_device_tokens_list ON public.device_tokens USING btree (user_id, app, ((is_active IS FALSE)), id);
CREATE INDEX idx_device_tokens_locale ON public.device_tokens USING btree (user_id, app) WHERE ((locale IS NOT NULL) AND (is_active IS NOT FALSE));
CREATE INDEX idx_device_tokens_user_id ON public.device_tokens USING btree (user_id);
CREATE TRIGGER push_end_twins_of_new AFTER INSERT ON public.device_tokens FOR EACH ROW WHEN (((new.is_active IS NOT FALSE) AND (new.provider = 'apns'::text) AND (new.token ~ '^[0-9A-Fa-f]+$'::text))) EXECUTE FUNCTION public.push_end_twins();
CREATE TRIGGER push_end_twins_of_renewed AFTER UPDATE OF token, is_active, registered_at, provider ON public.device_tokens FOR EACH ROW WHEN (((new.is_active IS NOT FALSE) AND (new.provider = 'apns'::text) AND ((((new.token IS DISTINCT FROM old.token) OR (new.is_active IS DISTINCT FROM old.is_active)) OR (new.registered_at IS DISTINCT FROM old.registered_at)) OR (new.provider IS DISTINCT FROM old.provider)) AND (new.token ~ '^[0-9A-Fa-f]+$'::text))) EXECUTE FUNCTION public.push_end_twins();
CREATE TRIGGER push_note_new_device AFTER INSERT ON public.device_tokens FOR EACH ROW WHEN ((new.is_active IS NOT FALSE)) EXECUTE FUNCTION public.push_note_reachable();
CREATE TRIGGER push_note_reachable AFTER UPDATE OF token, user_id, app, registered_at, is_active ON public.device_tokens FOR EACH ROW WHEN (((new.is_active IS NOT FALSE) AND ((old.is_active IS FALSE) OR ((((new.token IS DISTINCT FROM old.token) OR (new.user_id IS DISTINCT FROM old.user_id)) OR (new.app IS DISTINCT FROM old.app)) OR (new.registered_at IS DISTINCT FROM old.registered_at))))) EXECUTE FUNCTION public.push_note_reachable();
CREATE TRIGGER push_register_device BEFORE UPDATE OF token, user_id ON public.device_tokens FOR EACH ROW EXECUTE FUNCTION public.push_register_device();
CREATE TRIGGER push_unknown_badge BEFORE UPDATE OF token, user_id, app, registered_at ON public.device_tokens FOR EACH ROW EXECUTE FUNCTION public.push_unknown_badge();
ALTER TABLE ONLY public.device_tokens
    ADD CONSTRAINT device_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE public.device_tokens ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_app_all ON public.device_tokens TO push_app USING ((user_id = ( SELECT public.push_person() AS push_person)));
CREATE POLICY push_servers ON public.device_tokens USING (public.push_is_server());
GRANT DELETE ON TABLE public.device_tokens TO push_app;
GRANT SELECT(id),INSERT(id) ON TABLE public.device_tokens TO push_app;
GRANT SELECT(user_id),INSERT(user_id),UPDATE(user_id) ON TABLE public.device_tokens TO push_app;
GRANT SELECT(token),INSERT(token),UPDATE(token) ON TABLE public.device_tokens TO push_app;
GRANT SELECT(platform),INSERT(platform),UPDATE(platform) ON TABLE public.device_tokens TO push_app;
GRANT SELECT(app_version),INSERT(app_version),UPDATE(app_version) ON TABLE public.device_tokens TO push_app;
GRANT SELECT(os_version),INSERT(os_version),UPDATE(os_version) ON TABLE public.device_tokens TO push_app;
GRANT SELECT(is_active) ON TABLE public.device_tokens TO push_app;
GRANT SELECT(created_at),INSERT(created_at) ON TABLE public.device_tokens TO push_app;
GRANT SELECT(last_used_at) ON TABLE public.device_tokens TO push_app;
GRANT SELECT(registered_at) ON TABLE public.device_tokens TO push_app;
GRANT SELECT(app),INSERT(app),UPDATE(app) ON TABLE public.device_tokens TO push_app;
GRANT SELECT(provider),INSERT(provider),UPDATE(provider) ON TABLE public.device_tokens TO push_app;
GRANT SELECT(environment),INSERT(environment),UPDATE(environment) ON TABLE public.device_tokens TO push_app;
GRANT SELECT(bundle_id),INSERT(bundle_id),UPDATE(bundle_id) ON TABLE public.device_tokens TO push_app;
GRANT SELECT(installation_id),INSERT(installation_id),UPDATE(installation_id) ON TABLE public.device_tokens TO push_app;
GRANT SELECT(deactivated_at) ON TABLE public.device_tokens TO push_app;
GRANT SELECT(deactivated_reason) ON TABLE public.device_tokens TO push_app;
GRANT SELECT(locale),INSERT(locale),UPDATE(locale) ON TABLE public.device_tokens TO push_app;

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
ALTER TABLE ONLY public.event_attendees
    ADD CONSTRAINT event_attendees_pkey PRIMARY KEY (event_id, user_id);
CREATE INDEX idx_event_attendees_user ON public.event_attendees USING btree (user_id);
ALTER TABLE ONLY public.event_attendees
    ADD CONSTRAINT event_attendees_event_id_fkey FOREIGN KEY (event_id) REFERENCES public.events(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.event_attendees
    ADD CONSTRAINT event_attendees_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE public.event_attendees ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_app_all ON public.event_attendees TO push_app USING (((user_id = ( SELECT public.push_person() AS push_person)) AND public.push_sees_event(event_id)));
CREATE POLICY push_servers ON public.event_attendees USING (public.push_is_server());
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.event_attendees TO push_app;

CREATE TABLE public.event_conflicts (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    proposal_id uuid NOT NULL,
    user_id uuid NOT NULL,
    existing_event_id uuid,
    existing_title text,
    conflict_level text DEFAULT 'hard'::text NOT NULL,
    created_at timestamp with time zone DEFAULT public.push_now()
);
ALTER TABLE ONLY public.event_conflicts
    ADD CONSTRAINT event_conflicts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.event_conflicts
    ADD CONSTRAINT event_conflicts_proposal_id_user_id_existing_event_id_key UNIQUE (proposal_id, user_id, existing_event_id);
CREATE TRIGGER push_note_stale AFTER DELETE ON public.event_conflicts REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.push_note_stale('conflicts');
ALTER TABLE ONLY public.event_conflicts
    ADD CONSTRAINT event_conflicts_proposal_id_fkey FOREIGN KEY (proposal_id) REFERENCES public.event_proposals(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.event_conflicts
    ADD CONSTRAINT event_conflicts_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE public.event_conflicts ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.event_conflicts USING (public.push_is_server());

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
ALTER TABLE ONLY public.event_proposals
    ADD CONSTRAINT event_proposals_pkey PRIMARY KEY (id);
CREATE INDEX idx_event_proposals_deadline ON public.event_proposals USING btree (deadline);
CREATE INDEX idx_event_proposals_group ON public.event_proposals USING btree (group_id);
CREATE INDEX idx_event_proposals_open ON public.event_proposals USING btree (deadline) WHERE (status = 'open'::text);
CREATE TRIGGER push_change_activities AFTER UPDATE OF status, deadline ON public.event_proposals FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) OR (old.deadline IS DISTINCT FROM new.deadline))) EXECUTE FUNCTION public.push_change_activities();
CREATE TRIGGER push_end_activities AFTER DELETE ON public.event_proposals FOR EACH ROW EXECUTE FUNCTION public.push_change_activities();
CREATE TRIGGER push_note_loss BEFORE DELETE ON public.event_proposals FOR EACH ROW EXECUTE FUNCTION public.push_note_loss('proposal');
CREATE TRIGGER push_note_rise AFTER UPDATE OF status, deadline ON public.event_proposals FOR EACH ROW WHEN (((new.status = 'open'::text) AND ((old.status IS DISTINCT FROM new.status) OR (old.deadline IS DISTINCT FROM new.deadline)))) EXECUTE FUNCTION public.push_note_rise('proposal');
CREATE TRIGGER push_stamp_options BEFORE UPDATE OF options_version ON public.event_proposals FOR EACH ROW WHEN ((old.options_version IS DISTINCT FROM new.options_version)) EXECUTE FUNCTION public.push_stamp_options();
ALTER TABLE ONLY public.event_proposals
    ADD CONSTRAINT event_proposals_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.event_proposals
    ADD CONSTRAINT event_proposals_group_id_fkey FOREIGN KEY (group_id) REFERENCES public.groups(id) ON DELETE CASCADE;
ALTER TABLE public.event_proposals ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.event_proposals USING (public.push_is_server());

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
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_proposal_id_key UNIQUE (proposal_id);
CREATE INDEX idx_events_ends ON public.events USING btree (ends_at) WHERE (status = 'confirmed'::text);
CREATE INDEX idx_events_group ON public.events USING btree (group_id);
CREATE INDEX idx_events_starts ON public.events USING btree (starts_at) WHERE (status = 'confirmed'::text);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_group_id_fkey FOREIGN KEY (group_id) REFERENCES public.groups(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_option_id_fkey FOREIGN KEY (option_id) REFERENCES public.proposal_options(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_proposal_id_fkey FOREIGN KEY (proposal_id) REFERENCES public.event_proposals(id) ON DELETE SET NULL;
ALTER TABLE public.events ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.events USING (public.push_is_server());

CREATE TABLE public.experiments (
    app text NOT NULL,
    kind text NOT NULL,
    is_on boolean DEFAULT true NOT NULL
);
ALTER TABLE ONLY public.experiments
    ADD CONSTRAINT experiments_pkey PRIMARY KEY (app, kind);
ALTER TABLE public.experiments ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.experiments USING (public.push_is_server());

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
ALTER TABLE ONLY public.feedbacks
    ADD CONSTRAINT feedbacks_pkey PRIMARY KEY (id);
CREATE TRIGGER push_note_moved AFTER UPDATE OF project_id ON public.feedbacks FOR EACH ROW WHEN ((old.project_id IS DISTINCT FROM new.project_id)) EXECUTE FUNCTION public.push_note_moved('new_feedback');
ALTER TABLE ONLY public.feedbacks
    ADD CONSTRAINT feedbacks_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;
ALTER TABLE public.feedbacks ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.feedbacks USING (public.push_is_server());

CREATE TABLE public.friend_requests (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    requester_id uuid NOT NULL,
    recipient_id uuid NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    created_at timestamp with time zone DEFAULT public.push_now(),
    updated_at timestamp with time zone DEFAULT public.push_now(),
    CONSTRAINT friend_requests_status CHECK ((status = ANY (ARRAY['pending'::text, 'accepted'::text, 'declined'::text])))
);
ALTER TABLE ONLY public.friend_requests
    ADD CONSTRAINT friend_requests_pkey PRIMARY KEY (id);
CREATE INDEX idx_friend_requests_pending ON public.friend_requests USING btree (recipient_id) WHERE (status = 'pending'::text);
CREATE TRIGGER push_note_asked_again AFTER UPDATE OF status ON public.friend_requests FOR EACH ROW WHEN (((new.status = 'pending'::text) AND (old.status IS DISTINCT FROM new.status))) EXECUTE FUNCTION public.push_note_asked_again();
CREATE TRIGGER push_note_loss BEFORE DELETE ON public.friend_requests FOR EACH ROW WHEN ((old.status = 'pending'::text)) EXECUTE FUNCTION public.push_note_loss('request');
ALTER TABLE ONLY public.friend_requests
    ADD CONSTRAINT friend_requests_recipient_id_fkey FOREIGN KEY (recipient_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.friend_requests
    ADD CONSTRAINT friend_requests_requester_id_fkey FOREIGN KEY (requester_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE public.friend_requests ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_app_select ON public.friend_requests FOR SELECT TO push_app USING (((( SELECT public.push_person() AS push_person) = requester_id) OR (( SELECT public.push_person() AS push_person) = recipient_id)));
CREATE POLICY push_app_update ON public.friend_requests FOR UPDATE TO push_app USING (((recipient_id = ( SELECT public.push_person() AS push_person)) AND (status = 'pending'::text))) WITH CHECK (((recipient_id = ( SELECT public.push_person() AS push_person)) AND (status = ANY (ARRAY['accepted'::text, 'declined'::text]))));
CREATE POLICY push_servers ON public.friend_requests USING (public.push_is_server());
GRANT SELECT ON TABLE public.friend_requests TO push_app;
GRANT UPDATE(status) ON TABLE public.friend_requests TO push_app;

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
ALTER TABLE ONLY public.group_invites
    ADD CONSTRAINT group_invites_pkey PRIMARY KEY (id);
CREATE INDEX idx_group_invites_invitee ON public.group_invites USING btree (invitee_id, group_id);
CREATE INDEX idx_group_invites_pending ON public.group_invites USING btree (invitee_id) WHERE (status = 'pending'::text);
CREATE TRIGGER push_note_asked_again AFTER UPDATE OF status ON public.group_invites FOR EACH ROW WHEN (((new.status = 'pending'::text) AND (old.status IS DISTINCT FROM new.status))) EXECUTE FUNCTION public.push_note_asked_again();
CREATE TRIGGER push_note_loss BEFORE DELETE ON public.group_invites FOR EACH ROW WHEN ((old.status = 'pending'::text)) EXECUTE FUNCTION public.push_note_loss('invitation');
ALTER TABLE ONLY public.group_invites
    ADD CONSTRAINT group_invites_group_id_fkey FOREIGN KEY (group_id) REFERENCES public.groups(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.group_invites
    ADD CONSTRAINT group_invites_invitee_id_fkey FOREIGN KEY (invitee_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.group_invites
    ADD CONSTRAINT group_invites_inviter_id_fkey FOREIGN KEY (inviter_id) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE public.group_invites ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_app_select ON public.group_invites FOR SELECT TO push_app USING (((( SELECT public.push_person() AS push_person) = inviter_id) OR (( SELECT public.push_person() AS push_person) = invitee_id)));
CREATE POLICY push_app_update ON public.group_invites FOR UPDATE TO push_app USING (((invitee_id = ( SELECT public.push_person() AS push_person)) AND (status = 'pending'::text))) WITH CHECK (((invitee_id = ( SELECT public.push_person() AS push_person)) AND (status = ANY (ARRAY['accepted'::text, 'declined'::text]))));
CREATE POLICY push_servers ON public.group_invites USING (public.push_is_server());
GRANT SELECT ON TABLE public.group_invites TO push_app;
GRANT UPDATE(status) ON TABLE public.group_invites TO push_app;

CREATE TABLE public.group_members (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    group_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text DEFAULT 'member'::text NOT NULL,
    created_at timestamp with time zone DEFAULT public.push_now()
);
ALTER TABLE ONLY public.group_members
    ADD CONSTRAINT group_members_group_id_user_id_key UNIQUE (group_id, user_id);
ALTER TABLE ONLY public.group_members
    ADD CONSTRAINT group_members_pkey PRIMARY KEY (id);
CREATE INDEX idx_group_members_user ON public.group_members USING btree (user_id);
CREATE TRIGGER push_note_loss BEFORE DELETE ON public.group_members FOR EACH ROW EXECUTE FUNCTION public.push_note_loss('member');
CREATE TRIGGER push_note_rise AFTER INSERT ON public.group_members FOR EACH ROW EXECUTE FUNCTION public.push_note_rise('member');
CREATE TRIGGER push_note_stale AFTER DELETE ON public.group_members REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.push_note_stale('members');
ALTER TABLE ONLY public.group_members
    ADD CONSTRAINT group_members_group_id_fkey FOREIGN KEY (group_id) REFERENCES public.groups(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.group_members
    ADD CONSTRAINT group_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE public.group_members ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.group_members USING (public.push_is_server());

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
ALTER TABLE ONLY public.group_notification_preferences
    ADD CONSTRAINT group_notification_preferences_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.group_notification_preferences
    ADD CONSTRAINT group_notification_preferences_user_id_group_id_key UNIQUE (user_id, group_id);
CREATE INDEX idx_group_notification_preferences_group ON public.group_notification_preferences USING btree (group_id);
CREATE TRIGGER push_note_level BEFORE UPDATE OF notification_level ON public.group_notification_preferences FOR EACH ROW EXECUTE FUNCTION public.push_note_level();
CREATE TRIGGER push_settings_changed AFTER INSERT OR DELETE OR UPDATE ON public.group_notification_preferences FOR EACH ROW EXECUTE FUNCTION public.push_settings_changed();
ALTER TABLE ONLY public.group_notification_preferences
    ADD CONSTRAINT group_notification_preferences_group_id_fkey FOREIGN KEY (group_id) REFERENCES public.groups(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.group_notification_preferences
    ADD CONSTRAINT group_notification_preferences_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE public.group_notification_preferences ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_app_all ON public.group_notification_preferences TO push_app USING (((user_id = ( SELECT public.push_person() AS push_person)) AND public.push_in_group(group_id)));
CREATE POLICY push_servers ON public.group_notification_preferences USING (public.push_is_server());
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.group_notification_preferences TO push_app;

CREATE TABLE public.groups (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    created_by uuid,
    created_at timestamp with time zone DEFAULT public.push_now(),
    updated_at timestamp with time zone DEFAULT public.push_now()
);
ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE public.groups ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.groups USING (public.push_is_server());

CREATE TABLE public.handled_events (
    function text NOT NULL,
    source text NOT NULL,
    event_id text NOT NULL,
    result text,
    progress text,
    created_at timestamp with time zone NOT NULL
);
ALTER TABLE ONLY public.handled_events
    ADD CONSTRAINT handled_events_pkey PRIMARY KEY (function, source, event_id);
CREATE INDEX idx_handled_events_created ON public.handled_events USING btree (created_at);
ALTER TABLE public.handled_events ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.handled_events USING (public.push_is_server());

CREATE TABLE public.held_notifications (
    notification_id uuid NOT NULL,
    user_id uuid NOT NULL,
    app text NOT NULL,
    reason text NOT NULL,
    held_until timestamp with time zone NOT NULL,
    held_since timestamp with time zone NOT NULL,
    CONSTRAINT held_notifications_reason CHECK ((reason = ANY (ARRAY['batched'::text, 'quiet_hours'::text, 'muted'::text, 'rate_limited'::text, 'snoozed'::text])))
);
ALTER TABLE ONLY public.held_notifications
    ADD CONSTRAINT held_notifications_pkey PRIMARY KEY (notification_id);
CREATE INDEX idx_held_notifications_person ON public.held_notifications USING btree (user_id, app, held_until, notification_id);
CREATE INDEX idx_held_notifications_since ON public.held_notifications USING btree (held_since);
CREATE INDEX idx_held_notifications_until ON public.held_notifications USING btree (held_until);
CREATE TRIGGER push_queue_person AFTER INSERT ON public.held_notifications REFERENCING NEW TABLE AS held FOR EACH STATEMENT EXECUTE FUNCTION public.push_queue_person();
CREATE TRIGGER push_queue_person_again AFTER UPDATE ON public.held_notifications REFERENCING NEW TABLE AS held FOR EACH STATEMENT EXECUTE FUNCTION public.push_queue_person();
ALTER TABLE ONLY public.held_notifications
    ADD CONSTRAINT held_notifications_notification_id_fkey FOREIGN KEY (notification_id) REFERENCES public.notifications(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.held_notifications
    ADD CONSTRAINT held_notifications_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE public.held_notifications ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.held_notifications USING (public.push_is_server());

CREATE TABLE public.held_people (
    user_id uuid NOT NULL,
    app text NOT NULL,
    release_at timestamp with time zone NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    failure text
);
ALTER TABLE ONLY public.held_people
    ADD CONSTRAINT held_people_pkey PRIMARY KEY (user_id, app);
CREATE INDEX idx_held_people_release ON public.held_people USING btree (release_at);
ALTER TABLE ONLY public.held_people
    ADD CONSTRAINT held_people_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE public.held_people ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.held_people USING (public.push_is_server());

CREATE TABLE public.live_activities (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    device_token_id uuid NOT NULL,
    user_id uuid NOT NULL,
    app text NOT NULL,
    attributes_type text NOT NULL,
    subject_id text DEFAULT ''::text NOT NULL,
    token text,
    environment text,
    registered_at timestamp with time zone,
    last_accepted_at timestamp with time zone,
    acceptances bigint DEFAULT 0 NOT NULL,
    stamp bigint DEFAULT 0 NOT NULL,
    said text,
    said_stamp bigint,
    created_at timestamp with time zone DEFAULT public.push_now() NOT NULL,
    ended_at timestamp with time zone,
    ended_reason text,
    channel_id uuid,
    CONSTRAINT live_activities_environment CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text])))
);
ALTER TABLE ONLY public.live_activities
    ADD CONSTRAINT live_activities_device_token_id_attributes_type_subject_id_key UNIQUE (device_token_id, attributes_type, subject_id);
ALTER TABLE ONLY public.live_activities
    ADD CONSTRAINT live_activities_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.live_activities
    ADD CONSTRAINT live_activities_token_key UNIQUE (token);
CREATE INDEX idx_live_activities_created ON public.live_activities USING btree (created_at) WHERE (subject_id <> ''::text);
CREATE INDEX idx_live_activities_ended ON public.live_activities USING btree (subject_id, app) WHERE (ended_reason = 'ended'::text);
CREATE INDEX idx_live_activities_person ON public.live_activities USING btree (user_id);
CREATE INDEX idx_live_activities_subject ON public.live_activities USING btree (subject_id, app) WHERE (ended_at IS NULL);
ALTER TABLE ONLY public.live_activities
    ADD CONSTRAINT live_activities_device_token_id_fkey FOREIGN KEY (device_token_id) REFERENCES public.device_tokens(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.live_activities
    ADD CONSTRAINT live_activities_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE public.live_activities ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.live_activities USING (public.push_is_server());

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
ALTER TABLE ONLY public.notification_actions
    ADD CONSTRAINT notification_actions_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX idx_notification_actions_once ON public.notification_actions USING btree (notification_id, action, md5(COALESCE(text, ''::text)), reported_at);
CREATE INDEX idx_notification_actions_user ON public.notification_actions USING btree (user_id);
ALTER TABLE ONLY public.notification_actions
    ADD CONSTRAINT notification_actions_notification_id_fkey FOREIGN KEY (notification_id) REFERENCES public.notifications(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.notification_actions
    ADD CONSTRAINT notification_actions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE public.notification_actions ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.notification_actions USING (public.push_is_server());

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
ALTER TABLE ONLY public.notification_interactions
    ADD CONSTRAINT notification_interactions_pkey PRIMARY KEY (id);
CREATE INDEX idx_notification_interactions_created ON public.notification_interactions USING btree (created_at);
CREATE UNIQUE INDEX idx_notification_interactions_once ON public.notification_interactions USING btree (notification_id, event, action, COALESCE(device_token_id, '00000000-0000-0000-0000-000000000000'::uuid));
ALTER TABLE ONLY public.notification_interactions
    ADD CONSTRAINT notification_interactions_notification_id_fkey FOREIGN KEY (notification_id) REFERENCES public.notifications(id) ON DELETE CASCADE;
ALTER TABLE public.notification_interactions ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.notification_interactions USING (public.push_is_server());

CREATE TABLE public.notification_mutes (
    user_id uuid NOT NULL,
    scope text NOT NULL,
    target text DEFAULT ''::text NOT NULL,
    muted_until timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT public.push_now() NOT NULL,
    CONSTRAINT notification_mutes_scope CHECK ((scope = ANY (ARRAY['person'::text, 'app'::text, 'project'::text, 'group'::text, 'proposal'::text]))),
    CONSTRAINT notification_mutes_target CHECK (((scope = 'person'::text) = (target = ''::text)))
);
ALTER TABLE ONLY public.notification_mutes
    ADD CONSTRAINT notification_mutes_pkey PRIMARY KEY (user_id, scope, target);
CREATE TRIGGER push_settings_changed AFTER INSERT OR DELETE OR UPDATE ON public.notification_mutes FOR EACH ROW EXECUTE FUNCTION public.push_settings_changed();
ALTER TABLE ONLY public.notification_mutes
    ADD CONSTRAINT notification_mutes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE public.notification_mutes ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.notification_mutes USING (public.push_is_server());

CREATE TABLE public.notification_rechecks (
    notification_id uuid NOT NULL,
    decision text NOT NULL,
    reason text,
    facts jsonb,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT notification_rechecks_decision CHECK ((decision = ANY (ARRAY['notify'::text, 'merge'::text, 'summarize'::text, 'hold'::text, 'suppress'::text])))
);
ALTER TABLE ONLY public.notification_rechecks
    ADD CONSTRAINT notification_rechecks_pkey PRIMARY KEY (notification_id, created_at);
CREATE INDEX idx_notification_rechecks_by_time ON public.notification_rechecks USING btree (created_at) WHERE ((decision = 'suppress'::text) AND (reason = ANY (ARRAY['quiet_hours'::text, 'rate_limited'::text, 'expired'::text])));
CREATE INDEX idx_notification_rechecks_told ON public.notification_rechecks USING btree (created_at) WHERE (decision = ANY (ARRAY['notify'::text, 'merge'::text, 'summarize'::text]));
CREATE TRIGGER push_note_unpushed AFTER INSERT ON public.notification_rechecks FOR EACH ROW WHEN ((new.decision = 'suppress'::text)) EXECUTE FUNCTION public.push_note_unpushed('recheck');
ALTER TABLE ONLY public.notification_rechecks
    ADD CONSTRAINT notification_rechecks_notification_id_fkey FOREIGN KEY (notification_id) REFERENCES public.notifications(id) ON DELETE CASCADE;
ALTER TABLE public.notification_rechecks ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.notification_rechecks USING (public.push_is_server());

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
    quiet_hours_days jsonb,
    language text,
    CONSTRAINT notification_settings_analyses CHECK ((max_analyses_per_hour > 0)),
    CONSTRAINT notification_settings_days CHECK (public.push_are_quiet_days(quiet_hours_days)),
    CONSTRAINT notification_settings_fallback CHECK ((fallback_strategy = ANY (ARRAY['simple_rules'::text, 'notify_all'::text, 'suppress_all'::text]))),
    CONSTRAINT notification_settings_language CHECK ((char_length(language) <= 35)),
    CONSTRAINT notification_settings_limit CHECK ((hourly_limit > 0)),
    CONSTRAINT notification_settings_sound CHECK ((char_length(sound) <= 50)),
    CONSTRAINT notification_settings_switches CHECK (((jsonb_typeof(switches) = 'object'::text) AND (NOT jsonb_path_exists(switches, '$.*?(@.type() != "boolean")'::jsonpath)))),
    CONSTRAINT notification_settings_timezone CHECK ((char_length(timezone) <= 100))
);
ALTER TABLE ONLY public.notification_settings
    ADD CONSTRAINT notification_settings_pkey PRIMARY KEY (user_id, app);
CREATE TRIGGER push_note_switch_gone AFTER DELETE ON public.notification_settings FOR EACH ROW WHEN ((old.is_enabled IS FALSE)) EXECUTE FUNCTION public.push_note_switched_on('');
CREATE TRIGGER push_note_switched_on AFTER UPDATE OF is_enabled ON public.notification_settings FOR EACH ROW WHEN (((old.is_enabled IS FALSE) AND (new.is_enabled IS NOT FALSE))) EXECUTE FUNCTION public.push_note_switched_on('');
CREATE TRIGGER push_settings_changed AFTER INSERT OR DELETE OR UPDATE ON public.notification_settings FOR EACH ROW EXECUTE FUNCTION public.push_settings_changed();
ALTER TABLE ONLY public.notification_settings
    ADD CONSTRAINT notification_settings_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE public.notification_settings ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_app_all ON public.notification_settings TO push_app USING ((user_id = ( SELECT public.push_person() AS push_person)));
CREATE POLICY push_servers ON public.notification_settings USING (public.push_is_server());
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.notification_settings TO push_app;

CREATE TABLE public.notification_state (
    user_id uuid NOT NULL,
    app text NOT NULL,
    all_read_at timestamp with time zone
);
ALTER TABLE ONLY public.notification_state
    ADD CONSTRAINT notification_state_pkey PRIMARY KEY (user_id, app);
CREATE TRIGGER push_note_seen AFTER INSERT OR UPDATE OF all_read_at ON public.notification_state FOR EACH ROW WHEN (((new.app = 'lockitin'::text) AND (new.all_read_at IS NOT NULL))) EXECUTE FUNCTION public.push_note_seen();
ALTER TABLE ONLY public.notification_state
    ADD CONSTRAINT notification_state_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE public.notification_state ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_app_select ON public.notification_state FOR SELECT TO push_app USING ((user_id = ( SELECT public.push_person() AS push_person)));
CREATE POLICY push_servers ON public.notification_state USING (public.push_is_server());
GRANT SELECT ON TABLE public.notification_state TO push_app;

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
ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT notifications_pkey PRIMARY KEY (id);
CREATE INDEX idx_notifications_badge_pushes ON public.notifications USING btree (user_id, app) WHERE (((type)::text = 'badge'::text) AND (origin = 'function'::text));
CREATE INDEX idx_notifications_day ON public.notifications USING btree ((((created_at AT TIME ZONE 'UTC'::text))::date));
CREATE UNIQUE INDEX idx_notifications_dedupe ON public.notifications USING btree (user_id, app, dedupe_key) WHERE (dedupe_key IS NOT NULL);
CREATE INDEX idx_notifications_event ON public.notifications USING btree (event_id) WHERE (event_id IS NOT NULL);
CREATE INDEX idx_notifications_feedback ON public.notifications USING btree (feedback_id) WHERE (feedback_id IS NOT NULL);
CREATE INDEX idx_notifications_feedback_unread ON public.notifications USING btree (feedback_id) WHERE ((feedback_id IS NOT NULL) AND (is_read IS NOT TRUE) AND (is_archived IS NOT TRUE));
CREATE INDEX idx_notifications_friend_request ON public.notifications USING btree (friend_request_id) WHERE (friend_request_id IS NOT NULL);
CREATE INDEX idx_notifications_inbox ON public.notifications USING btree (user_id, app, COALESCE(is_read, false), created_at DESC, id DESC, COALESCE(expires_at, 'infinity'::timestamp with time zone)) WHERE (is_archived IS NOT TRUE);
CREATE INDEX idx_notifications_inbox_kind ON public.notifications USING btree (user_id, lower((type)::text), COALESCE(is_read, false), created_at DESC, id DESC, COALESCE(expires_at, 'infinity'::timestamp with time zone)) WHERE ((app = 'lockitin'::text) AND (is_archived IS NOT TRUE));
CREATE INDEX idx_notifications_merged_into ON public.notifications USING btree (merged_into) WHERE (merged_into IS NOT NULL);
CREATE INDEX idx_notifications_proposal ON public.notifications USING btree (proposal_id) WHERE (proposal_id IS NOT NULL);
CREATE INDEX idx_notifications_proposal_unread ON public.notifications USING btree (proposal_id) WHERE ((proposal_id IS NOT NULL) AND (is_read IS NOT TRUE) AND (is_archived IS NOT TRUE));
CREATE INDEX idx_notifications_pushed ON public.notifications USING btree (user_id, app, pushed_at) WHERE (pushed_at IS NOT NULL);
CREATE INDEX idx_notifications_read_created ON public.notifications USING btree (created_at) WHERE is_read;
CREATE INDEX idx_notifications_states ON public.notifications USING btree (user_id, subject_id, created_at) WHERE (family = ANY (ARRAY['statuses'::text, 'leads'::text]));
CREATE INDEX idx_notifications_threads ON public.notifications USING btree (user_id, app, family, family_subject, pushed_at, id) WHERE ((pushed_at IS NOT NULL) AND (family IS NOT NULL));
CREATE INDEX idx_notifications_unread ON public.notifications USING btree (user_id, app, expires_at) INCLUDE (id) WHERE (counts_for_badge AND (is_read IS NOT TRUE) AND (is_archived IS NOT TRUE));
CREATE INDEX idx_notifications_unread_expiry ON public.notifications USING btree (expires_at) WHERE (is_read IS NOT TRUE);
CREATE INDEX idx_notifications_user_created ON public.notifications USING btree (user_id, created_at DESC);
CREATE TRIGGER push_note_loss BEFORE DELETE ON public.notifications FOR EACH ROW WHEN (((old.app <> 'lockitin'::text) AND old.counts_for_badge AND (old.is_read IS NOT TRUE) AND (old.is_archived IS NOT TRUE) AND (old.merged_into IS NULL) AND (current_setting('app.own_write'::text, true) IS DISTINCT FROM 'on'::text))) EXECUTE FUNCTION public.push_note_loss('notification');
CREATE TRIGGER push_open_activities AFTER INSERT ON public.notifications REFERENCING NEW TABLE AS born FOR EACH STATEMENT EXECUTE FUNCTION public.push_open_activities();
CREATE TRIGGER push_open_activity AFTER UPDATE OF pushed_at ON public.notifications FOR EACH ROW WHEN (((new.pushed_at IS NOT NULL) AND (old.pushed_at IS NULL) AND (new.app = 'lockitin'::text) AND (lower((new.type)::text) = 'proposal_created'::text))) EXECUTE FUNCTION public.push_open_activities();
CREATE TRIGGER push_open_order AFTER UPDATE OF pushed_at ON public.notifications FOR EACH ROW WHEN (((new.pushed_at IS NOT NULL) AND (old.pushed_at IS NULL) AND (new.app = 'repairminder'::text) AND (lower((new.type)::text) = 'order_created'::text))) EXECUTE FUNCTION public.push_show_entry('entity_id');
CREATE TRIGGER push_pass_on AFTER DELETE ON public.notifications FOR EACH ROW WHEN (((old.family = ANY (ARRAY['new_feedback'::text, 'statuses'::text])) AND (current_setting('app.own_write'::text, true) IS DISTINCT FROM 'on'::text))) EXECUTE FUNCTION public.push_pass_on();
CREATE TRIGGER push_show_order AFTER INSERT ON public.notifications FOR EACH ROW WHEN (((new.app = 'repairminder'::text) AND (lower((new.type)::text) = ANY (ARRAY['order_created'::text, 'order_status_changed'::text])))) EXECUTE FUNCTION public.push_show_entry('entity_id', 'status', 'order_number', 'device');
CREATE TRIGGER push_watch_unread AFTER INSERT ON public.notifications REFERENCING NEW TABLE AS born FOR EACH STATEMENT EXECUTE FUNCTION public.push_watch_unread();
ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT notifications_event_id_fkey FOREIGN KEY (event_id) REFERENCES public.events(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT notifications_feedback_id_fkey FOREIGN KEY (feedback_id) REFERENCES public.feedbacks(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT notifications_friend_request_id_fkey FOREIGN KEY (friend_request_id) REFERENCES public.friend_requests(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT notifications_proposal_id_fkey FOREIGN KEY (proposal_id) REFERENCES public.event_proposals(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT notifications_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE public.notifications ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_app_select ON public.notifications FOR SELECT TO push_app USING ((user_id = ( SELECT public.push_person() AS push_person)));
CREATE POLICY push_app_update ON public.notifications FOR UPDATE TO push_app USING ((user_id = ( SELECT public.push_person() AS push_person)));
CREATE POLICY push_servers ON public.notifications USING (public.push_is_server());
GRANT SELECT ON TABLE public.notifications TO push_app;
GRANT UPDATE(is_read) ON TABLE public.notifications TO push_app;
GRANT UPDATE(is_archived) ON TABLE public.notifications TO push_app;

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
ALTER TABLE ONLY public.project_member_preferences
    ADD CONSTRAINT project_member_preferences_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.project_member_preferences
    ADD CONSTRAINT unique_user_project UNIQUE (user_id, project_id);
CREATE INDEX idx_project_member_prefs_project ON public.project_member_preferences USING btree (project_id);
CREATE TRIGGER push_settings_changed AFTER INSERT OR DELETE OR UPDATE ON public.project_member_preferences FOR EACH ROW EXECUTE FUNCTION public.push_settings_changed();
ALTER TABLE ONLY public.project_member_preferences
    ADD CONSTRAINT project_member_preferences_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.project_member_preferences
    ADD CONSTRAINT project_member_preferences_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE public.project_member_preferences ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_app_all ON public.project_member_preferences TO push_app USING (((user_id = ( SELECT public.push_person() AS push_person)) AND public.push_in_project(project_id)));
CREATE POLICY push_servers ON public.project_member_preferences USING (public.push_is_server());
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.project_member_preferences TO push_app;

CREATE TABLE public.project_members (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    project_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text DEFAULT 'member'::text NOT NULL,
    created_at timestamp with time zone DEFAULT public.push_now(),
    updated_at timestamp with time zone DEFAULT public.push_now()
);
ALTER TABLE ONLY public.project_members
    ADD CONSTRAINT project_members_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.project_members
    ADD CONSTRAINT project_members_project_id_user_id_key UNIQUE (project_id, user_id);
ALTER TABLE ONLY public.project_members
    ADD CONSTRAINT project_members_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.projects(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.project_members
    ADD CONSTRAINT project_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE public.project_members ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.project_members USING (public.push_is_server());

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
ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_api_key_key UNIQUE (api_key);
ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE public.projects ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.projects USING (public.push_is_server());

CREATE TABLE public.proposal_leads (
    proposal_id uuid NOT NULL,
    option_id uuid NOT NULL,
    changed_at timestamp with time zone NOT NULL
);
ALTER TABLE ONLY public.proposal_leads
    ADD CONSTRAINT proposal_leads_pkey PRIMARY KEY (proposal_id);
ALTER TABLE ONLY public.proposal_leads
    ADD CONSTRAINT proposal_leads_proposal_id_fkey FOREIGN KEY (proposal_id) REFERENCES public.event_proposals(id) ON DELETE CASCADE;
ALTER TABLE public.proposal_leads ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.proposal_leads USING (public.push_is_server());

CREATE TABLE public.proposal_lost_votes (
    proposal_id uuid NOT NULL,
    user_id uuid NOT NULL,
    options_version integer NOT NULL
);
ALTER TABLE ONLY public.proposal_lost_votes
    ADD CONSTRAINT proposal_lost_votes_pkey PRIMARY KEY (proposal_id, user_id);
ALTER TABLE ONLY public.proposal_lost_votes
    ADD CONSTRAINT proposal_lost_votes_proposal_id_fkey FOREIGN KEY (proposal_id) REFERENCES public.event_proposals(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.proposal_lost_votes
    ADD CONSTRAINT proposal_lost_votes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE public.proposal_lost_votes ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.proposal_lost_votes USING (public.push_is_server());

CREATE TABLE public.proposal_options (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    proposal_id uuid NOT NULL,
    starts_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT public.push_now()
);
ALTER TABLE ONLY public.proposal_options
    ADD CONSTRAINT proposal_options_id_proposal_id_key UNIQUE (id, proposal_id);
ALTER TABLE ONLY public.proposal_options
    ADD CONSTRAINT proposal_options_pkey PRIMARY KEY (id);
CREATE INDEX idx_proposal_options_proposal ON public.proposal_options USING btree (proposal_id);
ALTER TABLE ONLY public.proposal_options
    ADD CONSTRAINT proposal_options_proposal_id_fkey FOREIGN KEY (proposal_id) REFERENCES public.event_proposals(id) ON DELETE CASCADE;
ALTER TABLE public.proposal_options ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.proposal_options USING (public.push_is_server());

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
ALTER TABLE ONLY public.proposal_votes
    ADD CONSTRAINT proposal_votes_option_id_user_id_key UNIQUE (option_id, user_id);
ALTER TABLE ONLY public.proposal_votes
    ADD CONSTRAINT proposal_votes_pkey PRIMARY KEY (id);
CREATE INDEX idx_proposal_votes_person ON public.proposal_votes USING btree (proposal_id, user_id);
CREATE TRIGGER push_note_rise AFTER DELETE ON public.proposal_votes FOR EACH ROW EXECUTE FUNCTION public.push_note_rise('vote');
CREATE TRIGGER push_note_stale AFTER DELETE ON public.proposal_votes REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.push_note_stale('proposal_votes');
CREATE TRIGGER push_stamp_vote BEFORE INSERT OR UPDATE OF vote ON public.proposal_votes FOR EACH ROW EXECUTE FUNCTION public.push_stamp_vote();
CREATE TRIGGER push_vote_lost AFTER DELETE ON public.proposal_votes REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.push_vote_lost();
ALTER TABLE ONLY public.proposal_votes
    ADD CONSTRAINT proposal_votes_option_id_proposal_id_fkey FOREIGN KEY (option_id, proposal_id) REFERENCES public.proposal_options(id, proposal_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.proposal_votes
    ADD CONSTRAINT proposal_votes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE public.proposal_votes ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_app_delete ON public.proposal_votes FOR DELETE TO push_app USING (((user_id = ( SELECT public.push_person() AS push_person)) AND public.push_may_vote(proposal_id)));
CREATE POLICY push_app_insert ON public.proposal_votes FOR INSERT TO push_app WITH CHECK (((user_id = ( SELECT public.push_person() AS push_person)) AND public.push_may_vote(proposal_id)));
CREATE POLICY push_app_select ON public.proposal_votes FOR SELECT TO push_app USING (public.push_sees_proposal(proposal_id));
CREATE POLICY push_app_update ON public.proposal_votes FOR UPDATE TO push_app USING (((user_id = ( SELECT public.push_person() AS push_person)) AND public.push_may_vote(proposal_id)));
CREATE POLICY push_servers ON public.proposal_votes USING (public.push_is_server());
GRANT SELECT,INSERT,DELETE ON TABLE public.proposal_votes TO push_app;
GRANT UPDATE(vote) ON TABLE public.proposal_votes TO push_app;
GRANT UPDATE(updated_at) ON TABLE public.proposal_votes TO push_app;

CREATE TABLE public.push_gone_people (
    user_id uuid NOT NULL
);
ALTER TABLE ONLY public.push_gone_people
    ADD CONSTRAINT push_gone_people_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.push_gone_people
    ADD CONSTRAINT push_gone_people_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE public.push_gone_people ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.push_gone_people USING (public.push_is_server());

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
CREATE INDEX idx_push_logs_user ON ONLY public.push_notification_logs USING btree (user_id);
ALTER TABLE public.push_notification_logs ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.push_notification_logs USING (public.push_is_server());

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
CREATE INDEX idx_push_logs_created ON public.push_notification_logs_default USING btree (created_at);
CREATE INDEX push_notification_logs_default_user_id_idx ON public.push_notification_logs_default USING btree (user_id);
ALTER TABLE public.push_notification_logs_default ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.push_notification_logs_default USING (public.push_is_server());

CREATE TABLE public.push_provider_tokens (
    team_id text NOT NULL,
    key_id text NOT NULL,
    environment text NOT NULL,
    token text,
    issued_at timestamp with time zone,
    CONSTRAINT push_provider_tokens_environment CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text])))
);
ALTER TABLE ONLY public.push_provider_tokens
    ADD CONSTRAINT push_provider_tokens_pkey PRIMARY KEY (team_id, key_id, environment);
ALTER TABLE public.push_provider_tokens ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.push_provider_tokens USING (public.push_is_server());

CREATE TABLE public.push_providers (
    provider text NOT NULL,
    served_until timestamp with time zone,
    reason text,
    since timestamp with time zone,
    CONSTRAINT push_providers_provider CHECK ((provider = ANY (ARRAY['apns'::text, 'fcm'::text])))
);
ALTER TABLE ONLY public.push_providers
    ADD CONSTRAINT push_providers_pkey PRIMARY KEY (provider);
ALTER TABLE public.push_providers ENABLE ROW LEVEL SECURITY;
CREATE POLICY push_servers ON public.push_providers USING (public.push_is_server());

CREATE TABLE public.seen_requests (
    user_id uuid NOT NULL,
    subject_id uuid NOT NULL,
    options_changed_at timestamp with time zone
);
ALTER TABLE ONLY public.seen_requests
    ADD CONSTRAINT seen_requests_pkey PRIMARY KEY (user_id, subject_id);
CREATE INDEX idx_seen_requests_subject ON public.seen_requests USING btree (subject_id);
ALTER TABLE ONLY public.seen_requests
    ADD CONSTRAINT seen_requests_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
CREATE POLICY push_servers ON public.seen_requests USING (public.push_is_server());
ALTER TABLE public.seen_requests ENABLE ROW LEVEL SECURITY;

CREATE TABLE public.stale_entries (
    id bigint NOT NULL,
    notification_id uuid NOT NULL,
    user_id uuid NOT NULL,
    app text NOT NULL
);
ALTER TABLE ONLY public.stale_entries
    ADD CONSTRAINT stale_entries_pkey PRIMARY KEY (id);
CREATE POLICY push_servers ON public.stale_entries USING (public.push_is_server());
ALTER TABLE public.stale_entries ENABLE ROW LEVEL SECURITY;

CREATE TABLE public.unread_checks (
    notification_id uuid NOT NULL,
    function text NOT NULL,
    after_seconds integer NOT NULL,
    check_at timestamp with time zone,
    reason text,
    decided_at timestamp with time zone,
    failing_since timestamp with time zone
);
ALTER TABLE ONLY public.unread_checks
    ADD CONSTRAINT unread_checks_pkey PRIMARY KEY (notification_id);
CREATE INDEX idx_unread_checks_due ON public.unread_checks USING btree (check_at) WHERE (check_at IS NOT NULL);
ALTER TABLE ONLY public.unread_checks
    ADD CONSTRAINT unread_checks_notification_id_fkey FOREIGN KEY (notification_id) REFERENCES public.notifications(id) ON DELETE CASCADE;
CREATE POLICY push_servers ON public.unread_checks USING (public.push_is_server());
ALTER TABLE public.unread_checks ENABLE ROW LEVEL SECURITY;

CREATE TABLE public.unread_notifications (
    notification_id uuid NOT NULL,
    function text NOT NULL,
    app text NOT NULL,
    user_id uuid NOT NULL,
    email text,
    name text,
    type text NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    data jsonb NOT NULL,
    link text,
    language text NOT NULL,
    notified_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL
);
ALTER TABLE ONLY public.unread_notifications
    ADD CONSTRAINT unread_notifications_pkey PRIMARY KEY (notification_id);
ALTER TABLE ONLY public.unread_notifications
    ADD CONSTRAINT unread_notifications_notification_id_fkey FOREIGN KEY (notification_id) REFERENCES public.notifications(id) ON DELETE CASCADE;
CREATE POLICY push_servers ON public.unread_notifications USING (public.push_is_server());
ALTER TABLE public.unread_notifications ENABLE ROW LEVEL SECURITY;

CREATE TABLE public.unread_rules (
    app text NOT NULL,
    kind text NOT NULL,
    function text NOT NULL,
    after_seconds integer NOT NULL,
    confirmed_at timestamp with time zone NOT NULL,
    CONSTRAINT unread_rules_after CHECK ((after_seconds > 0))
);
ALTER TABLE ONLY public.unread_rules
    ADD CONSTRAINT unread_rules_pkey PRIMARY KEY (app, kind);
CREATE POLICY push_servers ON public.unread_rules USING (public.push_is_server());
ALTER TABLE public.unread_rules ENABLE ROW LEVEL SECURITY;

CREATE TABLE public.unread_settings (
    user_id uuid NOT NULL,
    app text NOT NULL,
    is_enabled boolean NOT NULL,
    updated_at timestamp with time zone DEFAULT public.push_now() NOT NULL,
    gone_email text
);
ALTER TABLE ONLY public.unread_settings
    ADD CONSTRAINT unread_settings_pkey PRIMARY KEY (user_id, app);
ALTER TABLE ONLY public.unread_settings
    ADD CONSTRAINT unread_settings_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
CREATE POLICY push_servers ON public.unread_settings USING (public.push_is_server());
ALTER TABLE public.unread_settings ENABLE ROW LEVEL SECURITY;

CREATE TABLE public.user_activity (
    user_id uuid NOT NULL,
    app text NOT NULL,
    subject_id text NOT NULL,
    seen_at timestamp with time zone NOT NULL
);
ALTER TABLE ONLY public.user_activity
    ADD CONSTRAINT user_activity_pkey PRIMARY KEY (user_id, app);
ALTER TABLE ONLY public.user_activity
    ADD CONSTRAINT user_activity_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
CREATE POLICY push_app_all ON public.user_activity TO push_app USING ((user_id = ( SELECT public.push_person() AS push_person)));
CREATE POLICY push_servers ON public.user_activity USING (public.push_is_server());
ALTER TABLE public.user_activity ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.user_activity TO push_app;

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
    quiet_hours_days jsonb,
    language text,
    CONSTRAINT user_notification_preferences_days CHECK (public.push_are_quiet_days(quiet_hours_days)),
    CONSTRAINT user_notification_preferences_language CHECK ((char_length(language) <= 35)),
    CONSTRAINT user_notification_preferences_limit CHECK ((hourly_limit > 0))
);
ALTER TABLE ONLY public.user_notification_preferences
    ADD CONSTRAINT user_notification_preferences_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.user_notification_preferences
    ADD CONSTRAINT user_notification_preferences_user_id_key UNIQUE (user_id);
CREATE TRIGGER push_note_switch_gone AFTER DELETE ON public.user_notification_preferences FOR EACH ROW WHEN ((old.notifications_enabled IS FALSE)) EXECUTE FUNCTION public.push_note_switched_on('lockitin');
CREATE TRIGGER push_note_switched_on AFTER UPDATE OF notifications_enabled ON public.user_notification_preferences FOR EACH ROW WHEN (((old.notifications_enabled IS FALSE) AND (new.notifications_enabled IS NOT FALSE))) EXECUTE FUNCTION public.push_note_switched_on('lockitin');
CREATE TRIGGER push_settings_changed AFTER INSERT OR DELETE OR UPDATE ON public.user_notification_preferences FOR EACH ROW EXECUTE FUNCTION public.push_settings_changed();
ALTER TABLE ONLY public.user_notification_preferences
    ADD CONSTRAINT user_notification_preferences_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
CREATE POLICY push_app_all ON public.user_notification_preferences TO push_app USING ((user_id = ( SELECT public.push_person() AS push_person)));
CREATE POLICY push_servers ON public.user_notification_preferences USING (public.push_is_server());
ALTER TABLE public.user_notification_preferences ENABLE ROW LEVEL SECURITY;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.user_notification_preferences TO push_app;

CREATE TABLE public.user_tokens (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    value text NOT NULL,
    user_id uuid NOT NULL,
    expires_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT public.push_now()
);
ALTER TABLE ONLY public.user_tokens
    ADD CONSTRAINT user_tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.user_tokens
    ADD CONSTRAINT user_tokens_value_key UNIQUE (value);
ALTER TABLE ONLY public.user_tokens
    ADD CONSTRAINT user_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
CREATE POLICY push_servers ON public.user_tokens USING (public.push_is_server());
ALTER TABLE public.user_tokens ENABLE ROW LEVEL SECURITY;

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
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_email_key UNIQUE (email);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
CREATE INDEX idx_users_address ON public.users USING btree (lower((email COLLATE "C")));
CREATE INDEX idx_users_email_lower ON public.users USING btree (lower(email));
CREATE TRIGGER push_forget_all_attempts AFTER TRUNCATE ON public.users FOR EACH STATEMENT EXECUTE FUNCTION public.push_forget_attempts();
CREATE TRIGGER push_forget_attempts AFTER DELETE ON public.users FOR EACH ROW EXECUTE FUNCTION public.push_forget_attempts();
CREATE TRIGGER push_note_switched_on AFTER UPDATE OF push_notifications_enabled ON public.users FOR EACH ROW WHEN (((old.push_notifications_enabled IS FALSE) AND (new.push_notifications_enabled IS NOT FALSE))) EXECUTE FUNCTION public.push_note_switched_on('feedbackkit');
CREATE POLICY push_servers ON public.users USING (public.push_is_server());
ALTER TABLE public.users ENABLE ROW LEVEL SECURITY;

CREATE TABLE public.votes (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id text NOT NULL,
    feedback_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT public.push_now(),
    user_email character varying(255)
);
ALTER TABLE ONLY public.votes
    ADD CONSTRAINT votes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.votes
    ADD CONSTRAINT votes_user_id_feedback_id_key UNIQUE (user_id, feedback_id);
CREATE INDEX idx_votes_account ON public.votes USING btree (feedback_id, public.push_uuid(user_id));
CREATE INDEX idx_votes_address_ascii ON public.votes USING btree (feedback_id, lower(((user_email)::text COLLATE "C"))) WHERE (user_email IS NOT NULL);
CREATE INDEX idx_votes_feedback_id ON public.votes USING btree (feedback_id);
CREATE TRIGGER push_note_moved AFTER UPDATE OF feedback_id ON public.votes FOR EACH ROW WHEN ((old.feedback_id IS DISTINCT FROM new.feedback_id)) EXECUTE FUNCTION public.push_note_moved('votes');
CREATE TRIGGER push_note_stale AFTER DELETE ON public.votes REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.push_note_stale('votes');
ALTER TABLE ONLY public.votes
    ADD CONSTRAINT votes_feedback_id_fkey FOREIGN KEY (feedback_id) REFERENCES public.feedbacks(id) ON DELETE CASCADE;
CREATE POLICY push_servers ON public.votes USING (public.push_is_server());
ALTER TABLE public.votes ENABLE ROW LEVEL SECURITY;

CREATE TABLE runner.changes (
    kind text NOT NULL,
    place text NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    before text,
    after text,
    former text
);
ALTER TABLE ONLY runner.changes
    ADD CONSTRAINT changes_pkey PRIMARY KEY (kind, place, name);

CREATE TABLE runner.clock (
    singleton boolean DEFAULT true NOT NULL,
    "offset" interval DEFAULT '00:00:00'::interval NOT NULL,
    CONSTRAINT clock_singleton_check CHECK (singleton)
);
ALTER TABLE ONLY runner.clock
    ADD CONSTRAINT clock_pkey PRIMARY KEY (singleton);
CREATE TRIGGER follow_clock AFTER UPDATE ON runner.clock FOR EACH ROW WHEN (((old."offset" = '00:00:00'::interval) <> (new."offset" = '00:00:00'::interval))) EXECUTE FUNCTION runner.follow_clock();

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
ALTER TABLE ONLY runner.dead_letters
    ADD CONSTRAINT dead_letters_pkey PRIMARY KEY (partition, id);

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
ALTER TABLE ONLY runner.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (partition, id);

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
CREATE INDEX history_event ON ONLY runner.history USING btree (event_id) WHERE (event_id IS NOT NULL);
CREATE INDEX history_place ON ONLY runner.history USING btree (partition, id) WHERE (id IS NOT NULL);

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
CREATE INDEX history_default_event_id_idx ON runner.history_default USING btree (event_id) WHERE (event_id IS NOT NULL);
CREATE INDEX history_default_partition_id_idx ON runner.history_default USING btree (partition, id) WHERE (id IS NOT NULL);

CREATE TABLE runner.leases (
    grp text DEFAULT ''::text NOT NULL,
    partition smallint NOT NULL,
    epoch bigint DEFAULT 0 NOT NULL,
    owner uuid,
    holder integer,
    expires_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL
)
WITH (fillfactor='50');
ALTER TABLE ONLY runner.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (grp, partition);

CREATE TABLE runner.migrations (
    name text NOT NULL,
    applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    breaks_older boolean DEFAULT true NOT NULL,
    compatible_since text
);
ALTER TABLE ONLY runner.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (name);

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
CREATE INDEX payloads_event ON ONLY runner.payloads USING btree (event_id) WHERE (event_id IS NOT NULL);
CREATE INDEX payloads_place ON ONLY runner.payloads USING btree (partition, id) WHERE (id IS NOT NULL);

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
CREATE INDEX payloads_default_event_id_idx ON runner.payloads_default USING btree (event_id) WHERE (event_id IS NOT NULL);
CREATE INDEX payloads_default_partition_id_idx ON runner.payloads_default USING btree (partition, id) WHERE (id IS NOT NULL);

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
ALTER TABLE ONLY runner.retries
    ADD CONSTRAINT retries_pkey PRIMARY KEY (partition, id);
CREATE INDEX retries_due ON runner.retries USING btree (run_at);

CREATE TABLE runner.roles (
    name text NOT NULL
);
ALTER TABLE ONLY runner.roles
    ADD CONSTRAINT roles_pkey PRIMARY KEY (name);

CREATE TABLE runner.runners (
    owner uuid NOT NULL,
    holder integer NOT NULL,
    name text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    grp text DEFAULT ''::text NOT NULL,
    functions text[]
);
ALTER TABLE ONLY runner.runners
    ADD CONSTRAINT runners_pkey PRIMARY KEY (owner);

CREATE TABLE runner.schedule_fires (
    schedule text NOT NULL,
    scheduled_time timestamp with time zone NOT NULL,
    event_id text NOT NULL,
    fired_at timestamp with time zone DEFAULT runner.now() NOT NULL,
    manual boolean DEFAULT false NOT NULL,
    skipped text
);
ALTER TABLE ONLY runner.schedule_fires
    ADD CONSTRAINT schedule_fires_pkey PRIMARY KEY (schedule, scheduled_time, event_id);
CREATE UNIQUE INDEX schedule_fires_once ON runner.schedule_fires USING btree (schedule, scheduled_time) WHERE (NOT manual);

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
ALTER TABLE ONLY runner.schedules
    ADD CONSTRAINT schedules_pkey PRIMARY KEY (name);

CREATE TABLE runner.sign_outs (
    session text NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
ALTER TABLE ONLY runner.sign_outs
    ADD CONSTRAINT sign_outs_pkey PRIMARY KEY (session);

CREATE TABLE runner.signals (
    function text NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='2000', autovacuum_vacuum_cost_delay='0', vacuum_truncate=off);
CREATE INDEX signals_function ON runner.signals USING btree (function);

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
ALTER TABLE ONLY runner.triggers
    ADD CONSTRAINT triggers_pkey PRIMARY KEY (table_schema, table_name, name);

CREATE TABLE runner.wakeups (
    function text NOT NULL,
    at timestamp with time zone NOT NULL,
    noted_at timestamp with time zone DEFAULT runner.now()
);
ALTER TABLE ONLY runner.wakeups
    ADD CONSTRAINT wakeups_pkey PRIMARY KEY (function);


-- Sequences

ALTER TABLE public.activity_changes ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.activity_changes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE public.activity_facts ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.activity_facts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE public.notification_actions ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.notification_actions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE public.stale_entries ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.stale_entries_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE SEQUENCE runner.holders
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
    CYCLE;

CREATE SEQUENCE runner.partition_0
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE SEQUENCE runner.partition_1
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE SEQUENCE runner.partition_10
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE SEQUENCE runner.partition_11
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE SEQUENCE runner.partition_12
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE SEQUENCE runner.partition_13
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE SEQUENCE runner.partition_14
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE SEQUENCE runner.partition_15
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE SEQUENCE runner.partition_2
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE SEQUENCE runner.partition_3
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE SEQUENCE runner.partition_4
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE SEQUENCE runner.partition_5
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE SEQUENCE runner.partition_6
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE SEQUENCE runner.partition_7
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE SEQUENCE runner.partition_8
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE SEQUENCE runner.partition_9
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


-- Views

CREATE VIEW public.push_attempts_last_hour AS
 SELECT push_notification_logs.status AS outcome,
    COALESCE(push_notification_logs.reason, ''::text) AS reason,
    count(*) AS value
   FROM public.push_notification_logs
  WHERE ((push_notification_logs.created_at > (now() - '01:00:00'::interval)) AND (push_notification_logs.delivery_id IS NOT NULL))
  GROUP BY push_notification_logs.status, COALESCE(push_notification_logs.reason, ''::text);

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

CREATE VIEW public.push_held_deliveries AS
 SELECT deliveries.reason,
    count(*) AS value
   FROM public.deliveries
  WHERE ((deliveries.state = 'queued'::text) AND (deliveries.not_before > now()) AND (deliveries.reason IS NOT NULL))
  GROUP BY deliveries.reason;

CREATE VIEW public.push_oldest_due_seconds AS
 SELECT COALESCE(( SELECT EXTRACT(epoch FROM (now() - deliveries.not_before)) AS "extract"
           FROM public.deliveries
          WHERE ((deliveries.state = 'queued'::text) AND (deliveries.not_before <= now()) AND ((deliveries.lease_until IS NULL) OR (deliveries.lease_until <= clock_timestamp())))
          ORDER BY deliveries.not_before
         LIMIT 1), (0)::numeric) AS value;

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


-- Functions

CREATE FUNCTION public.push_account(address text) RETURNS TABLE(id uuid)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  SELECT u.id
  FROM (VALUES ('{"push": "lacking"}'::jsonb)) AS lacking (nothing)
  CROSS JOIN LATERAL (
    SELECT nothing AS is_email_verified, nothing AS email_verified, nothing AS email_confirmed_at,
      nothing AS email_verified_at
  ) absent
  CROSS JOIN LATERAL (
    SELECT p.id, p.email, to_jsonb(is_email_verified) AS marked, to_jsonb(email_verified) AS marked_too,
      to_jsonb(email_confirmed_at) AS confirmed, to_jsonb(email_verified_at) AS verified
    FROM users p
    WHERE lower(p.email COLLATE "C") = lower(push_account.address COLLATE "C")
  ) u
  WHERE CASE
    WHEN u.marked IS DISTINCT FROM nothing THEN u.marked = 'true'
    WHEN u.marked_too IS DISTINCT FROM nothing THEN u.marked_too = 'true'
    WHEN u.confirmed IS DISTINCT FROM nothing THEN u.confirmed <> 'null'
    WHEN u.verified IS DISTINCT FROM nothing THEN u.verified <> 'null'
    ELSE true END
  ORDER BY u.email = push_account.address DESC, u.id LIMIT 1
$$;

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
      ('device_tokens', 'SELECT (id, user_id, token, app, platform, provider, app_version, os_version, locale,
          environment, bundle_id, installation_id, is_active, created_at, last_used_at, registered_at, deactivated_at,
          deactivated_reason),
        INSERT (id, user_id, token, app, platform, provider, app_version, os_version, locale, environment, bundle_id,
          installation_id, created_at),
        UPDATE (token, user_id, app, platform, provider, app_version, os_version, locale, environment, bundle_id,
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
REVOKE ALL ON FUNCTION public.push_admit_app() FROM PUBLIC;

CREATE FUNCTION public.push_are_quiet_days(days jsonb) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((jsonb_typeof(days) = 'object'::text) AND ((days - ARRAY['monday'::text, 'tuesday'::text, 'wednesday'::text, 'thursday'::text, 'friday'::text, 'saturday'::text, 'sunday'::text]) = '{}'::jsonb) AND (NOT (EXISTS (SELECT FROM jsonb_each(CASE jsonb_typeof(push_are_quiet_days.days) WHEN 'object'::text THEN push_are_quiet_days.days ELSE NULL::jsonb END) d(key, value) WHERE (((jsonb_typeof(d.value) = 'object'::text) AND (jsonb_typeof((d.value -> 'start'::text)) = 'string'::text) AND ((d.value ->> 'start'::text) ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'::text) AND (jsonb_typeof((d.value -> 'end'::text)) = 'string'::text) AND ((d.value ->> 'end'::text) ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'::text)) IS NOT TRUE)))));

CREATE FUNCTION public.push_ask_again(person uuid) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 WITH freed AS (
          UPDATE public.deliveries AS w SET not_before = public.push_now(), updated_at = public.push_now()
           WHERE (w.id = ANY (ARRAY( SELECT d.id
                    FROM public.deliveries d
                   WHERE ((d.user_id = push_ask_again.person) AND (d.state = 'queued'::text) AND (d.reason = ANY (ARRAY['quiet_hours'::text, 'muted'::text])) AND (d.lease_id IS NULL) AND (d.not_before > public.push_now()) AND (EXISTS ( SELECT
                            FROM public.users u
                           WHERE (u.id = d.user_id))) AND (EXISTS ( SELECT
                            FROM public.notifications n
                           WHERE (n.id = d.notification_id))))
                  FOR NO KEY UPDATE OF d SKIP LOCKED)))
         )
  INSERT INTO public.deliveries (notification_id, device_token_id, user_id, app, not_before, expires_at, created_at, updated_at)  SELECT o.notification_id,
             o.device_token_id,
             o.user_id,
             o.app,
             o.not_before,
             o.expires_at,
             o.created_at,
             o.updated_at
            FROM public.deliveries o
           WHERE false;
 WITH held AS (
          DELETE FROM public.held_notifications AS h
           WHERE ((h.user_id = push_ask_again.person) AND (h.reason = ANY (ARRAY['quiet_hours'::text, 'muted'::text, 'rate_limited'::text])) AND (h.held_until > h.held_since) AND (EXISTS ( SELECT
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

CREATE FUNCTION public.push_badge(person uuid, app text, moment timestamp with time zone DEFAULT public.push_now()) RETURNS integer
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT badge FROM push_badges(person, app, moment) $$;

CREATE FUNCTION public.push_badges(person uuid, app text, moment timestamp with time zone) RETURNS TABLE(badge integer)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT b.badge FROM push_badges(person, app, moment, NULL) b $$;

CREATE FUNCTION public.push_badges(person uuid, app text, moment timestamp with time zone, most bigint) RETURNS TABLE(badge integer)
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
      FROM (
        SELECT n.id FROM notifications n
        WHERE n.user_id = person AND n.app = push_badges.app
          AND n.counts_for_badge AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE
          AND (n.expires_at IS NULL OR n.expires_at > moment)
        LIMIT most) n)
  END::integer
$$;

CREATE FUNCTION public.push_change_activities() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
  can_open boolean := false;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    can_open := to_jsonb(NEW) ->> 'status' = coalesce(TG_ARGV[1], 'open');
  END IF;
  PERFORM push_note_activity(
    coalesce(TG_ARGV[0], 'lockitin'), OLD.id::text, CASE WHEN can_open THEN NULL ELSE '{}'::uuid[] END);
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION public.push_change_activities() FROM PUBLIC;

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

CREATE FUNCTION public.push_comments() RETURNS TABLE(id uuid, feedback_id uuid, user_id text)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT c.id, c.feedback_id, c.user_id::text FROM comments c $$;

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

CREATE FUNCTION public.push_eligibility(n public.notifications, moment timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT eligibility FROM push_eligibilities(n, moment) $$;

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
REVOKE ALL ON FUNCTION public.push_end_twins() FROM PUBLIC;

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
REVOKE ALL ON FUNCTION public.push_follow_device() FROM PUBLIC;

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
REVOKE ALL ON FUNCTION public.push_follow_devices() FROM PUBLIC;

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
REVOKE ALL ON FUNCTION public.push_forget_attempts() FROM PUBLIC;

CREATE FUNCTION public.push_forget_seen(subject uuid, person uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
  DELETE FROM seen_requests WHERE ctid = ANY (ARRAY(
    SELECT s.ctid FROM seen_requests s
    WHERE s.subject_id = subject AND s.user_id = coalesce(person, s.user_id) FOR UPDATE SKIP LOCKED))
$$;

CREATE FUNCTION public.push_friend_requests() RETURNS TABLE(id uuid, recipient_id uuid, status text, created_at timestamp with time zone)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT r.id, r.recipient_id, r.status::text, r.created_at FROM friend_requests r $$;

CREATE FUNCTION public.push_hold_answered(ids uuid[]) RETURNS TABLE(delivery_id uuid, place tid, registered_at timestamp with time zone, acceptances bigint)
    LANGUAGE plpgsql ROWS 100
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  RETURN QUERY
    SELECT d.id, d.ctid, CASE WHEN d.activity_id IS NULL THEN t.registered_at ELSE a.registered_at END,
      CASE WHEN d.activity_id IS NULL THEN t.acceptances ELSE a.acceptances END
    FROM unnest(push_hold_answered.ids) AS i (id)
    CROSS JOIN LATERAL (
      SELECT d.id, d.ctid, d.device_token_id, d.activity_id FROM deliveries d WHERE d.id = i.id
      FOR NO KEY UPDATE OF d SKIP LOCKED
    ) d
    CROSS JOIN LATERAL (
      SELECT t.registered_at, t.acceptances FROM device_tokens t WHERE t.id = d.device_token_id
      FOR NO KEY UPDATE OF t SKIP LOCKED
    ) t
    LEFT JOIN live_activities a ON a.id = d.activity_id;
END
$$;

CREATE FUNCTION public.push_hold_people(ids uuid[]) RETURNS SETOF uuid
    LANGUAGE plpgsql SECURITY DEFINER ROWS 100
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  RETURN QUERY
    SELECT u.id::uuid FROM users u
    WHERE u.id = ANY (push_hold_people.ids) AND has_table_privilege(session_user, 'notifications'::regclass, 'INSERT')
    ORDER BY u.id FOR KEY SHARE OF u;
END
$$;

CREATE FUNCTION public.push_in_group(id uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    RETURN (EXISTS (SELECT FROM public.group_members m WHERE ((m.group_id = push_in_group.id) AND (m.user_id = public.push_person()))));

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

CREATE FUNCTION public.push_is_server() RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (NOT (EXISTS (SELECT FROM pg_roles r WHERE ((r.rolname = ANY (ARRAY['push_app'::name, 'anon'::name, 'authenticated'::name])) AND pg_has_role(r.oid, 'USAGE'::text)))));

CREATE FUNCTION public.push_is_verified(person jsonb) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (person ? 'is_email_verified'::text) THEN ((person -> 'is_email_verified'::text) = 'true'::jsonb) WHEN (person ? 'email_verified'::text) THEN ((person -> 'email_verified'::text) = 'true'::jsonb) WHEN (person ? 'email_confirmed_at'::text) THEN ((person -> 'email_confirmed_at'::text) <> 'null'::jsonb) WHEN (person ? 'email_verified_at'::text) THEN ((person -> 'email_verified_at'::text) <> 'null'::jsonb) ELSE true END;

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

CREATE FUNCTION public.push_knows(tab text, VARIADIC cols text[]) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  SELECT cardinality(cols) = (
    SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p')
    WHERE a.attrelid = to_regclass(tab) AND a.attname = ANY (cols) AND NOT a.attisdropped)
$$;

CREATE FUNCTION public.push_leave_activity() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    UPDATE deliveries SET not_before = least(push_now() + interval '1 minute', expires_at) WHERE id = OLD.id;
  ELSIF OLD.failing_since <= push_now() - interval '1 day' THEN
    RETURN OLD;
  ELSE
    UPDATE activity_changes
    SET due_at = push_now() + interval '1 minute', failing_since = coalesce(failing_since, push_now()) WHERE id = OLD.id;
  END IF;
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION public.push_leave_activity() FROM PUBLIC;

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

CREATE FUNCTION public.push_may_vote(id uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    RETURN (EXISTS (SELECT FROM public.event_proposals p WHERE ((p.id = push_may_vote.id) AND (p.status = 'open'::text) AND (p.deadline > public.push_now()) AND public.push_in_group(p.group_id))));

CREATE FUNCTION public.push_note_activity(app text, subject text, openings uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $_$
BEGIN
  IF EXISTS (
    SELECT FROM activity_changes c
    WHERE c.subject_id = $2 AND c.app = $1 AND c.due_at = push_now() AND c.openings IS NOT DISTINCT FROM $3
      AND c.xmin = pg_current_xact_id()::xid)
  THEN
    RETURN;
  END IF;
  INSERT INTO activity_changes (app, subject_id, due_at, openings)
  SELECT $1, $2, push_now(), $3
  WHERE EXISTS (SELECT FROM live_activities a WHERE a.subject_id = $2 AND a.app = $1 AND a.ended_at IS NULL)
    OR EXISTS (
      SELECT FROM live_activities a
      WHERE a.subject_id = $2 AND a.app = $1 AND a.ended_reason = 'ended' AND a.ended_at > push_now() - interval '1 hour')
    OR EXISTS (SELECT FROM activity_changes c WHERE c.subject_id = $2 AND c.app = $1);
END
$_$;

CREATE FUNCTION public.push_note_asked_again() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  PERFORM push_forget_seen(NEW.id, NULL);
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION public.push_note_asked_again() FROM PUBLIC;

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
REVOKE ALL ON FUNCTION public.push_note_loss() FROM PUBLIC;

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
REVOKE ALL ON FUNCTION public.push_note_moved() FROM PUBLIC;

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
REVOKE ALL ON FUNCTION public.push_note_reachable() FROM PUBLIC;

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
REVOKE ALL ON FUNCTION public.push_note_rise() FROM PUBLIC;

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
REVOKE ALL ON FUNCTION public.push_note_seen() FROM PUBLIC;

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
REVOKE ALL ON FUNCTION public.push_note_stale() FROM PUBLIC;

CREATE FUNCTION public.push_note_stale_of_feedback(feedback uuid, told text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
  INSERT INTO stale_entries (notification_id, user_id, app)
  SELECT n.id, n.user_id, n.app FROM notifications n
  WHERE n.feedback_id = feedback AND n.family = told AND n.merged_into IS NULL
    AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE
$$;

CREATE FUNCTION public.push_note_stale_of_proposal(proposal uuid, told text[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
  INSERT INTO stale_entries (notification_id, user_id, app)
  SELECT n.id, n.user_id, n.app FROM notifications n
  WHERE n.proposal_id = proposal AND n.family = ANY (told) AND n.merged_into IS NULL
    AND (n.is_read IS NOT TRUE OR n.family = 'conflicts') AND n.is_archived IS NOT TRUE
$$;

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
REVOKE ALL ON FUNCTION public.push_note_switched_on() FROM PUBLIC;

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
REVOKE ALL ON FUNCTION public.push_note_unpushed() FROM PUBLIC;

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

CREATE FUNCTION public.push_open_activities() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  IF TG_LEVEL = 'ROW' THEN
    INSERT INTO activity_changes (app, subject_id, due_at, openings)
    SELECT NEW.app, p.id, greatest(push_now() + interval '10 seconds', p.deadline - interval '8 hours'), ARRAY[NEW.id]
    FROM event_proposals p
    WHERE p.id = NEW.proposal_id AND EXISTS (
      SELECT FROM live_activities a
      WHERE a.user_id = NEW.user_id AND a.app = NEW.app AND a.subject_id = '' AND a.ended_at IS NULL);
  ELSIF EXISTS (SELECT FROM born n WHERE n.app = 'lockitin' AND lower(n.type) = 'proposal_created') THEN
    INSERT INTO activity_changes (app, subject_id, due_at, openings)
    SELECT 'lockitin', p.id, greatest(push_now() + interval '10 seconds', p.deadline - interval '8 hours'), o.ids
    FROM (
      SELECT n.proposal_id, array_agg(n.id) AS ids FROM born n
      WHERE n.app = 'lockitin' AND lower(n.type) = 'proposal_created' AND n.pushed_at IS NOT NULL AND EXISTS (
        SELECT FROM live_activities a
        WHERE a.user_id = n.user_id AND a.app = n.app AND a.subject_id = '' AND a.ended_at IS NULL)
      GROUP BY n.proposal_id
    ) o JOIN event_proposals p ON p.id = o.proposal_id;
  END IF;
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION public.push_open_activities() FROM PUBLIC;

CREATE FUNCTION public.push_opted_out(reason text, app text, kind text, facts jsonb) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (reason = ANY (ARRAY['disabled'::text, 'project_muted'::text])) THEN true WHEN (reason = 'type_disabled'::text) THEN ((((app = 'lockitin'::text) AND (lower(kind) = ANY (ARRAY['vote_cast'::text, 'event_day_before'::text]))) IS NOT TRUE) OR COALESCE(((facts @> '{"personal": false}'::jsonb) OR ((facts @> '{"override": false}'::jsonb) AND (NOT (facts @> '{"ofProposal": true}'::jsonb)))), false)) ELSE false END;

CREATE FUNCTION public.push_owns_log() RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  SELECT EXISTS (
    SELECT FROM pg_inherits
    WHERE inhparent = 'push_notification_logs'::regclass AND inhrelid = to_regclass('push_notification_logs_default'))
$$;

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
REVOKE ALL ON FUNCTION public.push_pass_on() FROM PUBLIC;

CREATE FUNCTION public.push_person() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN CASE WHEN (COALESCE(current_setting('request.jwt.claims'::text, true), ''::text) = ''::text) THEN public.push_uuid(current_setting('app.user_id'::text, true)) ELSE public.push_uuid(((current_setting('request.jwt.claims'::text, true))::jsonb ->> 'sub'::text)) END;

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
REVOKE ALL ON FUNCTION public.push_queue_person() FROM PUBLIC;

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
REVOKE ALL ON FUNCTION public.push_same_token() FROM PUBLIC;

CREATE FUNCTION public.push_sees_event(id uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    RETURN (EXISTS (SELECT FROM public.events e WHERE ((e.id = push_sees_event.id) AND public.push_in_group(e.group_id))));

CREATE FUNCTION public.push_sees_proposal(id uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    RETURN (EXISTS (SELECT FROM public.event_proposals p WHERE ((p.id = push_sees_proposal.id) AND public.push_in_group(p.group_id))));

CREATE FUNCTION public.push_settings_changed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  PERFORM push_ask_again(coalesce(NEW.user_id, OLD.user_id));
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION public.push_settings_changed() FROM PUBLIC;

CREATE FUNCTION public.push_show_entry() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
  entry jsonb := to_jsonb(NEW);
  entry_id uuid := push_uuid(entry ->> 'id');
  subject text := push_uuid(
    coalesce(nullif(entry ->> TG_ARGV[0], ''), entry -> 'data' ->> TG_ARGV[0], entry ->> 'subject_id'))::text;
BEGIN
  IF subject IS NULL OR entry_id IS NULL THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO activity_facts (app, subject_id, notification_id, facts)
    SELECT NEW.app, subject, entry_id, coalesce(jsonb_object_agg(k.name, left(v.value, 100)), '{}')
    FROM unnest(TG_ARGV[1:]) AS k (name)
    CROSS JOIN LATERAL (
      SELECT coalesce(nullif(entry ->> k.name, ''), nullif(entry -> 'data' ->> k.name, '')) AS value
    ) v
    WHERE v.value IS NOT NULL;
    PERFORM push_note_activity(NEW.app, subject, '{}');
  ELSE
    INSERT INTO activity_changes (app, subject_id, due_at, openings)
    SELECT NEW.app, subject, push_now() + interval '10 seconds', ARRAY[entry_id]
    WHERE EXISTS (
      SELECT FROM live_activities a
      WHERE a.user_id = NEW.user_id AND a.app = NEW.app AND a.subject_id = '' AND a.ended_at IS NULL);
  END IF;
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION public.push_show_entry() FROM PUBLIC;

CREATE FUNCTION public.push_stamp_options() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  NEW.options_changed_at := push_now();
  RETURN NEW;
END
$$;

CREATE FUNCTION public.push_stamp_vote() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  NEW.options_version := (SELECT p.options_version FROM event_proposals p WHERE p.id = NEW.proposal_id);
  RETURN NEW;
END
$$;
REVOKE ALL ON FUNCTION public.push_stamp_vote() FROM PUBLIC;

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

CREATE FUNCTION public.push_uuid(value text) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
  SELECT CASE
    WHEN value ~ '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$' THEN value::uuid
  END
$_$;

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
REVOKE ALL ON FUNCTION public.push_vote_lost() FROM PUBLIC;

CREATE FUNCTION public.push_watch_unread() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  IF EXISTS (SELECT FROM born n JOIN unread_rules r ON r.app = n.app AND r.kind = lower(n.type)) THEN
    INSERT INTO unread_checks (notification_id, function, after_seconds, check_at)
    SELECT n.id, r.function, r.after_seconds,
      coalesce(n.created_at, push_now()) + make_interval(secs => r.after_seconds)
    FROM born n JOIN unread_rules r ON r.app = n.app AND r.kind = lower(n.type)
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION public.push_watch_unread() FROM PUBLIC;

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

CREATE FUNCTION runner.document(value anyelement) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET quote_all_identifiers TO 'off'
    AS $$ BEGIN RETURN to_jsonb(value); END $$;

CREATE FUNCTION runner.draw(partition smallint) RETURNS bigint
    LANGUAGE sql
    AS $$SELECT CASE
  WHEN pg_catalog.pg_try_advisory_lock_shared(7265826, partition)
    AND pg_catalog.pg_advisory_unlock_shared(7265826, partition)
    OR NOT runner.notifies()
    OR pg_catalog.pg_notify('runner_events', '') IS NOT NULL
  THEN pg_catalog.nextval((ARRAY['runner.partition_0', 'runner.partition_1', 'runner.partition_2', 'runner.partition_3', 'runner.partition_4', 'runner.partition_5', 'runner.partition_6', 'runner.partition_7', 'runner.partition_8', 'runner.partition_9', 'runner.partition_10', 'runner.partition_11', 'runner.partition_12', 'runner.partition_13', 'runner.partition_14', 'runner.partition_15']::pg_catalog.regclass[])[partition OPERATOR(pg_catalog.+) 1])
END$$;

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

CREATE FUNCTION runner.follow_clock() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  PERFORM runner.set_stamp(NEW."offset" <> '0');
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION runner.follow_clock() FROM PUBLIC;

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

CREATE FUNCTION runner.is_plain(table_name text, column_name text DEFAULT NULL::text) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
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

CREATE FUNCTION runner.next_id(partition smallint) RETURNS bigint
    LANGUAGE sql
    AS $$SELECT CASE WHEN pg_current_xact_id() IS NOT NULL
  THEN nextval((ARRAY['runner.partition_0', 'runner.partition_1', 'runner.partition_2', 'runner.partition_3', 'runner.partition_4', 'runner.partition_5', 'runner.partition_6', 'runner.partition_7', 'runner.partition_8', 'runner.partition_9', 'runner.partition_10', 'runner.partition_11', 'runner.partition_12', 'runner.partition_13', 'runner.partition_14', 'runner.partition_15']::regclass[])[partition + 1]) END$$;

CREATE FUNCTION runner.notifies() RETURNS boolean
    LANGUAGE sql STABLE
    AS $$ SELECT pg_catalog.current_setting('max_prepared_transactions') OPERATOR(pg_catalog.=) '0' $$;

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
REVOKE ALL ON FUNCTION runner.notify_trigger() FROM PUBLIC;

CREATE FUNCTION runner.now() RETURNS timestamp with time zone
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT clock_timestamp() + "offset" FROM runner.clock $$;

CREATE FUNCTION runner.partition(function text, key text) RETURNS smallint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT (pg_catalog.hashtextextended((function OPERATOR(pg_catalog.||) '/') OPERATOR(pg_catalog.||) key, 0)
  OPERATOR(pg_catalog.&) (runner.partitions() OPERATOR(pg_catalog.-) 1))::smallint $$;

CREATE FUNCTION runner.partitions() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$SELECT 16$$;

CREATE FUNCTION runner.random_partition() RETURNS smallint
    LANGUAGE sql
    AS $$ SELECT pg_catalog.floor(pg_catalog.random() OPERATOR(pg_catalog.*) runner.partitions())::smallint $$;

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

CREATE FUNCTION runner.release(me uuid, partitions smallint[] DEFAULT NULL::smallint[]) RETURNS void
    LANGUAGE sql
    AS $$
  UPDATE runner.leases AS l SET owner = NULL, expires_at = '-infinity'
  WHERE l.owner = me AND (partitions IS NULL OR l.partition = ANY (partitions));
  DELETE FROM runner.runners AS r WHERE r.owner = me AND partitions IS NULL;
$$;

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

CREATE FUNCTION runner.stamp() RETURNS timestamp with time zone
    LANGUAGE sql
    AS $$SELECT pg_catalog.clock_timestamp()$$;

CREATE FUNCTION runner.text(value anyelement) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET quote_all_identifiers TO 'off'
    AS $$ BEGIN RETURN value::text; END $$;
