-- What Ada, who calls, has besides the demo's rows: notifications to act on, one for each kind of action.
INSERT INTO friend_requests (id, requester_id, recipient_id) VALUES
  ('f7000000-0000-4000-8000-0000000000f1', 'a0000000-0000-4000-8000-000000000004', 'a0000000-0000-4000-8000-000000000001');

INSERT INTO group_invites (id, group_id, inviter_id, invitee_id) VALUES
  ('f8000000-0000-4000-8000-0000000000f1', 'f0000000-0000-4000-8000-000000000002',
   'a0000000-0000-4000-8000-000000000008', 'a0000000-0000-4000-8000-000000000001');

INSERT INTO notifications (id, user_id, app, type, title, data, origin) VALUES
  ('e2000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', 'feedbackkit', 'new_vote', 'A vote',
   '{}', 'function'),
  ('e2000000-0000-4000-8000-000000000002', 'a0000000-0000-4000-8000-000000000001', 'lockitin', 'proposal_created',
   'Game Night', '{"proposal_id": "f4000000-0000-4000-8000-000000000001"}', 'function'),
  ('e2000000-0000-4000-8000-000000000003', 'a0000000-0000-4000-8000-000000000001', 'lockitin', 'friend_request', 'Dan',
   '{"friend_request_id": "f7000000-0000-4000-8000-0000000000f1"}', 'function'),
  ('e2000000-0000-4000-8000-000000000004', 'a0000000-0000-4000-8000-000000000001', 'lockitin', 'group_invite',
   'Book Club', '{"group_id": "f0000000-0000-4000-8000-000000000002"}', 'function'),
  ('e2000000-0000-4000-8000-000000000005', 'a0000000-0000-4000-8000-000000000001', 'lockitin', 'event_starting_soon',
   'Picnic', '{"event_id": "fa000000-0000-4000-8000-000000000001"}', 'function'),
  ('e2000000-0000-4000-8000-000000000006', 'a0000000-0000-4000-8000-000000000001', 'messageai', 'smart_notification',
   'A message', '{"conversationId": "conv-42", "messageId": "m-1"}', 'function');

-- What checks.py looks for: nobody but Ben may see or change it.
UPDATE users SET email = 'marker-ben@example.com' WHERE id = 'a0000000-0000-4000-8000-000000000002';

INSERT INTO device_tokens (id, user_id, token, platform, app_version, installation_id) VALUES
  ('bbbbbbbb-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000002', 'marker-ben-token', 'iOS',
   'marker-ben', 'marker-ben-phone');

INSERT INTO notifications (id, user_id, type, title, body, data) VALUES
  ('bbbbbbbb-0000-4000-8000-000000000002', 'a0000000-0000-4000-8000-000000000002', 'new_feedback', 'marker-ben-title',
   'marker-ben-body', '{"secret": "marker-ben-data"}');
