-- Compatible
-- What people read. `language` is what a person chose for an app, and `locale` is what a device says: tags of BCP 47, such
-- as `de-AT`; NULL where nobody said. A tag without texts of its own is read as the nearest one, else as English.

ALTER TABLE notification_settings
  ADD COLUMN IF NOT EXISTS language text
    CONSTRAINT notification_settings_language CHECK (char_length(language) <= 35);
ALTER TABLE user_notification_preferences
  ADD COLUMN IF NOT EXISTS language text
    CONSTRAINT user_notification_preferences_language CHECK (char_length(language) <= 35);
ALTER TABLE device_tokens ADD COLUMN IF NOT EXISTS locale text;

-- Who writes a device down may say it, too.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'push_app')
    AND has_column_privilege('push_app', 'device_tokens', 'app_version', 'INSERT')
  THEN
    GRANT SELECT (locale), INSERT (locale), UPDATE (locale) ON device_tokens TO push_app;
  END IF;
END
$$;
