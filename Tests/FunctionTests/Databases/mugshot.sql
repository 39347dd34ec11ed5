-- Mugshot's own tables, as its app on Supabase has them.
CREATE TABLE users (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), username text NOT NULL UNIQUE, avatar_url text,
  created_at timestamptz DEFAULT now());
CREATE TABLE user_devices (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  push_token text NOT NULL, platform text NOT NULL DEFAULT 'ios', created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(), UNIQUE (user_id, push_token));
CREATE TABLE notifications (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  type text NOT NULL, title text NOT NULL, body text, data jsonb, created_at timestamptz NOT NULL DEFAULT now());

INSERT INTO users (id, username) VALUES ('a0000000-0000-4000-8000-000000000001', 'ada'), ('a0000000-0000-4000-8000-000000000002', 'ben');
INSERT INTO user_devices (user_id, push_token, created_at, updated_at) VALUES
  ('a0000000-0000-4000-8000-000000000001', 'shared', '2026-01-01', '2026-01-01'), ('a0000000-0000-4000-8000-000000000002', 'shared', '2026-01-02', '2026-01-02'),
  ('a0000000-0000-4000-8000-000000000001', 'own', '2026-01-03', '2026-01-03');
INSERT INTO notifications (user_id, type, title, created_at) VALUES ('a0000000-0000-4000-8000-000000000001', 'like', 'Earlier', '2026-01-01');
