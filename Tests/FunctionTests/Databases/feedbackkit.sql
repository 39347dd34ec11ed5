-- FeedbackKit's database before the plan for pushes: the tables of its server (Vapor, Fluent). Ids, times and switches have
-- no default, because the server sets them.
CREATE TABLE users (
  id uuid PRIMARY KEY, email text NOT NULL, name text NOT NULL, password_hash text NOT NULL, is_admin boolean NOT NULL,
  notify_new_feedback boolean NOT NULL, notify_new_comments boolean NOT NULL, is_email_verified boolean NOT NULL,
  created_at timestamptz, updated_at timestamptz, CONSTRAINT "uq:users.email" UNIQUE (email));
CREATE TABLE user_tokens (
  id uuid PRIMARY KEY, value text NOT NULL, user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  expires_at timestamptz, created_at timestamptz, CONSTRAINT "uq:user_tokens.value" UNIQUE (value));
CREATE TABLE projects (
  id uuid PRIMARY KEY, name text NOT NULL, api_key text NOT NULL, description text,
  owner_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE, is_archived boolean NOT NULL, archived_at timestamptz,
  slack_webhook_url text, slack_notify_new_feedback boolean NOT NULL, slack_notify_new_comments boolean NOT NULL,
  slack_notify_status_changes boolean NOT NULL, slack_is_active boolean NOT NULL, created_at timestamptz,
  updated_at timestamptz, CONSTRAINT "uq:projects.api_key" UNIQUE (api_key));
CREATE TABLE project_members (
  id uuid PRIMARY KEY, project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE, role text NOT NULL, created_at timestamptz,
  CONSTRAINT "uq:project_members.project_id+project_members.user_id" UNIQUE (project_id, user_id));
CREATE TYPE feedback_status AS ENUM ('pending', 'approved', 'in_progress', 'testflight', 'completed', 'rejected');
CREATE TYPE feedback_category AS ENUM ('feature_request', 'bug_report', 'improvement', 'other');
CREATE TABLE feedbacks (
  id uuid PRIMARY KEY, title text NOT NULL, description text NOT NULL, status feedback_status NOT NULL,
  category feedback_category NOT NULL, user_id text NOT NULL, user_email text, vote_count bigint NOT NULL,
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE, merged_into_id uuid, created_at timestamptz,
  updated_at timestamptz);
CREATE TABLE comments (
  id uuid PRIMARY KEY, content text NOT NULL, user_id text NOT NULL, is_admin boolean NOT NULL,
  feedback_id uuid NOT NULL REFERENCES feedbacks (id) ON DELETE CASCADE, created_at timestamptz);
CREATE TABLE votes (
  id uuid PRIMARY KEY, user_id text NOT NULL, feedback_id uuid NOT NULL REFERENCES feedbacks (id) ON DELETE CASCADE,
  created_at timestamptz, CONSTRAINT "uq:votes.user_id+votes.feedback_id" UNIQUE (user_id, feedback_id));
CREATE TABLE _fluent_migrations (
  id uuid PRIMARY KEY, name text NOT NULL, batch bigint NOT NULL, created_at timestamptz, updated_at timestamptz,
  CONSTRAINT "uq:_fluent_migrations.name" UNIQUE (name));

INSERT INTO users VALUES
  ('a0000000-0000-4000-8000-000000000001', 'ada@example.com', 'Ada', '$2b$12$x', true, true, true, true, now(), now()),
  ('a0000000-0000-4000-8000-000000000002', 'ben@example.com', 'Ben', '$2b$12$x', false, true, true, true, now(), now()),
  ('a0000000-0000-4000-8000-000000000007', 'grace@example.com', 'Grace', '$2b$12$x', false, true, true, true, now(),
   now());
INSERT INTO user_tokens VALUES
  ('d4000000-0000-4000-8000-000000000001', 'issued-by-vapor', 'a0000000-0000-4000-8000-000000000001', NULL, now());
INSERT INTO projects VALUES
  ('b0000000-0000-4000-8000-000000000001', 'Orbit', 'key', NULL, 'a0000000-0000-4000-8000-000000000001', false, NULL, NULL,
   false, false, false, false, now(), now());
INSERT INTO project_members VALUES
  ('b1000000-0000-4000-8000-000000000002', 'b0000000-0000-4000-8000-000000000001',
   'a0000000-0000-4000-8000-000000000002', 'admin', now());
INSERT INTO feedbacks VALUES
  ('c0000000-0000-4000-8000-000000000001', 'Dark mode', 'White hurts at night.', 'approved', 'feature_request',
   'sdk-grace', 'Grace@Example.com', 1, 'b0000000-0000-4000-8000-000000000001', NULL, now(), now());
INSERT INTO votes VALUES
  ('c2000000-0000-4000-8000-000000000001', 'sdk-iris', 'c0000000-0000-4000-8000-000000000001', now());
