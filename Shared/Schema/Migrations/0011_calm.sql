-- What waits: for the end of quiet hours, for a place among an hour's pushes, or to be merged with others.

-- How a person wants to be told by one app; LockItIn has a table of its own.
CREATE TABLE IF NOT EXISTS notification_settings (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  app text NOT NULL,
  is_enabled boolean NOT NULL DEFAULT true,
  -- Kind names with true or false; a kind that is not there follows its default.
  switches jsonb NOT NULL DEFAULT '{}',
  sound text,
  timezone text,
  quiet_hours_enabled boolean NOT NULL DEFAULT false,
  quiet_hours_start time,
  quiet_hours_end time,
  hourly_limit integer CONSTRAINT notification_settings_limit CHECK (hourly_limit > 0),
  max_analyses_per_hour integer CONSTRAINT notification_settings_analyses CHECK (max_analyses_per_hour > 0),
  fallback_strategy text CONSTRAINT notification_settings_fallback
    CHECK (fallback_strategy IN ('simple_rules', 'notify_all', 'suppress_all')),
  haptic_feedback boolean NOT NULL DEFAULT true,
  critical_alerts boolean NOT NULL DEFAULT false,
  summary_notifications boolean NOT NULL DEFAULT true,
  updated_at timestamptz DEFAULT now(),
  PRIMARY KEY (user_id, app)
);
ALTER TABLE user_notification_preferences ADD COLUMN IF NOT EXISTS hourly_limit integer
  CONSTRAINT user_notification_preferences_limit CHECK (hourly_limit > 0);
ALTER TABLE user_notification_preferences ADD COLUMN IF NOT EXISTS critical_alerts boolean DEFAULT false;

-- `pushed_at` is when deliveries were made; `push_expires_at` when a push would be pointless.
-- `window_ends_at` stands on a notification after which others of its family about `family_subject` are gathered;
-- `actor` says who or what is counted when they are merged, and `merged_into` what they are merged into.
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS pushed_at timestamptz;
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS push_expires_at timestamptz;
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS recipient_reason text;
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS family text;
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS family_subject text;
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS family_name text;
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS window_ends_at timestamptz;
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS opener_id uuid;
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS actor text;
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS actor_name text;
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS merged_into uuid;
CREATE INDEX IF NOT EXISTS idx_notifications_pushed ON notifications (user_id, app, pushed_at)
  WHERE pushed_at IS NOT NULL;

-- What waits, and until when; a row goes when its notification is sent, merged or given up.
CREATE TABLE IF NOT EXISTS held_notifications (
  notification_id uuid PRIMARY KEY REFERENCES notifications (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  app text NOT NULL,
  reason text NOT NULL CONSTRAINT held_notifications_reason CHECK (reason IN ('batched', 'quiet_hours', 'rate_limited')),
  held_until timestamptz NOT NULL,
  held_since timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_held_notifications_until ON held_notifications (held_until);
CREATE INDEX IF NOT EXISTS idx_held_notifications_user ON held_notifications (user_id);

ALTER TABLE decisions DROP CONSTRAINT IF EXISTS decisions_decision;
ALTER TABLE decisions ADD CONSTRAINT decisions_decision CHECK (decision IN ('notify', 'hold', 'suppress')) NOT VALID;

-- What was decided when something that waited came due, one row each time.
CREATE TABLE IF NOT EXISTS notification_rechecks (
  notification_id uuid NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
  decision text NOT NULL
    CONSTRAINT notification_rechecks_decision CHECK (decision IN ('notify', 'merge', 'hold', 'suppress')),
  reason text,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (notification_id, created_at)
);

-- How a person stands to what a notification asks of them or tells them: open, handled, gone or not_permitted.
CREATE OR REPLACE FUNCTION push_standing(n notifications, moment timestamptz) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN n.is_read OR n.is_archived THEN 'handled'
    WHEN n.recipient_reason = 'member' AND n.app = 'feedbackkit' AND NOT EXISTS (
      SELECT FROM projects p WHERE p.id = n.project_id AND p.owner_id = n.user_id
      UNION ALL SELECT FROM project_members m WHERE m.project_id = n.project_id AND m.user_id = n.user_id)
      THEN 'not_permitted'
    WHEN n.proposal_id IS NOT NULL THEN (
      SELECT CASE
        WHEN NOT EXISTS (SELECT FROM group_members m WHERE m.group_id = p.group_id AND m.user_id = n.user_id)
          THEN 'not_permitted'
        WHEN n.type IN ('proposal_created', 'proposal_reminder', 'proposal_updated') AND (
          p.status <> 'open' OR p.deadline <= moment
          OR EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = n.user_id))
          THEN 'handled'
        ELSE 'open'
      END
      FROM event_proposals p WHERE p.id = n.proposal_id)
    WHEN n.event_id IS NOT NULL THEN (
      SELECT CASE WHEN e.status = 'cancelled' THEN 'gone' ELSE 'open' END FROM events e WHERE e.id = n.event_id)
    WHEN n.friend_request_id IS NOT NULL THEN (
      SELECT CASE WHEN r.status = 'pending' THEN 'open' ELSE 'handled' END
      FROM friend_requests r WHERE r.id = n.friend_request_id)
    WHEN n.app = 'lockitin' AND n.type = 'group_invite' THEN (
      SELECT CASE WHEN bool_or(i.status = 'pending') THEN 'open' ELSE 'handled' END
      FROM group_invites i WHERE i.invitee_id = n.user_id AND i.group_id = push_uuid(n.subject_id))
    ELSE 'open'
  END
$$;
