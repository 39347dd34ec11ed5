-- Compatible
-- A mailbox that is not there gets no more mails, and what can never be decided ends.

-- The person's address when a mail server said that it has no such mailbox; another address may have one. NULL again if
-- the person switches reminders off and on.
ALTER TABLE unread_settings ADD COLUMN IF NOT EXISTS gone_email text;
-- Since when every try to decide has failed; NULL if the last one has not.
ALTER TABLE unread_checks ADD COLUMN IF NOT EXISTS failing_since timestamptz;
