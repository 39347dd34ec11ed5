-- Compatible
-- Enums: user_notification_preferences.language
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

-- `push_admit_app` of 1020_row_security, with `locale`, for a role that is made later.
CREATE OR REPLACE FUNCTION push_admit_app() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  own text := 'user_id = (SELECT push_person())';
  -- What was answered stays answered.
  open text := ' AND status = ''pending''';
  answered text := ' AND status IN (''accepted'', ''declined'')';
  closed regclass[] := ARRAY(SELECT p.polrelid::regclass FROM pg_policy p WHERE p.polname = 'push_servers');
  rule record;
BEGIN
  FOR rule IN
    SELECT * FROM (VALUES
      ('device_tokens', 'ALL', own),
      ('notifications', 'SELECT', own),
      ('notifications', 'UPDATE', own),
      ('project_member_preferences', 'ALL', own || ' AND push_in_project(project_id)'),
      ('notification_settings', 'ALL', own),
      ('user_notification_preferences', 'ALL', own),
      ('group_notification_preferences', 'ALL', own || ' AND push_in_group(group_id)'),
      ('user_activity', 'ALL', own),
      ('notification_state', 'SELECT', own),
      ('event_attendees', 'ALL', own || ' AND push_sees_event(event_id)'),
      ('friend_requests', 'SELECT', '(SELECT push_person()) IN (requester_id, recipient_id)'),
      ('friend_requests', 'UPDATE', 'recipient_id = (SELECT push_person())' || open),
      ('group_invites', 'SELECT', '(SELECT push_person()) IN (inviter_id, invitee_id)'),
      ('group_invites', 'UPDATE', 'invitee_id = (SELECT push_person())' || open),
      ('proposal_votes', 'SELECT', 'push_sees_proposal(proposal_id)'),
      ('proposal_votes', 'INSERT', own || ' AND push_may_vote(proposal_id)'),
      ('proposal_votes', 'UPDATE', own || ' AND push_may_vote(proposal_id)'),
      ('proposal_votes', 'DELETE', own || ' AND push_may_vote(proposal_id)')
    ) AS rules (name, command, rows)
    WHERE to_regclass(rules.name) = ANY (closed)
  LOOP
    IF EXISTS (
      SELECT FROM pg_policy p
      WHERE p.polrelid = to_regclass(rule.name) AND p.polname = 'push_app_' || lower(rule.command))
    THEN
      CONTINUE;
    END IF;
    EXECUTE format(
      'CREATE POLICY %I ON %I FOR %s TO push_app %s (%s)', 'push_app_' || lower(rule.command), rule.name, rule.command,
      CASE rule.command WHEN 'INSERT' THEN 'WITH CHECK' ELSE 'USING' END, rule.rows)
      || CASE WHEN right(rule.rows, length(open)) = open
        THEN format(' WITH CHECK (%s)', replace(rule.rows, open, answered)) ELSE '' END;
  END LOOP;

  FOR rule IN
    SELECT * FROM (VALUES
      -- A device that is written down again has ON CONFLICT (token), which asks for the right to read the token: a person
      -- sees those of their own devices.
      ('device_tokens', 'SELECT (id, user_id, token, app, platform, provider, app_version, os_version, locale,
          environment, bundle_id, installation_id, is_active, created_at, last_used_at, registered_at, deactivated_at,
          deactivated_reason),
        INSERT (id, user_id, token, app, platform, provider, app_version, os_version, locale, environment, bundle_id,
          installation_id, created_at),
        UPDATE (token, user_id, app, platform, provider, app_version, os_version, locale, environment, bundle_id,
          installation_id),
        DELETE'),
      ('notifications', 'SELECT, UPDATE (is_read, is_archived)'),
      ('project_member_preferences', 'SELECT, INSERT, UPDATE, DELETE'),
      ('notification_settings', 'SELECT, INSERT, UPDATE, DELETE'),
      ('user_notification_preferences', 'SELECT, INSERT, UPDATE, DELETE'),
      ('group_notification_preferences', 'SELECT, INSERT, UPDATE, DELETE'),
      ('user_activity', 'SELECT, INSERT, UPDATE, DELETE'),
      ('event_attendees', 'SELECT, INSERT, UPDATE, DELETE'),
      ('notification_state', 'SELECT'),
      ('friend_requests', 'SELECT, UPDATE (status)'),
      ('group_invites', 'SELECT, UPDATE (status)'),
      ('proposal_votes', 'SELECT, INSERT, UPDATE (vote, updated_at), DELETE')
    ) AS rights (name, list)
    WHERE to_regclass(rights.name) = ANY (closed)
  LOOP
    EXECUTE format('GRANT %s ON %I TO push_app', rule.list, rule.name);
  END LOOP;
  GRANT EXECUTE ON FUNCTION push_in_project, push_in_group, push_sees_proposal, push_may_vote, push_sees_event
    TO push_app;
END
$$;
