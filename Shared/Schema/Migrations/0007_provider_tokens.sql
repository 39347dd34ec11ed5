-- The tokens by which APNs knows a team, shared by all processes that send: one is made where each of them would make
-- its own. They are bearer tokens, good for an hour: only the role of push-delivery may read them.
-- `issued_at` is that of the token; both are NULL before the first one.
CREATE TABLE IF NOT EXISTS push_provider_tokens (
  team_id text NOT NULL,
  key_id text NOT NULL,
  environment text NOT NULL
    CONSTRAINT push_provider_tokens_environment CHECK (environment IN ('sandbox', 'production')),
  token text,
  issued_at timestamptz,
  PRIMARY KEY (team_id, key_id, environment)
);
REVOKE ALL ON push_provider_tokens FROM PUBLIC;
