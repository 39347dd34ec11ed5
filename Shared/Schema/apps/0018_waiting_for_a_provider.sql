-- Compatible
-- What waits for a provider that is away is not in the way of the others', however much it is.
CREATE INDEX IF NOT EXISTS idx_deliveries_apns ON deliveries (not_before) WHERE state = 'queued' AND provider = 'apns';
CREATE INDEX IF NOT EXISTS idx_deliveries_expiring ON deliveries (provider, expires_at) WHERE state = 'queued';
