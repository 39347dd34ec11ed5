-- Rows for each table in which the demo (Runner/Demo/demo.sql) leaves none.

INSERT INTO experiments (app, kind) VALUES ('feedbackkit', 'new_vote');
INSERT INTO notification_settings (user_id, app, switches, timezone, quiet_hours_enabled, quiet_hours_start, quiet_hours_end)
SELECT id, 'repairminder', '{"order_lost": false}', 'Europe/Berlin', true, '22:00', '07:00' FROM users WHERE name = 'Ada';
INSERT INTO user_activity (user_id, app, subject_id, seen_at)
SELECT id, 'messageai', 'c1', '2026-11-01 12:00Z' FROM users WHERE name = 'Ada';
INSERT INTO api_tokens (user_id, token_hash, name, expires_at)
SELECT id, repeat('0a', 32), 'test', '2099-01-01Z' FROM users WHERE name = 'Ben';
INSERT INTO push_provider_tokens VALUES ('TEAM000000', 'KEY0000000', 'sandbox', NULL, NULL);
WITH gone AS (INSERT INTO users (email, name) VALUES ('gone@example.com', 'Gone') RETURNING id)
INSERT INTO push_gone_people SELECT id FROM gone;
INSERT INTO push_providers VALUES ('fcm', NULL, 'FCM is not configured', '2026-11-01 12:00Z');
INSERT INTO analyses (user_id, message_id, conversation_id, priority, source, event_id, created_at)
SELECT id, 'm1', 'c1', 'high', '/http/message-received', 'e1', '2026-11-01 12:00Z' FROM users WHERE name = 'Ada';

-- What Ada was told, with a push that was opened and one that waits, and what is held for her.
INSERT INTO notifications (id, user_id, app, type, title, body, origin, payload, feedback_id, project_id, function, source,
  source_event_id, family, family_subject, actor, dedupe_key, pushed_at)
SELECT ('70000000-0000-4000-8000-00000000000' || n)::uuid, u.id, 'feedbackkit', 'new_vote', 'Vote ' || n, 'Ben voted',
  'function', '{"aps":{"alert":{"title":"Vote"}}}', f.id, f.project_id, 'vote-cast', '/votes', 'v' || n, 'votes', f.id::text,
  (SELECT min(v.user_id) FROM votes AS v WHERE v.feedback_id = f.id), 'vote ' || n, CASE n WHEN 3 THEN NULL ELSE now() END
FROM users AS u, feedbacks AS f, generate_series(1, 3) AS n WHERE u.name = 'Ada';
INSERT INTO deliveries (notification_id, device_token_id, user_id, app, state, not_before, expires_at, badge, created_at,
  updated_at)
SELECT n.id, d.id, n.user_id, n.app, CASE n.dedupe_key WHEN 'vote 1' THEN 'opened' ELSE 'queued' END, now(),
  now() + interval '1 day', 1, now(), now()
FROM notifications AS n JOIN device_tokens AS d ON d.user_id = n.user_id AND d.app = n.app WHERE n.dedupe_key IN ('vote 1', 'vote 2');
INSERT INTO push_notification_logs (user_id, device_token_id, notification_type, status, delivery_id, attempt, http_status)
SELECT d.user_id, d.device_token_id, 'new_vote', 'sent', d.id, 1, 200 FROM deliveries AS d WHERE d.state = 'opened';
INSERT INTO notification_interactions (notification_id, event, occurred_at, created_at)
SELECT id, 'opened', now(), now() FROM notifications WHERE dedupe_key = 'vote 1';
INSERT INTO notification_actions (notification_id, user_id, app, action, created_at)
SELECT id, user_id, app, 'mark_read', now() FROM notifications WHERE dedupe_key = 'vote 1';
INSERT INTO decisions (function, source, event_id, user_id, subject_id, kind, decision, recipient_reason, notification_id,
  facts, created_at)
