-- What each `runner migrate` has made of the database, so that `runner migrate --remove` takes away what it made and puts
-- back what it changed. `place` and `name` say what it is; `before` is NULL where nothing of that name was there, `after`
-- where nothing of it is left, and `former` is the name that an index had. A row of the kind `whole` says that nothing
-- was migrated before this was kept: what is not in here is not the runner's.
CREATE TABLE runner.changes (
  kind text NOT NULL,
  place text NOT NULL,
  name text NOT NULL DEFAULT '',
  before text,
  after text,
  former text,
  PRIMARY KEY (kind, place, name)
);
