-- Compatible
-- Badges follow what was sent, and times follow the clock.

-- The clock ----------------------------------------------------------------------------------------------------------

-- The time of the transaction by the runner's clock, which a test may have moved. A role that may not read the clock gets
-- the database's own time.
CREATE OR REPLACE FUNCTION push_now() RETURNS timestamptz
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF has_schema_privilege(to_regnamespace('runner'), 'USAGE') THEN
    IF has_table_privilege(to_regclass('runner.clock'), 'SELECT') THEN
      RETURN now() + (SELECT c."offset" FROM runner.clock c);
    END IF;
  END IF;
  RETURN now();
END
$$;

-- Tables that were made in this transaction have no rows yet, and no defaults of an app's. The clock of an app's own
-- tables is the app's affair.
DO $$
DECLARE
  place record;
BEGIN
  FOR place IN
    SELECT c.oid::regclass AS tab, a.attname AS col,
      replace(pg_get_expr(d.adbin, d.adrelid), 'now()', 'push_now()') AS expression
    FROM pg_class c
    JOIN pg_type t ON t.oid = c.reltype AND t.xmin = pg_current_xact_id()::xid
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
      AND pg_get_expr(d.adbin, d.adrelid) ~ '(^|[(])now[(][)]'
  LOOP
    EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT %s', place.tab, place.col, place.expression);
  END LOOP;
END
$$;

CREATE OR REPLACE FUNCTION push_badge(person uuid, app text, moment timestamptz DEFAULT push_now()) RETURNS integer
LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT badge FROM push_badges(person, app, moment) $$;

CREATE OR REPLACE FUNCTION push_stamp_options() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.options_changed_at := push_now();
  RETURN NEW;
END
$$;

CREATE OR REPLACE FUNCTION push_may_vote(id uuid) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER
RETURN EXISTS (
  SELECT FROM event_proposals p
  WHERE p.id = push_may_vote.id AND p.status = 'open' AND p.deadline > push_now() AND push_in_group(p.group_id));

CREATE OR REPLACE FUNCTION push_register_device() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT has_column_privilege(TG_RELID, 'is_active', 'UPDATE') THEN
    NEW.is_active := true;
    NEW.registered_at := push_now();
    NEW.deactivated_at := NULL;
    NEW.deactivated_reason := NULL;
  END IF;
  RETURN NEW;
END
$$;

CREATE OR REPLACE FUNCTION push_follow_device() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF TG_OP = 'DELETE' OR TG_OP = 'UPDATE' AND (OLD.user_id, OLD.push_token) IS DISTINCT FROM (NEW.user_id, NEW.push_token)
  THEN
    UPDATE device_tokens SET is_active = false, deactivated_at = push_now(), deactivated_reason = 'unregistered'
    WHERE token = OLD.push_token AND user_id = push_uuid(OLD.user_id::text) AND app = 'mugshot' AND is_active;
  END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM push_take_device(to_jsonb(NEW), push_now()); END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION push_follow_devices() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF 2 > (
      SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p')
      WHERE a.attrelid = to_regclass('user_devices') AND a.attname IN ('user_id', 'push_token') AND NOT a.attisdropped)
    OR to_regclass('user_devices') IS NULL
    OR EXISTS (SELECT FROM pg_trigger WHERE tgrelid = to_regclass('user_devices') AND tgname = 'push_follow_device')
  THEN
    RETURN;
  END IF;
  CREATE TRIGGER push_follow_device AFTER INSERT OR UPDATE OR DELETE ON user_devices
    FOR EACH ROW EXECUTE FUNCTION push_follow_device();
  PERFORM push_take_device(to_jsonb(u), coalesce((to_jsonb(u) ->> 'created_at')::timestamptz, push_now()))
  FROM user_devices AS u
  ORDER BY to_jsonb(u) ->> 'updated_at' NULLS FIRST, to_jsonb(u) ->> 'created_at' NULLS FIRST;
END
$$;

