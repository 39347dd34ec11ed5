-- Compatible
-- Whose an e-mail address is, what an opt-out is, and the topic of a token that another app takes over.

-- Addresses ----------------------------------------------------------------------------------------------------------

-- Whether a person's address is verified. The column is FeedbackKit's, an identity provider's or Supabase's; in a table
-- without any of them every address counts.
CREATE OR REPLACE FUNCTION push_is_verified(person jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN person ? 'is_email_verified' THEN person -> 'is_email_verified' = 'true'
  WHEN person ? 'email_verified' THEN person -> 'email_verified' = 'true'
  WHEN person ? 'email_confirmed_at' THEN person -> 'email_confirmed_at' <> 'null'
  WHEN person ? 'email_verified_at' THEN person -> 'email_verified_at' <> 'null'
  ELSE true
END;

-- The account of an address; no row for none. The case of ASCII letters does not matter, and everything else is compared
-- exactly: `lower` knows no other letters in the collation "C", so that neither a Kelvin sign is a k nor a dotted capital I
-- an i (RFC 5321, 2.4). Of several accounts it is the one that is spelled exactly.
CREATE OR REPLACE FUNCTION push_account(address text) RETURNS TABLE (id uuid)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT u.id FROM users u
  WHERE lower(u.email COLLATE "C") = lower(address COLLATE "C") AND push_is_verified(to_jsonb(u))
  ORDER BY u.email = address DESC, u.id LIMIT 1
$$;

CREATE INDEX IF NOT EXISTS idx_users_address ON users (lower(email COLLATE "C"));
CREATE INDEX IF NOT EXISTS idx_votes_address_ascii ON votes (feedback_id, lower(user_email COLLATE "C"))
  WHERE user_email IS NOT NULL;

-- As before, but for the addresses.
CREATE OR REPLACE FUNCTION push_eligibility(n notifications, moment timestamptz) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN n.is_read OR n.is_archived THEN 'handled'
    WHEN n.family IS NOT NULL AND NOT push_counts(n)
      AND NOT EXISTS (SELECT FROM push_parts(n.id) p WHERE push_counts(p)) THEN 'gone'
    WHEN n.app = 'feedbackkit' AND n.recipient_reason = 'member' AND NOT EXISTS (
      SELECT FROM projects p WHERE p.id = n.project_id AND p.owner_id = n.user_id
      UNION ALL SELECT FROM project_members m WHERE m.project_id = n.project_id AND m.user_id = n.user_id)
      THEN 'not_permitted'
    WHEN n.app = 'feedbackkit' AND n.recipient_reason = 'voter' AND NOT EXISTS (
      SELECT FROM votes v WHERE v.feedback_id = n.feedback_id AND push_uuid(v.user_id) = n.user_id)
      AND NOT EXISTS (
        SELECT FROM votes v WHERE v.feedback_id = n.feedback_id AND v.user_email IS NOT NULL
          AND lower(v.user_email COLLATE "C") = (SELECT lower(u.email COLLATE "C") FROM users u WHERE u.id = n.user_id)
          AND EXISTS (SELECT FROM push_account(v.user_email) a WHERE a.id = n.user_id))
      THEN 'not_permitted'
    WHEN n.proposal_id IS NOT NULL THEN (
      SELECT CASE
        WHEN NOT EXISTS (SELECT FROM group_members m WHERE m.group_id = p.group_id AND m.user_id = n.user_id)
          THEN 'not_permitted'
        WHEN lower(n.type) = 'conflict_alert'
          THEN CASE WHEN p.status IN ('expired', 'cancelled') THEN 'gone' ELSE 'open' END
        WHEN lower(n.type) IN (
          'proposal_created', 'proposal_reminder', 'proposal_updated', 'vote_cast', 'vote_count_update')
          AND (p.status <> 'open' OR p.deadline <= moment)
          THEN 'handled'
        WHEN lower(n.type) IN ('proposal_created', 'proposal_reminder', 'proposal_updated')
          AND EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = n.user_id)
          THEN 'handled'
        WHEN lower(n.type) = 'proposal_reminder' AND EXISTS (
          SELECT FROM notifications m
          WHERE m.user_id = n.user_id AND m.app = 'lockitin' AND lower(m.type) = 'proposal_created'
            AND m.is_archived IS NOT TRUE AND m.proposal_id = n.proposal_id AND (
              m.pushed_at > moment - interval '30 minutes'
              OR EXISTS (SELECT FROM held_notifications h WHERE h.notification_id = m.id AND h.held_until <= moment)))
          THEN 'handled'
        WHEN lower(n.type) = 'proposal_updated' AND EXISTS (
          SELECT FROM notifications m
          WHERE m.user_id = n.user_id AND m.app = 'lockitin' AND lower(m.type) = 'proposal_updated'
            AND m.is_archived IS NOT TRUE AND m.proposal_id = n.proposal_id
            AND (m.created_at, m.id) > (n.created_at, n.id))
          THEN 'gone'
        WHEN lower(n.type) = 'vote_count_update' AND n.recipient_reason = 'voter'
          AND NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = n.user_id)
          THEN 'handled'
        ELSE 'open'
      END
      FROM event_proposals p WHERE p.id = n.proposal_id)
    WHEN n.event_id IS NOT NULL THEN (
      SELECT CASE
        WHEN e.status = 'cancelled' THEN 'gone'
        WHEN lower(n.type) = 'event_confirmed' AND e.ends_at <= moment THEN 'gone'
        WHEN lower(n.type) = 'memory_prompt' AND (e.is_tracked IS FALSE OR e.ends_at > moment) THEN 'gone'
        WHEN NOT EXISTS (SELECT FROM group_members m WHERE m.group_id = e.group_id AND m.user_id = n.user_id)
          THEN 'not_permitted'
        WHEN n.recipient_reason = 'attendee' AND coalesce(
          (SELECT a.status FROM event_attendees a WHERE a.event_id = e.id AND a.user_id = n.user_id),
          (SELECT v.vote FROM proposal_votes v WHERE v.option_id = e.option_id AND v.user_id = n.user_id), 'no') = 'no'
          THEN 'handled'
        ELSE 'open'
      END
      FROM events e WHERE e.id = n.event_id)
    WHEN n.friend_request_id IS NOT NULL THEN (
      SELECT CASE WHEN r.status = 'pending' THEN 'open' ELSE 'handled' END
      FROM friend_requests r WHERE r.id = n.friend_request_id)
    WHEN n.app = 'lockitin' AND lower(n.type) = 'group_invite' THEN (
      SELECT CASE WHEN bool_or(i.status = 'pending') THEN 'open' ELSE 'handled' END
      FROM group_invites i WHERE i.invitee_id = n.user_id AND i.group_id = push_uuid(n.subject_id))
    ELSE 'open'
  END
$$;

-- As before, but for the addresses.
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
DO $$ BEGIN
  EXECUTE format('ALTER FUNCTION push_in_project(uuid) SET search_path = %I, pg_temp', current_schema());
END $$;

-- Opt-outs -----------------------------------------------------------------------------------------------------------

-- Whether a person was not told because they had switched something off. A kind that is off by default was only switched
-- off by those whose switch says so: `facts` has it. What an app writes for one proposal says nothing about the person.
CREATE OR REPLACE FUNCTION push_opted_out(reason text, app text, kind text, facts jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN reason IN ('disabled', 'project_muted') THEN true
  WHEN reason = 'type_disabled' THEN
    (app = 'lockitin' AND lower(kind) IN ('vote_cast', 'event_day_before')) IS NOT TRUE
    OR coalesce(
      facts @> '{"personal": false}' OR facts @> '{"override": false}' AND NOT facts @> '{"ofProposal": true}', false)
  ELSE false
END;

-- Topics -------------------------------------------------------------------------------------------------------------

-- As before, but a token of another app takes over neither its topic nor its version nor its installation.
CREATE OR REPLACE FUNCTION push_take_device(device jsonb, registered timestamptz) RETURNS void LANGUAGE sql AS $$
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
