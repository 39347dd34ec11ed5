-- Compatible
-- Sessions of the console that somebody has ended: no runner takes their cookies any more, whose hashes these are. A row
-- goes long after its cookie would have ended anyway, so that no clock that is wrong brings a session back.
CREATE TABLE runner.sign_outs (
  session text PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);
