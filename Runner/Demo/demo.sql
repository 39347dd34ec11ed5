-- The people, projects and groups of the demo. Running it again changes nothing.

INSERT INTO users (id, email, name, password_hash, is_email_verified, push_notifications_enabled,
    push_notify_new_comments) VALUES
  ('a0000000-0000-4000-8000-000000000001', 'ada@example.com', 'Ada', '', true, true, true),
  ('a0000000-0000-4000-8000-000000000002', 'ben@example.com', 'Ben', '', true, true, true),
  ('a0000000-0000-4000-8000-000000000003', 'chloe@example.com', 'Chloe', '', true, false, true), -- wants no push at all
  ('a0000000-0000-4000-8000-000000000004', 'dan@example.com', 'Dan', '', true, true, true),
  ('a0000000-0000-4000-8000-000000000005', 'eva@example.com', 'Eva', '', true, true, false),     -- wants no comments
  ('a0000000-0000-4000-8000-000000000006', 'finn@example.com', 'Finn', '', true, true, true),    -- has no device
  ('a0000000-0000-4000-8000-000000000007', 'grace@example.com', 'Grace', '', true, true, true),
  ('a0000000-0000-4000-8000-000000000008', 'hugo@example.com', 'Hugo', '', true, true, true)
ON CONFLICT DO NOTHING;

INSERT INTO projects (id, name, api_key, owner_id) VALUES
  ('b0000000-0000-4000-8000-000000000001', 'Orbit', 'demo-key-orbit', 'a0000000-0000-4000-8000-000000000001'),
  ('b0000000-0000-4000-8000-000000000002', 'Harbor', 'demo-key-harbor', 'a0000000-0000-4000-8000-000000000008')
ON CONFLICT DO NOTHING;

INSERT INTO project_members (id, project_id, user_id, role)
SELECT ('b1000000-0000-4000-8000-00000000000' || number)::uuid, ('b0000000-0000-4000-8000-00000000000' || project)::uuid,
  ('a0000000-0000-4000-8000-00000000000' || person)::uuid, role
FROM (VALUES (2, 1, 2, 'admin'), (3, 1, 3, 'member'), (4, 1, 4, 'member'), (5, 1, 5, 'member'), (6, 1, 6, 'member'),
  (7, 2, 1, 'member')) AS m (number, project, person, role)
ON CONFLICT DO NOTHING;

-- Dan has muted Orbit; Eva, who wants no comments, wants Orbit's.
INSERT INTO project_member_preferences (id, user_id, project_id, push_muted, push_notify_new_comments) VALUES
  ('b2000000-0000-4000-8000-000000000004', 'a0000000-0000-4000-8000-000000000004',
   'b0000000-0000-4000-8000-000000000001', true, NULL),
  ('b2000000-0000-4000-8000-000000000005', 'a0000000-0000-4000-8000-000000000005',
   'b0000000-0000-4000-8000-000000000001', false, true)
ON CONFLICT DO NOTHING;

INSERT INTO device_tokens (id, user_id, token, platform, app, environment, bundle_id)
SELECT ('dd000000-0000-4000-8000-0000000000' || number)::uuid, ('a0000000-0000-4000-8000-00000000000' || person)::uuid,
  repeat(digits, 32), platform, app, 'sandbox', bundle
FROM (VALUES
  ('01', 1, 'a1', 'iOS', 'feedbackkit', NULL), ('11', 1, 'b1', 'macOS', 'feedbackkit', NULL),
  ('02', 2, 'a2', 'iOS', 'feedbackkit', NULL), ('03', 3, 'a3', 'iOS', 'feedbackkit', NULL),
  ('04', 4, 'a4', 'iOS', 'feedbackkit', NULL), ('05', 5, 'a5', 'iOS', 'feedbackkit', NULL),
  ('07', 7, 'a7', 'iOS', 'feedbackkit', NULL), ('08', 8, 'a8', 'iOS', 'feedbackkit', NULL),
  ('21', 1, 'c1', 'iOS', 'lockitin', 'com.lockit.app'), ('22', 2, 'c2', 'iOS', 'lockitin', 'com.lockit.app'),
  ('23', 3, 'c3', 'iOS', 'lockitin', 'com.lockit.app'), ('25', 5, 'c5', 'iOS', 'lockitin', 'com.lockit.app'),
  ('31', 1, 'd1', 'iOS', 'repairminder', 'com.mendmyi.repairminder'),
  ('41', 1, 'e1', 'iOS', 'messageai', 'com.messageai.app')) AS d (number, person, digits, platform, app, bundle)
