-- What `functions.json` names for the runner's /metrics: deliveries by state, those that wait and those that were settled
-- in the last day. Indexes answer it, so that it costs no more when years of deliveries are kept.
CREATE INDEX IF NOT EXISTS idx_deliveries_settled ON deliveries (updated_at, state) WHERE state <> 'queued';
CREATE OR REPLACE VIEW push_deliveries AS
SELECT s.state, count(d.state) AS value
FROM (VALUES ('queued'), ('accepted'), ('rejected'), ('expired'), ('unknown')) AS s (state)
LEFT JOIN (
  SELECT state FROM deliveries WHERE state = 'queued'
  UNION ALL
  SELECT state FROM deliveries WHERE state <> 'queued' AND updated_at > now() - interval '1 day'
) AS d USING (state)
GROUP BY s.state;
