-- The clock, and FeedbackKit's own tables, as its server (Vapor, Fluent) makes them: a database that has them is only
-- added to.

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

-- A text as a UUID, NULL where it is none: the SDK's `user_id` may be anything.
CREATE OR REPLACE FUNCTION push_uuid(value text) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN value ~ '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$' THEN value::uuid
  END
$$;

-- Whether there is a table with all of these columns. One of the app's own that has no more than the name is left alone.
CREATE OR REPLACE FUNCTION push_knows(tab text, VARIADIC cols text[]) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT cardinality(cols) = (
    SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p')
    WHERE a.attrelid = to_regclass(tab) AND a.attname = ANY (cols) AND NOT a.attisdropped)
$$;
REVOKE EXECUTE ON FUNCTION push_knows FROM PUBLIC;

CREATE TABLE IF NOT EXISTS users (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  email text NOT NULL UNIQUE,
  name text NOT NULL,
  password_hash text NOT NULL DEFAULT '',
  is_admin boolean NOT NULL DEFAULT false,
  notify_new_feedback boolean NOT NULL DEFAULT true,
  notify_new_comments boolean NOT NULL DEFAULT true,
  is_email_verified boolean NOT NULL DEFAULT false,
  created_at timestamptz DEFAULT push_now(),
  updated_at timestamptz DEFAULT push_now()
);

CREATE TABLE IF NOT EXISTS user_tokens (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  value text NOT NULL UNIQUE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  expires_at timestamptz,
  created_at timestamptz DEFAULT push_now()
);

CREATE TABLE IF NOT EXISTS projects (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL,
  api_key text NOT NULL UNIQUE,
  description text,
  owner_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  is_archived boolean NOT NULL DEFAULT false,
  archived_at timestamptz,
  created_at timestamptz DEFAULT push_now(),
  updated_at timestamptz DEFAULT push_now()
);

CREATE TABLE IF NOT EXISTS project_members (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role text NOT NULL DEFAULT 'member',
  created_at timestamptz DEFAULT push_now(),
  updated_at timestamptz DEFAULT push_now(),
  UNIQUE (project_id, user_id)
);

-- `user_id` is whatever the SDK calls its user, not a key of `users`; so it is in `comments` and `votes`.
CREATE TABLE IF NOT EXISTS feedbacks (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  title text NOT NULL,
  description text NOT NULL DEFAULT '',
  status text NOT NULL DEFAULT 'pending',
  category text NOT NULL DEFAULT 'other',
  user_id text NOT NULL,
  user_email text,
  vote_count integer NOT NULL DEFAULT 0,
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  rejection_reason text,
  merged_into_id uuid,
  created_at timestamptz DEFAULT push_now(),
  updated_at timestamptz DEFAULT push_now()
);

CREATE TABLE IF NOT EXISTS comments (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  content text NOT NULL,
  user_id text NOT NULL,
  is_admin boolean NOT NULL DEFAULT false,
  feedback_id uuid NOT NULL REFERENCES feedbacks (id) ON DELETE CASCADE,
  created_at timestamptz DEFAULT push_now()
);

CREATE TABLE IF NOT EXISTS votes (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id text NOT NULL,
  feedback_id uuid NOT NULL REFERENCES feedbacks (id) ON DELETE CASCADE,
  created_at timestamptz DEFAULT push_now(),
  UNIQUE (user_id, feedback_id)
);

-- With an e-mail address, somebody who votes without an account hears of it.
ALTER TABLE votes ADD COLUMN IF NOT EXISTS user_email varchar(255);

CREATE INDEX IF NOT EXISTS idx_users_email_lower ON users (lower(email));
CREATE INDEX IF NOT EXISTS idx_users_address ON users (lower(email COLLATE "C"));
CREATE INDEX IF NOT EXISTS idx_votes_feedback_id ON votes (feedback_id);
-- Who voted or commented is found at once, however many did.
CREATE INDEX IF NOT EXISTS idx_votes_account ON votes (feedback_id, push_uuid(user_id));
CREATE INDEX IF NOT EXISTS idx_votes_address_ascii ON votes (feedback_id, lower(user_email COLLATE "C"))
  WHERE user_email IS NOT NULL;
DO $$
BEGIN
  IF push_knows('comments', 'feedback_id') THEN
-- It begins a line, as the indexes do that a large table gets beforehand.
CREATE INDEX IF NOT EXISTS idx_comments_author ON comments (feedback_id, user_id);
  END IF;
END
$$;

-- The comments. Where the app's own table of that name is about something else, there are none.
CREATE OR REPLACE FUNCTION push_comments() RETURNS TABLE (id uuid, feedback_id uuid, user_id text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT NULL::uuid, NULL::uuid, NULL::text WHERE false $$;
DO $body$
BEGIN
  IF push_knows('comments', 'feedback_id') THEN
    CREATE OR REPLACE FUNCTION push_comments() RETURNS TABLE (id uuid, feedback_id uuid, user_id text)
    LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT c.id, c.feedback_id, c.user_id::text FROM comments c $$;
  END IF;
END
$body$;
