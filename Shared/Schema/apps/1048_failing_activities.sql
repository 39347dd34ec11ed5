-- Compatible
-- What can never be told ends, and so does a broadcast channel whose end APNs does not take.

-- Since when every try to tell the activities of the subject has failed; NULL if none has failed yet.
ALTER TABLE activity_changes ADD COLUMN IF NOT EXISTS failing_since timestamptz;

-- Nobody has noted yet when to give up the ends that earlier versions asked for.
INSERT INTO activity_changes (app, subject_id, due_at, openings)
SELECT DISTINCT c.app, c.subject_id, push_now(), '{}'::uuid[] FROM activity_channels c
WHERE c.state = 'live' AND c.wanted_event = 'end' AND c.wanted_stamp > c.said_stamp;
