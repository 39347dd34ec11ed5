-- Compatible
-- Waits that a clock wrote which was ahead are found without a look at the others.
CREATE INDEX IF NOT EXISTS idx_held_notifications_since ON held_notifications (held_since);

-- An app's statement never fails because of what is noted beside it: a deadline may stand at the end of PostgreSQL's range,
-- to which no day can be added.
CREATE OR REPLACE FUNCTION push_note_unvoted(member_group uuid, member uuid, proposal uuid) RETURNS void
LANGUAGE sql SECURITY DEFINER AS $$
  INSERT INTO badge_losses (user_id, app, asked_at, ends_at)
  SELECT m.user_id, 'lockitin', max(greatest(p.created_at, p.options_changed_at)),
    least(max(p.deadline), timestamptz '294276-12-01 00:00+00') + interval '1 day'
  FROM group_members m
  JOIN users u ON u.id = m.user_id
  JOIN event_proposals p ON p.group_id = m.group_id
  WHERE m.group_id = member_group AND m.user_id = coalesce(member, m.user_id) AND p.id = coalesce(proposal, p.id)
    AND NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = m.user_id)
    AND NOT EXISTS (
      SELECT FROM handled_events h
      WHERE h.function = 'proposal-expired' AND h.source = '/proposals'
        AND h.event_id = p.id || '/' || extract(epoch FROM p.deadline))
  GROUP BY m.user_id
$$;
DO $$ BEGIN
  EXECUTE format('ALTER FUNCTION push_note_unvoted(uuid, uuid, uuid) SET search_path = %I, pg_temp', current_schema());
END $$;
