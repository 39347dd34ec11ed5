-- Who may use what: sessions of the console, and roles.

-- Sessions of the console that somebody has ended: no runner takes their cookies any more, whose hashes these are. A row
-- goes long after its cookie would have ended anyway, so that no clock that is wrong brings a session back.
CREATE TABLE runner.sign_outs (
  session text PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- The roles that `runner migrate --grant` has let in. Each `migrate` grants them what has become necessary since, as long as
-- they may use this schema: whose rights were revoked, or who was dropped and made again, is not let in.
CREATE TABLE runner.roles (
  name text PRIMARY KEY
);
