-- Mugshot on Supabase, after supabase.sql: its people are those who sign in, and its entries say when they were read.
CREATE TABLE profiles (
  id uuid PRIMARY KEY REFERENCES auth.users (id) ON DELETE CASCADE, username text NOT NULL UNIQUE, avatar_url text,
  created_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE user_devices (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
  push_token text NOT NULL, platform text NOT NULL DEFAULT 'ios', created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(), UNIQUE (user_id, push_token));
CREATE TABLE notifications (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
  type text NOT NULL, title text NOT NULL, body text NOT NULL, actor_username text, visit_id uuid,
  cafe_name text, tap_action text NOT NULL DEFAULT 'notifications', read_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now());
-- Tables that are about something else than those of other apps that have these names.
CREATE TABLE comments (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, visit_id uuid NOT NULL,
  author uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE, text text NOT NULL,
  created_at timestamp NOT NULL DEFAULT now());
CREATE TABLE friend_requests (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  from_user_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
  to_user_id uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'accepted', 'rejected')),
  created_at timestamp NOT NULL DEFAULT now(), UNIQUE (from_user_id, to_user_id));
ALTER TABLE profiles ENABLE ROW LEVEL SECURITY;
ALTER TABLE user_devices ENABLE ROW LEVEL SECURITY;
ALTER TABLE notifications ENABLE ROW LEVEL SECURITY;
CREATE POLICY "Anyone reads profiles" ON profiles FOR SELECT USING (true);
CREATE POLICY "Users manage their own devices" ON user_devices TO authenticated
  USING (auth.uid() = user_id) WITH CHECK (auth.uid() = user_id);
CREATE POLICY "Users see their own notifications" ON notifications FOR SELECT USING (auth.uid() = user_id);
CREATE POLICY "Users mark their own notifications" ON notifications FOR UPDATE USING (auth.uid() = user_id);

-- The placeholder of its plan.
CREATE FUNCTION send_push_notification() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RETURN NEW;
END
$$;
CREATE TRIGGER on_notification_insert AFTER INSERT ON notifications
  FOR EACH ROW EXECUTE FUNCTION send_push_notification();

-- Ben has signed in with his phone's number.
INSERT INTO auth.users (id, aud, role, email, email_confirmed_at, raw_user_meta_data, phone, created_at) VALUES
  ('a0000000-0000-4000-8000-000000000001', 'authenticated', 'authenticated', 'ada@example.com', now(),
   '{"name": "Ada"}', NULL, now()),
  ('a0000000-0000-4000-8000-000000000002', 'authenticated', 'authenticated', NULL, NULL, '{"name": "Ben"}',
   '491701234567', now());
INSERT INTO profiles (id, username) VALUES
  ('a0000000-0000-4000-8000-000000000001', 'ada'), ('a0000000-0000-4000-8000-000000000002', 'ben');
INSERT INTO user_devices (user_id, push_token, created_at, updated_at) VALUES
  ('a0000000-0000-4000-8000-000000000001', repeat('a1', 32), now() - interval '90 days', now() - interval '1 day'),
  ('a0000000-0000-4000-8000-000000000002', repeat('a2', 32), now() - interval '80 days', now() - interval '2 days');
-- Of Ada's earlier entries one is unread.
INSERT INTO notifications (user_id, type, title, body, actor_username, created_at, read_at)
SELECT 'a0000000-0000-4000-8000-000000000001', 'like', 'New like', 'ben liked your visit', 'ben',
  now() - interval '1 day' * n, CASE WHEN n > 1 THEN now() - interval '1 hour' * n END
FROM generate_series(1, 41) AS n;
INSERT INTO comments (visit_id, author, text)
VALUES (gen_random_uuid(), 'a0000000-0000-4000-8000-000000000002', 'Lovely mug');
INSERT INTO friend_requests (from_user_id, to_user_id)
VALUES ('a0000000-0000-4000-8000-000000000002', 'a0000000-0000-4000-8000-000000000001');
