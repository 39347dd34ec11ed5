-- Compatible
-- Who has lost a vote because its option was deleted, with the version of the options that the vote was for. An app that
-- replaces the options deletes their votes with them, before anybody could ask who has to vote again. A vote that is
-- deleted alone was taken back.
CREATE TABLE IF NOT EXISTS proposal_lost_votes (
  proposal_id uuid NOT NULL REFERENCES event_proposals (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  options_version integer NOT NULL,
  PRIMARY KEY (proposal_id, user_id)
);

-- The option goes first, and its votes after it. With a proposal or a person that goes, nobody has to vote again.
CREATE OR REPLACE FUNCTION push_vote_lost() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM proposal_options o WHERE o.id = OLD.option_id) THEN
    INSERT INTO proposal_lost_votes AS l (proposal_id, user_id, options_version)
    SELECT p.id, u.id, coalesce(OLD.options_version, 0)
    FROM event_proposals p, users u WHERE p.id = OLD.proposal_id AND p.status = 'open' AND u.id = OLD.user_id
    ON CONFLICT (proposal_id, user_id) DO UPDATE SET options_version = excluded.options_version
      WHERE l.options_version < excluded.options_version;
  END IF;
  RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION push_vote_lost FROM PUBLIC;
CREATE OR REPLACE TRIGGER push_vote_lost AFTER DELETE ON proposal_votes
  FOR EACH ROW EXECUTE FUNCTION push_vote_lost();

DO $$
DECLARE
  clients text := (
    SELECT string_agg(quote_ident(rolname), ', ') FROM pg_roles WHERE rolname IN ('anon', 'authenticated'));
BEGIN
  IF NOT (SELECT relrowsecurity FROM pg_class WHERE oid = 'proposal_lost_votes'::regclass) THEN
    ALTER TABLE proposal_lost_votes ENABLE ROW LEVEL SECURITY;
    CREATE POLICY push_servers ON proposal_lost_votes USING (push_is_server());
  END IF;
  IF clients IS NOT NULL THEN
    EXECUTE format('REVOKE ALL ON proposal_lost_votes FROM %s', clients);
    EXECUTE format('REVOKE EXECUTE ON FUNCTION push_vote_lost FROM %s', clients);
  END IF;
END
$$;

-- A notification is open as long as any act counts of which it tells; a voter is found by indexes. Of several changes
-- of the options, only the last one asks somebody to vote again. A request to vote says when voting closes, so no
-- reminder goes out with it or within half an hour. Nobody is told that an event is confirmed when it is over, nor
-- asked for memories of one that is still on, or that is not tracked any more.
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
          AND lower(v.user_email) = (SELECT lower(u.email) FROM users u WHERE u.id = n.user_id))
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
