-- Compatible
-- What waits for a provider that is away is not in the way of the others', however much it is.
CREATE INDEX IF NOT EXISTS idx_deliveries_apns ON deliveries (not_before) WHERE state = 'queued' AND provider = 'apns';
CREATE INDEX IF NOT EXISTS idx_deliveries_expiring ON deliveries (provider, expires_at) WHERE state = 'queued';

-- A decision against a push that leaves the badge higher. LockItIn counts what is asked, for whatever reason nobody is told
-- of it: somebody may be invited into a group that they are in, or ask themselves. The others count the entry that stays.
CREATE OR REPLACE FUNCTION push_note_unpushed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF TG_ARGV[0] = 'decision' THEN
    INSERT INTO badge_losses (user_id, app, created_at)
    SELECT u.id, NEW.app, NEW.created_at FROM users u WHERE u.id = NEW.user_id;
  ELSE
    INSERT INTO badge_losses (user_id, app, created_at)
    SELECT n.user_id, n.app, NEW.created_at FROM notifications n
    WHERE n.id = NEW.notification_id AND CASE n.app
      WHEN 'lockitin' THEN lower(n.type) IN ('proposal_created', 'proposal_updated', 'friend_request', 'group_invite')
      ELSE NEW.reason IN (
        'project_muted', 'type_disabled', 'viewing', 'quiet_hours', 'rate_limited', 'expired', 'unencodable') END;
  END IF;
  RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER push_note_unpushed AFTER INSERT ON decisions FOR EACH ROW
  WHEN (NEW.decision = 'suppress' AND CASE NEW.app
    WHEN 'lockitin' THEN lower(NEW.kind) IN ('proposal_created', 'proposal_updated', 'friend_request', 'group_invite')
    ELSE NEW.reason IN ('quiet_hours', 'rate_limited', 'expired', 'unencodable') END)
  EXECUTE FUNCTION push_note_unpushed('decision');
CREATE OR REPLACE TRIGGER push_note_unpushed AFTER INSERT ON notification_rechecks FOR EACH ROW
  WHEN (NEW.decision = 'suppress') EXECUTE FUNCTION push_note_unpushed('recheck');

DO $$
BEGIN
  PERFORM push_close_to_clients('badge_losses', 'push_note_unpushed');
  EXECUTE format('ALTER FUNCTION push_note_unpushed() SET search_path = %I, pg_temp', current_schema());
END
$$;
