-- What every app can do: insert notifications itself.

-- Names that apps use in rows of their own: what it is about, and another name for the body. The title may be left out
-- where the kind has one.
ALTER TABLE notifications ALTER COLUMN title DROP NOT NULL;
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS entity_id text;
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS message text;

-- For the daily cleanup.
CREATE INDEX IF NOT EXISTS idx_notifications_unread_expiry ON notifications (expires_at) WHERE is_read IS NOT TRUE;
CREATE INDEX IF NOT EXISTS idx_notifications_read_created ON notifications (created_at) WHERE is_read;
CREATE INDEX IF NOT EXISTS idx_notification_interactions_created ON notification_interactions (created_at);
