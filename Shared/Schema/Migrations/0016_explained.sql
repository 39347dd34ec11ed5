-- What decisions were made from, since settings change later. `facts` has only what is not so with most people, and is
-- NULL where nothing is: the gates can be asked again from it.
ALTER TABLE decisions ADD COLUMN IF NOT EXISTS facts jsonb;
ALTER TABLE notification_rechecks ADD COLUMN IF NOT EXISTS facts jsonb;
