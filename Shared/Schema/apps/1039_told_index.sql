-- Compatible
-- What was told last because a wait was over is found among all that was asked again.
CREATE INDEX IF NOT EXISTS idx_notification_rechecks_told ON notification_rechecks (created_at)
  WHERE decision IN ('notify', 'merge', 'summarize');