ON CONFLICT DO NOTHING;

-- Grace's feedback, with a comment of Ben's and votes of Hugo and of somebody who is not registered.
INSERT INTO feedbacks (id, title, description, category, status, user_id, user_email, vote_count, project_id) VALUES
  ('c0000000-0000-4000-8000-000000000001', 'Dark mode', 'White hurts at night.', 'feature_request', 'approved',
   'sdk-grace', 'Grace@Example.com', 2, 'b0000000-0000-4000-8000-000000000001')
ON CONFLICT DO NOTHING;

INSERT INTO comments (id, content, user_id, is_admin, feedback_id) VALUES
  ('c1000000-0000-4000-8000-000000000001', 'We are on it.', 'a0000000-0000-4000-8000-000000000002', true,
   'c0000000-0000-4000-8000-000000000001')
ON CONFLICT DO NOTHING;

INSERT INTO votes (id, user_id, user_email, feedback_id) VALUES
  ('c2000000-0000-4000-8000-000000000001', 'sdk-hugo', 'hugo@example.com', 'c0000000-0000-4000-8000-000000000001'),
  ('c2000000-0000-4000-8000-000000000002', 'sdk-iris', 'iris@nowhere.example', 'c0000000-0000-4000-8000-000000000001')
ON CONFLICT DO NOTHING;

-- Ada's group has an open proposal: for sample events, which bring their own time, it stays open for years, and in the
-- story as long as `demo.deadline` says. Hugo is alone in his. Movie Night has become an event, for sample events.
INSERT INTO groups (id, name, created_by) VALUES
  ('f0000000-0000-4000-8000-000000000001', 'College Friends', 'a0000000-0000-4000-8000-000000000001'),
  ('f0000000-0000-4000-8000-000000000002', 'Book Club', 'a0000000-0000-4000-8000-000000000008')
ON CONFLICT DO NOTHING;

INSERT INTO group_members (id, group_id, user_id) VALUES
  ('f1000000-0000-4000-8000-000000000001', 'f0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001'),
  ('f1000000-0000-4000-8000-000000000002', 'f0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000002'),
  ('f1000000-0000-4000-8000-000000000003', 'f0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000003'),
  ('f1000000-0000-4000-8000-000000000005', 'f0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000005'),
  ('f1000000-0000-4000-8000-000000000008', 'f0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000008'),
  ('f1000000-0000-4000-8000-000000000018', 'f0000000-0000-4000-8000-000000000002', 'a0000000-0000-4000-8000-000000000008')
ON CONFLICT DO NOTHING;

-- Chloe wants no push here either; Eva wants only what is important, which a reminder is.
INSERT INTO user_notification_preferences (id, user_id, notifications_enabled) VALUES
  ('f2000000-0000-4000-8000-000000000003', 'a0000000-0000-4000-8000-000000000003', false)
ON CONFLICT DO NOTHING;

INSERT INTO group_notification_preferences (id, user_id, group_id, notification_level) VALUES
  ('f3000000-0000-4000-8000-000000000005', 'a0000000-0000-4000-8000-000000000005',
   'f0000000-0000-4000-8000-000000000001', 'important')
ON CONFLICT DO NOTHING;

INSERT INTO event_proposals (id, group_id, created_by, title, deadline, status) VALUES
  ('f4000000-0000-4000-8000-000000000001', 'f0000000-0000-4000-8000-000000000001',
   'a0000000-0000-4000-8000-000000000001', 'Game Night',
   coalesce(nullif(current_setting('demo.deadline', true), '')::timestamptz, '2030-01-05 20:00:00+00'), 'open'),
  ('f4000000-0000-4000-8000-000000000002', 'f0000000-0000-4000-8000-000000000001',
   'a0000000-0000-4000-8000-000000000001', 'Movie Night', '2030-01-05 20:00:00+00', 'confirmed')
