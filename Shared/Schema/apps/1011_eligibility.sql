-- Whether a notification still holds, and for whom.

-- Who is gone ---------------------------------------------------------------------------------------------------------

-- People who are marked as deleted where an app's people stand, and whom a table of the app's keeps in `users`: nobody tells
-- them anything. Who can be deleted is no more, and has no row here.
CREATE TABLE IF NOT EXISTS push_gone_people (
  user_id uuid PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE
);

-- Addresses -----------------------------------------------------------------------------------------------------------

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

-- Whether it still holds ----------------------------------------------------------------------------------------------

-- The two questions below are answered as rows, which the planner puts into the query that asks them of many notifications:
-- a value would be a query of its own for each of them, and one inside it would be planned each time. `OFFSET 0` keeps the
-- planner from reading a whole table once instead of a few rows by an index: a plan from small tables has to work when
-- they have grown.

-- Whether the act that a notification of a family tells of still counts: a vote that was taken back does not, nor a conflict
-- of somebody who has left the group. It counts by its own row where the notification names it: several people may write
-- under one name.
CREATE OR REPLACE FUNCTION push_counts(n notifications) RETURNS TABLE (counts boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
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

-- Whether what a notification asks of a person is still open, or handled, gone or not_permitted.
--
-- A notification is open as long as any act counts of which it tells; a voter is found by indexes. Of several changes
-- of the options, only the last one asks somebody to vote again. A request to vote says when voting closes, so no
-- reminder goes out with it or within half an hour. Nobody is told that an event is confirmed when it is over, nor
-- asked for memories of one that is still on, or that is not tracked any more.
CREATE OR REPLACE FUNCTION push_eligibilities(n notifications, moment timestamptz) RETURNS TABLE (eligibility text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
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

-- The same as a value, for one notification.
CREATE OR REPLACE FUNCTION push_eligibility(n notifications, moment timestamptz) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT eligibility FROM push_eligibilities(n, moment) $$;

-- Opt-outs ------------------------------------------------------------------------------------------------------------

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
