-- Whether what a notification asks of a person is still open, or handled, gone or not_permitted. An earlier version called
-- it their standing.
DROP FUNCTION IF EXISTS push_standing(notifications, timestamptz);
CREATE OR REPLACE FUNCTION push_eligibility(n notifications, moment timestamptz) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN n.is_read OR n.is_archived THEN 'handled'
    WHEN n.family IS NOT NULL AND NOT push_counts(n) THEN 'gone'
    WHEN n.app = 'feedbackkit' AND n.recipient_reason = 'member' AND NOT EXISTS (
      SELECT FROM projects p WHERE p.id = n.project_id AND p.owner_id = n.user_id
      UNION ALL SELECT FROM project_members m WHERE m.project_id = n.project_id AND m.user_id = n.user_id)
      THEN 'not_permitted'
    WHEN n.app = 'feedbackkit' AND n.recipient_reason = 'voter' AND NOT EXISTS (
      SELECT FROM votes v JOIN users u ON u.id = n.user_id
      WHERE v.feedback_id = n.feedback_id AND (push_uuid(v.user_id) = u.id OR lower(v.user_email) = lower(u.email)))
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
        WHEN lower(n.type) = 'vote_count_update' AND n.recipient_reason = 'voter'
          AND NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = n.user_id)
          THEN 'handled'
        ELSE 'open'
      END
      FROM event_proposals p WHERE p.id = n.proposal_id)
    WHEN n.event_id IS NOT NULL THEN (
      SELECT CASE
        WHEN e.status = 'cancelled' THEN 'gone'
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
