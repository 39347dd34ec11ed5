-- Whom functions told, and whom they did not, after one instant and up to another: `runner clock` shows it, see "journal"
-- in functions.json. The body is text, so that it keeps nobody from altering the tables.
CREATE OR REPLACE FUNCTION push_journal(after timestamptz, through timestamptz)
RETURNS TABLE (
  "time" timestamptz, function text, line text, minor boolean, person text, kind text, decision text, reason text,
  title text)
LANGUAGE sql STABLE AS $$
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
