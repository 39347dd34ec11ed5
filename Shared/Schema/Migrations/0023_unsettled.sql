-- What the database refuses to take down must not make the sender send it again and again.

-- How often in a row a delivery was taken to be sent without an answer being written down: its lease is longer each time.
ALTER TABLE deliveries ADD COLUMN IF NOT EXISTS unsettled integer NOT NULL DEFAULT 0;

-- How often in a row the database has refused an answer to it.
ALTER TABLE deliveries ADD COLUMN IF NOT EXISTS refusals integer NOT NULL DEFAULT 0;
