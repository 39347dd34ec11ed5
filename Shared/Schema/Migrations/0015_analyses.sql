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
