-- What is known of a device's environment while several deliveries to it are on their way.

-- The environment that is left for a delivery to try: the other one has refused the device's token, as it was registered
-- at `probe_registered_at`.
ALTER TABLE deliveries ADD COLUMN IF NOT EXISTS probe_environment text
  CONSTRAINT deliveries_probe_environment CHECK (probe_environment IN ('sandbox', 'production'));
ALTER TABLE deliveries ADD COLUMN IF NOT EXISTS probe_registered_at timestamptz;

-- Grows whenever a push was accepted: an answer to a push that was taken before says nothing against the device.
ALTER TABLE device_tokens ADD COLUMN IF NOT EXISTS acceptances bigint NOT NULL DEFAULT 0;
