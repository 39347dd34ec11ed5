-- What the writers write. `number` is drawn once in a round, also by transactions that are rolled back; nothing refers
-- from one table to the other, so that transactions wait for none but the runner's.
CREATE TABLE letters (
  number bigint PRIMARY KEY, key text NOT NULL, writer text NOT NULL, way text NOT NULL, note text
);
CREATE TABLE parcels (LIKE letters INCLUDING ALL);
-- Without a primary key, so that it is captured row by row.
CREATE TABLE cards (LIKE letters);

-- What was written for the bundle, by the same transaction.
CREATE TABLE chaos_posts (
  number bigint PRIMARY KEY, what text NOT NULL, row_id uuid NOT NULL, person uuid NOT NULL, feedback uuid
);
