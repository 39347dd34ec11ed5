-- Compatible
-- What a clock that was ahead has suppressed is found without a look at the other decisions.
CREATE INDEX IF NOT EXISTS idx_notification_rechecks_by_time ON notification_rechecks (created_at)
WHERE decision = 'suppress' AND reason IN ('quiet_hours', 'rate_limited', 'expired');
