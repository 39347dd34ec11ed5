-- Compatible
-- What waits for a person is found by idx_held_notifications_person, which begins with the person: an index of the person
-- alone is written for each row that waits, and finds nothing that the other does not.
DROP INDEX IF EXISTS idx_held_notifications_user;