ON CONFLICT DO NOTHING;

INSERT INTO proposal_options (id, proposal_id, starts_at, ends_at) VALUES
  ('f5000000-0000-4000-8000-000000000001', 'f4000000-0000-4000-8000-000000000001',
   '2030-01-12 19:00:00+00', '2030-01-12 23:00:00+00'),
  ('f5000000-0000-4000-8000-000000000002', 'f4000000-0000-4000-8000-000000000001',
   '2030-01-13 19:00:00+00', '2030-01-13 23:00:00+00')
ON CONFLICT DO NOTHING;

INSERT INTO proposal_votes (id, proposal_id, option_id, user_id, vote) VALUES
  ('f6000000-0000-4000-8000-000000000002', 'f4000000-0000-4000-8000-000000000001',
   'f5000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000002', 'yes')
ON CONFLICT DO NOTHING;

-- Hugo has invited Ben to his group and as a friend. Ben is not free at the time of the game night.
INSERT INTO friend_requests (id, requester_id, recipient_id) VALUES
  ('f7000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000008', 'a0000000-0000-4000-8000-000000000002')
ON CONFLICT DO NOTHING;

INSERT INTO group_invites (id, group_id, inviter_id, invitee_id) VALUES
  ('f8000000-0000-4000-8000-000000000001', 'f0000000-0000-4000-8000-000000000002',
   'a0000000-0000-4000-8000-000000000008', 'a0000000-0000-4000-8000-000000000002')
ON CONFLICT DO NOTHING;

INSERT INTO event_conflicts (id, proposal_id, user_id, existing_event_id, existing_title) VALUES
  ('f9000000-0000-4000-8000-000000000001', 'f4000000-0000-4000-8000-000000000001',
   'a0000000-0000-4000-8000-000000000002', 'fb000000-0000-4000-8000-000000000001', 'Dentist')
ON CONFLICT DO NOTHING;

-- An event: Ada comes, Ben perhaps, Eva does not.
INSERT INTO events (id, group_id, created_by, title, location, location_latitude, location_longitude, starts_at, ends_at)
VALUES
  ('fa000000-0000-4000-8000-000000000001', 'f0000000-0000-4000-8000-000000000001',
   'a0000000-0000-4000-8000-000000000001', 'Picnic', 'Mauerpark', 52.5433, 13.4026, '2030-01-12 19:00:00+00',
   '2030-01-12 23:00:00+00')
ON CONFLICT DO NOTHING;

INSERT INTO event_attendees (event_id, user_id, status, travel_minutes, travel_mode, traffic) VALUES
  ('fa000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', 'yes', 25, 'car', 'light'),
  ('fa000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000002', 'maybe', NULL, NULL, NULL),
  ('fa000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000005', 'no', NULL, NULL, NULL)
ON CONFLICT DO NOTHING;

-- The token with which Ada's app signs in, as FeedbackKit's server issues it.
INSERT INTO user_tokens (id, value, user_id) VALUES
  ('d4000000-0000-4000-8000-000000000001', 'demo-ada', 'a0000000-0000-4000-8000-000000000001')
ON CONFLICT DO NOTHING;

-- Past rows for sample events: what Movie Night has become, and an order of Repair Minder that is ready.
-- The order's notification has the origin of a function, so it makes no event.
INSERT INTO events (id, group_id, proposal_id, created_by, title, starts_at, ends_at) VALUES
  ('fa000000-0000-4000-8000-000000000002', 'f0000000-0000-4000-8000-000000000001',
   'f4000000-0000-4000-8000-000000000002', 'a0000000-0000-4000-8000-000000000001', 'Movie Night',
   '2030-01-19 19:00:00+00', '2030-01-19 23:00:00+00')
ON CONFLICT DO NOTHING;

INSERT INTO notifications (id, user_id, app, type, entity_id, data, origin, expires_at) VALUES
  ('e1000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', 'repairminder',
   'order_status_changed', '0d000000-0000-4000-8000-000000001234', '{"order_number": 1234, "status": "ready"}',
   'function', '2031-01-01 00:00:00+00')
ON CONFLICT DO NOTHING;