CREATE OR REPLACE FUNCTION push_end_twins() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  -- The other row may be another person's, whom nobody but the owner of the table sees.
  UPDATE device_tokens t
  SET is_active = false, deactivated_at = push_now(), deactivated_reason = 'unregistered'
  WHERE t.is_active AND t.provider = 'apns' AND t.id <> NEW.id
    AND (t.token = lower(NEW.token) OR lower(t.token) = lower(NEW.token) AND t.token <> lower(t.token));
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION push_same_token() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF TG_OP = 'INSERT' AND NEW.token IS NULL
    OR TG_OP = 'UPDATE' AND NEW.device_token IS DISTINCT FROM OLD.device_token AND NEW.token = OLD.token
  THEN
    UPDATE device_tokens
    SET token = 'superseded ' || id, is_active = false, deactivated_at = push_now(), deactivated_reason = 'unregistered'
    -- Where a person may have the token twice, an earlier row of theirs gives way too; else theirs is updated.
    WHERE token = NEW.device_token AND id <> NEW.id AND (user_id <> NEW.user_id OR NOT EXISTS (
      SELECT FROM pg_index AS x
      WHERE x.indrelid = TG_RELID AND x.indisunique AND ARRAY['device_token', 'user_id'] = ARRAY(
        SELECT a.attname::text FROM pg_attribute AS a
        WHERE a.attrelid = TG_RELID AND a.attnum = ANY (x.indkey) ORDER BY a.attname)));
    NEW.token := NEW.device_token;
  ELSE
    NEW.device_token := NEW.token;
  END IF;
  RETURN NEW;
END
$$;

-- The number on a device ---------------------------------------------------------------------------------------------

-- `badge` at a device is the number that it was sent last, NULL where nobody knows. `badge` at a delivery is the number
-- that it was taken to be sent with; it stays until an answer says that the push did not go out, so that a delivery which
-- has it and was not accepted has or may have put it on the device.
ALTER TABLE device_tokens ADD COLUMN IF NOT EXISTS badge integer;
ALTER TABLE deliveries ADD COLUMN IF NOT EXISTS badge integer;

-- An app that registers its device has just been installed, or was opened and may have set its badge.
CREATE OR REPLACE FUNCTION push_unknown_badge() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.token, NEW.user_id, NEW.app, NEW.registered_at) IS DISTINCT FROM
    (OLD.token, OLD.user_id, OLD.app, OLD.registered_at)
  THEN
    NEW.badge := NULL;
  END IF;
  RETURN NEW;
END
$$;
-- After push_register_device, which stamps the registration.
CREATE OR REPLACE TRIGGER push_unknown_badge BEFORE UPDATE OF token, user_id, app, registered_at ON device_tokens
  FOR EACH ROW EXECUTE FUNCTION push_unknown_badge();

-- What changes a badge without a push that carries it ----------------------------------------------------------------

-- `badge_losses` has a row for each person whose badge may have changed although nobody is told of it: `action-completed`
-- compares it with the numbers on their devices. Something was deleted that the badge counted, or is counted again; a push
-- that would have carried the number did not go out, or was not even made.

-- Who votes no longer, joins a group with an open proposal, or has not voted on one that is open again, is asked.
CREATE OR REPLACE FUNCTION push_note_rise() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  CASE TG_ARGV[0]
    WHEN 'vote' THEN
      INSERT INTO badge_losses (user_id, app, created_at)
      SELECT m.user_id, 'lockitin', push_now() FROM event_proposals p
      JOIN group_members m ON m.group_id = p.group_id AND m.user_id = OLD.user_id
      WHERE p.id = OLD.proposal_id AND p.status = 'open' AND p.deadline > push_now()
        AND NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = m.user_id);
    WHEN 'member' THEN
      INSERT INTO badge_losses (user_id, app, created_at)
      SELECT NEW.user_id, 'lockitin', push_now() WHERE EXISTS (
        SELECT FROM event_proposals p
        WHERE p.group_id = NEW.group_id AND p.status = 'open' AND p.deadline > push_now() AND NOT EXISTS (
          SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = NEW.user_id));
    ELSE
      IF NEW.deadline <= push_now() OR OLD.status = 'open' AND OLD.deadline > push_now() THEN RETURN NULL; END IF;
      -- When it closes again, the badges fall again.
      DELETE FROM handled_events
      WHERE function = 'proposal-expired' AND source = '/proposals'
        AND event_id = NEW.id || '/' || extract(epoch FROM NEW.deadline);
      INSERT INTO badge_losses (user_id, app, created_at)
      SELECT m.user_id, 'lockitin', push_now() FROM group_members m
      WHERE m.group_id = NEW.group_id
        AND NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = NEW.id AND v.user_id = m.user_id);
  END CASE;
  RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER push_note_rise AFTER DELETE ON proposal_votes
  FOR EACH ROW EXECUTE FUNCTION push_note_rise('vote');
