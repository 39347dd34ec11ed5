-- Compatible
-- The W3C trace context of the run that has decided a notification, where traces are wanted: its pushes belong to it.
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS traceparent text;
