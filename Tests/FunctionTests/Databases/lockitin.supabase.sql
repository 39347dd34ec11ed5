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
