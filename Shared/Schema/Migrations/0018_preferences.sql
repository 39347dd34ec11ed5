-- When a person last changed what they want to hear of a group.
ALTER TABLE group_notification_preferences ADD COLUMN IF NOT EXISTS updated_at timestamptz;
