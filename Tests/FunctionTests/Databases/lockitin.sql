-- LockItIn's own tables: those that its plan gives in SQL, and what they refer to.
CREATE TABLE users (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), email text NOT NULL UNIQUE, full_name text);
CREATE TABLE groups (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), name text NOT NULL);
CREATE TABLE event_proposals (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), group_id uuid NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
  created_by uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE, event_title varchar(255) NOT NULL,
  deadline timestamp NOT NULL, created_at timestamp DEFAULT now());
-- A vote is on the proposal: there are no options.
CREATE TABLE proposal_votes (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  proposal_id uuid NOT NULL REFERENCES event_proposals (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE, vote varchar(10) NOT NULL, created_at timestamp DEFAULT now(),
  UNIQUE (proposal_id, user_id));
CREATE TABLE events (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), title varchar(255) NOT NULL, starts_at timestamp NOT NULL,
  ends_at timestamp NOT NULL);
CREATE TABLE friend_requests (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), requester_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  recipient_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE);

CREATE TABLE device_tokens (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id UUID NOT NULL REFERENCES users(id) ON DELETE CASCADE,
    device_token VARCHAR(255) NOT NULL,
    device_model VARCHAR(50),
    os_version VARCHAR(20),
    is_active BOOLEAN DEFAULT true,
    created_at TIMESTAMP DEFAULT now(),
    last_used_at TIMESTAMP DEFAULT now(),
    UNIQUE(user_id, device_token)
);

CREATE INDEX idx_device_tokens_user ON device_tokens(user_id);
CREATE INDEX idx_device_tokens_active ON device_tokens(user_id, is_active);

CREATE TABLE notifications (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id UUID NOT NULL REFERENCES users(id) ON DELETE CASCADE,
    type VARCHAR(50) NOT NULL, -- 'PROPOSAL_CREATED', 'CONFLICT_ALERT', etc.
    title VARCHAR(255) NOT NULL,
    body VARCHAR(500),
    data JSONB DEFAULT '{}', -- Custom data for deep linking
    proposal_id UUID REFERENCES event_proposals(id) ON DELETE CASCADE,
    event_id UUID REFERENCES events(id) ON DELETE CASCADE,
    friend_request_id UUID REFERENCES friend_requests(id) ON DELETE CASCADE,
    is_read BOOLEAN DEFAULT false,
    is_archived BOOLEAN DEFAULT false,
    created_at TIMESTAMP DEFAULT now(),
    expires_at TIMESTAMP DEFAULT now() + INTERVAL '30 days',
    updated_at TIMESTAMP DEFAULT now()
);

-- Indexes for performance
CREATE INDEX idx_notifications_user ON notifications(user_id);
CREATE INDEX idx_notifications_read ON notifications(is_read);
CREATE INDEX idx_notifications_created ON notifications(created_at DESC);
CREATE INDEX idx_notifications_type ON notifications(type);
CREATE INDEX idx_notifications_user_unread ON notifications(user_id, is_read, created_at DESC);


CREATE TABLE user_notification_preferences (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id UUID NOT NULL UNIQUE REFERENCES users(id) ON DELETE CASCADE,
    notifications_enabled BOOLEAN DEFAULT true,
    proposal_notifications BOOLEAN DEFAULT true,
    vote_updates BOOLEAN DEFAULT true,
    conflict_alerts BOOLEAN DEFAULT true,
    friend_requests BOOLEAN DEFAULT true,
    event_reminders BOOLEAN DEFAULT true,
    group_updates BOOLEAN DEFAULT true,
    notification_sound VARCHAR(50) DEFAULT 'default',
    haptic_feedback BOOLEAN DEFAULT true,
    quiet_hours_enabled BOOLEAN DEFAULT false,
    quiet_hours_start TIME,
    quiet_hours_end TIME,
    timezone VARCHAR(100),
    summary_notifications_enabled BOOLEAN DEFAULT true,
    created_at TIMESTAMP DEFAULT now(),
    updated_at TIMESTAMP DEFAULT now()
);

CREATE TABLE group_notification_preferences (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id UUID NOT NULL,
    group_id UUID NOT NULL,
    notification_level VARCHAR(20) DEFAULT 'all', -- 'all', 'important', 'muted'
    proposal_notifications BOOLEAN DEFAULT true,
    vote_updates BOOLEAN DEFAULT true,
    confirmations BOOLEAN DEFAULT true,
    event_reminders BOOLEAN DEFAULT true,
    UNIQUE(user_id, group_id),
    FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
    FOREIGN KEY (group_id) REFERENCES groups(id) ON DELETE CASCADE
);

INSERT INTO users (id, email, full_name) VALUES ('a0000000-0000-4000-8000-000000000001', 'ada@example.com', 'Ada'), ('a0000000-0000-4000-8000-000000000002', 'ben@example.com', 'Ben');
INSERT INTO device_tokens (user_id, device_token, created_at, last_used_at)
  SELECT person::uuid, token, used::timestamp, used::timestamp FROM (VALUES
    ('a0000000-0000-4000-8000-000000000001', 'shared', '2026-01-01'), ('a0000000-0000-4000-8000-000000000002', 'shared', '2026-01-02'), ('a0000000-0000-4000-8000-000000000001', 'own', '2026-01-03')
  ) AS d (person, token, used);
INSERT INTO notifications (user_id, type, title, created_at) VALUES ('a0000000-0000-4000-8000-000000000001', 'FRIEND_REQUEST', 'Earlier', '2026-01-01');
INSERT INTO user_notification_preferences (user_id) VALUES ('a0000000-0000-4000-8000-000000000001');
