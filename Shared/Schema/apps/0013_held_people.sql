-- Compatible
-- The queue of what waits: a row for each person and app, with the time at which something of theirs is next due. A release
-- takes people from it, so that nobody's million rows stand before somebody else's one. `failures` is how often in a row
-- the release of this person's has failed, and `failure` why; it is tried again at `release_at`.
CREATE TABLE IF NOT EXISTS held_people (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  app text NOT NULL,
  release_at timestamptz NOT NULL,
  failures integer NOT NULL DEFAULT 0,
  failure text,
  PRIMARY KEY (user_id, app)
);
CREATE INDEX IF NOT EXISTS idx_held_people_release ON held_people (release_at);
CREATE INDEX IF NOT EXISTS idx_held_notifications_person
  ON held_notifications (user_id, app, held_until, notification_id);

-- Whoever makes somebody wait has locked their notification_state, or waits for nothing afterwards: this row is the last
-- that is locked. A release that is at work on the person has it until its end.
CREATE OR REPLACE FUNCTION push_queue_person() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO held_people AS p (user_id, app, release_at)
  SELECT h.user_id, h.app, min(h.held_until) FROM held h GROUP BY h.user_id, h.app ORDER BY h.user_id, h.app
  ON CONFLICT (user_id, app) DO UPDATE SET release_at = excluded.release_at
    WHERE p.failures = 0 AND p.release_at > excluded.release_at;
  RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION push_queue_person FROM PUBLIC;
CREATE OR REPLACE TRIGGER push_queue_person AFTER INSERT ON held_notifications
  REFERENCING NEW TABLE AS held FOR EACH STATEMENT EXECUTE FUNCTION push_queue_person();
CREATE OR REPLACE TRIGGER push_queue_person_again AFTER UPDATE ON held_notifications
  REFERENCING NEW TABLE AS held FOR EACH STATEMENT EXECUTE FUNCTION push_queue_person();

INSERT INTO held_people (user_id, app, release_at)
SELECT user_id, app, min(held_until) FROM held_notifications GROUP BY user_id, app
ON CONFLICT DO NOTHING;

DO $$
DECLARE
  clients text := (
    SELECT string_agg(quote_ident(rolname), ', ') FROM pg_roles WHERE rolname IN ('anon', 'authenticated'));
BEGIN
  IF NOT (SELECT relrowsecurity FROM pg_class WHERE oid = 'held_people'::regclass) THEN
    ALTER TABLE held_people ENABLE ROW LEVEL SECURITY;
    CREATE POLICY push_servers ON held_people USING (push_is_server());
  END IF;
  IF clients IS NOT NULL THEN
    EXECUTE format('REVOKE ALL ON held_people FROM %s', clients);
    EXECUTE format('REVOKE EXECUTE ON FUNCTION push_queue_person FROM %s', clients);
  END IF;
END
$$;

-- What was merged into a notification, and what was merged into that before. A digest that grows window after window
-- takes over one row each time, and not all that it tells of.
CREATE OR REPLACE FUNCTION push_parts(teller uuid) RETURNS SETOF notifications
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  WITH RECURSIVE parts AS (
    SELECT n.id FROM notifications n WHERE n.merged_into = teller
    UNION
    SELECT n.id FROM parts p JOIN notifications n ON n.merged_into = p.id
  )
  SELECT n.* FROM parts p JOIN notifications n ON n.id = p.id
$$;

-- The notification that tells of another one that was merged, at the end of the chain.
CREATE OR REPLACE FUNCTION push_teller(part uuid) RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  WITH RECURSIVE tellers AS (
    SELECT n.merged_into AS id, 1 AS step FROM notifications n WHERE n.id = part AND n.merged_into IS NOT NULL
    UNION
    SELECT n.merged_into, t.step + 1 FROM tellers t JOIN notifications n ON n.id = t.id WHERE n.merged_into IS NOT NULL
  )
  SELECT id FROM tellers ORDER BY step DESC LIMIT 1
$$;

-- Who voted or commented is found at once, however many did.
CREATE INDEX IF NOT EXISTS idx_votes_account ON votes (feedback_id, push_uuid(user_id));
CREATE INDEX IF NOT EXISTS idx_votes_address ON votes (feedback_id, lower(user_email)) WHERE user_email IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_comments_author ON comments (feedback_id, user_id);

-- Whether an act still counts: a vote that was taken back does not, nor a conflict of somebody who has left the group.
CREATE OR REPLACE FUNCTION push_counts(n notifications) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE n.family
    WHEN 'votes' THEN EXISTS (
      SELECT FROM votes v WHERE v.feedback_id = n.feedback_id AND v.user_id = n.actor)
    WHEN 'comments' THEN EXISTS (
      SELECT FROM comments c WHERE c.feedback_id = n.feedback_id AND c.user_id = n.actor
      UNION ALL SELECT FROM comments c WHERE c.id = push_uuid(n.actor) AND c.feedback_id = n.feedback_id)
    WHEN 'new_feedback' THEN EXISTS (SELECT FROM feedbacks f WHERE f.id = n.feedback_id AND f.project_id = n.project_id)
    WHEN 'proposal_votes' THEN EXISTS (
      SELECT FROM proposal_votes v
      JOIN event_proposals p ON p.id = v.proposal_id
      JOIN group_members m ON m.group_id = p.group_id AND m.user_id = v.user_id
      WHERE v.proposal_id = n.proposal_id AND v.user_id = push_uuid(n.actor))
    WHEN 'conflicts' THEN EXISTS (
      SELECT FROM event_conflicts c
      JOIN event_proposals p ON p.id = c.proposal_id
      JOIN group_members m ON m.group_id = p.group_id AND m.user_id = c.user_id
      WHERE c.proposal_id = n.proposal_id AND c.user_id = push_uuid(n.actor))
    ELSE true
  END
$$;

-- Each message counts, whichever notification tells of it.
CREATE OR REPLACE FUNCTION push_badges(person uuid, app text, moment timestamptz) RETURNS TABLE (badge integer)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE push_badges.app
    WHEN 'lockitin' THEN (
      SELECT count(*)
      FROM (
        SELECT greatest(p.created_at, p.options_changed_at) AS asked_at
        FROM group_members m
        JOIN event_proposals p ON p.group_id = m.group_id AND p.status = 'open' AND p.deadline > moment
        WHERE m.user_id = person
          AND NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = person)
        UNION ALL
        SELECT r.created_at FROM friend_requests r WHERE r.recipient_id = person AND r.status = 'pending'
        UNION ALL
        SELECT i.created_at FROM group_invites i WHERE i.invitee_id = person AND i.status = 'pending'
      ) AS asked
      LEFT JOIN notification_state s ON s.user_id = person AND s.app = push_badges.app
      WHERE (asked.asked_at <= s.all_read_at) IS NOT TRUE)
    ELSE (
      SELECT count(*) + coalesce(sum(CASE push_badges.app WHEN 'messageai' THEN (
        SELECT count(*) FROM push_parts(n.id) m WHERE m.is_read IS NOT TRUE) ELSE 0 END), 0)
      FROM notifications n
      WHERE n.user_id = person AND n.app = push_badges.app
        AND n.counts_for_badge AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE
        AND (n.expires_at IS NULL OR n.expires_at > moment))
  END::integer
$$;