CREATE OR REPLACE TRIGGER push_note_rise AFTER INSERT ON group_members
  FOR EACH ROW EXECUTE FUNCTION push_note_rise('member');
CREATE OR REPLACE TRIGGER push_note_rise AFTER UPDATE OF status, deadline ON event_proposals
  FOR EACH ROW WHEN (NEW.status = 'open' AND (OLD.status, OLD.deadline) IS DISTINCT FROM (NEW.status, NEW.deadline))
  EXECUTE FUNCTION push_note_rise('proposal');

-- A decision against a push that leaves the badge higher: LockItIn counts what is asked, whoever is told of it; the others
-- count the entry that stays.
CREATE OR REPLACE FUNCTION push_note_unpushed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF TG_ARGV[0] = 'decision' THEN
    IF NEW.app <> 'lockitin' AND NEW.reason IN ('quiet_hours', 'rate_limited', 'expired', 'unencodable')
      OR NEW.app = 'lockitin'
        AND lower(NEW.kind) IN ('proposal_created', 'proposal_updated', 'friend_request', 'group_invite')
    THEN
      INSERT INTO badge_losses (user_id, app, created_at)
      SELECT u.id, NEW.app, NEW.created_at FROM users u WHERE u.id = NEW.user_id;
    END IF;
  ELSE
    INSERT INTO badge_losses (user_id, app, created_at)
    SELECT n.user_id, n.app, NEW.created_at FROM notifications n
    WHERE n.id = NEW.notification_id AND (n.app <> 'lockitin' AND NEW.reason <> 'duplicate' OR n.app = 'lockitin'
      AND lower(n.type) IN ('proposal_created', 'proposal_updated', 'friend_request', 'group_invite'));
  END IF;
  RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER push_note_unpushed AFTER INSERT ON decisions FOR EACH ROW
  WHEN (NEW.decision = 'suppress' AND NEW.reason IN (
    'project_muted', 'type_disabled', 'duplicate', 'viewing', 'quiet_hours', 'rate_limited', 'expired', 'unencodable'))
  EXECUTE FUNCTION push_note_unpushed('decision');
CREATE OR REPLACE TRIGGER push_note_unpushed AFTER INSERT ON notification_rechecks FOR EACH ROW
  WHEN (NEW.decision = 'suppress' AND NEW.reason IN (
    'project_muted', 'type_disabled', 'duplicate', 'viewing', 'quiet_hours', 'rate_limited', 'expired', 'unencodable'))
  EXECUTE FUNCTION push_note_unpushed('recheck');
REVOKE EXECUTE ON FUNCTION push_note_rise, push_note_unpushed FROM PUBLIC;

DO $$
DECLARE
  clients text := (
    SELECT string_agg(quote_ident(rolname), ', ') FROM pg_roles WHERE rolname IN ('anon', 'authenticated'));
  routine text;
BEGIN
  FOREACH routine IN ARRAY ARRAY['push_note_rise()', 'push_note_unpushed()', 'push_same_token()', 'push_follow_device()',
    'push_end_twins()']
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', routine, current_schema());
    IF clients IS NOT NULL THEN EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM %s', routine, clients); END IF;
  END LOOP;
END
$$;

-- An app's own notifications -----------------------------------------------------------------------------------------

