-- Forty people with two devices for each of two apps, one project of somebody without a device, and 4,000 feedbacks.
-- Each feedback gets at most one vote and one comment: nothing has to be merged.
SET session_replication_role = replica;
INSERT INTO users (id, email, name, is_email_verified)
SELECT ('a0000000-0000-4000-8000-' || lpad(p::text, 12, '0'))::uuid, 'person-' || p || '@example.com', 'Person ' || p, true
FROM generate_series(0, 40) AS p;
INSERT INTO projects (id, name, api_key, owner_id)
VALUES ('b0000000-0000-4000-8000-000000000001', 'Orbit', 'chaos', 'a0000000-0000-4000-8000-000000000000');
INSERT INTO device_tokens (user_id, token, platform, app, environment, bundle_id)
SELECT ('a0000000-0000-4000-8000-' || lpad(p::text, 12, '0'))::uuid,
  encode(sha256((app || p || '/' || device)::bytea), 'hex'), 'iOS', app, 'sandbox',
  CASE app WHEN 'repairminder' THEN 'com.mendmyi.repairminder' END
FROM generate_series(1, 40) AS p, unnest(ARRAY['feedbackkit', 'repairminder']) AS app, generate_series(1, 2) AS device;
INSERT INTO feedbacks (id, title, user_id, user_email, project_id)
SELECT ('c0000000-0000-4000-8000-' || lpad(f::text, 12, '0'))::uuid, 'Feedback ' || f, 'sdk-' || f % 40 + 1,
  'person-' || f % 40 + 1 || '@example.com', 'b0000000-0000-4000-8000-000000000001'
FROM generate_series(0, 3999) AS f;
RESET session_replication_role;
ANALYZE;
