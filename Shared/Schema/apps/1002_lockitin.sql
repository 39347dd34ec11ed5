-- Changes friend_requests by actions: status 'accepted' 'declined'
-- Changes group_invites by actions: status 'accepted' 'declined'
-- Changes proposal_votes by actions: vote 'yes' 'maybe' 'no'
-- LockItIn's own tables, and what pushes add to them. A database that has them is only added to.

CREATE TABLE IF NOT EXISTS groups (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL,
  created_by uuid REFERENCES users (id) ON DELETE SET NULL,
  created_at timestamptz DEFAULT push_now(),
  updated_at timestamptz DEFAULT push_now()
);

CREATE TABLE IF NOT EXISTS group_members (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  group_id uuid NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role text NOT NULL DEFAULT 'member',
  created_at timestamptz DEFAULT push_now(),
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
  created_at timestamptz DEFAULT push_now(),
  updated_at timestamptz DEFAULT push_now()
);
-- `notify_vote_cast` says whether the proposer hears of each vote; NULL follows their switch for the group. New options ask
-- everybody again, also those who have marked everything as read: `options_changed_at`, which push_stamp_options() sets.
ALTER TABLE event_proposals
  ADD COLUMN IF NOT EXISTS notify_vote_cast boolean,
  ADD COLUMN IF NOT EXISTS location text,
  ADD COLUMN IF NOT EXISTS options_changed_at timestamptz;
CREATE INDEX IF NOT EXISTS idx_event_proposals_open ON event_proposals (deadline) WHERE status = 'open';
CREATE INDEX IF NOT EXISTS idx_event_proposals_group ON event_proposals (group_id);
-- Proposals that have just closed, whatever closed them.
CREATE INDEX IF NOT EXISTS idx_event_proposals_deadline ON event_proposals (deadline);

CREATE TABLE IF NOT EXISTS proposal_options (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  proposal_id uuid NOT NULL REFERENCES event_proposals (id) ON DELETE CASCADE,
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  created_at timestamptz DEFAULT push_now(),
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
  created_at timestamptz DEFAULT push_now(),
  updated_at timestamptz DEFAULT push_now(),
  UNIQUE (option_id, user_id),
  FOREIGN KEY (option_id, proposal_id) REFERENCES proposal_options (id, proposal_id) ON DELETE CASCADE
);
-- The options that a vote was cast on, which push_stamp_vote() sets: when there are newer ones, it no longer counts. NULL in
-- votes from before.
ALTER TABLE proposal_votes ADD COLUMN IF NOT EXISTS options_version integer;
CREATE INDEX IF NOT EXISTS idx_proposal_votes_person ON proposal_votes (proposal_id, user_id);

-- Who has lost a vote because its option was deleted, with the version of the options that the vote was for. An app that
-- replaces the options deletes their votes with them, before anybody could ask who has to vote again. A vote that is
-- deleted alone was taken back.
CREATE TABLE IF NOT EXISTS proposal_lost_votes (
  proposal_id uuid NOT NULL REFERENCES event_proposals (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  options_version integer NOT NULL,
  PRIMARY KEY (proposal_id, user_id)
);

-- The option that led when people were last told of a lead.
CREATE TABLE IF NOT EXISTS proposal_leads (
  proposal_id uuid PRIMARY KEY REFERENCES event_proposals (id) ON DELETE CASCADE,
  option_id uuid NOT NULL,
  changed_at timestamptz NOT NULL
);

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
  created_at timestamptz DEFAULT push_now(),
  updated_at timestamptz DEFAULT push_now()
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
  updated_at timestamptz DEFAULT push_now(),
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
  created_at timestamptz DEFAULT push_now(),
  UNIQUE (proposal_id, user_id, existing_event_id)
);

CREATE TABLE IF NOT EXISTS friend_requests (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  requester_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  recipient_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  status text NOT NULL DEFAULT 'pending'
    CONSTRAINT friend_requests_status CHECK (status IN ('pending', 'accepted', 'declined')),
  created_at timestamptz DEFAULT push_now(),
  updated_at timestamptz DEFAULT push_now()
);
DO $$
BEGIN
  IF push_knows('friend_requests', 'requester_id', 'recipient_id') THEN
CREATE INDEX IF NOT EXISTS idx_friend_requests_pending ON friend_requests (recipient_id) WHERE status = 'pending';
  END IF;
END
$$;

-- The requests. Where the app's own table of that name is about something else, there are none.
CREATE OR REPLACE FUNCTION push_friend_requests()
RETURNS TABLE (id uuid, recipient_id uuid, status text, created_at timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT NULL::uuid, NULL::uuid, NULL::text, NULL::timestamptz WHERE false $$;
DO $body$
BEGIN
  IF push_knows('friend_requests', 'requester_id', 'recipient_id') THEN
    CREATE OR REPLACE FUNCTION push_friend_requests()
    RETURNS TABLE (id uuid, recipient_id uuid, status text, created_at timestamptz)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT r.id, r.recipient_id, r.status::text, r.created_at FROM friend_requests r $$;
  END IF;
END
$body$;

CREATE TABLE IF NOT EXISTS group_invites (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  group_id uuid NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
  inviter_id uuid REFERENCES users (id) ON DELETE SET NULL,
  invitee_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  status text NOT NULL DEFAULT 'pending'
    CONSTRAINT group_invites_status CHECK (status IN ('pending', 'accepted', 'declined')),
  created_at timestamptz DEFAULT push_now(),
  updated_at timestamptz DEFAULT push_now()
);
CREATE INDEX IF NOT EXISTS idx_group_invites_pending ON group_invites (invitee_id) WHERE status = 'pending';
-- Whether an invitation stands is asked also of those that were answered.
CREATE INDEX IF NOT EXISTS idx_group_invites_invitee ON group_invites (invitee_id, group_id);
