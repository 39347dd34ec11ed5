-- Repair Minder's own tables: people, and a token for each person and device.
CREATE TABLE users (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), email text NOT NULL, first_name text, created_at timestamp DEFAULT now());
CREATE TABLE device_tokens (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  device_token varchar(255) NOT NULL, platform varchar(20) NOT NULL, created_at timestamp DEFAULT now(),
  UNIQUE (user_id, device_token));

INSERT INTO users (id, email) VALUES ('a0000000-0000-4000-8000-000000000001', 'ada@example.com'), ('a0000000-0000-4000-8000-000000000002', 'ben@example.com');
INSERT INTO device_tokens (user_id, device_token, platform, created_at) VALUES
  ('a0000000-0000-4000-8000-000000000001', 'shared', 'ios', '2026-01-01'), ('a0000000-0000-4000-8000-000000000002', 'shared', 'ios', '2026-01-02'), ('a0000000-0000-4000-8000-000000000001', 'own', 'ios', '2026-01-03');
