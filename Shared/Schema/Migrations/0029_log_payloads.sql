-- Compatible
-- A log that was there before this schema, made without what was sent.
ALTER TABLE push_notification_logs ADD COLUMN IF NOT EXISTS payload jsonb;
