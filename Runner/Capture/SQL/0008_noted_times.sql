-- Compatible
-- When a retry or a wake-up was noted: one that was noted in the future is by a clock that was ahead, and its time counts
-- from now.
ALTER TABLE runner.retries ADD COLUMN noted_at timestamptz;
ALTER TABLE runner.retries ALTER COLUMN noted_at SET DEFAULT runner.now();
ALTER TABLE runner.wakeups ADD COLUMN noted_at timestamptz;
ALTER TABLE runner.wakeups ALTER COLUMN noted_at SET DEFAULT runner.now();
