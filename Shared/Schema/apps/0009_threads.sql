-- Compatible
-- A person with many pushes a day: the last one of a family about a subject is found among them at once.
CREATE INDEX IF NOT EXISTS idx_notifications_threads
  ON notifications (user_id, app, family, family_subject, pushed_at, id) WHERE pushed_at IS NOT NULL AND family IS NOT NULL;
