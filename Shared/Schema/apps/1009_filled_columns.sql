-- What only the app's code fills. Functions write rows of devices and preferences without the columns that they do not know,
-- or need not change. Where such a column must have a value and has no default, it gets one: what we would have said, or the
-- empty value of its type.
DO $$
DECLARE
  part record;
BEGIN
  FOR part IN
    SELECT a.attrelid::regclass AS tab, a.attname AS col, coalesce(
      CASE WHEN t.typcategory = 'B' THEN CASE
        WHEN a.attname IN ('is_active', 'notifications_enabled', 'haptic_feedback', 'summary_notifications_enabled')
          OR a.attname ~ '^(push_notify|email_notify)_' OR a.attrelid <> 'device_tokens'::regclass AND a.attname IN (
            'proposal_notifications', 'vote_updates', 'conflict_alerts', 'friend_requests', 'event_reminders',
            'group_updates', 'confirmations') THEN 'true'
        ELSE 'false' END
      END,
      CASE a.attname
        WHEN 'notification_level' THEN quote_literal('all') WHEN 'notification_sound' THEN quote_literal('default')
        WHEN 'timezone' THEN quote_literal('UTC') WHEN 'quiet_hours_start' THEN quote_literal('22:00')
        WHEN 'quiet_hours_end' THEN quote_literal('08:00')
      END,
      CASE WHEN t.typname IN ('json', 'jsonb') THEN quote_literal('{}') ELSE CASE t.typcategory
        WHEN 'S' THEN quote_literal('') WHEN 'N' THEN '0' WHEN 'A' THEN quote_literal('{}') WHEN 'D' THEN 'push_now()'
        WHEN 'T' THEN quote_literal('0') END
      END) AS value
    FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
    WHERE a.attrelid IN ('device_tokens'::regclass, 'project_member_preferences'::regclass,
        'user_notification_preferences'::regclass, 'group_notification_preferences'::regclass)
      AND a.attnum > 0 AND NOT a.attisdropped AND a.attnotnull AND NOT a.atthasdef AND a.attidentity = ''
      AND a.attname NOT IN ('id', 'user_id', 'project_id', 'group_id', 'token', 'device_token', 'platform')
      AND t.typtype = 'b' AND t.typname <> 'uuid'
      AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisunique AND a.attnum = ANY (i.indkey))
      AND NOT EXISTS (
        SELECT FROM pg_constraint c WHERE c.conrelid = a.attrelid AND c.contype = 'f' AND a.attnum = ANY (c.conkey))
  LOOP
    IF part.value IS NOT NULL THEN
      EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT %s', part.tab, part.col, part.value);
    END IF;
  END LOOP;
END
$$;
