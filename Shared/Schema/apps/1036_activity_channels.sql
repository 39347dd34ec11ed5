-- Compatible
-- Knows: activity_channels by app, topic, environment, subject_id, wanted_stamp
-- Broadcast channels of APNs (iOS 18): one push reaches all Live Activities of a subject that listen.

DO $$
BEGIN
  IF to_regclass('activity_channels') IS NOT NULL AND NOT EXISTS (
    SELECT FROM pg_policy WHERE polrelid = to_regclass('activity_channels') AND polname = 'push_servers')
  THEN
    RAISE EXCEPTION 'activity_channels is the app''s own table, and so is about something else: give it another name.'
      USING ERRCODE = 'duplicate_table';
  END IF;
END
$$;

-- A subject's channel for one bundle id in one environment. `state` is what is to be done or was done: `asked` and
-- `creating` before APNs has made it, `ended` while APNs keeps the end for phones that are off, `closing` when it is to be
-- deleted, `refused` if it is not used. `reason` says why a channel is refused or gone.
-- `wanted` is what its activities are to say with the timestamp `wanted_stamp`; `said_stamp` is the timestamp of the last
-- broadcast that APNs accepted. `expires_at` is the subject's deadline.
CREATE TABLE IF NOT EXISTS activity_channels (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  app text NOT NULL,
  attributes_type text NOT NULL,
  subject_id text NOT NULL,
  topic text NOT NULL,
  environment text NOT NULL CONSTRAINT activity_channels_environment CHECK (environment IN ('sandbox', 'production')),
  state text NOT NULL DEFAULT 'asked' CONSTRAINT activity_channels_state CHECK (
    state IN ('asked', 'creating', 'live', 'ended', 'closing', 'gone', 'refused')),
  channel text UNIQUE,
  reason text,
  created_at timestamptz NOT NULL DEFAULT push_now(),
  updated_at timestamptz NOT NULL DEFAULT push_now(),
  wanted text,
  wanted_stamp bigint NOT NULL DEFAULT 0,
  wanted_event text CONSTRAINT activity_channels_event CHECK (wanted_event IN ('update', 'end')),
  wanted_priority smallint,
  expires_at timestamptz NOT NULL,
  said_stamp bigint NOT NULL DEFAULT 0,
  UNIQUE (app, topic, environment, subject_id)
);
CREATE INDEX IF NOT EXISTS idx_activity_channels_subject ON activity_channels (subject_id, app);

-- The channel that an activity listens to; NULL for an activity with a token of its own. It has no foreign key, as
-- `deliveries.activity_id` has none.
ALTER TABLE live_activities ADD COLUMN IF NOT EXISTS channel_id uuid;

SELECT push_close_to_clients('activity_channels', VARIADIC '{}'::regproc[]);
