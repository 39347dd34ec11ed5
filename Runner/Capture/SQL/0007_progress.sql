-- How far the attempts of a failed event have come: `progress` is the highest count that one has reported. Attempts before
-- `counted_from`, and crashes before it, count no more: a later one got further than all before.
ALTER TABLE runner.retries ADD COLUMN progress bigint NOT NULL DEFAULT 0;
ALTER TABLE runner.retries ADD COLUMN counted_from integer NOT NULL DEFAULT 0;
