-- Compatible
-- One device for a token of APNs whatever the case of its digits, and the preferences of projects that concern somebody.

-- Tokens with a capital letter, which are few.
CREATE INDEX IF NOT EXISTS idx_device_tokens_case ON device_tokens (lower(token))
  WHERE provider = 'apns' AND token <> lower(token);

-- A device belongs to who registered it last. Apps write rows themselves, in a case of their own, and look for them in it:
-- what they wrote stays as it is, and the row in another case gets no more pushes.
CREATE OR REPLACE FUNCTION push_end_twins() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  -- The other row may be another person's, whom nobody but the owner of the table sees.
  UPDATE device_tokens t
  SET is_active = false, deactivated_at = now(), deactivated_reason = 'unregistered'
  WHERE t.is_active AND t.provider = 'apns' AND t.id <> NEW.id
    AND (t.token = lower(NEW.token) OR lower(t.token) = lower(NEW.token) AND t.token <> lower(t.token));
  RETURN NULL;
END
$$;
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION push_end_twins() SET search_path = %I, pg_temp', current_schema());
END
$$;
REVOKE EXECUTE ON FUNCTION push_end_twins FROM PUBLIC;

-- The twins that are there: the one that was registered last stays.
WITH twins AS (
  SELECT t.id, row_number() OVER (PARTITION BY lower(t.token) ORDER BY t.registered_at DESC, t.id) AS place
  FROM device_tokens t
  WHERE t.is_active AND t.provider = 'apns' AND t.token ~ '^[0-9A-Fa-f]+$'
    AND lower(t.token) IN (
      SELECT lower(o.token) FROM device_tokens o WHERE o.provider = 'apns' AND o.token <> lower(o.token))
)
UPDATE device_tokens t
SET is_active = false, deactivated_at = now(), deactivated_reason = 'unregistered'
FROM twins WHERE t.id = twins.id AND twins.place > 1;

CREATE OR REPLACE TRIGGER push_end_twins_of_new AFTER INSERT ON device_tokens FOR EACH ROW
  WHEN (NEW.is_active AND NEW.provider = 'apns' AND NEW.token ~ '^[0-9A-Fa-f]+$')
  EXECUTE FUNCTION push_end_twins();
CREATE OR REPLACE TRIGGER push_end_twins_of_renewed AFTER UPDATE OF token, is_active, registered_at, provider
  ON device_tokens FOR EACH ROW
  WHEN (NEW.is_active AND NEW.provider = 'apns'
    AND (NEW.token, NEW.is_active, NEW.registered_at, NEW.provider)
      IS DISTINCT FROM (OLD.token, OLD.is_active, OLD.registered_at, OLD.provider)
    AND NEW.token ~ '^[0-9A-Fa-f]+$')
  EXECUTE FUNCTION push_end_twins();

-- Whom a project concerns: its owner, its members, and who submitted a feedback in it or voted for one, which pushes
-- tell them of. A row of the SDK's is a person's by its id, else by its address.
CREATE OR REPLACE FUNCTION push_in_project(project uuid) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM projects p WHERE p.id = push_in_project.project AND p.owner_id = push_person()
    UNION ALL
    SELECT FROM project_members m WHERE m.project_id = push_in_project.project AND m.user_id = push_person()
    UNION ALL
    SELECT FROM users u CROSS JOIN (
      SELECT f.user_id, f.user_email FROM feedbacks f WHERE f.project_id = push_in_project.project
      UNION ALL
      SELECT v.user_id, v.user_email FROM votes v JOIN feedbacks f ON f.id = v.feedback_id
      WHERE f.project_id = push_in_project.project
    ) r
    WHERE u.id = push_person() AND (push_uuid(r.user_id) = u.id
      OR lower(r.user_email) = lower(u.email) AND NOT EXISTS (SELECT FROM users i WHERE i.id = push_uuid(r.user_id))));
END
$$;
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION push_in_project(uuid) SET search_path = %I, pg_temp', current_schema());
END
$$;
