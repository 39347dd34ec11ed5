-- LockItIn: what becomes of proposals, and who asks whom for what.

-- A confirmed proposal becomes an event in the transaction that sets its status; other events have no proposal.
CREATE TABLE IF NOT EXISTS events (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  group_id uuid NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
  proposal_id uuid UNIQUE REFERENCES event_proposals (id) ON DELETE SET NULL,
  option_id uuid REFERENCES proposal_options (id) ON DELETE SET NULL,
  created_by uuid REFERENCES users (id) ON DELETE SET NULL,
  title text NOT NULL,
  location text,
  location_latitude double precision,
  location_longitude double precision,
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  status text NOT NULL DEFAULT 'confirmed' CONSTRAINT events_status CHECK (status IN ('confirmed', 'cancelled')),
  visibility text NOT NULL DEFAULT 'shared_with_name'
    CONSTRAINT events_visibility CHECK (visibility IN ('shared_with_name', 'busy_only', 'private')),
  -- Whether people are asked for memories of it.
  is_tracked boolean NOT NULL DEFAULT true,
  created_at timestamptz DEFAULT now(),
  updated_at timestamptz DEFAULT now()
);
CREATE INDEX IF NOT EXISTS idx_events_starts ON events (starts_at) WHERE status = 'confirmed';
CREATE INDEX IF NOT EXISTS idx_events_ends ON events (ends_at) WHERE status = 'confirmed';
CREATE INDEX IF NOT EXISTS idx_events_group ON events (group_id);

-- Who said in the app that they come to an event, or that they do not; without a row the vote on its option counts.
CREATE TABLE IF NOT EXISTS event_attendees (
  event_id uuid NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  status text NOT NULL CONSTRAINT event_attendees_status CHECK (status IN ('yes', 'maybe', 'no')),
  -- How long a person's way takes, as their device last said; NULL where nobody said.
  travel_minutes integer CONSTRAINT event_attendees_travel CHECK (travel_minutes BETWEEN 0 AND 1440),
  travel_mode text,
  traffic text,
  updated_at timestamptz DEFAULT now(),
  PRIMARY KEY (event_id, user_id)
);
CREATE INDEX IF NOT EXISTS idx_event_attendees_user ON event_attendees (user_id);

-- `existing_title` may be shown to the conflicted person alone.
CREATE TABLE IF NOT EXISTS event_conflicts (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  proposal_id uuid NOT NULL REFERENCES event_proposals (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  existing_event_id uuid,
  existing_title text,
  conflict_level text NOT NULL DEFAULT 'hard',
  created_at timestamptz DEFAULT now(),
  UNIQUE (proposal_id, user_id, existing_event_id)
);

CREATE TABLE IF NOT EXISTS friend_requests (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  requester_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  recipient_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  status text NOT NULL DEFAULT 'pending'
    CONSTRAINT friend_requests_status CHECK (status IN ('pending', 'accepted', 'declined')),
  created_at timestamptz DEFAULT now(),
  updated_at timestamptz DEFAULT now()
);
CREATE INDEX IF NOT EXISTS idx_friend_requests_pending ON friend_requests (recipient_id) WHERE status = 'pending';

CREATE TABLE IF NOT EXISTS group_invites (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  group_id uuid NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
  inviter_id uuid REFERENCES users (id) ON DELETE SET NULL,
  invitee_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  status text NOT NULL DEFAULT 'pending'
    CONSTRAINT group_invites_status CHECK (status IN ('pending', 'accepted', 'declined')),
  created_at timestamptz DEFAULT now(),
  updated_at timestamptz DEFAULT now()
);
CREATE INDEX IF NOT EXISTS idx_group_invites_pending ON group_invites (invitee_id) WHERE status = 'pending';

-- What an inbox entry is about, besides proposals.
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS event_id uuid REFERENCES events (id) ON DELETE CASCADE;
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS friend_request_id uuid
  REFERENCES friend_requests (id) ON DELETE CASCADE;
CREATE INDEX IF NOT EXISTS idx_notifications_event ON notifications (event_id) WHERE event_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_notifications_friend_request ON notifications (friend_request_id)
  WHERE friend_request_id IS NOT NULL;

-- Kinds that share a switch in the seed can each have their own; NULL follows the shared one, or the kind's default.
ALTER TABLE user_notification_preferences ADD COLUMN IF NOT EXISTS vote_cast boolean;
ALTER TABLE user_notification_preferences ADD COLUMN IF NOT EXISTS confirmations boolean;
ALTER TABLE user_notification_preferences ADD COLUMN IF NOT EXISTS day_before_reminders boolean;
ALTER TABLE user_notification_preferences ADD COLUMN IF NOT EXISTS memory_prompts boolean;
ALTER TABLE group_notification_preferences ADD COLUMN IF NOT EXISTS vote_cast boolean;
ALTER TABLE group_notification_preferences ADD COLUMN IF NOT EXISTS day_before_reminders boolean;
-- Whether the proposer hears of each vote; NULL follows their switch for the group.
ALTER TABLE event_proposals ADD COLUMN IF NOT EXISTS notify_vote_cast boolean;
ALTER TABLE event_proposals ADD COLUMN IF NOT EXISTS location text;

-- The badge of LockItIn counts everything that is asked of a person: votes, requests and invitations.
CREATE OR REPLACE FUNCTION push_badges(person uuid, app text, moment timestamptz) RETURNS TABLE (badge integer)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE push_badges.app
    WHEN 'lockitin' THEN (
      SELECT count(*)
      FROM (
        SELECT p.created_at
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
      WHERE (asked.created_at <= s.all_read_at) IS NOT TRUE)
    ELSE (
      SELECT count(*)
      FROM notifications n
      WHERE n.user_id = person AND n.app = push_badges.app
        AND n.counts_for_badge AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE
        AND (n.expires_at IS NULL OR n.expires_at > moment))
  END::integer
$$;

-- The options that a vote was cast on: when there are newer ones, it no longer counts. NULL in votes from before.
ALTER TABLE proposal_votes ADD COLUMN IF NOT EXISTS options_version integer;
CREATE OR REPLACE FUNCTION push_stamp_vote() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.options_version := (SELECT p.options_version FROM event_proposals p WHERE p.id = NEW.proposal_id);
  RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER push_stamp_vote BEFORE INSERT OR UPDATE OF vote ON proposal_votes
  FOR EACH ROW EXECUTE FUNCTION push_stamp_vote();

-- What may have to leave the inbox when a proposal closes.
CREATE INDEX IF NOT EXISTS idx_notifications_proposal_unread ON notifications (proposal_id)
  WHERE proposal_id IS NOT NULL AND is_read IS NOT TRUE AND is_archived IS NOT TRUE;
