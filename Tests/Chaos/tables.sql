-- What the writers write. `number` is drawn once in a round, also by transactions that are rolled back; nothing refers
-- from one table to the other, so that transactions wait for none but the runner's. `seen` shows which transactions had
-- committed when this one began.
CREATE TABLE letters (
  number bigint PRIMARY KEY, key text NOT NULL, writer text NOT NULL, way text NOT NULL, note text,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(), began timestamptz NOT NULL DEFAULT now(), seen pg_snapshot NOT NULL
    DEFAULT coalesce(nullif(current_setting('chaos.seen', true), '')::pg_snapshot, pg_current_snapshot())
);
CREATE TABLE parcels (LIKE letters INCLUDING ALL);
-- Without a primary key, so that it is captured row by row.
CREATE TABLE cards (LIKE letters INCLUDING DEFAULTS);

-- What was written for the bundle, by the same transaction.
CREATE TABLE chaos_posts (
  number bigint PRIMARY KEY, what text NOT NULL, row_id uuid NOT NULL, person uuid NOT NULL, feedback uuid
);