SELECT 'vote-cast', '/votes', source_event_id, user_id, family_subject, 'new_vote',
  CASE dedupe_key WHEN 'vote 3' THEN 'hold' ELSE 'notify' END, 'member', id, '{"personal": true}', now()
FROM notifications WHERE family = 'votes';
INSERT INTO handled_events (function, source, event_id, result, created_at) VALUES ('vote-cast', '/votes', 'v1', '{}', now());
INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)
SELECT id, user_id, app, 'batched', now() + interval '1 hour', now() FROM notifications WHERE dedupe_key = 'vote 3';
INSERT INTO notification_rechecks (notification_id, decision, created_at)
SELECT id, 'hold', now() FROM notifications WHERE dedupe_key = 'vote 3';

-- What LockItIn asked: read once, and a vote that was lost with its option.
INSERT INTO notification_state (user_id, app, all_read_at)
SELECT m.user_id, 'lockitin', now() FROM group_members AS m JOIN event_proposals AS p ON p.group_id = m.group_id
WHERE p.status = 'open' AND NOT EXISTS (SELECT FROM proposal_votes AS v WHERE v.proposal_id = p.id AND v.user_id = m.user_id)
ORDER BY m.user_id LIMIT 1;
INSERT INTO proposal_lost_votes SELECT p.id, u.id, 1 FROM event_proposals AS p, users AS u WHERE u.name = 'Ben' AND p.status = 'open';
INSERT INTO proposal_leads SELECT proposal_id, option_id, now() FROM proposal_votes LIMIT 1;
INSERT INTO badge_losses (user_id, app) SELECT id, 'feedbackkit' FROM users WHERE name = 'Ada';
INSERT INTO stale_entries (notification_id, user_id, app)
SELECT id, user_id, app FROM notifications WHERE dedupe_key = 'vote 2';

-- The runner's: events that wait, one to be tried again, one that is dead, and what has ended.
INSERT INTO runner.retries (partition, id, function, key, at, op, table_schema, table_name, record, attempt, run_at, code, error)
SELECT runner.partition('vote-cast', 'k'), runner.next_id(runner.partition('vote-cast', 'k')), 'vote-cast', 'k', now(), 'INSERT',
  'public', 'votes', to_jsonb(v), 1, '2099-01-01Z', 'UNAVAILABLE', 'later' FROM votes AS v LIMIT 1;
INSERT INTO runner.dead_letters (partition, id, function, at, source, type, data, attempts, code, error)
VALUES (0, runner.next_id(0::smallint), 'echo', now(), '/http/echo', 'test', '{"n": 1}', 5, 'INTERNAL', 'dead');
INSERT INTO runner.history (ended_at, partition, id, function, kind, at, attempt, code, exit_status, duration_us)
VALUES (now(), 0, 1, 'echo', 'queued', now(), 0, 'OK', 0, 1000);
INSERT INTO runner.payloads (partition, id, function, at, data) VALUES (0, 1, 'echo', now(), '{"n": 1}');
INSERT INTO runner.schedules (name, function, expression, timezone, since, next_at)
VALUES ('event-reminder', 'event-reminder', '* * * * *', 'UTC', '2026-11-01Z', '2026-11-01 00:01Z')
ON CONFLICT DO NOTHING;
INSERT INTO runner.schedule_fires (schedule, scheduled_time, event_id) VALUES ('event-reminder', '2026-11-01Z', 'f1');
INSERT INTO runner.runners (owner, holder, name, expires_at)
VALUES ('00000000-0000-4000-8000-000000000001', 1, 'one that has ended', '2026-11-01Z');
INSERT INTO runner.sign_outs (session) VALUES (repeat('0b', 32));
INSERT INTO runner.roles VALUES ('a_role_that_is_gone');
INSERT INTO runner.signals VALUES ('release-held');
INSERT INTO runner.wakeups (function, at) VALUES ('release-held', '2099-01-01Z') ON CONFLICT DO NOTHING;
