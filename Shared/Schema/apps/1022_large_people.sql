-- Compatible
-- The badge of a person with very many unread notifications is counted in an index, which has all that counts. It takes
-- the place of the one without the times.
CREATE INDEX IF NOT EXISTS idx_notifications_unread ON notifications (user_id, app, expires_at) INCLUDE (id)
  WHERE counts_for_badge AND is_read IS NOT TRUE AND is_archived IS NOT TRUE;
DROP INDEX IF EXISTS idx_notifications_badge;
-- What was decided about one person is found among what was decided about all.
CREATE INDEX IF NOT EXISTS idx_decisions_person ON decisions (user_id, created_at);

-- The badge, counted up to `most` entries of the inbox; NULL counts them all.
CREATE OR REPLACE FUNCTION push_badges(person uuid, app text, moment timestamptz, most bigint)
RETURNS TABLE (badge integer) LANGUAGE sql STABLE PARALLEL SAFE AS $$
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
CREATE OR REPLACE FUNCTION push_badges(person uuid, app text, moment timestamptz) RETURNS TABLE (badge integer)
LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT b.badge FROM push_badges(person, app, moment, NULL) b $$;
