-- The runners that live, and who reads which partition.

-- Runners with different functions share a database: those with the same ones are a group, which has leases of its own
-- for all partitions and runs only events of its functions. '' is the group of all functions of the default bundle.
-- Functions that are not known are all. Partitions are shared out evenly among the
-- runners of a group.
CREATE TABLE runner.runners (
  owner uuid PRIMARY KEY,
  holder integer NOT NULL,
  name text NOT NULL,
  expires_at timestamptz NOT NULL,
  grp text NOT NULL DEFAULT '',
  functions text[]
);
CREATE SEQUENCE runner.holders AS integer CYCLE;

-- The epoch grows with every change of hands: a runner that writes with an old one is refused.
CREATE TABLE runner.leases (
  grp text NOT NULL DEFAULT '',
  partition smallint NOT NULL,
  epoch bigint NOT NULL DEFAULT 0,
  owner uuid,
  holder integer,
  expires_at timestamptz NOT NULL DEFAULT '-infinity',
  PRIMARY KEY (grp, partition)
) WITH (fillfactor = 50);
INSERT INTO runner.leases (partition) SELECT generate_series(0, 15);