-- A badge counts from the moment the product came. Entries that an app has written before count only where the app's own
-- columns call them unread. `counts_for_badge` is older than this transaction in a database that was migrated before: its
-- numbers stay as they are.
DO $$
DECLARE
  made boolean := (
    SELECT xmin = pg_current_xact_id()::xid FROM pg_attribute
    WHERE attrelid = 'notifications'::regclass AND attname = 'counts_for_badge');
  own text := (
    SELECT string_agg(CASE attname WHEN 'read_at' THEN 'n.read_at IS NULL' ELSE format('n.%I IS NOT TRUE', attname) END,
      ' AND ')
    FROM pg_attribute
    WHERE attrelid = 'notifications'::regclass AND NOT attisdropped AND (attname = 'read_at'
      OR attname IN ('read', 'seen', 'is_seen') AND atttypid = 'boolean'::regtype));
  -- Ours has a default that was made just now.
  has_read boolean := NOT EXISTS (
    SELECT FROM pg_attribute a JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = 'notifications'::regclass AND a.attname = 'is_read' AND d.xmin = pg_current_xact_id()::xid);
BEGIN
  IF NOT made OR own IS NULL AND has_read THEN RETURN; END IF;
  EXECUTE format('UPDATE notifications n SET counts_for_badge = false WHERE is_read IS NOT TRUE AND (%s) IS NOT TRUE',
    coalesce(own, 'false'));
END
$$;

-- Functions write entries of their own, a badge alone among them, without the columns that only the app knows. Where such a
-- column must have a value, they get the empty one of its type, or the person's id; the app's own rows are asked for it as
-- before. A column that names a row of another table may be NULL from now on.
DO $body$
DECLARE
  part record;
  fills text := '';
BEGIN
  FOR part IN
    SELECT a.attname AS name, CASE
      WHEN t.typname IN ('json', 'jsonb') THEN quote_literal('{}')
      WHEN EXISTS (
        SELECT FROM pg_constraint c
        WHERE c.conrelid = a.attrelid AND c.contype = 'f' AND a.attnum = ANY (c.conkey)
          AND c.confrelid IS DISTINCT FROM to_regclass('users')) THEN NULL
      WHEN t.typname = 'uuid' THEN 'NEW.user_id'
      WHEN t.typname = 'bytea' THEN quote_literal('')
      WHEN t.typtype = 'e' THEN (
        SELECT quote_literal(e.enumlabel) FROM pg_enum e WHERE e.enumtypid = t.oid ORDER BY e.enumsortorder LIMIT 1)
      ELSE CASE t.typcategory
        WHEN 'S' THEN quote_literal('') WHEN 'B' THEN 'false' WHEN 'N' THEN '0' WHEN 'A' THEN quote_literal('{}')
        WHEN 'D' THEN 'push_now()' WHEN 'T' THEN quote_literal('0')
      END
    END AS filling
    FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
    WHERE a.attrelid = 'notifications'::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attnotnull
      AND NOT a.atthasdef AND a.attidentity = '' AND a.attname NOT IN ('id', 'user_id', 'type')
    ORDER BY a.attnum
  LOOP
    IF part.filling IS NULL THEN
      EXECUTE format('ALTER TABLE notifications ALTER COLUMN %I DROP NOT NULL', part.name);
    ELSE
      fills := fills || format(E'  IF NEW.%1$I IS NULL THEN NEW.%1$I := %2$s; END IF;\n', part.name, part.filling);
    END IF;
  END LOOP;
  IF fills = '' THEN RETURN; END IF;
  EXECUTE format(
    E'CREATE OR REPLACE FUNCTION push_fill_entry() RETURNS trigger LANGUAGE plpgsql AS $$\nBEGIN\n%s  RETURN NEW;\nEND\n$$',
    fills);
  EXECUTE format('ALTER FUNCTION push_fill_entry() SET search_path = %I, pg_temp', current_schema());
  CREATE OR REPLACE TRIGGER push_fill_entry BEFORE INSERT ON notifications
    FOR EACH ROW WHEN (NEW.origin = 'function') EXECUTE FUNCTION push_fill_entry();
END
$body$;
