-- Compatible
-- The functions that lock people and deliveries keep their plans.
--
-- PostgreSQL plans a function of language sql again for every statement that calls it, unless it becomes part of that
-- statement, which one that locks cannot. One of plpgsql keeps its plan for the connection.

-- `push_hold_people` of 1012_changes. It may be called by servers alone, as before.
CREATE OR REPLACE FUNCTION push_hold_people(ids uuid[]) RETURNS SETOF uuid
LANGUAGE plpgsql VOLATILE SECURITY DEFINER ROWS 100 AS $$
BEGIN
  RETURN QUERY
    SELECT u.id::uuid FROM users u
    WHERE u.id = ANY (push_hold_people.ids) AND has_table_privilege(session_user, 'notifications'::regclass, 'INSERT')
    ORDER BY u.id FOR KEY SHARE OF u;
END
$$;

-- `push_hold_answered` of 1032_live_activities.
CREATE OR REPLACE FUNCTION push_hold_answered(ids uuid[])
RETURNS TABLE (delivery_id uuid, place tid, registered_at timestamptz, acceptances bigint)
LANGUAGE plpgsql VOLATILE ROWS 100 AS $$
BEGIN
  RETURN QUERY
    SELECT d.id, d.ctid, CASE WHEN d.activity_id IS NULL THEN t.registered_at ELSE a.registered_at END,
      CASE WHEN d.activity_id IS NULL THEN t.acceptances ELSE a.acceptances END
    FROM unnest(push_hold_answered.ids) AS i (id)
    CROSS JOIN LATERAL (
      SELECT d.id, d.ctid, d.device_token_id, d.activity_id FROM deliveries d WHERE d.id = i.id
      FOR NO KEY UPDATE OF d SKIP LOCKED
    ) d
    CROSS JOIN LATERAL (
      SELECT t.registered_at, t.acceptances FROM device_tokens t WHERE t.id = d.device_token_id
      FOR NO KEY UPDATE OF t SKIP LOCKED
    ) t
    LEFT JOIN live_activities a ON a.id = d.activity_id;
END
$$;

-- Their bodies were bound to the tables before: they find these, whatever search_path their caller has.
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION push_hold_people(uuid[]) SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION push_hold_answered(uuid[]) SET search_path = %I, pg_temp', current_schema());
END
$$;
