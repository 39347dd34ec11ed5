-- Compatible
-- Badges that fall because something was deleted: who was asked, or told, by what is gone.

-- One row for each person whose badge may have counted what was deleted, written by the transaction that deletes it:
-- afterwards nobody can say who had not voted on a proposal that is gone.
-- `asked_at` is compared with the person's last mark-all-as-read; from `ends_at` on it would not have counted.
CREATE TABLE IF NOT EXISTS badge_losses (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL,
  app text NOT NULL,
  asked_at timestamptz,
  ends_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);

DO $$
DECLARE
  clients text := (
    SELECT string_agg(quote_ident(rolname), ', ') FROM pg_roles WHERE rolname IN ('anon', 'authenticated'));
BEGIN
  IF NOT (SELECT relrowsecurity FROM pg_class WHERE oid = 'badge_losses'::regclass) THEN
    ALTER TABLE badge_losses ENABLE ROW LEVEL SECURITY;
    CREATE POLICY push_servers ON badge_losses USING (push_is_server());
  END IF;
  IF clients IS NOT NULL THEN EXECUTE format('REVOKE ALL ON badge_losses FROM %s', clients); END IF;
END
$$;

-- Members of a group who have not voted on its proposals, unless `proposal-expired` has lowered their badges already.
CREATE OR REPLACE FUNCTION push_note_unvoted(member_group uuid, member uuid, proposal uuid) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO badge_losses (user_id, app, asked_at, ends_at)
  SELECT m.user_id, 'lockitin', max(greatest(p.created_at, p.options_changed_at)), max(p.deadline) + interval '1 day'
  FROM group_members m
  JOIN users u ON u.id = m.user_id
  JOIN event_proposals p ON p.group_id = m.group_id
  WHERE m.group_id = member_group AND m.user_id = coalesce(member, m.user_id) AND p.id = coalesce(proposal, p.id)
    AND NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = m.user_id)
    AND NOT EXISTS (
      SELECT FROM handled_events h
      WHERE h.function = 'proposal-expired' AND h.source = '/proposals'
        AND h.event_id = p.id || '/' || extract(epoch FROM p.deadline))
  GROUP BY m.user_id
$$;

-- Before a row is deleted, what belongs to it is still there. A group takes its members and its proposals with it:
-- whichever of them goes first notes who was asked. Who is deleted with it has no badge any more.
CREATE OR REPLACE FUNCTION push_note_loss() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CASE TG_ARGV[0]
    WHEN 'proposal' THEN PERFORM push_note_unvoted(OLD.group_id, NULL, OLD.id);
    WHEN 'member' THEN PERFORM push_note_unvoted(OLD.group_id, OLD.user_id, NULL);
    WHEN 'request' THEN
      INSERT INTO badge_losses (user_id, app, asked_at)
      SELECT u.id, 'lockitin', OLD.created_at FROM users u WHERE u.id = OLD.recipient_id;
    WHEN 'invitation' THEN
      INSERT INTO badge_losses (user_id, app, asked_at)
      SELECT u.id, 'lockitin', OLD.created_at FROM users u WHERE u.id = OLD.invitee_id;
    ELSE
      INSERT INTO badge_losses (user_id, app, ends_at)
      SELECT u.id, OLD.app, OLD.expires_at FROM users u WHERE u.id = OLD.user_id;
  END CASE;
  RETURN OLD;
END
$$;

-- Who deletes such a row need not be able to read or write the tables here.
DO $$
DECLARE
  routine text;
BEGIN
  FOREACH routine IN ARRAY ARRAY['push_note_unvoted(uuid, uuid, uuid)', 'push_note_loss()'] LOOP
    EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER SET search_path = %I, pg_temp', routine, current_schema());
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', routine);
  END LOOP;
END
$$;

CREATE OR REPLACE TRIGGER push_note_loss BEFORE DELETE ON event_proposals
  FOR EACH ROW EXECUTE FUNCTION push_note_loss('proposal');
CREATE OR REPLACE TRIGGER push_note_loss BEFORE DELETE ON group_members
  FOR EACH ROW EXECUTE FUNCTION push_note_loss('member');
CREATE OR REPLACE TRIGGER push_note_loss BEFORE DELETE ON friend_requests
  FOR EACH ROW WHEN (OLD.status = 'pending') EXECUTE FUNCTION push_note_loss('request');
CREATE OR REPLACE TRIGGER push_note_loss BEFORE DELETE ON group_invites
  FOR EACH ROW WHEN (OLD.status = 'pending') EXECUTE FUNCTION push_note_loss('invitation');
-- LockItIn's badge does not count notifications. What the functions tidy away lowers no badge.
CREATE OR REPLACE TRIGGER push_note_loss BEFORE DELETE ON notifications
  FOR EACH ROW WHEN (
    OLD.app <> 'lockitin' AND OLD.counts_for_badge AND OLD.is_read IS NOT TRUE AND OLD.is_archived IS NOT TRUE
    AND OLD.merged_into IS NULL AND current_setting('app.own_write', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION push_note_loss('notification');
