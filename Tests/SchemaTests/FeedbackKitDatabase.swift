/// A database as FeedbackKit's own server makes it: keys without defaults, text columns, timestamps that may be null.
enum FeedbackKitDatabase {
  static let script = """
    CREATE TABLE users (
      id uuid NOT NULL PRIMARY KEY, email text NOT NULL, name text NOT NULL, password_hash text NOT NULL,
      is_admin boolean NOT NULL DEFAULT false, notify_new_feedback boolean NOT NULL DEFAULT true,
      notify_new_comments boolean NOT NULL DEFAULT true, is_email_verified boolean NOT NULL DEFAULT false,
      subscription_tier text, created_at timestamptz, updated_at timestamptz,
      CONSTRAINT "uq:users.email" UNIQUE (email));
    CREATE TABLE user_tokens (
      id uuid NOT NULL PRIMARY KEY, value text NOT NULL, user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      expires_at timestamptz, created_at timestamptz, CONSTRAINT "uq:user_tokens.value" UNIQUE (value));
    CREATE TABLE projects (
      id uuid NOT NULL PRIMARY KEY, name text NOT NULL, api_key text NOT NULL, description text,
      owner_id uuid NOT NULL REFERENCES users (id), is_archived boolean NOT NULL DEFAULT false,
      archived_at timestamptz, slack_webhook_url text, created_at timestamptz, updated_at timestamptz,
      CONSTRAINT "uq:projects.api_key" UNIQUE (api_key));
    CREATE TABLE project_members (
      id uuid NOT NULL PRIMARY KEY, project_id uuid NOT NULL REFERENCES projects (id),
      user_id uuid NOT NULL REFERENCES users (id), role text NOT NULL, created_at timestamptz, updated_at timestamptz,
      CONSTRAINT "uq:project_members.project_id+project_members.user_id" UNIQUE (project_id, user_id));
    CREATE TABLE feedbacks (
      id uuid NOT NULL PRIMARY KEY, title text NOT NULL, description text NOT NULL,
      status text NOT NULL DEFAULT 'pending', category text NOT NULL, user_id text NOT NULL, user_email text,
      vote_count bigint NOT NULL DEFAULT 0, project_id uuid NOT NULL REFERENCES projects (id),
      created_at timestamptz, updated_at timestamptz);
    CREATE TABLE comments (
      id uuid NOT NULL PRIMARY KEY, content text NOT NULL, user_id text NOT NULL,
      is_admin boolean NOT NULL DEFAULT false, feedback_id uuid NOT NULL REFERENCES feedbacks (id),
      created_at timestamptz);
    CREATE TABLE votes (
      id uuid NOT NULL PRIMARY KEY, user_id text NOT NULL, feedback_id uuid NOT NULL REFERENCES feedbacks (id),
      created_at timestamptz, CONSTRAINT "uq:votes.user_id+votes.feedback_id" UNIQUE (user_id, feedback_id));

    INSERT INTO users (id, email, name, password_hash, subscription_tier) VALUES
      ('a0000000-0000-4000-8000-000000000001', 'Old@Example.com', 'Old', 'hash', 'pro');
    INSERT INTO user_tokens (id, value, user_id) VALUES
      ('a1000000-0000-4000-8000-000000000001', 'plain', 'a0000000-0000-4000-8000-000000000001');
    INSERT INTO projects (id, name, api_key, owner_id) VALUES
      ('b0000000-0000-4000-8000-000000000001', 'Old', 'key', 'a0000000-0000-4000-8000-000000000001');
    INSERT INTO feedbacks (id, title, description, category, user_id, project_id) VALUES
      ('c0000000-0000-4000-8000-000000000001', 'Old', '', 'bug', 'sdk', 'b0000000-0000-4000-8000-000000000001');
    INSERT INTO votes (id, user_id, feedback_id) VALUES
      ('c2000000-0000-4000-8000-000000000001', 'sdk', 'c0000000-0000-4000-8000-000000000001');
    """

  static let tables = ["users", "user_tokens", "projects", "project_members", "feedbacks", "comments", "votes"]
}
