-- What is on its way, what waits, and why somebody was not told.

-- Deliveries ----------------------------------------------------------------------------------------------------------

-- `probe_environment` is the environment that is left for a delivery to try: the other one has refused the device's token,
-- as it was registered at `probe_registered_at`. `unsettled` is how often in a row it was taken to be sent without an
-- answer being written down: its lease is longer each time. `refusals` is how often in a row the database has refused an
-- answer to it. `outage` says why it could not be sent the last time, and `outage_since` since when: its provider, or the
-- way there, was away, or the provider takes nothing from the sender. Both go when the push is sent or waits for
-- something else, and stay with one that has expired.
-- `badge` is the number that it was taken to be sent with; it stays until an answer says that the push did not
-- go out, so that a delivery which has it and was not accepted has or may have put it on the device.
--
-- A lease, and what an answer says of a device, change no column of any index: with room on their pages they touch the
-- tables alone (measured: 120 µs of the server's time for a claim and its settlement without the room, 80 with it).
-- Finished deliveries leave dead entries at the front of idx_deliveries_due, which every claim passes until a vacuum.
CREATE TABLE IF NOT EXISTS deliveries (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  notification_id uuid NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
  device_token_id uuid NOT NULL REFERENCES device_tokens (id) ON DELETE CASCADE,
  user_id uuid NOT NULL,
  app text NOT NULL,
  provider text NOT NULL DEFAULT 'apns',
  state text NOT NULL DEFAULT 'queued'
    CONSTRAINT deliveries_state CHECK (
      state IN ('queued', 'accepted', 'rejected', 'expired', 'unknown', 'opened', 'acted')),
  not_before timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  lease_until timestamptz,
  lease_id uuid,
  attempts integer NOT NULL DEFAULT 0,
  unsettled integer NOT NULL DEFAULT 0,
  refusals integer NOT NULL DEFAULT 0,
  badge integer,
  probe_environment text
    CONSTRAINT deliveries_probe_environment CHECK (probe_environment IN ('sandbox', 'production')),
  probe_registered_at timestamptz,
  reason text,
  outage text,
  outage_since timestamptz,
  apns_id text,
  accepted_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  UNIQUE (notification_id, device_token_id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 10000);
CREATE INDEX IF NOT EXISTS idx_deliveries_due ON deliveries (not_before) WHERE state = 'queued';
CREATE INDEX IF NOT EXISTS idx_deliveries_device ON deliveries (device_token_id);
CREATE INDEX IF NOT EXISTS idx_deliveries_settled ON deliveries (updated_at, state) WHERE state <> 'queued';
-- Deliveries of a provider that a process does not serve, or that is away, are counted and expire without a walk over
-- everybody else's, and are not in the way of theirs, however many they are.
CREATE INDEX IF NOT EXISTS idx_deliveries_apns ON deliveries (not_before) WHERE state = 'queued' AND provider = 'apns';
CREATE INDEX IF NOT EXISTS idx_deliveries_fcm ON deliveries (not_before) WHERE state = 'queued' AND provider = 'fcm';
CREATE INDEX IF NOT EXISTS idx_deliveries_expiring ON deliveries (provider, expires_at) WHERE state = 'queued';
CREATE INDEX IF NOT EXISTS idx_deliveries_away ON deliveries (provider, outage_since)
  WHERE state = 'queued' AND outage IS NOT NULL;

-- What the processes that send say of each provider. One that sends to it writes until when it is served, a minute at a
-- time and by the database's own clock, and takes away what others have said. One that does not send to it, because it
-- is not configured, or wrongly, writes why, in words, and since when: that counts as long as nobody serves it. Nothing
-- else depends on it, and what is queued is not touched, however much it is.
CREATE TABLE IF NOT EXISTS push_providers (
  provider text PRIMARY KEY CONSTRAINT push_providers_provider CHECK (provider IN ('apns', 'fcm')),
  served_until timestamptz,
  reason text,
  since timestamptz
);

-- What is decided -----------------------------------------------------------------------------------------------------

-- `reason` says why somebody was not told and is NULL for `notify`; `recipient_reason` says why they were asked about.
-- `variant` is what somebody read, or would have read; NULL where nothing was tried out. `facts` is what the decision was
-- made from, since settings change later: it has only what is not so with most people, and is NULL where nothing is. The
-- gates can be asked again from it.
CREATE TABLE IF NOT EXISTS decisions (
  function text NOT NULL,
  source text NOT NULL,
  event_id text NOT NULL,
  user_id uuid NOT NULL,
  subject_id text NOT NULL,
  kind text NOT NULL,
  decision text NOT NULL CONSTRAINT decisions_decision CHECK (decision IN ('notify', 'hold', 'suppress')),
  reason text,
  recipient_reason text NOT NULL,
  notification_id uuid,
  app text NOT NULL DEFAULT 'feedbackkit',
  variant text,
  facts jsonb,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (function, source, event_id, user_id, subject_id)
);
CREATE INDEX IF NOT EXISTS idx_decisions_created ON decisions (created_at);
CREATE INDEX IF NOT EXISTS idx_decisions_day ON decisions (((created_at AT TIME ZONE 'UTC')::date));

-- `result` is what the function answered, `progress` how far a large fan-out has come that has no result yet.
CREATE TABLE IF NOT EXISTS handled_events (
  function text NOT NULL,
  source text NOT NULL,
  event_id text NOT NULL,
  result text,
  progress text,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (function, source, event_id)
);
CREATE INDEX IF NOT EXISTS idx_handled_events_created ON handled_events (created_at);

-- What was decided when something that waited came due, one row each time.
CREATE TABLE IF NOT EXISTS notification_rechecks (
  notification_id uuid NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
  decision text NOT NULL
    CONSTRAINT notification_rechecks_decision CHECK (
      decision IN ('notify', 'merge', 'summarize', 'hold', 'suppress')),
  reason text,
  facts jsonb,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (notification_id, created_at)
);
-- What a clock that was ahead has suppressed is found without a look at the other decisions.
CREATE INDEX IF NOT EXISTS idx_notification_rechecks_by_time ON notification_rechecks (created_at)
WHERE decision = 'suppress' AND reason IN ('quiet_hours', 'rate_limited', 'expired');

-- Texts of a kind that are tried out against each other, each with an equal share of the people.
-- While a row is on, the variants that a kind has are used; without one, everybody reads its usual text.
CREATE TABLE IF NOT EXISTS experiments (
  app text NOT NULL,
  kind text NOT NULL,
  is_on boolean NOT NULL DEFAULT true,
  PRIMARY KEY (app, kind)
);

-- What MessageAI has judged for whom, which a person wants only so often an hour.
-- `source` and `event_id` name the call; `reason` says why the person was not told at once, and is NULL where they were.
CREATE TABLE IF NOT EXISTS analyses (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  message_id text NOT NULL,
  conversation_id text NOT NULL,
  priority text NOT NULL,
  source text NOT NULL,
  event_id text NOT NULL,
  reason text,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, message_id)
);
CREATE INDEX IF NOT EXISTS idx_analyses_user_created ON analyses (user_id, created_at);
CREATE INDEX IF NOT EXISTS idx_analyses_event ON analyses (event_id);
CREATE INDEX IF NOT EXISTS idx_analyses_created ON analyses (created_at);

-- What waits ----------------------------------------------------------------------------------------------------------

-- What waits, and until when; a row goes when its notification is sent, merged or given up.
CREATE TABLE IF NOT EXISTS held_notifications (
  notification_id uuid PRIMARY KEY REFERENCES notifications (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  app text NOT NULL,
  reason text NOT NULL CONSTRAINT held_notifications_reason CHECK (
    reason IN ('batched', 'quiet_hours', 'rate_limited', 'snoozed')),
  held_until timestamptz NOT NULL,
  held_since timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_held_notifications_until ON held_notifications (held_until);
CREATE INDEX IF NOT EXISTS idx_held_notifications_user ON held_notifications (user_id);
CREATE INDEX IF NOT EXISTS idx_held_notifications_person
  ON held_notifications (user_id, app, held_until, notification_id);
-- Waits that a clock wrote which was ahead are found without a look at the others.
CREATE INDEX IF NOT EXISTS idx_held_notifications_since ON held_notifications (held_since);

-- The queue of what waits: a row for each person and app, with the time at which something of theirs is next due. A release
-- takes people from it, so that nobody's million rows stand before somebody else's one. `failures` is how often in a row
-- the release of this person's has failed, and `failure` why; it is tried again at `release_at`.
CREATE TABLE IF NOT EXISTS held_people (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  app text NOT NULL,
  release_at timestamptz NOT NULL,
  failures integer NOT NULL DEFAULT 0,
  failure text,
  PRIMARY KEY (user_id, app)
);
CREATE INDEX IF NOT EXISTS idx_held_people_release ON held_people (release_at);

-- Who makes somebody wait has locked their notification_state, or waits for nothing afterwards: this row is the last
-- that is locked. A release that is at work on the person has it until its end.
CREATE OR REPLACE FUNCTION push_queue_person() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO held_people AS p (user_id, app, release_at)
  SELECT h.user_id, h.app, min(h.held_until) FROM held h GROUP BY h.user_id, h.app ORDER BY h.user_id, h.app
  ON CONFLICT (user_id, app) DO UPDATE SET release_at = excluded.release_at
    WHERE p.failures = 0 AND p.release_at > excluded.release_at;
  RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION push_queue_person FROM PUBLIC;
CREATE OR REPLACE TRIGGER push_queue_person AFTER INSERT ON held_notifications
  REFERENCING NEW TABLE AS held FOR EACH STATEMENT EXECUTE FUNCTION push_queue_person();
CREATE OR REPLACE TRIGGER push_queue_person_again AFTER UPDATE ON held_notifications
  REFERENCING NEW TABLE AS held FOR EACH STATEMENT EXECUTE FUNCTION push_queue_person();
