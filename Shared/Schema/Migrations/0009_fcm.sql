-- Deliveries of a provider that a process does not serve are counted and expire without a walk over everybody else's.
CREATE INDEX IF NOT EXISTS idx_deliveries_fcm ON deliveries (not_before) WHERE state = 'queued' AND provider = 'fcm';
