-- Compatible
-- What a person reads is asked for of everybody who is told something, and on pages: only the devices that say a
-- language are looked at, and not all that somebody has or once had. No column of the index changes where a device
-- registers again as it is.
CREATE INDEX IF NOT EXISTS idx_device_tokens_locale ON device_tokens (user_id, app)
  WHERE locale IS NOT NULL AND is_active IS NOT FALSE;
