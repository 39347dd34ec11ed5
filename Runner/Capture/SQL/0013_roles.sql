-- Compatible
-- The roles that `runner migrate --grant` has let in. Each `migrate` grants them what has become necessary since, as long as
-- they may use this schema: whose rights were revoked, or who was dropped and made again, is not let in.
CREATE TABLE runner.roles (
  name text PRIMARY KEY
);
