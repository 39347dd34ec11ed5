-- LockItIn: groups, their proposals, and what each person wants to hear of them.

CREATE TABLE IF NOT EXISTS groups (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL,
  created_by uuid REFERENCES users (id) ON DELETE SET NULL,
  created_at timestamptz DEFAULT now(),
  updated_at timestamptz DEFAULT now()
);

CREATE TABLE IF NOT EXISTS group_members (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  group_id uuid NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role text NOT NULL DEFAULT 'member',
  created_at timestamptz DEFAULT now(),
  UNIQUE (group_id, user_id)
);
CREATE INDEX IF NOT EXISTS idx_group_members_user ON group_members (user_id);

-- `options_version` counts changes of the options after which everybody has to vote again.
CREATE TABLE IF NOT EXISTS event_proposals (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  group_id uuid NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
  created_by uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  title text NOT NULL,
  description text,
  deadline timestamptz NOT NULL,
  status text NOT NULL DEFAULT 'open'
    CONSTRAINT event_proposals_status CHECK (status IN ('open', 'confirmed', 'expired', 'cancelled')),
  visibility text NOT NULL DEFAULT 'shared_with_name'
    CONSTRAINT event_proposals_visibility CHECK (visibility IN ('shared_with_name', 'busy_only', 'private')),
  options_version integer NOT NULL DEFAULT 1,
  created_at timestamptz DEFAULT now(),
  updated_at timestamptz DEFAULT now()
);
CREATE INDEX IF NOT EXISTS idx_event_proposals_open ON event_proposals (deadline) WHERE status = 'open';
CREATE INDEX IF NOT EXISTS idx_event_proposals_group ON event_proposals (group_id);

CREATE TABLE IF NOT EXISTS proposal_options (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  proposal_id uuid NOT NULL REFERENCES event_proposals (id) ON DELETE CASCADE,
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  created_at timestamptz DEFAULT now(),
  UNIQUE (id, proposal_id)
);
CREATE INDEX IF NOT EXISTS idx_proposal_options_proposal ON proposal_options (proposal_id);

-- One vote for each option and person.
CREATE TABLE IF NOT EXISTS proposal_votes (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  proposal_id uuid NOT NULL,
  option_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  vote text NOT NULL CONSTRAINT proposal_votes_vote CHECK (vote IN ('yes', 'maybe', 'no')),
  created_at timestamptz DEFAULT now(),
  updated_at timestamptz DEFAULT now(),
  UNIQUE (option_id, user_id),
  FOREIGN KEY (option_id, proposal_id) REFERENCES proposal_options (id, proposal_id) ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS idx_proposal_votes_person ON proposal_votes (proposal_id, user_id);

CREATE TABLE IF NOT EXISTS user_notification_preferences (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL UNIQUE REFERENCES users (id) ON DELETE CASCADE,
  notifications_enabled boolean DEFAULT true,
  proposal_notifications boolean DEFAULT true,
  vote_updates boolean DEFAULT true,
  conflict_alerts boolean DEFAULT true,
  friend_requests boolean DEFAULT true,
  event_reminders boolean DEFAULT true,
  group_updates boolean DEFAULT true,
  notification_sound varchar(50) DEFAULT 'default',
  haptic_feedback boolean DEFAULT true,
  quiet_hours_enabled boolean DEFAULT false,
  quiet_hours_start time,
  quiet_hours_end time,
  timezone varchar(100),
  summary_notifications_enabled boolean DEFAULT true,
  created_at timestamptz DEFAULT now(),
  updated_at timestamptz DEFAULT now()
);
-- The kinds that share a switch in the seed can each have their own; NULL follows the shared one.
ALTER TABLE user_notification_preferences ADD COLUMN IF NOT EXISTS voting_deadline boolean;

-- Overrides are NULL unless chosen: a row made for its level alone must not switch on what the person switched off.
CREATE TABLE IF NOT EXISTS group_notification_preferences (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  group_id uuid NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
  notification_level varchar(20) DEFAULT 'all'
    CONSTRAINT group_notification_level CHECK (notification_level IN ('all', 'important', 'muted')),
  proposal_notifications boolean,
  vote_updates boolean,
  confirmations boolean,
  event_reminders boolean,
  UNIQUE (user_id, group_id)
);
ALTER TABLE group_notification_preferences ADD COLUMN IF NOT EXISTS voting_deadline boolean;
CREATE INDEX IF NOT EXISTS idx_group_notification_preferences_group ON group_notification_preferences (group_id);
