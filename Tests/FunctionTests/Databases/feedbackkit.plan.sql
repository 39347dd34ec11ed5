-- What the SQL of the plan for pushes (§5.1, §5.2) adds to feedbackkit.sql, word for word, and rows of then.
CREATE TABLE device_tokens (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id UUID NOT NULL REFERENCES users(id) ON DELETE CASCADE,
    token TEXT NOT NULL UNIQUE,
    platform VARCHAR(10) NOT NULL,  -- 'iOS', 'macOS'
    app_version VARCHAR(20),
    os_version VARCHAR(20),
    is_active BOOLEAN NOT NULL DEFAULT TRUE,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT NOW(),
    last_used_at TIMESTAMP WITH TIME ZONE,

    CONSTRAINT valid_platform CHECK (platform IN ('iOS', 'macOS'))
);

CREATE INDEX idx_device_tokens_user_id ON device_tokens(user_id);
CREATE INDEX idx_device_tokens_token ON device_tokens(token);
CREATE INDEX idx_device_tokens_active ON device_tokens(user_id, is_active) WHERE is_active = TRUE;


CREATE TABLE project_member_preferences (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id UUID NOT NULL REFERENCES users(id) ON DELETE CASCADE,
    project_id UUID NOT NULL REFERENCES projects(id) ON DELETE CASCADE,

    push_notify_new_feedback BOOLEAN,  -- NULL = use personal preference
    push_notify_new_comments BOOLEAN,
    push_notify_votes BOOLEAN,
    push_notify_status_changes BOOLEAN,
    push_muted BOOLEAN NOT NULL DEFAULT FALSE,

    -- Email preferences (future expansion)
    email_notify_new_feedback BOOLEAN,
    email_notify_new_comments BOOLEAN,
    email_muted BOOLEAN NOT NULL DEFAULT FALSE,

    created_at TIMESTAMP WITH TIME ZONE DEFAULT NOW(),
    updated_at TIMESTAMP WITH TIME ZONE DEFAULT NOW(),

    CONSTRAINT unique_user_project UNIQUE (user_id, project_id)
);

CREATE INDEX idx_project_member_prefs_user ON project_member_preferences(user_id);
CREATE INDEX idx_project_member_prefs_project ON project_member_preferences(project_id);


CREATE TABLE push_notification_logs (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id UUID NOT NULL REFERENCES users(id) ON DELETE CASCADE,
    device_token_id UUID REFERENCES device_tokens(id) ON DELETE SET NULL,

    notification_type VARCHAR(50) NOT NULL,  -- 'new_feedback', 'new_comment', etc.
    status VARCHAR(20) NOT NULL,             -- 'sent', 'delivered', 'failed', 'token_expired'

    feedback_id UUID REFERENCES feedbacks(id) ON DELETE SET NULL,
    project_id UUID REFERENCES projects(id) ON DELETE SET NULL,

    payload JSONB,
    error_message TEXT,
    apns_id VARCHAR(100),

    created_at TIMESTAMP WITH TIME ZONE DEFAULT NOW()
);

CREATE INDEX idx_push_logs_user ON push_notification_logs(user_id);
CREATE INDEX idx_push_logs_status ON push_notification_logs(status);
CREATE INDEX idx_push_logs_created ON push_notification_logs(created_at);
ALTER TABLE users ADD COLUMN push_notifications_enabled BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE users ADD COLUMN push_notify_new_feedback BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE users ADD COLUMN push_notify_new_comments BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE users ADD COLUMN push_notify_votes BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE users ADD COLUMN push_notify_status_changes BOOLEAN NOT NULL DEFAULT TRUE;


ALTER TABLE votes ADD COLUMN user_email VARCHAR(255);

INSERT INTO device_tokens (id, user_id, token, platform, app_version, os_version, created_at) VALUES
  ('dd000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', repeat('a1', 32), 'iOS', '1.0', '18.0',
   now() - interval '90 days'),
  ('dd000000-0000-4000-8000-000000000002', 'a0000000-0000-4000-8000-000000000002', repeat('a2', 32), 'macOS', NULL, NULL,
   NULL);
INSERT INTO project_member_preferences (id, user_id, project_id, push_notify_votes)
VALUES ('b2000000-0000-4000-8000-000000000002', 'a0000000-0000-4000-8000-000000000002',
  'b0000000-0000-4000-8000-000000000001', false);
INSERT INTO push_notification_logs (id, user_id, device_token_id, notification_type, status, feedback_id, project_id,
  created_at)
VALUES ('1c000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001',
  'dd000000-0000-4000-8000-000000000001', 'new_feedback', 'sent', 'c0000000-0000-4000-8000-000000000001',
  'b0000000-0000-4000-8000-000000000001', now() - interval '40 days');
