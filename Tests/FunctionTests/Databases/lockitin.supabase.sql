-- LockItIn on Supabase, after supabase.sql and lockitin.sql: what its plan says besides the tables.
CREATE TABLE group_members (
  group_id uuid NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE, PRIMARY KEY (group_id, user_id));
ALTER TABLE notifications ENABLE ROW LEVEL SECURITY;
CREATE POLICY "Users can see own notifications" ON notifications FOR SELECT USING (auth.uid() = user_id);
CREATE POLICY "Users can update own notifications (mark read)" ON notifications FOR UPDATE USING (auth.uid() = user_id);

INSERT INTO groups (id, name) VALUES ('f0000000-0000-4000-8000-000000000001', 'College Friends');
INSERT INTO group_members SELECT 'f0000000-0000-4000-8000-000000000001', id FROM users;
-- Tokens as Apple gives them, each of one person.
UPDATE device_tokens SET device_token = repeat(CASE
  WHEN device_token = 'own' THEN 'a1' WHEN user_id = 'a0000000-0000-4000-8000-000000000001' THEN 'd1' ELSE 'a2' END, 32);

-- Its plan's own entry for each member ("Step 1"), which tells of what proposal-created tells of.
CREATE OR REPLACE FUNCTION notify_proposal_created()
RETURNS TRIGGER AS $$
BEGIN
    INSERT INTO notifications (user_id, type, title, body, data, proposal_id, created_at)
    SELECT
        gm.user_id,
        'PROPOSAL_CREATED',
        (SELECT users.full_name FROM users WHERE users.id = NEW.created_by) || ' proposed ' || NEW.event_title,
        'Vote needed • Voting closes in 24 hours',
        jsonb_build_object('proposal_id', NEW.id, 'group_id', NEW.group_id, 'event_title', NEW.event_title),
        NEW.id,
        now()
    FROM group_members gm
    WHERE gm.group_id = NEW.group_id
    AND gm.user_id != NEW.created_by;
    RETURN NEW;
END;
$$ LANGUAGE plpgsql;
CREATE TRIGGER trigger_proposal_created
AFTER INSERT ON event_proposals
FOR EACH ROW
EXECUTE FUNCTION notify_proposal_created();
